"""Saved estimators with one thing in them damaged: refused by a sentence, or read within all bounds.

A damaged file has other checksums than its manifest and is refused before anything is parsed (`tests/store`).
Here the checksums are right, as a forger or another program that writes models could make them. Run with
``NUMBA_DISABLE_JIT=1``, so that a read beyond an array's end is an IndexError.
"""

import copy
import json
from functools import cache

import numpy as np

import spcviz as sp
from spcviz.engine.errors import SpcvizError
from spcviz.io.estimators import contents, estimator_of
from spcviz.spending import FeatureTiers
from spcviz.store import StoreError
from spcviz.store.errors import OWN_MODEL
from spcviz.store.models import StoredModel

TIERS = FeatureTiers(("free", "dear"), ([0, 1], [2, 3]), (0, 2))
KEYS = FeatureTiers(("free", "dear"), (["n"], ["w"]), (0, 2))
LABELS = ["B-A", "I-A", "O", "B-B"]
BUDGETED = ("dms_pi", "one_shot", "anytime", "uniform")
NAMES = (
    "perceptron", "running perceptron", "crf", "adapting crf", "cascade", "selector",
    *(f"budgeted {policy}" for policy in BUDGETED), "keyed uniform",
)  # fmt: skip
_VALUES = (np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0, 2.0**62, -(2.0**62), 1.5)
_LEAVES = (None, True, -1, 0, 3, 2**40, 1e300, "", "x", "B-A", [], {}, ["a", 1], {"array": "seen"})


@cache
def data(named):
    """Sequences and labels that obey "bio"; features are names, or columns of an array."""
    rng = np.random.default_rng(0)
    y = []
    for length in rng.integers(2, 6, 12):
        labels = [int(k) for k in rng.integers(0, 4, length)]
        y.append([LABELS[k] if k != 1 or (t and labels[t - 1] < 2) else "O" for t, k in enumerate(labels)])
        for t, label in enumerate(y[-1]):
            if label == "I-A" and (not t or y[-1][t - 1] not in ("B-A", "I-A")):
                y[-1][t] = "O"
    if named:
        return [[[f"w={label}", f"n={t % 2}"] for t, label in enumerate(labels)] for labels in y], y
    place = {label: k for k, label in enumerate(LABELS)}
    X = [np.eye(4)[[place[label] for label in labels]] for labels in y]
    return [x + rng.normal(scale=0.4, size=x.shape) for x in X], y


@cache
def saved(name):
    """(arrays, manifest, whether its features have names) of a fitted estimator."""
    kind, _, policy = name.partition(" ")
    named = name in ("perceptron", "crf", "cascade", "keyed uniform")
    X, y = data(named)
    bio = {"constraints": "bio"} if named else {}
    if kind in ("budgeted", "keyed"):
        tiers = KEYS if kind == "keyed" else TIERS
        model = sp.BudgetedTagger(tiers, policy=policy, max_iter=1, cv=2, random_state=0).fit(X, y)
    elif kind == "selector":
        model = sp.ModelSelector(TIERS, max_iter=1, cv=2, random_state=0).fit(X, y)
    elif kind == "cascade":
        model = sp.CascadeTagger(cv=2, max_iter=1, tolerance=0.2, random_state=0).fit(X, y)
    elif kind in ("running", "perceptron"):
        model = sp.StructuredPerceptron(max_iter=1, random_state=0, **bio)
        model = model.partial_fit(X, y, LABELS) if kind == "running" else model.fit(X, y)
    else:
        model = sp.ChainCRF(max_iter=3, random_state=0, **bio)
        model = model.partial_fit(X, y, LABELS) if kind == "adapting" else model.fit(X, y)
    arrays, about = contents(model)
    return arrays, about, named


def check_estimator(seed):
    """One damage; raises AssertionError if a method fails or accepts what it must not."""
    rng = np.random.default_rng(seed)
    arrays, about, named = saved(NAMES[seed % len(NAMES)])
    what, damaged, manifest = damage(rng, arrays, about)
    try:
        load(damaged, manifest)
        assert same(arrays, damaged), f"{what}: read though the manifest says what was saved"
    except StoreError:
        pass
    forged = manifest | {"settings": {k: v for k, v in manifest["settings"].items() if k != "state"}}
    try:
        model = load(damaged, forged)
    except StoreError as error:
        if not ("does not hold what" in str(error) or "is of class" in str(error)):
            raise AssertionError(f"{what}: {error}") from error
        return 1
    try:
        use(model, *data(named))
    except SpcvizError:
        pass
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    return 1


def load(arrays, manifest):
    return estimator_of("here", StoredModel(OWN_MODEL, arrays, manifest), {})


def same(arrays, others):
    return arrays.keys() == others.keys() and all(
        array.dtype == others[name].dtype and np.array_equal(array, others[name])
        for name, array in arrays.items()
    )


