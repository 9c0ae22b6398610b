"""The lower envelope: the best held-out way at each rate, worse than the best fixed tier only by chance."""

import numpy as np
import pytest

from benchmarks.envelope import TASKS
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.io import load, save
from spcviz.spending import EnvelopeTagger
from spcviz.spending.envelope import Choice, plan_ways, rates_of, spread_of
from tests.spending.sequences import LABELS, TIERS, drawn

X, Y = drawn(90)
NEW, TRUTH = drawn(40, seed=5)


@pytest.fixture(scope="module")
def tagger():
    return EnvelopeTagger(TIERS, max_iter=2, cv=2, random_state=0).fit(X, Y)


class Spender:
    """An estimator whose number of wrong labels in each sequence is given by rate."""

    def __init__(self, wrong, y):
        self.wrong, self.y = wrong, y

    def spend(self, X_, budget):
        n = sum(map(len, self.y))
        table = self.wrong[max(rate for rate in self.wrong if rate <= budget / n + 1e-9)]
        labels = [["?"] * k + list(y)[k:] for k, y in zip(table, self.y)]
        return type("Answer", (), {"labels": labels})

    def as_fixed(self):
        return Spender(self.fixed, self.y)


def plan_of(positions, sequences, fixed, n=6, by_tier=None):
    """The plan for one dear tier of cost 1, from the wrong labels in each of n sequences of 10, by rate.

    by_tier : wrong labels of both tiers, cross-fitted; by default the sums of `fixed`.
    """
    y = [["A"] * 10] * n
    one, other = Spender(positions, y), Spender(sequences, y)
    other.fixed = fixed
    if by_tier is None:
        by_tier = [sum(fixed[0.0]), sum(fixed.get(1.0, fixed[0.0]))]
    return plan_ways((one, other), y, y, np.array([1.0]), np.array(by_tier))


def all_(k, n=6):
    return [k] * n


def test_at_each_rate_the_best_way_so_far_is_taken():
    fixed = {0.0: all_(5), 1.0: all_(2)}
    plan = plan_of({0.0: all_(5), 0.25: all_(3), 1.0: all_(4)}, {0.0: all_(6)}, fixed)
    assert [one.rate for one in plan] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert [one.way for one in plan] == ["fixed", "positions", "positions", "positions", "fixed"]
    assert [one.spend for one in plan] == [0.0, 0.25, 0.25, 0.25, 1.0]
    assert [one.error for one in plan] == [0.5, 0.3, 0.3, 0.3, 0.2]
    assert [one.fixed for one in plan] == [0.5, 0.5, 0.5, 0.5, 0.2]


def test_what_makes_answers_worse_is_not_bought():
    plan = plan_of({0.0: all_(3)}, {0.0: all_(3)}, {0.0: all_(1), 1.0: all_(2)})
    assert [(one.way, one.spend) for one in plan] == [("fixed", 0.0)] * 5


def test_the_best_fixed_tier_is_that_of_all_sequences_unless_those_aside_say_more_than_chance():
    even, near = {0.0: all_(5)}, [2, 1, 3, 1, 3, 3]
    for dear, by_tier, spend in (
        (near, (30, 20), 1.0),  # 13 against 12 held out
        (near, (20, 30), 0.0),
        ([1, 4, 1, 4, 1, 2], (30, 20), 1.0),
        (all_(3), (30, 20), 0.0),  # every held-out sequence speaks against it
        (all_(2), (20, 20), 0.0),
    ):
        plan = plan_of(even, even, {0.0: all_(2), 1.0: dear}, by_tier=by_tier)
        assert [one.way for one in plan] == ["fixed"] * 5
        assert [one.spend for one in plan] == [0.0] * 4 + [spend], (dear, by_tier)
        assert plan[-1].error == pytest.approx(sum(dear if spend else all_(2)) / 60)


