"""Policies use a world and nothing else: here it is bags of independent items, neither chain nor tree."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from spcviz.learning.budgets import classifiers, part_policy
from spcviz.learning.budgets.methods import METHODS
from spcviz.learning.budgets.world import Trajectory, World

N_TIERS = 3


@dataclass(frozen=True)
class Bags:
    """Items in bags; a table holds an item's loss at each tier, and one number hints at it."""

    starts: np.ndarray
    loss: np.ndarray  # (R, T)
    hint: np.ndarray  # (R,)

    @property
    def shape(self):
        return self.loss.shape

    def some(self, chosen):
        rows = np.concatenate([np.arange(self.starts[w], self.starts[w + 1]) for w in chosen])
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[chosen])])
        return replace(self, starts=starts, loss=self.loss[rows], hint=self.hint[rows]), rows

    def loss_of(self, labels):
        return int(self.loss[np.arange(len(self.loss)), labels].sum())  # a label is a tier here

    def describe(self, tiers):
        return np.stack([np.ones(len(tiers)), self.hint, tiers == 0], axis=1).astype(float)

    def losses_if(self, tiers, targets):
        rows = np.arange(len(tiers))
        base = np.add.reduceat(self.loss[rows, tiers], self.starts[:-1])
        change = self.loss[rows, targets] - self.loss[rows, tiers]
        return base, np.repeat(base, np.diff(self.starts)) + change

    def spend(self, rule, costs, budget, keep_features, keep_all):
        n_rows, n_tiers = self.shape
        at, spent, steps, phis = np.zeros(n_rows, dtype=np.int64), 0.0, [], []
        start, dropped = at.copy(), np.zeros(n_rows, dtype=bool)
        while spent < budget:
            phi, open_rows = self.describe(at), np.flatnonzero((at < n_tiers - 1) & ~dropped)
            if not len(open_rows):
                break
            values = np.array([
                rule.fixed[r, at[r]] if len(rule.fixed) else rule.beta[at[r]] @ phi[r] for r in open_rows
            ])  # fmt: skip
            r = open_rows[np.argmax(values)]
            target = n_tiers - 1 if rule.all_at_once else at[r] + 1
            cost = costs[r, at[r] : target].sum()
            if cost > budget - spent:
                dropped[r] = True
                continue
            gain = self.loss[r, at[r]] - self.loss[r, target]
            steps.append((r, target, values.max(), cost, gain))
            phis.append(phi[r])
            at[r], spent = target, spent + cost
        columns = list(zip(*steps, strict=True)) or [[]] * 5
        part, tier, value, paid, gain = (np.array(c) for c in columns)
        none = np.zeros((0, n_rows))
        return Trajectory(
            part.astype(np.int64), tier.astype(np.int64), value.astype(float), paid.astype(float),
            gain.astype(np.int64), np.zeros(len(part), dtype=np.int64), part, part,
            np.array(phis) if keep_features else np.zeros((0, 3)), start, at, at, none, none,
        )  # fmt: skip


@pytest.fixture(scope="module")
def bags():
    """Sixty bags of three: items whose hint is 1 gain by features, the others do not."""
    rng = np.random.default_rng(0)
    hint = (rng.random(180) < 0.4).astype(float)
    loss = np.stack([np.full(180, 2), 2 - hint, 2 - 2 * hint], axis=1).astype(np.int64)
    return Bags(np.arange(0, 181, 3), loss, hint)


def test_it_is_a_world(bags):
    wanted = {name for name in vars(World) if not name.startswith("_")}
    assert wanted == {"shape", "starts", "some", "loss_of", "spend", "describe", "losses_if"}
    assert all(hasattr(bags, name) for name in wanted)


def test_a_learned_policy_buys_what_pays_first(bags):
    policy, imitation, _ = part_policy.train(bags, np.random.default_rng(1))
    noise = np.random.default_rng(2).random((180, N_TIERS - 1))
    learned = part_policy.Learned(policy.beta, policy.myopic, imitation, noise, {})
    bad = {}
    for key in ("dms_pi", "greedy", "random", "uniform"):
        trajectory = part_policy.spend(bags, part_policy.rule_of(METHODS[key], learned))
        bad[key] = part_policy.badness(part_policy.curve(bags, trajectory))
    assert max(bad["dms_pi"], bad["greedy"]) < min(bad["random"], bad["uniform"])
    n_useful = int(bags.hint.sum())
    trajectory = part_policy.spend(bags, part_policy.rule_of(METHODS["dms_pi"], learned), 2 * n_useful)
    assert bags.loss[np.arange(180), trajectory.labels].sum() == bags.loss[:, -1].sum()


def test_a_budget_found_on_it_holds(bags):
    trained = part_policy.train_queues(bags, np.random.default_rng(3))
    share = min(trained, key=lambda queue: queue.badness).budgets["final_error"]
    assert share == pytest.approx(bags.hint.mean(), abs=0.02)


def test_one_shot_and_anytime_policies_learn_on_it(bags):
    labels = classifiers.parsimonious_labels(bags.losses_if, 180, N_TIERS, 0.1, bags.starts)
    shot = classifiers.fit_one_shot(bags.describe(np.zeros(180, dtype=np.int64)), labels, N_TIERS)
    odds = classifiers.odds(shot, bags.describe(np.zeros(180, dtype=np.int64)))[:, 0]
    assert odds[bags.hint == 1].min() > odds[bags.hint == 0].max()
    fitted = classifiers.fit_anytime(bags.losses_if, bags.describe, bags.starts, N_TIERS, 2)
    first, _ = next(iter(classifiers.roll_out(fitted, bags.describe, bags.starts, N_TIERS)))
    bags_that_gain = np.add.reduceat(bags.hint, bags.starts[:-1]) > 0
    assert bags.hint[first][bags_that_gain[first // 3]].mean() > 0.9
