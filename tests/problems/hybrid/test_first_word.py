"""The word that the page Orders and features opens with: its choice repeated, and its story."""

import numpy as np
import pytest

from spcviz.problems.hybrid.model import stored
from spcviz.problems.hybrid.page import live
from spcviz.problems.open_words.data import word_images
from spcviz.shared.folders import MODELS

pytestmark = pytest.mark.skipif(
    not (MODELS / "hybrid-words.json").is_file(), reason="no model: python -m spcviz train hybrid"
)


@pytest.fixture(scope="module")
def wrong():
    """Numbers of letters read wrong after every action, for every development word on offer."""
    model, out = stored.load(MODELS, "open"), {}
    for place, text in live.list_words("dev").items():
        (trajectory,) = live.word(model, "dev", place).courses
        out[text] = np.array([sum(a != b for a, b in zip(s.reading, text)) for s in trajectory.steps])
    return out


def fits(text, counts):
    """Whether a word may be the first: it must be right early enough, and never get worse."""
    if len(text) > live.WIDEST or counts[-1] or not counts[0] or (np.diff(counts) > 0).any():
        return False
    return 1 / 4 <= np.argmin(counts) / (len(counts) - 1) <= 2 / 3


def test_the_page_opens_with_the_word_of_which_most_is_mended(wrong):
    some = {text: (counts[0], len(text)) for text, counts in wrong.items() if fits(text, counts)}
    assert len(some) >= 3
    assert max(some, key=some.get) == live.FIRST["dev"] == next(iter(wrong))
    assert len(wrong) == live.N_OFFERED


def test_it_goes_from_wrong_to_right_once_and_stays_right(wrong):
    counts, word = (
        wrong[live.FIRST["dev"]],
        live.word(stored.load(MODELS, "open"), "dev", next(iter(live.list_words("dev")))),
    )
    assert counts[0] >= 2
    assert counts[-1] == 0
    assert (np.diff((counts == 0).astype(int)) != 0).sum() == 1
    assert word.opening == np.argmin(counts)
    assert word.courses[0].steps[word.opening].reading == word.truth == live.FIRST["dev"]


def test_development_words_are_no_test_words():
    dev, unseen = word_images.load_set("dev"), word_images.load_set("unseen")
    assert not set(dev.types.tolist()) & set(unseen.types.tolist())
    place = next(iter(live.list_words("dev")))
    pixels, labels = live.pixels_of("dev", place)
    assert len(pixels) == len(labels) == len(live.FIRST["dev"])
