"""Pages follow the chosen model: every model on offer prints its own numbers and no other's.

Each number is recomputed with the stored model of the choice's own name, loaded here and not by the page.
"""

import re
from functools import cache

import numpy as np
import pytest

from spcviz.problems.budgets.view import component as trade_view
from spcviz.problems.hybrid.model import stored as hybrid_models
from spcviz.problems.hybrid.page import live as hybrid
from spcviz.problems.hybrid.shown import DATA
from spcviz.problems.hybrid.view import component as hybrid_view
from spcviz.problems.letters.controls import writing
from spcviz.problems.letters.handwriting import load_words
from spcviz.problems.letters.model import stored as ocr
from spcviz.problems.letters.model import sweep
from spcviz.problems.letters.page import cached, live, sweep_text
from spcviz.problems.letters.page import sweep as figures
from spcviz.problems.open_words import result as paper_result
from spcviz.problems.open_words.data.word_images import load_set
from spcviz.problems.open_words.model import stored as open_models
from spcviz.problems.words.model import stored as budget_models
from spcviz.problems.words.page import live as words_live
from spcviz.problems.words.view import component as policy_view
from spcviz.shared.folders import MODELS
from spcviz.web.cached import common
from spcviz.web.lattice import component as lattice_view
from tests.app.driver import open_page

MODELS_OF_LETTERS = {
    "open": ("open", "fourier"),
    "open_raw": ("open", "raw"),
    "fourier": ("ocr", "fourier"),
    "hog": ("ocr", "hog"),
    "raw": ("ocr", "raw"),
}
"""Value in the address -> kind and name of the stored model."""
N_WORDS = 40

pytestmark = pytest.mark.skipif(
    not set(MODELS_OF_LETTERS) <= set(cached.LETTERS_FEATURES), reason="not all handwriting models are stored"
)


@cache
def loaded(features):
    """(the model of a value in the address, its test words or None for the shipped ones, their numbers)."""
    kind, name = MODELS_OF_LETTERS[features]
    if kind == "open":
        words = load_set("unseen").words
        return open_models.load_open(MODELS, name), words, np.arange(len(words.lengths))
    model = ocr.load_ocr(MODELS, name)
    return model, None, np.flatnonzero(load_words().folds == model.test_fold)


def swept(model, words, chosen):
    """Every level over all alphas, on the first few test words."""
    return sweep.sweep_levels(model, words=words, chosen=chosen[:N_WORDS])


@cache
def second_level(features):
    """The level that the Sweep page opens with, by the model loaded here."""
    return swept(*loaded(features))[1]


budget_model = cache(lambda vocabulary: budget_models.load(MODELS, vocabulary))


def recorded(monkeypatch, module, name):
    """The arguments of the last call of a view's payload, by `module` and `name`."""
    real, last = getattr(module, name), []

    def recording(*args, **more):
        last[:] = args
        return real(*args, **more)

    monkeypatch.setattr(module, name, recording)
    return last


@pytest.fixture
def few_words(monkeypatch):
    """The Sweep page with few test words, under the same model names, and with empty caches."""
    caches = (cached.sweep_choice, cached.sweep_bound, cached.sweep_ensemble_bound)
    known = {}

    def of(features):
        if features not in known:
            words = cached._test_words(features)
            folds = load_words().folds == cached.ocr_model(features).test_fold if words is None else None
            chosen = np.flatnonzero(folds) if words is None else np.arange(N_WORDS)
            known[features] = swept(cached._reader(features), words, chosen)
        return known[features]

    monkeypatch.setattr(cached, "_sweep", of)
    for one in caches:
        monkeypatch.setattr(one, "answers", None)  # the page's first scene is not read from the store, either
        one.clear()
    yield
    for one in caches:
        one.clear()


@pytest.mark.parametrize("features", MODELS_OF_LETTERS)
def test_every_number_of_sweep(features, few_words):
    level = second_level(features)
    choice = sweep.choose(level, level.curves.tolerance)
    at = open_page("pages/cascade/sweep.py", features=features)
    wanted = [
        (label, value) for label, value, *_ in sweep_text.figures(level.curves, choice, {"by": "event"})
    ]
    assert [(metric.label, metric.value) for metric in at.metric] == wanted
    verdict = sweep_text.verdict(choice, {"by": "event", "alpha": None})
    assert verdict in [block.value for block in at.markdown]


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?")


def is_said(text, wanted):
    """Whether a text is the expected one, up to the last digit of large numbers.

    The page scores words in other blocks than this test, and a processor's sums may differ in the last bits:
    a sum of millions that ends in .5 is rounded either way.
    """
    if NUMBER.split(text) != NUMBER.split(wanted):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(wanted))
    numbers = [[float(one.replace(",", "")) for one in pair] for pair in pairs]
    return all(one == pytest.approx(other, rel=1e-6) for one, other in numbers)


@pytest.mark.parametrize("features", MODELS_OF_LETTERS)
def test_every_number_of_the_bound(features, few_words):
    level = second_level(features)
    terms = sweep.bound(level, sweep.choose(level, level.curves.tolerance).alpha, margin_share=1.0)
    said = [
        block.value for block in open_page("pages/cascade/sweep.py", features=features, show="bound").markdown
    ]
    assert sweep_text.bound(terms, MODELS_OF_LETTERS[features][0] == "open") in said
    assert sweep_text.bound_symbols(terms, level.curves) in said
    wanted = figures.beside(terms, sweep.ensemble_bound(terms, 3))
    assert any(is_said(text, wanted) for text in said)


