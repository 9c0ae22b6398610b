"""The word that Letters opens with: chosen by its rule, and its story ends right."""

import numpy as np
import pytest

from spcviz.problems.letters.handwriting import Words, rows_of
from spcviz.problems.letters.page import cached, live
from spcviz.problems.letters.shown import FIRST_WORD
from spcviz.problems.letters.state import LETTERS
from spcviz.problems.open_words.data.word_images import load_set
from spcviz.web.figures import lattice_numbers

pytestmark = pytest.mark.skipif(
    "open" not in cached.LETTERS_FEATURES,
    reason="no model of an open vocabulary: python -m spcviz train open",
)
N_TEST = len(load_set("unseen").words.lengths)
ORDER = LETTERS.first_scene["order"]


def kept_where_all_is_safe(trace, text):
    """Number of 4-grams kept by the last level; None if the truth is lost or the last filter is wrong."""
    for level in trace.levels:
        tau, keep = lattice_numbers.threshold(level)
        if not len(level.truth_arcs) or not keep[level.truth_arcs].all() or level.truth_score <= tau:
            return None
    last = trace.levels[-1]
    best = "".join(trace.alphabet[k] for k in lattice_numbers.path(last, last.map_arcs))
    return int(keep.sum()) if best == text else None


def test_the_bare_page_opens_with_it_and_so_do_links_without_a_word():
    assert LETTERS.parse({})["word"] == FIRST_WORD
    assert LETTERS.parse({"order": "4"}) == LETTERS.defaults
    here = cached.letters_ids("open", ("convenient",))
    table = LETTERS.narrow(features=cached.LETTERS_FEATURES, word=here)
    assert table.parse({})["word"] == FIRST_WORD
    assert cached.letters_offer("open")[here[0]] == "convenient"
    known = cached.letters_ids("fourier", ("ommanding",))
    table = LETTERS.narrow(features=cached.LETTERS_FEATURES, word=known)
    assert table.parse({})["word"] != FIRST_WORD  # narrowed to words without it
    assert cached.letters_offer("fourier")[table.parse({})["word"]] == "ommanding"
    assert LETTERS.parse({"level": "2"})["word"] == FIRST_WORD


def test_of_the_development_words_it_is_the_one_that_the_rule_chooses():
    model, words = cached.ocr_model("open"), load_set("dev").words
    fits = np.flatnonzero((words.lengths >= 8) & (words.lengths <= 10))
    rows, lengths = rows_of(words, fits)
    long = Words(words.pixels[rows], words.labels[rows], lengths, words.folds[fits])
    kept = {}
    for number, word in zip(fits.tolist(), live.word_list(model, long), strict=True):
        if [word["predicted"][n] == word["text"] for n in range(1, ORDER + 1)] != [False] * (ORDER - 1) + [
            True
        ]:
            continue
        span = slice(*words.starts[number : number + 2])
        trace = live.trace_word(model, words.pixels[span], truth=words.labels[span], n_levels=ORDER)
        kept[number] = kept_where_all_is_safe(trace, word["text"])
    kept = {word_id: n for word_id, n in kept.items() if n is not None}
    assert len(kept) > 10
    assert N_TEST + min(kept, key=kept.get) == FIRST_WORD


def test_its_story_ends_right_and_letters_alone_do_not():
    state = LETTERS.parse({})
    trace = cached.letters_trace(state["word"], "open", state["order"], (None,) * 6)
    text = cached.letters_offer("open")[FIRST_WORD]
    read = ["".join(trace.alphabet[k] for k in row) for row in trace.predictions]
    np.testing.assert_array_equal(trace.truth, [ord(letter) - ord("a") for letter in text])
    assert [reading == text for reading in read] == [False, False, False, True]
    assert kept_where_all_is_safe(trace, text) < 26 * len(text)
