"""Logits of a token classifier in a file: sub-words, windows, and tokens that are not words."""

import io

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError, SpcvizError
from spcviz.io import read_scores
from spcviz.problems.own_data.model.files import How, read
from spcviz.scores import from_hf

LOGITS = np.random.default_rng(0).normal(size=(3, 5, 3)).astype(np.float32)
IDS = np.array([[-1, 0, 0, 1, -1], [-1, 1, 2, 2, -1], [0, 1, 1, -1, -1]])
"""Two windows of one sentence of three words, and one of two."""
MAPPING = [0, 0, 1]
ABOUT = {"logits": LOGITS, "word_ids": IDS, "overflow_to_sample_mapping": MAPPING}


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("subwords", ["first", "last", "mean"])
def test_a_file_and_the_arrays_in_it_are_read_alike(subwords):
    read_in = read_scores(npz(**ABOUT), subwords=subwords)
    want = from_hf(LOGITS, IDS.tolist(), overflow_to_sample_mapping=MAPPING, subwords=subwords)
    assert read_in.lengths.tolist() == [3, 2]
    assert read_in.n_subwords == 8
    for got, wanted in zip(read_in.sequences().max_marginals(), want.max_marginals()):
        np.testing.assert_allclose(got, wanted, atol=1e-12)
    brought = read("l.npz", npz(**ABOUT), how=How(subwords=subwords))
    assert brought.scores.emissions.tolist() == read_in.emissions.tolist()
    said = {"mean": "the mean of each of 5 words is taken", "first": "the first of each of 5 words counts"}
    said["last"] = "the last of each of 5 words counts"
    assert brought.warnings == (f"Of 8 sub-words {said[subwords]}.",)


@pytest.mark.parametrize("no_word", [-1, -100, np.nan, -7])
def test_what_stands_for_no_word(no_word):
    ids = np.where(IDS < 0, no_word, IDS)
    got = read_scores(npz(**(ABOUT | {"word_ids": ids})))
    assert got.emissions.tolist() == read_scores(npz(**ABOUT)).emissions.tolist()


@pytest.mark.parametrize("labels", [
    [[-100, 1, -100, 2, -100], [-100, -100, 0, -100, -100], [2, 1, -100, -100, -100]],  # first sub-words
    [[-100, -100, 1, 2, -100], [-100, -100, -100, 0, -100], [2, -100, 1, -100, -100]],  # last sub-words
    [[-100, 1, 2, 2, -100], [-100, 2, 0, 1, -100], [2, 1, 0, -100, -100]],  # all sub-words
    [1, 2, 0, 2, 1],  # words
])  # fmt: skip
def test_labels_of_sub_words_or_words(labels):
    assert read_scores(npz(**ABOUT, labels=labels)).labels.tolist() == [1, 2, 0, 2, 1]


def test_an_unknown_label_is_no_class():
    got = read_scores(npz(**ABOUT, labels=[1, -100, 0, 2, 1]))
    assert got.labels.tolist() == [1, -1, 0, 2, 1]
    brought = read("l.npz", npz(**ABOUT, labels=[1, -100, 0, 2, 1]))
    assert any("gold labels are not known" in one for one in brought.warnings)


@pytest.mark.parametrize("about", [{"lengths": [5, 2]}, {"attention_mask": [[1] * 5, [1, 1, 0, 0, 0]]}])
def test_without_word_ids_each_token_is_a_word(about):
    got = read_scores(npz(logits=LOGITS[:2], **about))
    assert got.lengths.tolist() == [5, 2]
    np.testing.assert_array_equal(got.emissions, np.concatenate([LOGITS[0], LOGITS[1, :2]]))


def test_all_tokens_one_behind_the_other():
    got = read_scores(npz(logits=LOGITS[0], word_ids=[0, 0, 1, 0, 0], lengths=[3, 2]))
    assert got.lengths.tolist() == [2, 1]
    np.testing.assert_array_equal(got.emissions, LOGITS[0, [0, 2, 3]])


