"""The word that the Policy page opens with: its choice repeated, and the story that it tells."""

import numpy as np
import pytest

from spcviz.problems.letters.handwriting import ALPHABET
from spcviz.problems.open_words.data import word_images
from spcviz.problems.words.model import folds, stored
from spcviz.problems.words.page import live
from spcviz.problems.words.shown import FIRST, TRACED
from spcviz.problems.words.state import POLICY
from spcviz.shared.folders import MODELS

pytestmark = pytest.mark.skipif(
    not (MODELS / "budget-open.json").is_file(), reason="no model: python -m spcviz train budget"
)
N_ORDERS = 20


@pytest.fixture(scope="module")
def read():
    return stored.read(MODELS, "open")


def model_of(read, places):
    return stored.model_of("open", *read, stored.development(read[0], places))


def wrong(reading, truth):
    return sum(a != b for a, b in zip(reading, truth, strict=True))


def at(trace, units):
    """The reading when `units` may be spent."""
    return trace.readings[int(np.searchsorted(trace.units, units + 1e-9, side="right")) - 1]


def right_from(trace, truth):
    """Units from which every reading is right; None if the last is wrong."""
    step = len(trace.readings)
    while step > 0 and trace.readings[step - 1] == truth:
        step -= 1
    return None if step == len(trace.readings) else trace.units[step]


def test_development_words_are_new_to_the_models_and_scored_like_test_words(read, monkeypatch):
    models, _ = read
    half = stored.development(models, [3, FIRST["dev"]])
    words = word_images.load_set("dev").words
    texts = ["".join(ALPHABET[k] for k in half.labels[a:b]) for a, b in zip(half.starts, half.starts[1:])]
    assert texts == [words.text(3), words.text(FIRST["dev"])]
    source, tests = folds.load_source("open"), stored.load(MODELS, "open").fold.test
    assert not set(half.images.tolist()) & set(source.images.tolist())
    unseen, n_train = word_images.load_set("unseen"), len(word_images.load_set("train").types)
    monkeypatch.setattr(stored.open_words, "load_set", lambda name: unseen)
    again = stored.development(models, tests.words[:2] - n_train)
    np.testing.assert_allclose(again.tiered, tests.tiered[: len(again.labels)], atol=2e-3)
    np.testing.assert_allclose(again.plain, tests.plain[: len(again.labels)], atol=2e-3)


def test_the_page_opens_with_the_word_in_which_chance_leaves_most_wrong(read):
    model = model_of(read, range(live.N_DEVELOPMENT))
    rng, q, left = np.random.default_rng(0), POLICY.first_scene["q"], {}
    for word in live.word_list(model):
        truth, traced = word["text"], live.trace_word(model, word["index"], q=q, methods=("dms_pi",))
        (trace,) = traced.traces
        units = right_from(trace, truth)
        if (
            wrong(trace.readings[0], truth) < 3
            or units is None
            or not 1 / 4 <= units / traced.full_units <= 1 / 2
        ):
            continue
        counts = []
        for _ in range(N_ORDERS):
            learned = model.learned._replace(noise=rng.random(model.learned.noise.shape))
            chance = live.trace_word(
                model._replace(learned=learned), word["index"], q=q, methods=("uniform",)
            )
            counts.append(wrong(at(chance.traces[0], units), truth))
        left[word["word_id"]] = np.mean(counts)
    assert len(left) >= 3
    assert max(left, key=left.get) == FIRST["dev"]
    assert left[FIRST["dev"]] >= 2


def test_it_opens_where_dms_pi_is_right_and_as_much_random_spending_is_wrong(read):
    """As the page shows it, with its own random order."""
    traced = live.trace_word(model_of(read, [FIRST["dev"]]), 0, q=POLICY.first_scene["q"])
    units = POLICY.first_scene["spend"] * traced.full_units
    traces = {trace.name: trace for trace in traced.traces}
    assert tuple(traces) == TRACED
    assert wrong(traces["dms_pi"].readings[0], traced.truth) >= 3
    assert at(traces["dms_pi"], units) == traced.truth
    assert right_from(traces["dms_pi"], traced.truth) == pytest.approx(np.floor(units))
    assert wrong(at(traces["uniform"], units), traced.truth) >= 2
    assert POLICY.first_scene["vocabulary"] == "dev"
