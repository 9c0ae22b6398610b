"""Tiers of named and of sparse features buy and read what dense arrays of the same features do."""

import copy
import tracemalloc
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.io import load, save
from spcviz.io.models import contents
from spcviz.sequences import StructuredPerceptron
from spcviz.sequences.states import pack_texts
from spcviz.spending import BudgetedTagger, EnvelopeTagger, FeatureTiers, ModelSelector
from spcviz.store import StoreError
from tests.robust.damaged_estimators import load as load_damaged

KEYS = (["suffix", "shape"], ["word", "length"], ["affixes", "around"])
NAMES, COSTS = ("cheap", "dear", "dearest"), (0, 1, 4)
MADE = {
    "tagger": lambda tiers, seed=0: BudgetedTagger(tiers, max_iter=2, cv=2, random_state=seed),
    "selector": lambda tiers, seed=0: ModelSelector(tiers, max_iter=2, cv=2, random_state=seed),
    "envelope": lambda tiers, seed=0: EnvelopeTagger(tiers, max_iter=2, cv=2, random_state=seed),
}
every = pytest.mark.parametrize("kind", MADE)


def words(n, seed=0):
    """(X, y): tokens as dicts of texts, numbers, truth, lists of texts and dicts; some items without any."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for i in range(n):
        labels = rng.integers(0, 3, 0 if i % 9 == 4 else int(rng.integers(1, 7))).tolist()
        tokens = []
        for label in labels:
            near = int((label + (rng.random() < 0.4)) % 3)
            stem = f"w{label}{rng.integers(5)}"
            tokens.append(
                {
                    "suffix": f"s{near}",
                    "shape": bool(rng.random() < 0.5),
                    "word": stem,
                    "length": float(np.round(rng.normal(), 3)) if rng.random() < 0.7 else 0,
                    "affixes": [stem[:2], stem[-1], f"x{rng.integers(9)}"],
                    "around": {"before": f"b{rng.integers(4)}", "is_last": label == 2, "n": int(label)},
                    "unused": "nothing",
                }
            )
        X.append(tokens)
        y.append(["ABC"[label] for label in labels])
    return X, y


def features_of(token, keys):
    """{name: value} of some keys of a token, by no code of the package."""
    found = {}
    for key in token:
        if key not in keys:
            continue
        value = token[key]
        if isinstance(value, str):
            found[key, value] = 1.0
        elif isinstance(value, list):
            for text in value:
                found[key, text] = found.get((key, text), 0.0) + 1.0
        elif isinstance(value, dict):
            for inner, content in value.items():
                if isinstance(content, str):
                    found[key, inner, content] = 1.0
                elif content:
                    found[key, inner] = float(content)
        elif value:
            found[(key,)] = float(value)
    return found


def dense(X, known=None):
    """(arrays of all tiers side by side, numbers of the names); names in the order in which they come."""
    numbers = known or [{} for _ in KEYS]
    if known is None:
        for keys, of_tier in zip(KEYS, numbers):
            for name in (name for x in X for token in x for name in features_of(token, keys)):
                of_tier.setdefault(name, len(of_tier))
    edges = np.cumsum([0, *map(len, numbers)])
    out = []
    for x in X:
        table = np.zeros((len(x), edges[-1]))
        for row, token in zip(table, x):
            for keys, of_tier, edge in zip(KEYS, numbers, edges):
                for name, value in features_of(token, keys).items():
                    if name in of_tier:
                        row[edge + of_tier[name]] += value
        out.append(table)
    return out, numbers, tuple(map(np.arange, edges[:-1], edges[1:]))


def listed(x, keys):
    """Tokens as lists of texts: of what stands for one, numbers left out."""
    return [
        [f"{key}={token[key]}" for key in keys if isinstance(token[key], str)]
        + [f"{key}={text}" for key in keys if isinstance(token[key], list) for text in token[key]]
        for token in x
    ]


def by_function(keys, form, batch):
    def tokens(x, positions):
        some = [x[p] for p in positions]
        if form == "dicts":
            return [{key: token[key] for key in token if key in keys} for token in some]
        return listed(some, keys)

    if batch:
        return lambda items, positions: [tokens(x, p) for x, p in zip(items, positions)]
    return tokens


def assert_same(one, other, X, others, y, budgets):
    """Two estimators buy the same and read the same, to the last digit."""
    for budget in budgets:
        got, want = one.spend(X, budget), other.spend(others, budget)
        assert got.cost == want.cost
        assert [a.tolist() for a in got.tiers] == [a.tolist() for a in want.tiers]
        assert [a.tolist() for a in got.labels] == [a.tolist() for a in want.labels]
    for rate in (0.3, 2.0):
        assert one.spend(X, rate=rate).cost == other.spend(others, rate=rate).cost
    curves = one.curve(X, y, budgets), other.curve(others, y, budgets)
    for name in curves[0]._fields:
        assert np.array_equal(getattr(curves[0], name), getattr(curves[1], name))


@every
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_keys_are_the_dense_arrays_of_the_same_features(kind, seed):
    (X, y), (new, truth) = words(16, seed), words(6, seed + 1)
    arrays, numbers, columns = dense(X)
    made = MADE[kind]
    named = made(FeatureTiers(NAMES, KEYS, COSTS), seed).fit(X, y)
    want = made(FeatureTiers(NAMES, columns, COSTS), seed).fit(arrays, y)
    assert_same(named, want, new, dense(new, numbers)[0], truth, [0.0, 7.0, 33.5, np.inf])
    assert named.reader_.widths.tolist() == want.reader_.widths.tolist()
    assert named.reader_.scales.tolist() == want.reader_.scales.tolist()
    if kind == "tagger":
        assert sparse.issparse(named.reader_.features(new))
        assert not sparse.issparse(want.reader_.features(arrays))
        assert np.array_equal(named.model_.weights, want.model_.weights)
        assert np.array_equal(named.model_.pairwise, want.model_.pairwise)


@every
@pytest.mark.parametrize("form", ["dicts", "lists"])
@pytest.mark.parametrize("batch", [False, True])
def test_functions_that_return_names_buy_what_keys_buy(kind, form, batch):
    (X, y), (new, truth) = words(16), words(6, 1)
    functions = tuple(by_function(keys, form, batch) for keys in KEYS)
    computed = MADE[kind](FeatureTiers(NAMES, functions, COSTS, batch)).fit(X, y)
    if form == "dicts":
        given, new_given = X, new
    else:
        all_keys = [key for keys in KEYS for key in keys]
        given, new_given = ([listed(x, all_keys) for x in each] for each in (X, new))
    keyed = FeatureTiers(NAMES, (["suffix"], ["word"], ["affixes"]) if form == "lists" else KEYS, COSTS)
    want = MADE[kind](keyed).fit(given, y)
    assert_same(computed, want, new, new_given, truth, [0.0, 5.0, 21.0, np.inf])


@every
def test_sparse_matrices_are_the_arrays_they_stand_for(kind):
    (X, y), (new, truth) = words(16), words(6, 1)
    arrays, numbers, columns = dense(X)
    others, tiers = dense(new, numbers)[0], FeatureTiers(NAMES, columns, COSTS)
    want = MADE[kind](tiers).fit(arrays, y)
    for form in (sparse.csr_matrix, sparse.coo_array, sparse.csc_array):
        got = MADE[kind](tiers).fit([form(x) for x in arrays], y)
        assert_same(got, want, [form(x) for x in others], others, truth, [0.0, 9.0, np.inf])
    mixed = [sparse.csr_array(x) if i % 2 else x for i, x in enumerate(others)]
    assert_same(got, want, mixed, others, truth, [0.0, 9.0, np.inf])
    shuffled = [unsorted(x) for x in others]
    assert_same(got, want, shuffled, others, truth, [9.0])
    in_part = tuple((lambda x, p, c=c: sparse.csr_array(x)[p][:, c]) for c in columns)
    lazy = MADE[kind](FeatureTiers(NAMES, (columns[0], *in_part[1:]), COSTS)).fit(arrays, y)
    assert_same(lazy, want, others, others, truth, [0.0, 9.0, np.inf])


def unsorted(table):
    """The same matrix with columns falling and each value in two halves, and a zero that is stored."""
    rows, columns = np.nonzero(table)
    order = np.lexsort((-columns, rows))
    rows, columns = rows[order], columns[order]
    values = table[rows, columns] / 2
    start = np.searchsorted(rows, np.arange(len(table) + 1)) * 2
    return sparse.csr_array((np.repeat(values, 2), np.repeat(columns, 2), start), shape=table.shape)


def test_a_tier_of_numbers_beside_one_of_names():
    """A free tier of names, and an embedding that is computed when it is bought."""
    (X, y), (new, truth) = words(40), words(16, 1)

    def embedded(x, positions):
        return np.array([np.eye(4)[int(x[p]["word"][1])] + 0.01 for p in positions]).reshape(-1, 4)

    tiers = FeatureTiers(("names", "embedding"), (["suffix", "shape"], embedded), (0, 2))
    for make in MADE.values():
        tagger = make(tiers).fit(X, y)
        assert tagger.score(new, truth) > tagger.score(new, truth, 0.0) + 0.1
        assert tagger.spend(new, 10).cost == 10
        assert [len(labels) for labels in tagger.predict(new, 3)] == [len(x) for x in new]


def test_features_are_those_that_the_plain_taggers_number():
    X, y = words(16)
    tagger = MADE["tagger"](FeatureTiers(NAMES, KEYS, COSTS)).fit(X, y)
    for vocabulary, keys in zip(tagger.reader_.vocabularies, KEYS):
        plain = StructuredPerceptron(max_iter=1, random_state=0)
        plain.fit([[{key: token[key] for key in token if key in keys} for token in x] for x in X], y)
        assert list(vocabulary.items()) == list(plain.vocabulary_.items())


def test_unusual_tokens_have_the_keys_of_their_features():
    tokens = [
        {"a=b": "c"},
        {"a=b": True},
        {"in": {"a=b": 1}},
        {b"by": b"tes"},
        {"v": [1.0, 2.0]},
        ["a=z", "a=z"],
    ]
    more = [{"set=x", "plain"}, {"rest": 1}, {"rest": 1}]
    X, y = [tokens, more, more], [["A", "B", "A", "B", "A", "B"], ["A", "B", "A"], ["B", "A", "B"]]
    tiers = FeatureTiers(("p", "q"), (["a=b", "in", "by", "v", "plain"], ["a", "set", "rest"]), (0, 1))
    tagger = BudgetedTagger(tiers, policy="uniform", random_state=0).fit(X, y)
    first, second = (list(vocabulary) for vocabulary in tagger.reader_.vocabularies)
    assert first == [r"a\=b=c", r"in\:a=b", "by=tes", r"v\:0", r"v\:1", "plain"]
    assert second == ["a=b", "a=z", "set=x", "rest"]
    row = tagger.reader_.features([tokens]).toarray()[5] / np.float32(tagger.reader_.scales[1])
    assert row.tolist()[len(first) :] == [0.0, 2.0, 0.0, 0.0]
    again = [[dict.fromkeys(["never=seen", "rest"], True), [], {}]]
    assert [len(labels) for labels in tagger.predict(again)] == [3]


def test_memory_follows_the_entries():
    """20,000 names and 10,000 tokens would be 0.8 GB in 32 bits."""
    each = [range(i, 10_000, 500) for i in range(500)]
    X = [[{"cheap": f"c{n % 50}", "word": f"w{n}", "more": f"m{n}"} for n in some] for some in each]
    y = [["AB"[int(token["word"][1:]) % 2] for token in x] for x in X]
    tiers = FeatureTiers(("cheap", "dear"), (["cheap"], ["word", "more"]), (0, 1))
    tagger = BudgetedTagger(tiers, policy="uniform", max_iter=1, cv=2, random_state=0)
    tracemalloc.start()
    tagger.fit(X, y)
    tagger.predict(X, rate=0.5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tagger.reader_.widths.sum() == 20_050
    assert peak < 80e6


@cache
def fitted(kind):
    return MADE[kind](FeatureTiers(NAMES, KEYS, COSTS)).fit(*words(16))


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


def test_settings_are_searched_over_dicts():
    X, y = words(16)
    search = GridSearchCV(fitted("tagger"), {"policy": ["uniform", "greedy"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.5
    assert len(fitted("tagger").course(max(X, key=len), 5.0)) > 1


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


X, Y = words(12)
PLAIN = [np.zeros((len(y), 4)) for y in Y]
BAD = {
    "a key that none has": (
        (KEYS[0], ["word", "lenght"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[1\] must name keys of X's tokens, got 'lenght', which none has",
    ),
    "keys and columns": (
        (["word"], [1, 2], ["around"]),
        X,
        ArgumentError,
        "must not have keys of X's tokens for tier 'cheap' and numbers of columns of X's arrays",
    ),
    "both in one": (
        (["word", 3], ["shape"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[0\] must be all keys, which are texts, or all numbers, got 3",
    ),
    "a text": (
        ("word", ["shape"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[0\] must be a list of keys, got 'word'",
    ),
    "an empty key": (([""], ["shape"], ["around"]), X, ArgumentError, r"tiers.columns\[0\] must be all keys"),
    "twice": (
        (["word", "word"], ["shape"], ["around"]),
        X,
        ArgumentError,
        "must name each key once, got 'word'",
    ),
    "two tiers": (
        (["word"], ["shape", "word"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[1\] must not name key 'word', which tier 0 has",
    ),
    "keys of arrays": (
        KEYS,
        PLAIN,
        ArgumentError,
        r"X\[0\] must be a list of dicts or of lists of texts, since tier 'cheap' has keys",
    ),
    "keys of a single sequence": (KEYS, X[0], ArgumentError, r"X\[0\] must be a list of dicts"),
    "columns of dicts": (
        ([0], [1], [2, 3]),
        X,
        ArgumentError,
        r"X\[0\] must be an array of numbers, since tier 'cheap' has columns of arrays, got named features",
    ),
    "no features": (
        (["shape"], ["word"], lambda x, p: [{}] * len(p)),
        X,
        ArgumentError,
        "tier 'dearest' must have at least one feature, got none in all of X",
    ),
    "too few tokens": (
        (["shape"], ["word"], lambda x, p: [{"a": "b"}] * (len(p) + 1)),
        X,
        ShapeError,
        r"tiers.columns\[2\] of X\[0\] has \d tokens; it needs \d",
    ),
    "a number for a token": (
        (["shape"], ["word"], lambda x, p: [{"a": "b"}, *[3] * (len(p) - 1)]),
        X[:1] * 4,
        ArgumentError,
        r"tiers.columns\[2\] of X\[0\]\[1\] must be a dict or a list of strings, got 3",
    ),
    "a value that is none": (
        (["shape"], ["word"], lambda x, p: [{"a": np.nan}] * len(p)),
        X,
        ScoreError,
        r"tiers.columns\[2\] of X\[0\]\[0\] must have finite values",
    ),
    "numbers behind names": (
        (["shape"], ["word"], lambda x, p: [["a"]] * len(p) if x is X[0] else np.ones((len(p), 1))),
        X,
        ArgumentError,
        r"tiers.columns\[2\] of X\[1\]\[0\]\[0\] must be a string, got",
    ),
    "names behind numbers": (
        (["shape"], ["word"], lambda x, p: np.ones((len(p), 1)) if x is X[0] else [["a"]] * len(p)),
        X,
        ArgumentError,
        r"tiers.columns\[2\] of X\[1\] must",
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_is_mixed_or_unknown_is_named(bad):
    columns, given_X, error, match = BAD[bad]
    given_y = (
        Y if given_X is not X[0] else [["A", "B", "C", "A", "B", "C", "A"][: len(token)] for token in X[0]]
    )
    given_y = Y[:1] * 4 if len(given_X) == 4 and given_X is not X[0] else given_y
    with pytest.raises(error, match=match):
        MADE["tagger"](FeatureTiers(NAMES, columns, COSTS)).fit(given_X, given_y)


@every
def test_what_is_predicted_has_the_form_of_training(kind):
    with pytest.raises(ArgumentError, match=r"X\[0\] must be a list of dicts or of lists of texts"):
        fitted(kind).predict(PLAIN)
    tiers = FeatureTiers(NAMES, (["shape"], ["word"], lambda x, p: np.ones((len(p), 2))), COSTS)
    tagger = MADE[kind](tiers).fit(*words(16))
    tagger.attach("dearest", lambda x, p: [["a"]] * len(p))
    with pytest.raises(
        ArgumentError, match=r"tiers.columns\[2\] must give numbers, as in training, got names"
    ):
        tagger.reader_.features(X)
