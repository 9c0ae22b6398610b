"""A tagger under a budget: it keeps to it, spends well, computes what it buys, and is a good estimator."""

import pickle
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.io import load, read_conll, save
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.tiered import tier_scores
from spcviz.problems.letters import handwriting
from spcviz.shared.folders import CACHE, shipped_path
from spcviz.spending import POLICIES, BudgetedTagger, FeatureTiers
from spcviz.spending.policies import rule_of
from tests.spending.sequences import LABELS, TIERS, drawn

X, Y = drawn(120)
NEW, TRUTH = drawn(60, seed=1)


@cache
def fitted(policy="dms_pi", tolerance=0.0):
    tagger = BudgetedTagger(TIERS, policy=policy, inference_tolerance=tolerance, max_iter=4, random_state=0)
    return tagger.fit(X, Y)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_keeps_to_its_budget(policy):
    tagger = fitted(policy)
    everything = tagger.cost_of_everything(NEW)
    assert everything == 5 * sum(map(len, NEW))
    for share in (0.0, 0.1, 0.5, 1.0):
        spent = tagger.spend(NEW, share * everything)
        assert spent.cost <= share * everything + 1e-9
        assert spent.cost == sum(np.array([0, 1, 5])[tiers].sum() for tiers in spent.tiers)
        assert [len(labels) for labels in spent.labels] == [len(x) for x in NEW]
        if share in (0.0, 1.0):
            assert {t for tiers in spent.tiers for t in tiers.tolist()} == {2 if share else 0}
    assert set(np.concatenate(tagger.predict(NEW)).tolist()) <= set(LABELS)


def test_a_course_is_shown_purchase_by_purchase():
    x = max(NEW, key=len)
    figure, course = fitted().show(x), fitted().course(x)
    lifts, read = np.array(figure.data[0].z), figure.data[0].text
    assert lifts[-1].tolist() == [2] * len(x)
    assert lifts.sum(axis=1).tolist() == list(range(len(course) + 1))
    assert [list(row) for row in read[1:]] == [step.labels.tolist() for step in course]
    assert list(read[0]) == fitted().predict([x], 0.0)[0].tolist()
    assert float(figure.data[0].y[-1]) == pytest.approx(sum(step.cost for step in course))


def test_learned_policies_beat_chance_at_a_tenth_of_the_cost():
    noise, error = (0.8, 0.5, 0.2), {}
    (many, labels), (new, truth) = drawn(300, noise=noise), drawn(150, seed=1, noise=noise)
    for policy in ("dms_pi", "greedy", "one_shot", "anytime", "random"):
        tagger = BudgetedTagger(TIERS, policy=policy, max_iter=4, random_state=0).fit(many, labels)
        error[policy] = tagger.curve(new, truth, [0.1 * tagger.cost_of_everything(new)]).error[0]
    assert error["dms_pi"] < error["random"] - 0.1
    assert max(error[policy] for policy in ("greedy", "one_shot", "anytime")) < error["random"] - 0.05


def test_a_curve_is_what_is_predicted_at_each_budget():
    tagger = fitted()
    budgets = [0.0, 30.0, 200.0, np.inf]
    curve = tagger.curve(NEW, TRUTH, budgets)
    for at, budget in enumerate(budgets):
        spent = tagger.spend(NEW, budget)
        wrong = np.concatenate(spent.labels) != np.concatenate([np.array(y, dtype=object) for y in TRUTH])
        assert curve.error[at] == pytest.approx(wrong.mean())
        assert curve.cost[at] == spent.cost
        reached = np.bincount(np.concatenate(spent.tiers), minlength=3)
        assert curve.lifted[at] == pytest.approx(reached / reached.sum())
    assert tagger.score(NEW, TRUTH) == pytest.approx(1 - curve.error[-1])
    strange = [["?"] * len(y) for y in TRUTH]
    assert tagger.score(NEW, strange) == 0.0
    assert tagger.curve(NEW, TRUTH, []).error.shape == (0,)


