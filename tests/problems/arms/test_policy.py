"""policy-pose end to end on a few made-up chains: budgets in time, spans, whole arms, people."""

import json

import numpy as np
import pytest

from experiments.arms import dms_pi, reproduce
from spcviz.problems.arms.model import readings as pose_budgets
from spcviz.problems.arms.model.tallies import gap
from spcviz.problems.arms.shown import ANY_SPANS, SPAN_LENGTHS, SPANS, WHOLE_SPANS, spans_of
from tests.problems.arms.made_up import MS, SETTINGS, made_up, trial


def test_budgets_in_time_are_kept_overhead_and_all(policy):
    for tally in policy.targets.values():
        limit = (policy.base_ms + policy.full_ms) / np.array(pose_budgets.TARGETS)
        # In a split, flow may be available for more or for fewer frames than overall.
        assert (tally.mean("ms_per_frame") <= 1.1 * limit + tally.mean("overhead_ms")[-1]).all()
    assert policy.full_ms == pytest.approx(100.5 - 70.5 * 20 / 68, rel=0.2)
    assert policy.fixed.mean("ms_per_frame")[0] == policy.base_ms == MS[0]


def test_frames_spans_and_whole_arms_are_measured_alike(policy):
    names = {SPANS, ANY_SPANS, WHOLE_SPANS, *map(spans_of, SPAN_LENGTHS)}
    assert names < policy.tallies.keys()
    assert names < policy.targets.keys()
    assert names < policy.beyond.keys()
    assert list(policy.lengths[SPANS]) == ["4", "6", "8"]
    assert list(policy.lengths[ANY_SPANS]) == ["1", "4", "6", "8", "all", "clips"]
    assert [sum(counted.values()) for counted in policy.lengths.values()] == [2, 2]
    # Chains have at most five frames: spans of 6 and 8 are whole arms, down to the last purchase.
    for name in (spans_of(6), spans_of(8)):
        assert (policy.tallies[name].wrong == policy.tallies[WHOLE_SPANS].wrong).all()
        assert (policy.tallies[name].mean("ms_per_frame") > 0).all()
    # Joint purchases come later: the first purchase of a whole arm is its most expensive one.
    shares = [policy.tallies[name].mean("features_share") for name in ("q-learning", WHOLE_SPANS)]
    assert shares[0][1] > shares[1][1]


def test_the_length_that_wastes_least_on_held_out_clips_is_what_is_reported(clips, monkeypatch):
    train = dms_pi.best_queue

    def only_spans_of_four_are_good(learn, *rest):
        is_four = np.diff(learn.first).max() == 4
        return train(learn, *rest)._replace(badness=-1.0 if is_four else 1e9)

    monkeypatch.setattr(dms_pi, "best_queue", only_spans_of_four_are_good)
    measured = dms_pi.measure(trial(clips, (0.7, 0.3)), SETTINGS)
    assert measured.lengths[SPANS] == {"4": 2, "6": 0, "8": 0}
    assert measured.lengths[ANY_SPANS] == {"1": 0, "4": 2, "6": 0, "8": 0, "all": 0, "clips": 0}
    for name in (SPANS, ANY_SPANS):
        assert (measured.tallies[name].wrong == measured.tallies[spans_of(4)].wrong).all()
    assert (measured.tallies[SPANS].wrong != measured.tallies[WHOLE_SPANS].wrong).any()
    monkeypatch.setattr(dms_pi, "_wasted_by_clips", lambda *rest: -2.0)
    measured = dms_pi.measure(trial(clips, (0.7, 0.3)), SETTINGS)
    assert measured.lengths[ANY_SPANS]["clips"] == 2
    whole = measured.tallies[dms_pi.LENGTHS[1]]
    assert dms_pi.LENGTHS[1] == "q-learning, whole clips"
    assert (measured.tallies[ANY_SPANS].wrong == whole.wrong).all()
    assert measured.lengths[SPANS] == {"4": 2, "6": 0, "8": 0}


def test_whole_clips_are_judged_on_held_out_chains_by_selectors_that_have_not_seen_them():
    """Two chains per clip; a meta-feature that predicts the gain wastes less than noise does."""
    knows = made_up(0)._replace(group=np.repeat(np.arange(60), 2))
    blind = knows._replace(meta=np.random.default_rng(1).normal(size=knows.meta.shape))
    costs, held = np.ones((120, 2)), np.arange(0, 120, 3)
    told, guessed = (
        dms_pi._wasted_by_clips(of, costs, True, held, np.random.default_rng(0)) for of in (knows, blind)
    )
    assert knows.losses[held, 2].sum() < told < guessed < knows.losses[held, 0].sum()


def test_lines_say_what_is_kept_on_both_clocks(of_people):
    people, measured, result = of_people
    json.dumps(result, allow_nan=False)
    assert {row["clock"] for row in result["rows"]} == {"with detectors"}
    for row in result["table"]:
        assert row["clock"] == ("without detectors" if row.get("is_beyond") else "with detectors")
        assert row["n_clips"] == measured.fixed.n_tested
        assert row["n_people"] == len(set(people[measured.fixed.frames > 0]))
        assert {"improvement", "improvement_stderr", "improvement_stderr_people"} <= row.keys()
    lines = {(row["method"], row["target"], row["clock"]): row for row in result["table"] if "target" in row}
    compared = 0
    for (_, *where), row in lines.items():
        for rival, (more, over_clips, over_people) in row.get("improvement_minus", {}).items():
            apart = row["improvement"] - lines[rival, *where]["improvement"]
            assert more == pytest.approx(apart, abs=0.05)  # errors are rounded
            assert (more == 0) or min(over_clips, over_people) > 0
            compared += 1
    assert compared == 10 * (len(pose_budgets.TARGETS) + len(dms_pi.THESIS_TARGETS))
    over_people = result["summary"]["q_learning_minus_people"]
    assert over_people.keys() == result["summary"]["q_learning_minus"].keys()
    by_hand = [measured.targets[name].by(people) for name in ("q-learning", "greedy")]
    assert over_people["greedy"]["2"] == pytest.approx(gap(*by_hand, 0)[1].tolist(), abs=1e-3)
    assert result["summary"]["people"] == {"n": 3, "two_stderr_hold": pytest.approx(81.65, abs=0.01)}
    all_tiers = next(row for row in result["table"] if row["method"] == "All")
    assert (all_tiers["improvement"], all_tiers["improvement_stderr"]) == (100.0, 0.0)


def test_where_every_clip_is_someone_elses_there_is_no_other_spread(policy):
    result = reproduce.policy_result(policy)
    assert result["summary"]["people"] is None
    for row in result["table"]:
        assert row["n_people"] is row["improvement_stderr_people"] is row["error_stderr_people"] is None
        assert all(len(minus) == 2 for minus in row.get("improvement_minus", {}).values())
    drawn = {row["method"] for row in result["rows"]}
    assert {SPANS, ANY_SPANS, WHOLE_SPANS} < drawn
    assert not drawn & set(map(spans_of, SPAN_LENGTHS))
    assert set(map(spans_of, SPAN_LENGTHS)) < {row["method"] for row in result["table"]}
