"""dms-pose and policy-pose end to end on a few made-up chains: their errors, rows, tiers and budgets."""

import json

import numpy as np
import pytest

from experiments.arms import dms_pi, reproduce
from spcviz.learning.budgets.batch_selection import Looked
from spcviz.learning.budgets.expansion import expand
from spcviz.problems.arms.model import dms as dms_pose
from spcviz.problems.arms.model import fit
from spcviz.problems.arms.model import readings as pose_budgets
from spcviz.problems.arms.model.features import LADDER
from spcviz.problems.arms.model.proposals import N_TIERS
from spcviz.problems.arms.model.readings import GRID
from spcviz.problems.arms.shown import EITHER, EVERYONE, TIERS
from tests.problems.arms.made_up import MS, SETTINGS, made_up, trial, wrong_by_hand


def test_every_method_ends_where_everything_is_bought(dms, policy):
    for measured in (dms, policy):
        early = () if measured is policy else ("imitation", EVERYONE)
        assert EITHER in measured.tallies
        whole = [t for name, t in measured.tallies.items() if name not in early]
        for tally in whole:
            assert tally.error[-1] == pytest.approx(whole[0].error[-1])
            # First frames have no flow to pay for, so some single frames are lifted at cost 0.
            if measured is dms:
                assert tally.error[0] == pytest.approx(whole[0].error[0])
            assert (np.diff(tally.mean("ms_per_frame")) > -1e-9).all()
            assert (tally.mean("budget_share") <= 100 * GRID + 1e-6).all() or measured is dms
            assert tally.mean("features_share")[-1] == pytest.approx(100.0)
            assert tally.mean("features_share")[0] < 40.0  # first frames have no flow to pay for
    assert policy.fixed.error[-1] == pytest.approx(policy.tallies["greedy"].error[-1])
    assert dms.stops[0].tolist() == [1, 0, 0]
    assert dms.stops[-1] == pytest.approx([0, 0, 1])
    assert dms.stops.sum(axis=1) == pytest.approx(1.0)


def test_errors_are_those_of_the_readers(clips, dms):
    splits = [fit.partition(clips, i, (0.6, 0.2, 0.2)) for i in range(2)]
    best = wrong_by_hand(clips, splits, lambda split: fit.find_nearest_paths(split[-1], SETTINGS))
    at_20 = dms_pose.RADII.index(20)
    assert 100 - dms.within[-1, at_20] == pytest.approx(best)
    plain = 100 - dms.within[1 : 1 + N_TIERS, at_20]
    assert plain[0] == pytest.approx(dms.tallies["fixed"].error[0])
    assert plain[-1] == pytest.approx(dms.tallies["fixed"].error[-1])
    assert plain[2].sum() < plain[0].sum()  # full detectors tell the truth here


def test_results_have_the_promised_rows(clips, dms, policy):
    promised = {"method", "ms_per_frame", "features_share", "elbow_error", "wrist_error", "opponent"}
    for result in (reproduce.dms_result(dms, clips), reproduce.policy_result(policy)):
        json.dumps(result, allow_nan=False)
        assert all(promised <= row.keys() for row in result["rows"])
        assert {tuple(row["tiers"]) for row in result["rows"]} == {tuple(tier.name for tier in TIERS)}
        assert {row["detectors_ms"] for row in result["rows"]} == {MS[0]}
        assert all(row["ms_per_frame"] >= MS[0] for row in result["rows"])
        named = {row["opponent"] for row in result["rows"]} - {None}
        assert named >= {"random clips, at once to the useful tier", "random tier by tier", "oracle"}
    assert {row["method"] for row in result["table"]} >= {*dms_pi.FIXED, "q-learning", "oracle"}
    ours = [row for row in result["table"] if row["method"] == "q-learning"]
    beyond = [row for row in ours if row.get("is_beyond")]
    assert [row["target"] for row in ours if row not in beyond] == list(pose_budgets.TARGETS)
    assert [row["target"] for row in beyond] == [row["paper"]["speedup"] for row in ours if "paper" in row]
    assert [row["target"] for row in beyond] == list(dms_pi.THESIS_TARGETS)
    free = policy.base_ms + policy.full_ms / np.array(dms_pi.THESIS_TARGETS)
    assert all(row["ms_per_frame"] <= 1.1 * limit for row, limit in zip(beyond, free))