def test_a_course_ends_with_the_prediction():
    tagger, x = fitted(), max(NEW, key=len)
    steps = tagger.course(x, 12)
    assert sum(step.cost for step in steps) <= 12
    assert {step.tier for step in steps} <= {"dear", "dearest"}
    assert steps[-1].labels.tolist() == tagger.predict([x], 12)[0].tolist()
    assert tagger.course(x[:0], 12) == []


def test_policies_learn_from_models_that_have_not_seen_the_sequences(monkeypatch):
    """Labels are noise: a model that had seen them in training would find that features pay."""
    rng = np.random.default_rng(0)
    noisy = [rng.choice(list(LABELS), len(x)).tolist() for x in X]
    seen = {}

    def spied(world, rng, costs, **more):
        everything = np.full(world.shape[0], world.shape[1] - 1)
        seen["wrong"] = world.losses_if(everything, everything)[0].sum() / world.shape[0]
        return original(world, rng, costs, **more)

    original = part_policy.train
    monkeypatch.setattr(part_policy, "train", spied)
    wide = [np.concatenate([x, rng.normal(size=(len(x), 300))], axis=1) for x in X]
    tiers = TIERS._replace(columns=([0, 1, 2], [3, 4, 5], np.arange(6, 309)))
    tagger = BudgetedTagger(tiers, policy="dms_pi_by_value", max_iter=20, random_state=0).fit(wide, noisy)
    assert tagger.score(wide, noisy) > 0.6  # it has learned half of them by heart: a third is chance
    assert seen["wrong"] > 0.6  # the models that the policy learned from have not


def functions(calls):
    def bought(columns):
        def compute(x, positions):
            calls.extend((len(columns), id(x), int(p)) for p in positions)
            return x[positions][:, columns]

        return compute

    first = bought([0, 1, 2])
    return TIERS._replace(columns=(first, bought([3, 4, 5]), bought([6, 7, 8])))


@pytest.mark.parametrize("policy", ["dms_pi", "dms_pi_per_cost", "one_shot", "myopic", "random"])
@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_what_is_computed_when_bought_gives_the_same_course(policy, tolerance):
    calls = []
    options = {"policy": policy, "max_iter": 4, "random_state": 0, "inference_tolerance": tolerance}
    lazy = BudgetedTagger(functions(calls), **options).fit(X, Y)
    eager = fitted(policy, tolerance)
    for budget in (0.0, 7.0, 60.0, 301.0):
        calls.clear()
        got, want = lazy.spend(NEW, budget), eager.spend(NEW, budget)
        assert [tiers.tolist() for tiers in got.tiers] == [tiers.tolist() for tiers in want.tiers]
        assert [labels.tolist() for labels in got.labels] == [labels.tolist() for labels in want.labels]
        assert got.cost == want.cost
        # The free tier of every position, and one call for each purchase.
        assert len(calls) == sum(map(len, NEW)) + sum(int(tiers.sum()) for tiers in got.tiers)


def test_it_is_an_estimator(tmp_path):
    tagger = fitted()
    again = clone(tagger).set_params(max_iter=2)
    assert again.get_params()["max_iter"] == 2
    with pytest.raises(NotFittedError):
        again.predict(NEW)
    same = pickle.loads(pickle.dumps(tagger))
    budget = 50.0
    want = [labels.tolist() for labels in tagger.predict(NEW, budget)]
    assert [labels.tolist() for labels in same.predict(NEW, budget)] == want
    assert [labels.tolist() for labels in clone(tagger).fit(X, Y).predict(NEW, budget)] == want
    search = GridSearchCV(BudgetedTagger(TIERS, policy="uniform", random_state=0), {"max_iter": [1, 3]}, cv=2)
    assert search.fit(X, Y).best_params_["max_iter"] in (1, 3)


@pytest.mark.parametrize("policy", POLICIES)
def test_saved_and_loaded(policy, tmp_path):
    tagger = fitted(policy)
    save(tagger, tmp_path)
    loaded = load(tmp_path)
    assert type(loaded) is BudgetedTagger
    assert loaded.get_params()["policy"] == policy
    assert loaded.classes_.tolist() == list(LABELS)
    want = tagger.spend(NEW, 80.0)
    got = loaded.spend(NEW, 80.0)
    assert got.cost == want.cost
    assert [labels.tolist() for labels in got.labels] == [labels.tolist() for labels in want.labels]