def assert_same(trace, wanted):
    """Two runs of a cascade agree in everything except their times.

    Scores of ink are float32, and their last bits depend on which letters are read together.
    """
    np.testing.assert_array_equal(trace.predictions, wanted.predictions)
    for level, expected in zip(trace.levels, wanted.levels, strict=True):
        assert (level.alpha, level.tuned_alpha) == (expected.alpha, expected.tuned_alpha)
        np.testing.assert_allclose(level.max_marginal, expected.max_marginal, rtol=0, atol=1e-3)
        assert (level.best, level.mean) == pytest.approx((expected.best, expected.mean), abs=1e-3)


@pytest.mark.parametrize("features", MODELS_OF_LETTERS)
def test_the_lattice_and_the_note_of_letters(features, monkeypatch):
    model, words, chosen = loaded(features)
    last = recorded(monkeypatch, lattice_view, "lattice_payload")
    number = int(chosen[3])
    at = open_page("pages/cascade/letters.py", features=features, word=str(number), order="2")
    words = words or load_words()
    span = slice(*words.starts[number : number + 2])
    assert_same(last[0], live.trace_word(model, words.pixels[span], truth=words.labels[span], n_levels=2))
    kind, name = MODELS_OF_LETTERS[features]
    captions = " ".join(caption.value for caption in at.caption)
    result = common.result("ocr-open")
    for other in paper_result.FEATURES:
        is_said = paper_result.page_note(result, other) in captions
        assert is_said == (kind == "open" and other == name)


@pytest.mark.parametrize("features", MODELS_OF_LETTERS)
def test_the_lattice_of_write(features, monkeypatch):
    last = recorded(monkeypatch, writing, "lattice_payload")
    open_page("pages/cascade/write.py", features=features, order="2", ink=cached.example("on"))
    pixels = cached.read_ink(cached.example("on")).pixels
    assert_same(last[0], live.trace_word(loaded(features)[0], pixels, n_levels=2))


@pytest.mark.parametrize("vocabulary", ["open", "ocr"])
@pytest.mark.parametrize("extractor", ["library", "fast"])
def test_the_word_of_policy(vocabulary, extractor, monkeypatch):
    model, last = budget_model(vocabulary), recorded(monkeypatch, policy_view, "policy_payload")
    word = words_live.word_list(model)[5]
    address = {"vocabulary": vocabulary, "extractor": extractor, "word": str(word["word_id"]), "q": "0.0"}
    open_page("pages/budget/policy.py", **address)
    wanted = words_live.trace_word(model, word["index"], extractor=extractor)
    assert (last[0].truth, last[0].full_units) == (wanted.truth, wanted.full_units)
    for trace, expected in zip(last[0].traces, wanted.traces, strict=True):
        assert trace.readings == expected.readings
        np.testing.assert_array_equal(trace.values, expected.values)
        np.testing.assert_array_equal(trace.messages, expected.messages)
    features_us = len(word["text"]) * sum(model.costs[words_live.EXTRACTORS[extractor]])
    assert last[0].full_us - last[0].traces[0].us[0] == pytest.approx(features_us)


@pytest.mark.parametrize(("vocabulary", "extractor"), [("open", "library"), ("ocr", "fast")])
def test_the_batch_of_the_trade_off(vocabulary, extractor, monkeypatch):
    model, last = budget_model(vocabulary), recorded(monkeypatch, trade_view, "trade_off_payload")
    address = {"vocabulary": vocabulary, "extractor": extractor, "words": "24", "seed": "7"}
    open_page("pages/budget/trade_off.py", **address)
    wanted = words_live.compare(model, words_live.draw(model, 24, 7), extractor)
    np.testing.assert_array_equal(last[0].chain_ids, wanted.chain_ids)
    assert (last[0].truths, last[0].hand_readings) == (wanted.truths, wanted.hand_readings)
    assert last[0].full_units == wanted.full_units
    for method, expected in zip(last[0].methods, wanted.methods, strict=True):
        assert (method.name, method.readings) == (expected.name, expected.readings)
        np.testing.assert_array_equal(method.units, expected.units)
    costs = np.array(model.costs[words_live.EXTRACTORS[extractor]])
    step = next(method for method in last[0].methods if method.name == "dms_pi")
    features_us = step.us - costs[step.tier - 1]
    assert np.ptp(features_us) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("data", DATA)
def test_the_word_of_orders_and_features(data, monkeypatch):
    last, place = recorded(monkeypatch, hybrid_view, "hybrid_payload"), list(hybrid.list_words(data))[2]
    open_page("pages/budget/hybrid.py", data=data, word=str(place))
    wanted = hybrid.word(hybrid_models.load(MODELS, data), data, place)
    assert (last[0].truth, last[0].data) == (wanted.truth, DATA[data])
    for step, expected in zip(last[0].courses[0].steps, wanted.courses[0].steps, strict=True):
        assert (step.reading, step.us, step.filtered) == (expected.reading, expected.us, expected.filtered)
        np.testing.assert_array_equal(step.values, expected.values)
