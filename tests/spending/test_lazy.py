"""Purchases in rounds: certain ones are made together, one call per tier, in the queue's order."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.io import load, save
from spcviz.spending import BudgetedTagger, EnvelopeTagger, ModelSelector
from spcviz.spending.lazy import spend_in_turns
from tests.spending.sequences import TIERS, drawn

X, Y = drawn(60)
NEW, TRUTH = drawn(40, seed=5)
POLICIES = {
    BudgetedTagger: ("dms_pi", "dms_pi_per_cost", "one_shot", "random"),
    ModelSelector: ("dms", "fixed", "uniform"),
}
every = pytest.mark.parametrize(
    ("kind", "policy"), [(kind, policy) for kind, some in POLICIES.items() for policy in some]
)


class Given:
    """A line whose offers the test knows; a purchase reveals the next."""

    def __init__(self, rng):
        self.n = int(rng.integers(0, 6))
        self.values = rng.integers(0, 5, self.n) + rng.choice([0.0, 0.5], self.n)
        self.costs = rng.choice([0.0, 0.1, 0.3, 1.0, 2.5], self.n)
        self.at, self.gone = 0, np.zeros(self.n, bool)

    @property
    def offer(self):
        while self.at < self.n and self.gone[self.at]:
            self.at += 1
        return None if self.at == self.n else (float(self.values[self.at]), float(self.costs[self.at]))

    @property
    def rest(self):
        return float(self.costs[self.at :].sum())

    def drop(self):
        self.gone[self.at] = True


def bought(seed, is_together):
    """(line of each purchase, amount spent, lines bought by each call) of a random queue."""
    rng = np.random.default_rng(seed)
    lines = [Given(rng) for _ in range(int(rng.integers(1, 9)))]
    most = sum(float(line.costs.sum()) for line in lines)
    budget = float(rng.choice([0.3 * most, 0.7 * most, most, np.inf]))
    calls = []

    def buy(some):
        calls.append(list(some))
        for w in some:
            assert lines[w].offer is not None
            lines[w].at += 1

    return *spend_in_turns(lines, budget, buy, is_together=is_together), calls


def test_the_queue_is_the_same_whether_offers_are_bought_together_or_not():
    n_calls = np.zeros(2, dtype=np.int64)
    for seed in range(1500):
        (one, spent, single), (other, too, some) = bought(seed, False), bought(seed, True)
        assert one == other, seed
        assert spent == too
        assert single == [[w] for w in one]
        assert sorted(w for call in some for w in call) == sorted(one), seed
        assert all(len(set(call)) == len(call) for call in some)
        n_calls += len(single), len(some)
    assert n_calls[1] < 0.6 * n_calls[0]


def functions(calls, batch):
    """Tiers of functions; `calls` records the number of positions in each call."""

    def of(columns):
        def one(x, positions):
            calls.append(len(positions))
            return x[positions][:, columns]

        def many(items, positions):
            calls.append(sum(map(len, positions)))
            return [x[rows][:, columns] for x, rows in zip(items, positions, strict=True)]

        return many if batch else one

    return TIERS._replace(columns=tuple(map(of, TIERS.columns)), batch=batch)


def same(got, want):
    assert got.cost == want.cost
    for field in ("tiers", "labels"):
        assert [one.tolist() for one in getattr(got, field)] == [one.tolist() for one in getattr(want, field)]


@every
def test_many_at_once_is_the_same_in_fewer_calls(kind, policy):
    options = {"policy": policy, "max_iter": 2, "cv": 2, "random_state": 0}
    single, many = [], []
    one, batch = (
        kind(functions(calls, flag), **options).fit(X, Y) for calls, flag in ((single, False), (many, True))
    )
    assert len(many) == len(TIERS.names), "all of training is asked for in one call a tier"
    eager = kind(TIERS, **options).fit(X, Y)
    everything = eager.cost_of_everything(NEW)
    for budget in (0.0, 7.0, 60.0, 301.0, 0.9 * everything, everything - 1, everything, None):
        single.clear()
        many.clear()
        want, got = one.spend(NEW, budget), batch.spend(NEW, budget)
        same(got, want)
        same(eager.spend(NEW, budget), want)
        assert sum(single) == sum(many), "nothing is computed that is not paid for"
        assert len(many) < len(single)
    # A budget for everything makes every offer certain: as many calls as the longest sequence has purchases.
    assert len(many) <= 1 + max(map(len, NEW)) * 2 * 2
    assert batch.score(NEW, TRUTH, 60.0) == one.score(NEW, TRUTH, 60.0)


@pytest.mark.parametrize("kind", [BudgetedTagger, ModelSelector, EnvelopeTagger])
def test_stored_and_attached_again(kind, tmp_path):
    calls = []
    tiers = functions(calls, batch=True)
    tagger = kind(tiers, max_iter=2, cv=2, random_state=0).fit(X, Y)
    save(tagger, tmp_path)
    loaded = load(tmp_path)
    for name, function in zip(tiers.names, tiers.columns):
        loaded.attach(name, function)
    assert loaded.tiers.batch
    calls.clear()
    want = tagger.spend(NEW, rate=1.5)
    n = len(calls)
    same(loaded.spend(NEW, rate=1.5), want)
    assert len(calls) == 2 * n < sum(map(len, NEW))


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda tables: tables[:-1], ShapeError, r"tiers.columns\[1\] gave features of \d+ items; it got"),
        (lambda tables: [*tables, tables[0]], ShapeError, "gave features of"),
        (lambda tables: np.concatenate(tables), ShapeError, r"has shape \(3,\); it needs 1 rows"),
        (iter, ArgumentError, r"tiers.columns\[1\] must return a list of features, one of each item"),
        (lambda tables: None, ArgumentError, "must return a list of features"),
        (lambda tables: dict(enumerate(tables)), ArgumentError, "must return a list of features"),
        (lambda tables: "x" * len(tables), ArgumentError, "must return a list of features"),
        (
            lambda tables: [table[:0] for table in tables],
            ShapeError,
            r"has shape \(0, 3\); it needs \d+ rows",
        ),
        (lambda tables: [table[0] for table in tables], ShapeError, r"has shape \(3,\); it needs"),
        (lambda tables: [*tables[:-1], tables[-1] * np.nan], ScoreError, "must have finite features"),
        (lambda tables: [table[:, :2] for table in tables], ShapeError, "has 2 features; fit had 3"),
        (lambda tables: [["a"] * len(table) for table in tables], ArgumentError, "numbers"),
    ],
)
def test_a_function_that_gives_something_else_is_told_so(wrong, error, said):
    tiers = functions([], batch=True)
    tagger = BudgetedTagger(tiers, policy="random", max_iter=1, cv=2, random_state=0).fit(X, Y)
    right = tiers.columns[1]
    tagger.attach("dear", lambda items, positions: wrong(right(items, positions)))
    with pytest.raises(error, match=said):
        tagger.predict(NEW)


def test_whether_functions_take_many_is_true_or_false():
    for batch in ("yes", 1, None):
        with pytest.raises(ArgumentError, match=r"tiers\.batch must be True or False"):
            BudgetedTagger(TIERS._replace(batch=batch)).fit(X, Y)
    # Columns of X are read in the same way, whatever is set for functions.
    tagger = BudgetedTagger(TIERS._replace(batch=True), policy="random", max_iter=1, random_state=0).fit(X, Y)
    plain = BudgetedTagger(tuple(TIERS[:3]), policy="random", max_iter=1, random_state=0).fit(X, Y)
    same(tagger.spend(NEW, 40.0), plain.spend(NEW, 40.0))