def test_a_changed_state_is_refused(tmp_path):
    state = fitted().to_state()
    for changed, message in (
        ({"seen": np.zeros(3, dtype=np.int64)}, "seen has shape"),
        ({"classes": ("A", "B")}, "weights has shape"),
        ({"policy": "none"}, "policy must be one of"),
        ({"model": state.model._replace(edges=state.model.edges[::-1].copy())}, "edges must be"),
    ):
        with pytest.raises(ArgumentError, match=message):
            BudgetedTagger.from_state(state._replace(**changed))
    for wrong in (np.array([3, 3, -1]), np.array([3, 3, 0]), np.array([3, 3])):
        lazy = BudgetedTagger(functions([]), policy="random", max_iter=1, random_state=0).fit(X, Y).to_state()
        with pytest.raises((ArgumentError, ShapeError), match=r"tiers\.widths"):
            BudgetedTagger.from_state(lazy._replace(tiers=lazy.tiers._replace(widths=wrong)))


def test_sparse_arrays_and_lists_are_the_same():
    budget, tagger = 40.0, fitted()
    want = [labels.tolist() for labels in tagger.predict(NEW, budget)]
    as_sparse = [sparse.csr_array(x) for x in NEW]
    assert [labels.tolist() for labels in tagger.predict(as_sparse, budget)] == want
    lists = [x.tolist() if len(x) else x for x in NEW]
    assert [labels.tolist() for labels in tagger.predict(lists, budget)] == want
    numbered = BudgetedTagger(TIERS, policy="uniform", max_iter=1, random_state=0)
    numbered.fit(X, [[LABELS.index(k) for k in y] for y in Y])
    assert set(np.concatenate(numbered.predict(NEW)).tolist()) <= {0, 1, 2}


@settings(max_examples=20)
@given(budget=st.floats(0, 400), seed=st.integers(0, 99))
def test_more_budget_of_equal_prices_never_buys_less(budget, seed):
    tagger = cheap()
    few, _ = drawn(10, seed=seed)
    less, more = tagger.spend(few, budget), tagger.spend(few, budget + 3)
    for one, other in zip(less.tiers, more.tiers):
        assert (one <= other).all()


@cache
def cheap():
    tiers = TIERS._replace(costs=(0, 1, 1))
    return BudgetedTagger(tiers, policy="greedy", max_iter=3, random_state=0).fit(X, Y)


def test_nothing_to_read():
    tagger = fitted()
    assert tagger.predict([]) == []
    assert tagger.spend([X[0][:0]], 5.0).cost == 0.0
    assert tagger.cost_of_everything([]) == 0.0
    long = np.random.default_rng(0).normal(size=(10_000, 9))
    assert len(tagger.predict([long], 100.0)[0]) == 10_000


def test_letters_of_real_words():
    """Handwriting: pixels are free, histograms of gradients cost."""
    words = handwriting.load_words()  # sorted by word: neighbours are the same word
    rows, lengths = handwriting.rows_of(words, np.arange(0, 6877, 28))
    pixels, stops = words.pixels[rows], np.cumsum(lengths)[:-1]
    features = np.concatenate([handwriting.raw_features(pixels), handwriting.hog_features(pixels, 3)], axis=1)
    letters = np.split(features, stops)
    labels = [word.tolist() for word in np.split(words.labels[rows], stops)]
    tiers = FeatureTiers(("pixels", "gradients"), (np.arange(129), np.arange(129, features.shape[1])), (0, 1))
    tagger = BudgetedTagger(tiers, max_iter=5, cv=3, random_state=0).fit(letters[:180], labels[:180])
    whole = tagger.cost_of_everything(letters[180:])
    curve = tagger.curve(letters[180:], labels[180:], [0, 0.4 * whole, whole])
    assert curve.error[0] > curve.error[1] > curve.error[2]