def use(model, X, y):
    """Call every method that uses the arrays; predicted labels must be among the classes."""
    some = X[:4]
    predicted = model.predict(some)
    assert all(set(labels) <= set(model.classes_.tolist()) for labels in predicted)
    for name in ("predict_marginals", "filter", "to_state"):
        if hasattr(model, name):
            getattr(model, name)(*[] if name == "to_state" else [some])
    if hasattr(model, "predict_k_best"):
        model.predict_k_best(some, 3)
    if hasattr(model, "levels_of"):
        model.levels_of(some[0])
        copy.copy(model).tune(X, y)
    if hasattr(model, "partial_fit"):
        model.partial_fit(some, y[:4])
    if hasattr(model, "course"):
        model.predict(some, 5.0)
        model.course(some[0], 5.0)
        model.curve(some, y[:4], [0, 4])


def damage(rng, arrays, about):
    """(description, arrays, manifest) with one thing changed."""
    arrays, about = dict(arrays), json.loads(json.dumps(about))
    name = str(rng.choice(sorted(arrays)))
    draw = rng.random()
    if draw < 0.05:
        about["settings"]["class"] = str(
            rng.choice(["StructuredPerceptron", "ChainCRF", "CascadeTagger", "BudgetedTagger", "x", ""])
        )
        return f"class {about['settings']['class']!r}", arrays, about
    if name == "_skeleton" or draw < 0.45:
        tree = json.loads(arrays["_skeleton"].tobytes())
        what = _damage_tree(rng, tree)
        arrays["_skeleton"] = np.frombuffer(json.dumps(tree).encode(), np.uint8)
        return what, arrays, about
    if draw < 0.48:
        del arrays[name]
        return f"{name} gone", arrays, about
    how, arrays[name] = _damaged_array(rng, arrays[name])
    return f"{name} {how}", arrays, about


def _damage_tree(rng, tree):
    """Change, remove or double something in nested lists and dicts, in place."""
    places = []

    def walk(node, path):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            places.append((node, key, path))
            if isinstance(child, dict | list):
                walk(child, f"{path}.{key}")

    walk(tree, "")
    node, key, path = places[int(rng.integers(len(places)))]
    how, old = int(rng.integers(4)), node[key]
    if how == 0 and isinstance(old, str) and len(old) > 1:
        node[key] = _text(rng, old)
    elif how == 1:
        del node[key]
    elif how == 2 and isinstance(node, list):
        node.insert(int(key), copy.deepcopy(old))
    else:
        node[key] = copy.deepcopy(_LEAVES[int(rng.integers(len(_LEAVES)))])
    return f"skeleton{path}.{key} {('text', 'gone', 'twice', 'other')[how]}"


def _text(rng, text):
    """A text with one change in it: in JSON a value or a name."""
    try:
        inner = json.loads(text)
    except ValueError:
        inner = None
    if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
        _damage_tree(rng, inner)
        return json.dumps(inner)
    at = int(rng.integers(len(text)))
    return text[:at] + str(rng.choice(["", "x", '"', "\\", "9"])) + text[at + 1 :]


def _damaged_array(rng, array):
    shapes = {
        "shorter": lambda a: a[:-1] if a.ndim else a,
        "longer": lambda a: np.concatenate([a, a[-1:]]) if a.ndim and len(a) else a,
        "narrower": lambda a: a[..., :-1] if a.ndim > 1 else a[: len(a) // 2],
        "wider": lambda a: np.concatenate([a, a[..., -1:]], axis=-1) if a.size else a,
        "turned": lambda a: np.ascontiguousarray(a.T),
        "flat": lambda a: a.reshape(-1),
        "empty": lambda a: a[:0],
        "single": lambda a: a.reshape(-1)[:1].reshape(()) if a.size else a,
        "deeper": lambda a: a[None],
        "reversed": lambda a: np.ascontiguousarray(a[::-1]),
    }
    if rng.random() < 0.45:
        how = str(rng.choice(list(shapes)))
        return how, shapes[how](array)
    if rng.random() < 0.3:
        kind = str(rng.choice(["f4", "f8", "i4", "i8", "u1", "b1", "u8", "f2"]))
        with np.errstate(all="ignore"):
            return f"as {kind}", array.astype(kind)
    value = float(rng.choice(_VALUES))
    out = array.copy()
    if out.size:
        at = int(rng.integers(out.size))
        if out.dtype.kind == "f":
            out.reshape(-1)[at] = value
        else:
            low, high = np.iinfo(out.dtype).min, np.iinfo(out.dtype).max
            number = 0 if np.isnan(value) else int(np.clip(value, -(2.0**62), 2.0**62))
            out.reshape(-1)[at] = min(max(number, low), high)
    return f"with {value}", out
