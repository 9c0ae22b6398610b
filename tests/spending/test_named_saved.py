"""Estimators of named features come back from a file, and forged or damaged ones are refused by name."""

import copy

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.io import load, save
from spcviz.io.estimators import contents
from spcviz.sequences.states import pack_texts
from spcviz.spending import BudgetedTagger, EnvelopeTagger, FeatureTiers
from spcviz.store import StoreError
from tests.robust.damaged_estimators import load as load_damaged
from tests.spending.named import COSTS, KEYS, MADE, NAMES, assert_same, by_function, every, fitted, words


@every
def test_saved_with_its_names(kind, tmp_path):
    new, truth = words(6, 1)
    tagger = fitted(kind)
    save(tagger, tmp_path)
    again = load(tmp_path)
    assert_same(again, tagger, new, new, truth, [0.0, 7.0, np.inf])
    assert again.tiers.columns == tuple(map(tuple, KEYS))
    assert again.reader_.vocabularies == tagger.reader_.vocabularies


@every
def test_a_function_of_names_is_attached_again(kind, tmp_path):
    (X, y), (new, truth) = words(16), words(6, 1)
    functions = tuple(by_function(keys, "dicts", True) for keys in KEYS[1:])
    tagger = MADE[kind](FeatureTiers(NAMES, (KEYS[0], *functions), COSTS, True)).fit(X, y)
    save(tagger, tmp_path)
    again = load(tmp_path)
    with pytest.raises(
        ArgumentError, match=r"tier 'dear' is computed by a function.*attach\('dear', function\)"
    ):
        again.predict(new)
    with pytest.raises(ArgumentError, match="tier 'cheap' has keys of X's tokens, and needs no function"):
        again.attach("cheap", functions[0])
    again.attach("dear", functions[0]).attach("dearest", functions[1])
    assert_same(again, tagger, new, new, truth, [0.0, 7.0, np.inf])
    again.attach("dear", lambda items, positions: [np.zeros((len(p), 3)) for p in positions])
    with pytest.raises(
        ArgumentError, match=r"tiers.columns\[1\]: X must hold named features .*, as in training"
    ):
        again.predict(new)


def dented(state, **changes):
    return state._replace(tiers=state.tiers._replace(**changes))


DENTS = {
    "a name less": ({"features": 2}, ShapeError, r"tiers.widths\[1\] is \d+; tiers.features\[1\] has \d+"),
    "a name twice": ({"features": "twice"}, ArgumentError, "names must be different"),
    "a name of another key": (
        {"features": "other"},
        ArgumentError,
        r"tiers.features\[1\] must be of tiers.keys",
    ),
    "no UTF-8": ({"features": "utf8"}, ArgumentError, "names.utf8 must be UTF-8"),
    "ends that fall": ({"features": "ends"}, ArgumentError, "names.ends must rise"),
    "ends beyond": ({"features": "beyond"}, ShapeError, "names.utf8 has shape"),
    "names gone": ({"features": "gone"}, ArgumentError, r"tiers.features\[1\] must be the names of features"),
    "no texts": ({"features": "number"}, ArgumentError, r"tiers.features\[1\] must be Texts or None"),
    "all gone": ({"features": ()}, ShapeError, "tiers.keys must be of 3 tiers, or both"),
    "one tier less": ({"features": "short"}, ShapeError, "tiers.features must be of 3 tiers"),
    "no keys": ({"keys": ()}, ShapeError, "tiers.keys must be of 3 tiers"),
    "keys that are numbers": (
        {"keys": (("suffix", "shape"), (3,), ("x",))},
        ArgumentError,
        r"tiers.keys\[1\]",
    ),
    "a key as a text": (
        {"keys": ("suffix", ("word",), ("x",))},
        ArgumentError,
        r"tiers.keys\[0\] must be texts",
    ),
    "columns too": ({"columns": "columns"}, ArgumentError, r"tiers.columns\[1\] must be empty"),
    "a key twice": (
        {"keys": (("suffix", "shape"), ("word", "length", "word"), ("affixes", "around"))},
        ArgumentError,
        "must name each key once, got 'word' twice",
    ),
    "a key of two tiers": (
        {"keys": (("suffix", "shape"), ("word", "length", "shape"), ("affixes", "around"))},
        ArgumentError,
        "must not name key 'shape', which tier 0 has",
    ),
}


@pytest.mark.parametrize("dent", DENTS)
def test_a_forged_state_is_refused_by_name(dent):
    changes, error, match = DENTS[dent]
    state = fitted("tagger").to_state()
    names = list(fitted("tagger").reader_.vocabularies[1])
    texts = state.tiers.features[1]
    forged = {
        2: pack_texts(names[:-1]),
        "twice": pack_texts([*names[:-1], names[0]]),
        "other": pack_texts([*names[:-1], "suffix=s1"]),
        "utf8": texts._replace(utf8=np.full_like(texts.utf8, 0xFF)),
        "ends": texts._replace(ends=np.concatenate([texts.ends[:1] + 99, texts.ends[1:]])),
        "beyond": texts._replace(ends=texts.ends + 1),
        "gone": None,
        "number": 3,
    }
    what = changes.get("features")
    if what == "short":
        changes = {"features": state.tiers.features[:2], "keys": state.tiers.keys[:2]}
    elif what is not None and what != ():
        changes = {"features": (state.tiers.features[0], forged[what], state.tiers.features[2])}
    elif changes.get("columns"):
        changes = {"columns": (state.tiers.columns[0], np.arange(len(names)), state.tiers.columns[2])}
    with pytest.raises(error, match=match):
        BudgetedTagger.from_state(dented(state, **changes))


def test_both_halves_of_an_envelope_have_the_same_names():
    state = fitted("envelope").to_state()
    texts = state.sequences.tiers.features
    names = list(fitted("envelope").reader_.vocabularies[1])
    other = (texts[0], pack_texts([*names[:-1], "word=other"]), texts[2])
    with pytest.raises(ShapeError, match=r"sequences.tiers.features must be those of positions"):
        EnvelopeTagger.from_state(state._replace(sequences=dented(state.sequences, features=other)))
    keys = (*state.sequences.tiers.keys[:2], ("affixes", "around", "more"))
    with pytest.raises(ShapeError, match=r"sequences.tiers.keys must be those of positions"):
        EnvelopeTagger.from_state(state._replace(sequences=dented(state.sequences, keys=keys)))


def test_a_damaged_file_is_refused(tmp_path):
    arrays, about = contents(fitted("tagger"))
    (name,) = [n for n in arrays if "features1" in n and n.endswith("utf8")] or [
        n for n in sorted(arrays) if n.endswith("utf8")
    ][1:2]
    damaged = arrays | {name: arrays[name][:-1]}
    forged = about | {"settings": {k: v for k, v in about["settings"].items() if k != "state"}}
    with pytest.raises(StoreError, match=r"does not hold what BudgetedTagger reads: names.utf8 has shape"):
        load_damaged(damaged, copy.deepcopy(forged))