def test_methods_are_compared_at_equal_milliseconds(dms):
    limit = (dms.base_ms + dms.full_ms) / np.array(pose_budgets.TARGETS)
    for name, tally in dms.equal.items():
        spent = tally.mean("ms_per_frame")
        assert (spent <= 1.1 * limit).all(), name  # in a split more frames may have flow
    assert (dms.equal["dms"].mean("ms_per_frame") > 0.5 * limit)[:3].all()
    imitation, ours = (dms.equal[key].mean("ms_per_frame") for key in ("imitation", dms_pose.AS_IMITATION))
    assert (ours <= imitation + 1e-9).all()
    assert (ours <= dms.equal["dms"].mean("ms_per_frame") + 1e-9).all()


def test_the_selector_predicts_what_can_be_predicted():
    train, test = made_up(0), made_up(1)
    errors = dms_pose._value_errors(train, test, np.random.default_rng(0))
    r2 = dms_pose._r2(errors)
    assert r2[0] > 0.9  # a meta-feature tells the first model's gain
    assert abs(r2[1]) < 0.2  # none tells the second's
    gains = (test.losses[:, 1:2] - test.losses[:, 2:]) / 10
    mean = ((train.losses[:, 1] - train.losses[:, 2]) / 10).mean()
    assert errors[1, 1] == pytest.approx(((gains - mean) ** 2).sum())


def test_frames_without_truth_cost_but_do_not_count(clips):
    truth = clips.truth.copy()
    truth[::3] = np.nan
    some = clips._replace(truth=truth)
    known = np.arange(len(truth)) % 3 != 0
    assert (some.is_known == known).all()
    numbers = np.unique(clips.clip)
    assert pose_budgets.frames_by_clip(some, numbers).sum() == known.sum()
    assert pose_budgets.near_share(some)[0] == pytest.approx(
        100 * (clips.loss.min(axis=1) == 0)[known].mean()
    )
    measured = dms_pose.measure(trial(some, (0.6, 0.2, 0.2)), SETTINGS)
    splits = [fit.partition(some, i, (0.6, 0.2, 0.2)) for i in range(2)]
    n = sum(split[-1].is_known.sum() for split in splits)
    assert measured.tallies["dms"].frames.sum() == n
    best = [fit.find_nearest_paths(split[-1], SETTINGS) for split in splits]
    near = [split[-1].errors[np.arange(len(b)), b] <= 20 for split, b in zip(splits, best, strict=True)]
    assert measured.within[-1, dms_pose.RADII.index(20)] == pytest.approx(
        100 * sum(hits.sum(axis=0) for hits in near) / n
    )
    assert measured.full_ms == pytest.approx(fit.costs_of(clips, MS[1:]).sum() / len(clips.joints))


def test_first_frames_have_no_flow(clips):
    costs = fit.costs_of(clips, MS[1:])
    assert (costs[clips.starts[:-1]] == 0).all()
    sums = pose_budgets.chain_costs(clips, costs)
    lengths = np.diff(clips.starts)
    assert sums == pytest.approx(np.stack([30 * (lengths - 1), 70 * (lengths - 1)], axis=1))
    assert LADDER == tuple(tier.key for tier in TIERS) == ("detectors", "coarse_flow", "flow")


def test_the_useful_tier_is_the_first_that_comes_near_the_best():
    losses = np.array([[60, 50, 31, 30, 33]])
    looked = Looked(None, losses, None, None, np.array([100]))
    assert dms_pose.useful_tier(looked) == 2  # 0.5 points more than the least
    looked = looked._replace(sizes=np.array([10]))
    assert dms_pose.useful_tier(looked) == 3  # 5 points


def test_each_budget_gets_the_order_that_training_clips_prefer():
    ours, other = (
        {"method": name, "cost": np.array([0.0, 0.4, 1.0]), "share": curve[:, None], "words": curve[:, None],
         "error": np.stack([10 - curve, curve], axis=1)}
        for name, curve in (("dms", np.array([0.0, 1.0, 3.0])), ("uniform", np.array([0.0, 2.0, 3.0])))
    )  # fmt: skip
    is_other = pose_budgets.SHARES < 0.5
    row = dms_pose._either(ours, other, is_other)
    assert row["method"] == EITHER
    at = [np.searchsorted(pose_budgets.SHARES, share) for share in (0.1, 0.45, 0.55, 1.0)]
    assert row["share"][at, 0].tolist() == [0.0, 2.0, 1.0, 3.0]
    assert row["error"][at, 1].tolist() == [0.0, 2.0, 1.0, 3.0]


def test_random_clips_go_to_the_useful_tier_at_once():
    values = dms_pose.at_once(2, (6, 5), np.random.default_rng(0))
    bought = expand(values, np.ones(4))
    assert bought.tier.tolist() == [*(6 * [1, 2]), *(6 * [3]), *(6 * [4])]
    assert (bought.example[:12:2] == bought.example[1:12:2]).all()