def hashed(tokens):
    """Indicators of a word's end, of the word, and of its neighbours."""
    out = np.zeros((len(tokens), 576))
    lowered = ["#", *(token.lower() for token in tokens), "#"]
    for i in range(len(tokens)):
        before, word, after = lowered[i : i + 3]
        for first, width, text in (
            (0, 64, word[-2:]),
            (64, 256, word),
            (320, 128, before),
            (448, 128, after),
        ):
            out[i, first + zlib.crc32(f"{first}{text}".encode()) % width] = 1.0
    return out


def test_tags_of_real_sentences():
    """UD English: at a tenth of the cost DMS-pi has fewer wrong tags than random or tier-wise purchases."""
    corpus = read_conll(shipped_path(CACHE / "data" / "ewt" / "sentences.conllu"))
    rows, error = [hashed(sentence) for sentence in corpus.sentences], {}
    columns = np.arange(64), np.arange(64, 320), np.arange(320, 576)
    tiers = FeatureTiers(("ends", "words", "neighbours"), columns, (0, 1, 4))
    for policy in ("dms_pi", "uniform", "random"):
        tagger = BudgetedTagger(tiers, policy=policy, max_iter=5, cv=3, random_state=0)
        tagger.fit(rows[:220], corpus.labels[:220])
        budget = 0.1 * tagger.cost_of_everything(rows[220:])
        error[policy] = tagger.curve(rows[220:], corpus.labels[220:], [budget]).error[0]
    assert error["dms_pi"] < min(error["uniform"], error["random"]) - 0.02


def test_the_world_is_read_by_the_model():
    tagger = fitted()
    world = tagger._world(NEW)
    assert np.array_equal(world.scores, tier_scores(tagger.model_, tagger.reader_.features(NEW)))
    assert rule_of(tagger.policy_, world, 0.0).beta.shape[0] == 2


def spoiled(i, value):
    return [value if n == i else x for n, x in enumerate(X)]


NAN = X[1].copy()
NAN[-1, 4] = np.nan
REFUSED = [
    ({"X": 3}, ArgumentError, "X must be a list of sequences, got 3"),
    ({"X": spoiled(2, 5)}, ArgumentError, r"X\[2\] must be a sequence, got 5"),
    ({"X": spoiled(1, X[1][:, 0])}, ShapeError, r"X\[1\] has shape .*; it needs \(L, F\)"),
    ({"X": spoiled(1, X[1][:, :5])}, ShapeError, r"X\[1\] has 5 columns; tier 'dear' needs column 5"),
    (
        {"X": spoiled(1, NAN)},
        ScoreError,
        r"X\[1\] must have finite features, got others at position \d in tier",
    ),
    ({"X": spoiled(1, [["a"] * 9] * len(X[1]))}, ArgumentError, r"X\[1\] must be an array of numbers"),
    ({"y": Y[:-1]}, ShapeError, "y has 119 sequences; X has 120"),
    ({"y": [*Y[:-1], [*Y[-1], "A"]]}, ShapeError, r"y\[119\] has \d labels; X\[119\] has \d positions"),
    ({"y": [[None] * len(y) for y in Y]}, ArgumentError, r"y\[0\]\[0\] must be a str or an int, got None"),
    ({"y": "ABC"}, ArgumentError, "y must be a list of sequences of labels, got 'ABC'"),
    (
        {"y": [["A"] * len(y) for y in Y]},
        ArgumentError,
        r"y must have at least 2 different labels, got \['A'\]",
    ),
    ({"X": X[:2], "y": Y[:2]}, ArgumentError, "X must have at least 3 sequences with positions, got 2"),
    ({"X": [], "y": []}, ArgumentError, "X must have at least 3 sequences with positions, got 0"),
    ({"policy": "best"}, ArgumentError, "policy must be one of dms_pi, .* got 'best'"),
    ({"max_iter": 0}, ArgumentError, "max_iter must be a whole number from 1 to 10000, got 0"),
    ({"cv": 1}, ArgumentError, "cv must be a whole number from 2 to 1000, got 1"),
    ({"inference_tolerance": 2}, ArgumentError, "inference_tolerance must satisfy"),
    ({"tiers": 3}, ArgumentError, r"tiers must be FeatureTiers\(names, columns, costs\), got 3"),
    ({"tiers": TIERS._replace(names=("a",))}, ArgumentError, "tiers.names must be at least 2, got 1"),
    ({"tiers": TIERS._replace(names=("a", "a", "b"))}, ArgumentError, "tiers.names must be different texts"),
    (
        {"tiers": TIERS._replace(columns=([0], [1]))},
        ShapeError,
        "tiers.columns has 2 tiers; tiers.names has 3",
    ),
    (
        {"tiers": TIERS._replace(columns=([0], [], [1]))},
        ArgumentError,
        r"tiers.columns\[1\] must have at least",
    ),
    (
        {"tiers": TIERS._replace(columns=([0], [-1], [1]))},
        ArgumentError,
        r"tiers.columns\[1\]\[0\] must be from",
    ),
    ({"tiers": TIERS._replace(costs=(0, 1))}, ShapeError, "tiers.costs has 2 tiers; tiers.names has 3"),
    (
        {"tiers": TIERS._replace(costs=(1, 1, 1))},
        ArgumentError,
        r"tiers.costs\[0\] must be 0, since the first",
    ),
    ({"tiers": TIERS._replace(costs=(0, -1, 1))}, ArgumentError, "tiers.costs must not be negative, got -1"),
    ({"tiers": functions([]), "policy": "anytime"}, ArgumentError, "policy must not be 'anytime' where"),
    (
        {"tiers": TIERS._replace(columns=([0], lambda x, positions: x[0], [1]))},
        ShapeError,
        r"tiers.columns\[1\] of X\[0\] has shape \(9,\); it needs \d rows",
    ),
]


