"""Tiers of named and of sparse features buy and read what dense arrays of the same features do."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV

from spcviz.sequences import StructuredPerceptron
from spcviz.spending import BudgetedTagger, FeatureTiers
from tests.spending.named import (
    COSTS,
    KEYS,
    MADE,
    NAMES,
    assert_same,
    by_function,
    every,
    fitted,
    listed,
    words,
)


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
    """(arrays of all tiers side by side, numbers of the names as they first appear, columns of tiers)."""
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
    """The same matrix with columns in descending order and each value in two halves."""
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


def test_settings_are_searched_over_dicts():
    X, y = words(16)
    search = GridSearchCV(fitted("tagger"), {"policy": ["uniform", "greedy"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.5
    assert len(fitted("tagger").course(max(X, key=len), 5.0)) > 1