HOSTILE = [
    ({"word_ids": IDS[:2]}, "word_ids has 2 sequences; logits has 3"),
    ({"word_ids": np.where(IDS < 0, -1, IDS + 3)}, "must begin with word 0"),
    ({"word_ids": IDS[:, ::-1]}, "must not fall"),
    ({"word_ids": np.full(IDS.shape, 2**62)}, "must begin with word 0, got 4611686018427387904"),
    ({"word_ids": np.full(IDS.shape, "0")}, "must be whole numbers in one or two dimensions, got <U1"),
    ({"word_ids": np.full(IDS.shape, np.inf)}, "must be a whole number or None, got inf"),
    ({"overflow_to_sample_mapping": [0, 2**40, 1]}, "overflow_to_sample_mapping"),
    ({"overflow_to_sample_mapping": [0, 0]}, "overflow_to_sample_mapping has 2 windows; logits has 3"),
    ({"logits": LOGITS[..., 0]}, "word_ids has 3 sequences; logits has 1"),
    ({"logits": LOGITS[None]}, r"logits has shape \(1, 3, 5, 3\)"),
    ({"logits": np.full(LOGITS.shape, "x")}, "must be an array of numbers"),
    ({"logits": np.full(LOGITS.shape, np.nan)}, "must be a finite score or -inf, got nan"),
    ({"logits": LOGITS[:0], "word_ids": IDS[:0]}, "of at least one sequence"),
    ({"logits": np.zeros((3, 0, 3)), "word_ids": np.zeros((3, 0), int)}, "at least one token"),
    ({"labels": [[1, 2]]}, r"labels has shape \(1, 2\); it needs one a token"),
    ({"labels": np.full((3, 5), 7)}, "labels"),
    ({"attention_mask": [[1, 1]]}, "attention_mask has 1 sequences; logits has 3"),
    ({"lengths": [5, 5]}, "lengths has 2 sequences; logits has 3"),
    ({"id2label": ["O", "O", "X"]}, "label_names must be different"),
    ({"tokens": ["a"]}, "tokens has shape"),
]


@pytest.mark.parametrize(("changed", "said"), HOSTILE)
def test_arrays_that_disagree_are_refused_by_name(changed, said):
    with pytest.raises(SpcvizError, match=said) as caught:
        read("l.npz", npz(**(ABOUT | changed)))
    assert str(caught.value).startswith("l.npz: ")


def test_predictions_as_a_trainer_returns_them():
    """Tokens without a label belong to no word, as in every evaluation of token classifiers."""
    labels = np.array([[-100, 0, 1, -100], [-100, 2, -100, -100]])
    logits = np.random.default_rng(0).normal(size=(2, 4, 3))
    got = read_scores(npz(predictions=logits, label_ids=labels))
    assert got.lengths.tolist() == [2, 1]
    assert got.labels.tolist() == [0, 1, 2]
    assert got.emissions.tolist() == [*logits[0, 1:3].tolist(), logits[1, 1].tolist()]
    same = read_scores(npz(logits=logits, labels=labels))
    assert same.emissions.tolist() == got.emissions.tolist()
    for other in (np.zeros((2, 4), int), np.full((2, 4), -100), np.zeros((2, 3), int)):
        with pytest.raises(ArgumentError, match="must hold word_ids beside logits"):
            read_scores(npz(logits=logits, labels=other))


def test_scores_in_batches_that_are_filled_up():
    scores, names = np.random.default_rng(0).normal(size=(2, 4, 3)), np.array(["A", "B", "C"])
    for how in ({"lengths": [3, 4]}, {"mask": [[1, 1, 1, 0], [1, 1, 1, 1]]}):
        got = read_scores(npz(emissions=scores, label_names=names, **how))
        assert got.lengths.tolist() == [3, 4]
        assert got.label_names == ("A", "B", "C")
        assert got.emissions.tolist() == [*scores[0, :3].tolist(), *scores[1].tolist()]


def test_predicted_labels_are_no_scores():
    """Four numbers of a row are four tokens' labels, not four labels' scores."""
    best = np.array([[0, 1, 2, 0], [1, 1, 0, 2], [2, 0, 1, 1]])
    for how in ({"lengths": [1, 2]}, {"lengths": [4, 4, 4]}, {"word_ids": [[0, 1, 2, -1]] * 3}, {}):
        with pytest.raises(ShapeError, match=r"predictions has shape \(3, 4\), dtype int64; it needs"):
            read_scores(npz(predictions=best, label_ids=best, **how))
    scores = np.random.default_rng(0).normal(size=(3, 4, 3))
    got = read_scores(npz(emissions=scores, predictions=best, lengths=[4, 2, 3]))
    assert got.lengths.tolist() == [4, 2, 3]
    assert got.emissions[:4].tolist() == scores[0].tolist()
    flat = read_scores(npz(emissions=scores[0], predictions=best[0], lengths=[4]))
    assert flat.emissions.tolist() == scores[0].tolist()
