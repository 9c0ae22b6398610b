"""Arms on video: chains of rendered clips by the stored detectors, read at every tier, spent on."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from spcviz.learning.budgets import part_policy
from spcviz.problems.arms.model import arm_modes as pose_modes
from spcviz.problems.arms.model import features
from spcviz.problems.arms.model import fit as budget_pose_fit
from spcviz.problems.arms.model import proposals as budget_pose
from spcviz.problems.arms.model import readings as arm_batch
from spcviz.problems.arms.model import stored as models
from spcviz.problems.pose.data import render, signs
from spcviz.problems.pose.model.stored import ARMS, load_pose
from spcviz.store import arrays_of, digest_of_arrays

MODELS = Path(__file__).parents[3] / "cache" / "models"
SETTINGS = budget_pose_fit.ArmSettings(epochs=3, n_parts=2)


@pytest.fixture(scope="module")
def modes():
    arms = [pose_modes.arms_of(render.render_clip(s, 30).limbs) for s in (1, 2, 3)]
    chains = [pair[:, side] for pair in arms for side in (0, 1)]
    return pose_modes.fit_modes(np.concatenate(chains), np.arange(7) * 30)


@pytest.fixture(scope="module")
def clips(modes):
    model = load_pose(MODELS, ARMS)
    parts = []
    for seed in (0, 5, 7):
        images, limbs = render.render_clip(seed, 9)[:2]
        parts.append(budget_pose.arm_chains(model, modes, images[::3], limbs[::3], clip=seed))
    return budget_pose.join_clips(parts)


def test_a_clip_becomes_two_chains_with_every_tier(clips):
    assert clips.clip.tolist() == [0, 0, 5, 5, 7, 7]
    assert clips.side.tolist() == [0, 1] * 3
    assert clips.starts.tolist() == [0, 3, 6, 9, 12, 15, 18]
    assert (clips.seconds >= 0).all()
    assert clips.seconds.shape == (18, len(features.LADDER))
    first = clips.starts[:-1]
    rest = np.setdiff1d(np.arange(18), first)
    assert (clips.step[first] == 0).all()
    for flow in (7, 9):
        assert (clips.step[rest][..., flow] >= 0).all()
        assert (clips.step[rest][..., flow] <= 1).all()
        assert clips.step[rest][..., flow].max() > 0.4
    assert (clips.state[..., 1].max(axis=1) == 0).all()  # 0 for the best proposal of a frame
    assert clips.looks.sum(axis=2) == pytest.approx(1.0, abs=1e-5)


def test_right_arms_are_where_they_are_in_the_picture(clips):
    left = clips.choose(np.flatnonzero(clips.side == 0))
    right = clips.choose(np.flatnonzero(clips.side == 1))
    assert left.truth[:, 0, 0].max() < 120 < right.truth[:, 0, 0].min()
    assert np.median(left.joints[:, :, 0, 0]) < 120 < np.median(right.joints[:, :, 0, 0])
    assert (clips.errors.sum(axis=2).min(axis=1) < 80).mean() > 0.7  # some proposal is near


def test_a_mirrored_clip_gives_the_same_arms_mirrored(modes):
    model = load_pose(MODELS, ARMS)
    image = render.render_clip(5, 1).images
    one = budget_pose.arm_chains(model, modes, image)
    other = budget_pose.arm_chains(model, modes, image[:, :, ::-1])
    # In a mirror, gradients at the border of two orientations fall into another bin, so not all are the same.
    close = np.abs(pose_modes.mirror_joints(one.joints[0]) - other.joints[1]).max(axis=(1, 2)) < 1.0
    assert close.mean() > 0.5  # 0 if angles or sides were swapped


def test_threads_change_nothing_but_the_time(modes, clips):
    model = load_pose(MODELS, ARMS)
    images, limbs = render.render_clip(5, 9)[:2]
    with ThreadPoolExecutor(3) as pool:
        threaded = budget_pose.arm_chains(model, modes, images[::3], limbs[::3], clip=5, run=pool.map)
    serial = clips.choose([2, 3])
    for name in threaded._fields:
        if name != "seconds":
            np.testing.assert_array_equal(getattr(threaded, name), getattr(serial, name))


def test_losses_count_joints_beyond_20_pixels(clips):
    joints = clips.joints.astype(float)
    for r in (0, 7):
        for k in (0, 31):
            off = [np.hypot(*(joints[r, k, j] - clips.truth[r, j])) > 20 for j in (1, 2)]
            assert clips.loss[r, k] == sum(off)


def test_choosing_chains_keeps_their_rows(clips):
    some = clips.choose([3, 0])
    assert some.clip.tolist() == [5, 0]
    assert (some.joints[:3] == clips.joints[9:12]).all()
    assert (some.joints[3:] == clips.joints[:3]).all()
    assert len(clips.choose([]).joints) == 0


def test_partitions_keep_clips_whole_and_differ(clips):
    a, b, c = budget_pose_fit.partition(clips, 0, (1, 1, 1))
    assert sorted([*a.clip, *b.clip, *c.clip]) == sorted(clips.clip)
    assert all(len(np.unique(half.clip)) * 2 == len(half.clip) for half in (a, b, c))
    firsts = {tuple(np.unique(budget_pose_fit.partition(clips, i, (1, 1, 1))[0].clip)) for i in range(8)}
    assert len(firsts) > 1


def test_every_training_clip_is_read_by_models_that_have_not_seen_it(clips, monkeypatch):
    fits = []
    fit = budget_pose_fit.fit_readers
    monkeypatch.setattr(budget_pose_fit, "fit_readers", lambda c, *rest: fits.append(c) or fit(c, *rest))
    plain, tiered = budget_pose_fit.read_unseen(clips, SETTINGS, np.random.default_rng(0))
    assert len(fits) == 2
    assert not set(fits[0].clip) & set(fits[1].clip)  # with two parts: one reads what the other learned from
    assert set(fits[0].clip) | set(fits[1].clip) == set(clips.clip)
    for read in (plain, tiered):
        assert np.isfinite(read.scores).all()
        assert (
            np.isneginf(read.tables[1]).sum(axis=1).tolist() == [[27] * 32] * 4
            or ((~np.isneginf(read.tables[1])).sum(axis=1) == 5).all()
        )


def test_spending_everything_reads_as_the_last_tier_does(clips):
    rng = np.random.default_rng(0)
    readers = budget_pose_fit.fit_readers(clips, SETTINGS, rng)
    read = budget_pose_fit.read_tiered(readers, clips)
    parts = budget_pose_fit.parts_of(read, clips, budget_pose_fit.seen_modes(clips, SETTINGS))
    costs = budget_pose_fit.costs_of(clips)
    assert (costs[clips.starts[:-1]] == 0).all()
    course = part_policy.spend(parts, part_policy.rule(fixed=rng.random((18, 2))), costs=costs)
    last = parts._replace(scores=np.ascontiguousarray(read.scores[:, 2:]), step=parts.step[:, 2:].copy())
    at_once = part_policy.spend(last, part_policy.rule(fixed=np.zeros((18, 0))))
    assert (course.labels == at_once.labels_before).all()
    assert (course.tiers == 2).all()
    assert course.cost.sum() == pytest.approx(costs.sum())


def test_tiers_name_their_features():
    sources = [features.SOURCES[key] for key in features.LADDER]
    assert sum(len(source.state) for source in sources) == features.STATE_EDGES[-1]
    assert sum(len(source.step) for source in sources) == features.STEP_EDGES[-1]


def test_share_of_frames_with_a_near_proposal(clips):
    off = np.linalg.norm(clips.joints[:, :, 1:] - clips.truth[:, None, 1:], axis=-1)
    good = (off <= 20).all(axis=2).any(axis=1)
    share, spread = arm_batch.near_share(clips)
    assert share == pytest.approx(100 * good.mean())
    by_clip = good.reshape(3, 6).mean(axis=1)  # three clips of equal length
    assert spread == pytest.approx(100 * by_clip.std(ddof=1) / np.sqrt(3))


def test_features_of_clips_and_their_times_are_kept(clips, modes, monkeypatch, tmp_path):
    model, made = load_pose(MODELS, ARMS), []
    monkeypatch.setattr(budget_pose, "rendered_clip", lambda seed: render.render_clip(seed, 1))

    def chains(model, modes, images, limbs=None, clip=0):
        made.append(clip)
        return clips.choose([0, 1])._replace(clip=np.full(2, clip))

    monkeypatch.setattr(budget_pose, "arm_chains", chains)
    ticks = []
    first = budget_pose.rendered_clips(model, modes, tmp_path, 2, ticks.append)
    again = budget_pose.rendered_clips(model, modes, tmp_path, 3, ticks.append)
    assert made == [0, 1, 2]
    assert ticks == [f"rendered clip {n}" for n in (0, 1, 0, 1, 2)]
    for one, other in zip(first, again.choose(range(4)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [arm_batch.tier_ms(model, modes, tmp_path).tolist() for _ in "12"] == 2 * [
        (1e3 * np.median(first.seconds, axis=0)).tolist()
    ]
    assert made == [0, 1, 2, 0, 0, 0]  # three clips are timed, once
    other_modes = modes._replace(share=modes.share[::-1].copy())
    budget_pose.rendered_clips(model, other_modes, tmp_path, 1)
    assert made == [0, 1, 2, 0, 0, 0, 0]  # other models, other features
    budget_pose.rendered_clips(model, modes, None, 1)
    assert len(made) == 8


def test_models_of_the_pages_train_store_and_read_again(clips, modes, monkeypatch, tmp_path):
    many = budget_pose.join_clips([clips._replace(clip=clips.clip + 100 * i) for i in range(4)])
    monkeypatch.setattr(models.proposals, "fit_modes", lambda buffy: modes)
    monkeypatch.setattr(models.proposals, "rendered_clips", lambda *rest: many)
    monkeypatch.setattr(models.pose_data, "load_buffy", lambda data, split: clips)
    monkeypatch.setattr(models.pose_models, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(arm_batch, "tier_ms", lambda *rest: np.array([60.0, 30.0, 80.0]))
    stored, settings = models.train(MODELS, quick=True)
    assert settings["n_clips"] == models.N_QUICK
    again, _ = models.train(MODELS, quick=True)
    assert digest_of_arrays(arrays_of(stored)) == digest_of_arrays(arrays_of(again))
    model = models.model_of(stored, load_pose(MODELS, ARMS))
    assert model.clips.seconds[0] == pytest.approx([0.06, 0.03, 0.08])
    batch = arm_batch.read_batch(model, model.clips)
    course = part_policy.spend(batch.parts, arm_batch.policy_rule(model), costs=batch.costs)
    assert course.cost.sum() == pytest.approx(batch.costs.sum())
    tested = [np.flatnonzero(many.clip == c)[0] for c in np.unique(model.clips.clip)]
    assert (np.abs(model.clips.joints[::6] - many.choose(tested).joints[::3]) < 0.2).all()  # half floats


def test_signing_clips_are_cut_into_pieces_whose_unseen_arms_have_no_truth(clips, modes, monkeypatch):
    model, made = load_pose(MODELS, ARMS), []

    def chains(model, modes, images, limbs=None, clip=0):
        made.append((len(images), limbs))
        n = 2 * len(images)
        rows = {name: np.repeat(getattr(clips, name)[:1], n, axis=0) for name in clips._fields[3:]}
        arms = pose_modes.arms_of(limbs)
        truth = np.concatenate([arms[:, 0], pose_modes.mirror_joints(arms[:, 1])])
        starts = np.array([0, len(images), n])
        return budget_pose.ArmClips(np.full(2, clip), np.arange(2), starts, **(rows | {"truth": truth}))

    monkeypatch.setattr(budget_pose, "arm_chains", chains)
    arm_clips = budget_pose.sign_clips(model, modes, names=["eat"])
    (clip,) = signs.load_signs(["eat"], every=budget_pose.SIGN_EVERY)
    n = len(clip.images)
    assert [piece[0] for piece in made] == [len(frames) for frames in budget_pose.pieces_of(n)]
    assert sum(piece[0] for piece in made) == n
    assert max(piece[0] for piece in made) - min(piece[0] for piece in made) <= 1
    number = signs.load_reference().clips.index("eat")
    assert (arm_clips.clip == number).all()
    assert len(arm_clips.clip) == 2 * len(made)
    seen = [clip.is_seen[:, [upper, lower]].all(axis=1) for upper, lower in ((1, 3), (2, 4))]
    assert not all(arm.all() for arm in seen)  # otherwise the test would be vacuous
    first = len(budget_pose.pieces_of(n)[0])
    assert arm_clips.is_known[:first].tolist() == seen[0][:first].tolist()
    assert arm_clips.is_known.sum() == sum(arm.sum() for arm in seen)
