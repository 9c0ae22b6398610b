"""Words of a token classifier: first sub-words count, special tokens and padding do not."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.scores import bio_transitions, from_emissions, from_hf

IDS = [[None, 0, 0, 1, 2, None], [None, 0, None, None, None, None], [None, None, None, None, None, None]]
MASK = [[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]]
LOGITS = np.random.default_rng(0).normal(size=(3, 6, 3)).astype(np.float32)
LABELS = {0: "O", 1: "B-X", 2: "I-X"}


def test_rows_of_words():
    sequences = from_hf(LOGITS, IDS, attention_mask=MASK, id2label=LABELS)
    want = [LOGITS[0, [1, 3, 4]], LOGITS[1, [1]], LOGITS[2, :0]]
    assert sequences.lengths.tolist() == [3, 1, 0]
    assert sequences.labels == ("O", "B-X", "I-X")
    for got, wanted in zip(sequences.max_marginals(), from_emissions(want).max_marginals()):
        assert got.tolist() == wanted.tolist()


def test_padding_is_not_looked_at():
    spoiled = LOGITS.copy()
    spoiled[1, 3:] = np.nan
    spoiled[:, 0] = np.nan
    got = from_hf(spoiled, IDS, attention_mask=MASK).decode()
    assert [labels.tolist() for labels in got] == [
        labels.tolist() for labels in from_hf(LOGITS, IDS).decode()
    ]


def test_a_list_and_word_ids_of_a_tokenizer_that_numbers_pads():
    """Some mark pads as belonging to no word, some stop where the sentence does."""
    ids = [[None, 0, 0, 1, 2, None], [None, 0, None]]
    got = from_hf(list(LOGITS[:2]), ids, attention_mask=MASK[:2], id2label=["O", "B-X", "I-X"])
    assert got.lengths.tolist() == [3, 1]


def test_rules_of_chunks_hold():
    logits = [[[0.0, 1.0, 5.0], [0.0, 1.0, 5.0]]]
    labels = ["O", "B-X", "I-X"]
    rules = bio_transitions(labels)
    free = from_hf(logits, [[0, 1]], id2label=labels)
    bound = from_hf(logits, [[0, 1]], id2label=labels, **rules._asdict())
    assert free.decode()[0].tolist() == ["I-X", "I-X"]
    assert bound.decode()[0].tolist() == ["B-X", "I-X"]


def test_keys_may_be_texts_as_in_a_config_file():
    assert from_hf(LOGITS, IDS, id2label={"1": "b", "0": "a", "2": "c"}).labels == ("a", "b", "c")


REFUSED = [
    ({"word_ids": IDS[:2]}, ShapeError, "word_ids has 2 sequences; logits has 3"),
    ({"word_ids": [[0]] * 3}, ShapeError, r"word_ids\[0\] has 1 tokens; logits\[0\] has 6"),
    (
        {"word_ids": [["a"] * 6] * 3},
        ArgumentError,
        r"word_ids\[0\]\[0\] must be a whole number or None",
    ),
    ({"word_ids": [0, 1, 2]}, ArgumentError, r"word_ids\[0\] must be a sequence, got 0"),
    ({"attention_mask": MASK[:1]}, ShapeError, "attention_mask has 1 sequences; logits has 3"),
    (
        {"attention_mask": [[1]] * 3},
        ShapeError,
        r"attention_mask\[0\] has shape \(1,\); logits\[0\] needs \(6,\)",
    ),
    ({"id2label": {0: "O", 2: "I"}}, ArgumentError, "id2label must have all ids 0 to 1, got none for 1"),
    ({"id2label": ["O"]}, ShapeError, "labels has 1 names; emissions has 3 columns"),
    ({"logits": LOGITS[:, :, 0]}, ShapeError, r"logits\[0\] has shape \(6,\); it needs \(T, K\)"),
    ({"logits": np.where(LOGITS[0, 3, 1] == LOGITS, np.nan, LOGITS)}, ScoreError, r"logits\[0\].* got nan"),
]


@pytest.mark.parametrize(("changed", "error", "message"), REFUSED)
def test_refusals(changed, error, message):
    arguments = {"logits": LOGITS, "word_ids": IDS} | changed
    with pytest.raises(error, match=message):
        from_hf(**arguments)


def test_ids_below_0_are_no_words():
    """Arrays of ids cannot hold None: -1 or -100 replaces it."""
    ids = [[-100 if word is None else word for word in row] for row in IDS]
    some = [[-1 if word is None else word for word in row] for row in IDS]
    want = [table.tolist() for table in from_hf(LOGITS, IDS).max_marginals()]
    for other in (ids, np.array(ids), some):
        assert [table.tolist() for table in from_hf(LOGITS, other).max_marginals()] == want


def test_a_word_in_two_windows_is_read_once_where_it_is_deeper():
    logits = np.random.default_rng(1).normal(size=(3, 6, 2))
    ids = [[None, 0, 1, 2, 3, None], [None, 2, 3, 4, 5, None], [None, 0, 0, 1, None, None]]
    sequences = from_hf(logits, ids, overflow_to_sample_mapping=[0, 0, 1])
    rows = [logits[0, 1], logits[0, 2], logits[0, 3], logits[1, 2], logits[1, 3], logits[1, 4]]
    want = from_emissions([np.array(rows), logits[2, [1, 3]]])
    assert sequences.lengths.tolist() == [6, 2]
    for got, wanted in zip(sequences.max_marginals(), want.max_marginals()):
        assert got.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("ids", "mapping", "message"),
    [
        ([[2, 3, 4]], None, r"word_ids\[0\] must begin with word 0, got 2: of windows .* overflow_to_sample"),
        ([[0, 2, 3]], None, r"word_ids\[0\] must have every word, got none for word 1"),
        ([[0, 1, 0]], None, r"word_ids\[0\]\[2\] must not fall, got 0 after 1"),
        ([[0, 1, 2], [4, 5, 6]], [0, 0], "word_ids of sentence 0 must have every word, got none for word 3"),
        ([[0, 1, 2], [0, 1, 2]], [0], "overflow_to_sample_mapping has 1 windows; logits has 2"),
        ([[0, 1, 2], [0, 1, 2]], [1, 1], "word_ids of sentence 0 must be in a window, got none"),
        ([[0, 1, 2]], [-1], r"overflow_to_sample_mapping\[0\] must be from 0"),
    ],
)
def test_windows_that_leave_something_out_are_named(ids, mapping, message):
    with pytest.raises((ArgumentError, ShapeError), match=message):
        from_hf(np.zeros((len(ids), 3, 2)), ids, overflow_to_sample_mapping=mapping)


@pytest.mark.parametrize("nothing", [None, -1, -100, float("nan")])
@pytest.mark.parametrize("subwords", ["first", "last", "mean"])
def test_which_sub_words_of_a_word_count(subwords, nothing):
    logits = np.random.default_rng(2).normal(size=(2, 6, 3))
    ids = [[nothing, 0, 0, 0, 1, nothing], [0, 1, 1, nothing, nothing, nothing]]
    rows = [[(1, 2, 3), (4,)], [(0,), (1, 2)]]
    of = {"first": lambda at: at[:1], "last": lambda at: at[-1:], "mean": lambda at: at}[subwords]
    want = [
        np.array([table[list(of(at))].mean(axis=0) for at in words]) for table, words in zip(logits, rows)
    ]
    made = from_hf(logits, ids, subwords=subwords)
    for got, wanted in zip(made.max_marginals(), from_emissions(want).max_marginals()):
        np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_what_does_not_count_may_be_nan():
    logits = np.zeros((1, 3, 2))
    logits[0, 1] = np.nan
    for subwords in ("first", "last"):
        assert from_hf(logits, [[0, 0, 0]], subwords=subwords).lengths.tolist() == [1]
    with pytest.raises(ScoreError, match=r"logits\[0\]\[1, 0\] must be a finite score or -inf, got nan"):
        from_hf(logits, [[0, 0, 0]], subwords="mean")


@pytest.mark.parametrize("subwords", ["middle", None, 1, ["first"]])
def test_other_sub_words_are_refused(subwords):
    with pytest.raises(ArgumentError, match="subwords must be one of first, last, mean, got"):
        from_hf(LOGITS, IDS, subwords=subwords)


def test_a_word_that_a_window_cuts_is_read_from_the_window_that_has_it_whole():
    """Word 2 has three sub-words: the first window ends inside it, while the second begins before it."""
    whole = np.random.default_rng(3).normal(size=(7, 2))
    ids = [0, 1, 2, 2, 2, 3, 3]
    windows = [whole[:4], whole[1:5], whole[3:]]
    numbers = [ids[:4], ids[1:5], ids[3:]]
    for subwords in ("first", "last", "mean"):
        made = from_hf(windows, numbers, overflow_to_sample_mapping=[0, 0, 0], subwords=subwords)
        want = from_hf(whole[None], [ids], subwords=subwords)
        np.testing.assert_allclose(made.max_marginals()[0], want.max_marginals()[0], atol=1e-12)


@pytest.mark.parametrize("ids", [[[0, True]], [[0, 0.5]], [[0, "1"]], [[0, float("inf")]]])
def test_what_is_no_number_of_a_word_is_refused(ids):
    with pytest.raises(ArgumentError, match=r"word_ids\[0\]\[1\] must be a whole number or None"):
        from_hf(np.zeros((1, 2, 2)), ids)
