"""Arms on the pages: purchases replay, end where everything is bought, and pay."""

from pathlib import Path

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import part_policy
from spcviz.problems.arms.model import readings as arm_batch
from spcviz.problems.arms.model import stored as models
from spcviz.problems.arms.model.proposals import N_TIERS
from spcviz.problems.arms.page import live as pose_budget_view
from spcviz.problems.arms.shown import OFFERED
from spcviz.problems.pose.data import render
from spcviz.store import load_model
from tests.problems.budgets.purchases import assert_all_bought_in_order

MODELS = Path(__file__).parents[3] / "cache" / "models"


@pytest.fixture(scope="module")
def model():
    return models.load(MODELS)


@pytest.fixture(scope="module")
def chains(model):
    return arm_batch.draw_batch(model, 3, 1)


@pytest.fixture(scope="module")
def found(model, chains):
    return pose_budget_view.compare(model, chains, 1, sheet_of=lambda seed: f"clip {seed}")


def lost(trade, chain, reading):
    starts = np.concatenate([[0], np.cumsum([len(t) for t in trade.truths])])
    bits = trade.faults[starts[chain] + np.arange(len(reading)), [trade.alphabet.index(c) for c in reading]]
    return int(np.bitwise_count(bits).sum())


def test_every_method_buys_everything_once(found):
    assert [m.name for m in found.methods] == list(OFFERED)
    for method in found.methods:
        assert_all_bought_in_order(found, method)
        assert method.us.sum() >= 0.999 * (found.full_us - found.hand_base_us)
        assert (method.us >= 0).all()


def test_faults_are_elbows_and_wrists_far_from_the_truth(model, chains, found):
    off = model.clips.choose(chains).errors > 20
    assert (found.faults == off[..., 0] + 2 * off[..., 1]).all()
    assert sum(lost(found, w, truth) for w, truth in enumerate(found.truths)) <= sum(
        lost(found, w, reading) for w, reading in enumerate(found.hand_readings[-1])
    )


def test_frames_are_read_by_the_tiered_model_and_arms_by_plain_ones(model, chains, found):
    last = {m.name: dict(zip(m.chain, m.readings)) for m in found.methods}
    w = range(len(chains))
    assert tuple(last["dms"][i] for i in w) == found.hand_readings[-1]
    batch = arm_batch.read_batch(model, model.clips.choose(chains))
    course = part_policy.spend(batch.parts, arm_batch.policy_rule(model), costs=batch.costs)
    method = next(m for m in found.methods if m.name == "dms_pi")
    assert tuple(last["dms_pi"][i] for i in w) == pose_budget_view.spell_readings(
        course.labels, batch.clips.starts, pose_budget_view.ALPHABET
    )
    start = sum(lost(found, i, reading) for i, reading in enumerate(method.start_readings))
    end = sum(lost(found, i, last["dms_pi"][i]) for i in w)
    assert start - course.gain.sum() == end


def test_both_arms_of_a_clip_share_its_pictures(found):
    seeds = found.chain_ids.reshape(-1, 2)
    assert (seeds[:, 0] == seeds[:, 1]).all()
    assert found.drawn.side.tolist() == [0, 1] * 3
    assert [found.drawn.sheets[c] for c in found.drawn.clip] == [f"clip {s}" for s in found.chain_ids]


def test_a_sheet_holds_every_frame():
    assert pose_budget_view.draw_sheet(3).startswith("data:image/webp;base64,")


def test_the_models_are_better_with_more_and_a_tenth_of_the_time_is_worth_it():
    stored = load_model(MODELS, models.NAME, kind=models.KIND, version=models.VERSION)
    known = stored.manifest["metrics"]
    assert known["plain_error"][-1] < known["plain_error"][0]
    assert known["error_of_a_tenth"] < known["plain_error"][0]
    assert min(known["ms"][1:]) == known["ms"][1] > 0  # coarse flow


@pytest.mark.parametrize("bad", [0, 10_000, 1.5, "x"])
def test_bad_batches_are_refused(model, bad):
    with pytest.raises(ArgumentError, match="n_clips"):
        arm_batch.draw_batch(model, bad, 0)


def test_a_clip_is_watched_purchase_by_purchase(model):
    clip = render.render_clip(20_003, 6, every=3)
    shares = []
    seen = pose_budget_view.watch(model, clip.images, clip.limbs, shares.append)
    assert shares[-1] == 1.0
    n_steps = 2 * 2 * (N_TIERS - 1)
    assert seen.tiers.shape == (n_steps + 1, 2, 2)
    assert seen.arms.shape == (n_steps + 1, 2, 2, 3, 2)
    assert seen.four.shape == (N_TIERS, 2, 2, 3, 2)
    assert (np.diff(seen.tiers.sum(axis=(1, 2))) == 1).all()
    assert seen.ms[0] == 0
    assert (np.diff(seen.ms) >= 0).all()
    assert seen.ms[-1] == pytest.approx(seen.four_ms[-1])
    assert seen.truth[0, 0, 0, 0] < 120 < seen.truth[0, 1, 0, 0]  # left of the picture, right of it
    assert seen.truth[:, 0, 2] == pytest.approx(clip.limbs[:, 3, 1])