def test_a_tier_that_a_free_one_follows_is_not_chosen():
    y = [["A"] * 10] * 6
    spender = Spender({0.0: all_(2), 1.0: all_(1)}, y)
    spender.fixed = spender.wrong
    plan = plan_ways((spender, spender), y, y, np.array([0.0, 1.0]), np.array([1, 9, 5]))
    assert [one.spend for one in plan] == [0.0] * 4 + [1.0]


def test_a_gain_within_two_standard_errors_is_none():
    fixed = {0.0: all_(5)}
    noisy = {
        0.0: all_(5),
        0.5: [0, 9, 0, 9, 5, 4],
    }  # 27 against 30, but up and down by five
    assert {one.way for one in plan_of(noisy, {0.0: all_(9)}, fixed)} == {"fixed"}
    steady = {0.0: all_(5), 0.5: [4, 4, 4, 4, 5, 4]}
    assert plan_of(steady, {0.0: all_(9)}, fixed)[2].way == "positions"
    assert plan_of({0.0: all_(5)}, {0.0: all_(5), 0.25: all_(4)}, fixed)[1].way == "sequences"


def test_the_spread_by_hand():
    differences, lengths = np.array([2, 0, 1]), np.array([4, 2, 4])
    rest = [2 - 4 * 0.3, 0 - 2 * 0.3, 1 - 4 * 0.3]
    assert spread_of(differences, lengths) == pytest.approx(1.5 * sum(each**2 for each in rest) / 100)
    assert spread_of(differences[:1], lengths[:1]) == np.inf


def test_rates_are_whole_tiers_and_what_lies_between():
    assert rates_of(np.array([2.0, 0.0, 4.0])).tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_budgets_are_kept_and_the_way_is_the_plan_s(tagger):
    n = sum(map(len, NEW))
    for budget in (0.0, 0.3 * n, 1.0 * n, 2.2 * n, 5.0 * n, np.inf):
        spent, chosen = tagger.spend(NEW, budget), tagger.choice(budget / n)
        assert spent.cost <= budget
        assert chosen.rate <= budget / n
        if chosen.spend < chosen.rate:
            assert spent.cost <= chosen.spend * n * (1 + 1e-9)
        assert [len(labels) for labels in spent.labels] == list(map(len, NEW))
        bought = sum(np.array([0, 1, 5])[tiers].sum() for tiers in spent.tiers)
        assert bought == pytest.approx(spent.cost)
    half = tagger.spend(NEW, rate=0.5)
    assert [row.tolist() for row in half.labels] == [row.tolist() for row in tagger.predict(NEW, 0.5 * n)]
    assert tagger.spend([], 3.0).labels == []
    curve = tagger.curve(NEW, TRUTH, [0.0, 1.0 * n])
    assert curve.error[1] == pytest.approx(1 - tagger.score(NEW, TRUTH, 1.0 * n))
    assert curve.lifted.sum(axis=1) == pytest.approx([1, 1])


def test_a_fixed_tier_is_read_by_its_own_model(tagger):
    n = sum(map(len, NEW))
    fixed = tagger.sequences_.as_fixed().spend(NEW, n * 1.0)
    assert {int(t) for tiers in fixed.tiers for t in tiers} == {1}
    again = EnvelopeTagger.from_state(tagger.to_state())
    again.plan_ = (Choice(0.0, "fixed", 0.0, 0.5, 0.5, 0.0), Choice(1.0, "fixed", 1.0, 0.4, 0.4, 0.0))
    assert [row.tolist() for row in again.predict(NEW, n * 1.0)] == [row.tolist() for row in fixed.labels]


def test_saved_and_loaded(tagger, tmp_path):
    save(tagger, tmp_path)
    loaded = load(tmp_path)
    assert loaded.plan_ == tagger.plan_
    assert loaded.get_params()["random_state"] == 0
    assert [a.tolist() for a in loaded.predict(NEW, 30)] == [a.tolist() for a in tagger.predict(NEW, 30)]


