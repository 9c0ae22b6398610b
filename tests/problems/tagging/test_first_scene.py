"""The sentence that Tagging opens with: chosen by its rule; known garden paths are reported as wrong."""

import pytest

from spcviz.problems.tagging.data import examples
from spcviz.problems.tagging.data.corpora import words_of
from spcviz.problems.tagging.page import cached
from spcviz.problems.tagging.paper import charts
from spcviz.problems.tagging.state import TAGGING
from spcviz.web.cached.common import STORED

pytestmark = pytest.mark.skipif(
    "tagging-ewt" not in STORED, reason="no tagger: python -m spcviz train tagging"
)


def n_tags(kept):
    return sum(map(len, kept))


def compared(text):
    return cached.tagging_comparison(tuple(words_of(text)), (None,) * 3)


def test_the_bare_page_opens_with_it_and_so_do_links_without_a_text():
    assert TAGGING.parse({})["text"] == examples.FIRST
    assert TAGGING.parse({"level": "3"})["text"] == examples.FIRST
    assert TAGGING.encode(TAGGING.parse({"level": "3", "view": "lattice"})).keys().isdisjoint({"text"})


def test_no_shorter_sentence_is_as_good_and_on_most_a_crf_leaves_fewer_tags():
    pairs = examples.treebank()
    assert len(pairs) == 300
    most = len(pairs[examples.FIRST])
    fits, fewer, seen = [], 0, 0
    for text, read in pairs.items():
        words, tags = zip(*read)
        if len(words) > most or tuple(words_of(text)) != words:
            continue
        comparison = compared(text)
        is_fewer = n_tags(comparison.spc) < n_tags(comparison.crf)
        seen, fewer = seen + 1, fewer + is_fewer
        if is_fewer and comparison.tagged == tags and comparison.alone != comparison.tagged:
            fits.append((len(words), text))
    assert seen > 20
    assert 2 * fewer < seen
    assert min(fits)[1] == examples.FIRST


def test_it_ends_right_where_no_neighbours_would_not():
    comparison, known = compared(examples.FIRST), cached.find_tags(tuple(words_of(examples.FIRST)))
    assert comparison.tagged == known.tags != comparison.alone
    assert all(tag in kept for tag, kept in zip(known.tags, comparison.spc))
    assert charts.verdict(comparison, known).endswith("right ✔.")
    trace = cached.tagging_trace_of(comparison.words, (None,) * 3)
    right = cached.tagging_right(comparison.words)["right"]
    assert tuple(trace.predictions[-1].tolist()) == right


def test_the_garden_path_is_wrong_and_the_page_says_why():
    text = examples.GARDEN_PATH
    comparison, known = compared(text), cached.find_tags(tuple(words_of(text)))
    assert len(known.tags) == len(comparison.words)
    assert comparison.tagged != known.tags
    assert charts.verdict(comparison, known).endswith(f"wrong ✘. {known.why}")
    wrong = [
        word for word, tag, right in zip(comparison.words, comparison.tagged, known.tags) if tag != right
    ]
    assert wrong
    assert all(f"“{word}”" in known.why for word in wrong)
    assert cached.tagging_right(comparison.words)["why"] == known.why


def test_a_garden_path_that_is_tagged_right_is_said_to_be():
    (text,) = set(examples.GARDEN_PATHS) - {examples.GARDEN_PATH}
    comparison, known = compared(text), cached.find_tags(tuple(words_of(text)))
    assert comparison.tagged == known.tags
    assert charts.verdict(comparison, known) == " The cascade's answer is right ✔."


def test_of_other_sentences_nothing_is_known():
    assert cached.find_tags(("Go",)) is None
    assert cached.tagging_right(("Go",)) == {"right": (), "why": ""}
    assert charts.verdict(compared("Go"), None) == ""