@pytest.mark.parametrize(("changed", "error", "message"), REFUSED)
def test_refusals(changed, error, message):
    arguments = {"X": X, "y": Y, "tiers": TIERS, "policy": "uniform", "max_iter": 1} | changed
    data = arguments.pop("X"), arguments.pop("y")
    with pytest.raises(error, match=message):
        BudgetedTagger(**arguments).fit(*data)


def test_refusals_of_a_fitted_one():
    tagger = fitted()
    for budget in (-1.0, np.nan, "much"):
        with pytest.raises(ArgumentError, match="budget must be a number from 0 to inf"):
            tagger.predict(NEW, budget)
    with pytest.raises(ShapeError, match="y has 1 sequences; X has 60"):
        tagger.curve(NEW, TRUTH[:1], [1.0])
    widths = [3]
    changing = TIERS._replace(
        columns=([0, 1, 2], [3, 4, 5], lambda x, positions: x[positions][:, : widths[0]])
    )
    strange = BudgetedTagger(changing, policy="random", max_iter=1, random_state=0).fit(X, Y)
    widths[0] = 2
    with pytest.raises(ShapeError, match="tier 'dearest' has 2 features; fit had 3"):
        strange.predict(NEW)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 1], [1, 2]), r"tiers.columns\[1\] must not name column 1, which tier 0 has: .* paid for twice"),
        (([0, 1], [2, 2]), r"tiers.columns\[1\] must name each column once, got 2 twice"),
    ],
)
def test_a_column_is_paid_for_once(columns, message):
    with pytest.raises(ArgumentError, match=message):
        BudgetedTagger(FeatureTiers(("a", "b"), columns, (0, 1))).fit(X, Y)


def test_a_rate_is_a_budget_for_each_position():
    tagger, n = fitted(), sum(map(len, NEW))
    one, other = tagger.spend(NEW, rate=0.5), tagger.spend(NEW, 0.5 * n)
    assert [labels.tolist() for labels in one.labels] == [labels.tolist() for labels in other.labels]
    assert one.cost == other.cost <= 0.5 * n
    with pytest.raises(
        ArgumentError, match="budget, of all of X, and rate, of each position, must not be given"
    ):
        tagger.predict(NEW, 3.0, rate=0.5)
    with pytest.raises(ArgumentError, match="rate must be a number from 0"):
        tagger.predict(NEW, rate=-1)