PLAN = (Choice(0.0, "fixed", 0.0, 0.5, 0.5, 0.0), Choice(1.0, "positions", 0.5, 0.4, 0.5, 0.05))
WRONG = [
    ({"plan": ()}, ArgumentError, "plan must be Choices, at least one"),
    ({"plan": (("a",),)}, ArgumentError, "plan must be Choices"),
    ({"plan": PLAN[1:]}, ArgumentError, "plan must have rates that rise from 0"),
    ({"plan": (*PLAN, PLAN[1])}, ArgumentError, "plan must have rates that rise from 0"),
    ({"plan": (PLAN[0]._replace(way="best"),)}, ArgumentError, r"plan\[0\].way must be one of positions"),
    ({"plan": (PLAN[0]._replace(spend=1.0),)}, ArgumentError, r"plan\[0\].spend must be at most its rate"),
    ({"plan": (PLAN[0]._replace(error=1.5),)}, ArgumentError, r"plan\[0\].error must satisfy"),
    ({"plan": (PLAN[0]._replace(rate=np.nan),)}, ArgumentError, r"plan\[0\].rate must be"),
    ({"plan": (PLAN[0]._replace(standard_error=-1.0),)}, ArgumentError, "standard_error must be at least 0"),
    ({"hold_out": 1}, ArgumentError, "hold_out must be a whole number from 2 to 1000, got 1"),
    ({"random_state": -1}, ArgumentError, "random_state must be a whole number from 0"),
]


@pytest.mark.parametrize(("changed", "error", "message"), WRONG)
def test_a_changed_state_is_refused(tagger, changed, error, message):
    with pytest.raises(error, match=message):
        EnvelopeTagger.from_state(tagger.to_state()._replace(**changed))


def test_halves_of_two_models_are_refused(tagger):
    state = tagger.to_state()
    other = state.sequences._replace(classes=("A", "B", "D"))
    with pytest.raises(ShapeError, match=r"sequences\.classes must be those of positions"):
        EnvelopeTagger.from_state(state._replace(sequences=other))
    tiers = state.sequences.tiers._replace(costs=np.array([1.0, 3.0]))
    with pytest.raises(ShapeError, match=r"sequences\.tiers\.costs must be those of positions"):
        EnvelopeTagger.from_state(state._replace(sequences=state.sequences._replace(tiers=tiers)))


def test_refusals():
    with pytest.raises(ArgumentError, match="X must have at least 4 sequences with positions, got 3"):
        EnvelopeTagger(TIERS).fit(X[:3], Y[:3])
    with pytest.raises(ArgumentError, match="hold_out must be a whole number from 2"):
        EnvelopeTagger(TIERS, hold_out=1).fit(X, Y)
    with pytest.raises(ShapeError, match="y has 1 sequences; X has 90"):
        EnvelopeTagger(TIERS).fit(X, Y[:1])
    assert set(LABELS) == {"A", "B", "C"}


@pytest.mark.parametrize("task", TASKS)
def test_on_real_data_it_is_never_above_the_best_fixed_tier_by_more_than_chance(task, shared_data):
    read, tiers, _ = TASKS[task]
    X_, y = read(shared_data, "train", slice(300))
    tagger = EnvelopeTagger(tiers, max_iter=4, cv=2, random_state=0).fit(X_, y)
    X_, y = read(shared_data, "test", slice(300))
    lengths = np.array(list(map(len, y)))
    n, fixed, costs = int(lengths.sum()), tagger.sequences_.as_fixed(), np.array(tiers.costs[1:], float)

    def wrong(spender, rate):
        answers = spender.spend(X_, rate * n * (1 + 1e-12)).labels
        return np.array([sum(a != b for a, b in zip(*both)) for both in zip(answers, y)])

    by_tier = {rate: wrong(fixed, rate) for rate in np.concatenate([[0.0], np.cumsum(costs)]).tolist()}
    for rate in rates_of(costs).tolist():
        best = min((by_tier[cost] for cost in by_tier if cost <= rate), key=np.sum)
        more = wrong(tagger, rate) - best
        assert more.sum() / n <= np.sqrt(spread_of(more, lengths)), rate
