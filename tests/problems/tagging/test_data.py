"""The tagging corpora, the tokeniser of typed text, and integer features of words."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.tagging.data import corpora as tagging
from spcviz.problems.tagging.model.features import (
    FULL_TEMPLATES,
    TEMPLATES,
    feature_codes,
    feature_numbers,
    vocabulary,
    vocabulary_of,
)
from spcviz.problems.tagging.shown import TAG_NAMES

SPLIT = [
    ("I can't, you cannot.", ["I", "ca", "n't", ",", "you", "can", "not", "."]),
    ('She said: "he\'s here!"', ["She", "said", ":", "``", "he", "'s", "here", "!", "''"]),
    (
        "The U.S. paid $3.50, or 1,000 at 10:30",
        ["The", "U.S.", "paid", "$", "3.50", ",", "or", "1,000", "at", "10:30"],
    ),
    (
        "state-of-the-art -- see www.x.org/a.",
        ["state", "-", "of", "-", "the", "-", "art", "--", "see", "www.x.org/a", "."],
    ),
    ("", []),
    ("😀 שלום", ["😀", "שלום"]),
]


@pytest.mark.parametrize(("text", "words"), SPLIT)
def test_words(text, words):
    assert tagging.words_of(text) == words


@given(st.text(max_size=200))
def test_no_sign_is_lost_but_spaces_and_quotes(text):
    kept = "".join(tagging.words_of(text))
    quotes = str.maketrans("", "", "\"“”`'")
    assert kept.translate(quotes) == "".join(text.split()).translate(quotes)


def test_too_long_a_text_is_refused():
    with pytest.raises(ArgumentError, match="at most 2000 characters, got 2001"):
        tagging.words_of("a" * 2001)
    with pytest.raises(ArgumentError, match="must be a string"):
        tagging.words_of(None)


def test_ranges_and_empty_words_are_left_out():
    text = "# c\n1-2\tdon't\t_\n1\tdo\tVBP\n2\tn't\tRB\n2.1\tx\tY\n\n1\tGo\tVB\n"
    assert tagging.read_columns(text, 1, 2) == [[("do", "VBP"), ("n't", "RB")], [("Go", "VB")]]


def test_unknown_or_missing_corpora_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="must be one of ewt, wsj"):
        tagging.load_corpus("brown", tmp_path)
    with pytest.raises(ArgumentError, match="SPCVIZ_DATA"):
        tagging.load_corpus("ewt", tmp_path)


@pytest.mark.parametrize(
    ("data", "sentences", "tags"), [("ewt", (12544, 2001, 2077), 49), ("wsj", (3396, 273, 245), 45)]
)
def test_corpora_have_their_known_sizes(shared_data, data, sentences, tags):
    parts = tagging.load_corpus(data, shared_data)
    assert tuple(len(parts[name].lengths) for name in tagging.SPLITS) == sentences
    assert len(parts["train"].tag_set) == tags
    assert set(parts["train"].tag_set) <= set(TAG_NAMES)
    assert all(len(p.words) == len(p.tags) == p.lengths.sum() for p in parts.values())


def test_seen_tags_of_words_and_of_unseen_ones():
    corpus = tagging.TaggedCorpus(("a", "b", "a"), np.array([0, 1, 2]), np.array([3]), ("X", "Y", "Z"))
    seen, unseen = tagging.seen_tags(corpus)
    assert seen == {"a": {0, 2}, "b": {1}}
    assert unseen == {1}
    other = corpus._replace(words=("a", "c"))
    assert tagging.allowed_tags(other, seen, unseen).tolist() == [[True, False, True], [False, True, False]]


WORDS = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6)


def meaning(words, i):
    """Values of each template as strings: the slow counterpart of the codes."""
    low, n = [w.lower() if len(w.lower()) == len(w) else w for w in words], len(words)

    def at(j, of=low):
        return of[j] if 0 <= j < n else None

    w = low[i]
    out = [words[i], w, *(w[:k] if len(w) >= k else None for k in range(1, 5))]
    out += [w[-k:] if len(w) >= k else None for k in range(1, 5)]
    pairs = [{at(i - 1), w}, {w, at(i + 1)}]  # unordered; a word twice equals any word twice
    return out, [at(i - 1), at(i + 1), at(i - 2), at(i + 2), *(p if len(p) == 2 else None for p in pairs)]


@given(WORDS, WORDS)
@example(["0"], ["0", "1", "0"])
@example(["had", "had"], ["that", "that"])
def test_codes_are_equal_exactly_where_the_strings_are(first, second):
    first, second = ([w for w in ws if w.isascii()] or ["x"] for ws in (first, second))
    codes = feature_codes(first + second, [len(first), len(second)], "full")
    places = [meaning(ws, i) for ws in (first, second) for i in range(len(ws))]
    for p in range(len(places)):
        for q in range(p):
            at_word, near = ([a == b for a, b in zip(x, y)] for x, y in zip(places[p], places[q]))
            assert (codes[p, :10] == codes[q, :10]).tolist() == at_word
            assert (codes[p, 15:21] == codes[q, 15:21]).tolist() == near


def test_templates_that_say_nothing_have_no_code():
    codes = feature_codes(["a", "Ab-1"], [2], "full")
    silent = [FULL_TEMPLATES[t] for t in np.flatnonzero(codes[0] == 0)]
    assert silent == [
        "first 2 letters",
        "first 3 letters",
        "first 4 letters",
        "last 2 letters",
        "last 3 letters",
        "last 4 letters",
        "starts with a capital",
        "all capitals",
        "has a digit",
        "has a hyphen",
    ]
    assert (codes[1] == 0).sum() == 1  # not all capitals


@pytest.mark.parametrize("features", TEMPLATES)
def test_numbers_count_what_training_knew(features):
    words = ["the", "dog", "the", "cat"]
    codes = feature_codes(words, [2, 2], features)
    known = vocabulary(features, codes)
    assert (feature_numbers(known, words, [2, 2]) >= 0).sum() == (codes > 0).sum()
    twice = vocabulary(features, codes, 2)
    assert feature_numbers(twice, words, [2, 2])[1, 0] == -1
    again = vocabulary_of(features, known.codes)
    assert np.array_equal(feature_numbers(again, words, [2, 2]), feature_numbers(known, words, [2, 2]))


def test_bad_words_are_refused():
    with pytest.raises(ArgumentError, match="must not be empty"):
        feature_codes(["a", ""], [2], "full")
    with pytest.raises(ArgumentError, match="must be strings"):
        feature_codes([1], [1], "full")
    with pytest.raises(ArgumentError, match="add up to 1"):
        feature_codes(["a"], [2], "full")
    with pytest.raises(ArgumentError, match="one of paper, full"):
        feature_codes(["a"], [1], "most")
