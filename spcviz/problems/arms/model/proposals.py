"""Arms on video with features that cost: proposals and all tiers of features for every frame of many clips.

A chain is one arm of a clip or piece; a part is a frame, and its 32 states are proposals (`modes`). Signing
clips are real and long, with a reference; rendered ones have exact truth; Buffy's have 4 frames. Features
take a twentieth of a second per frame and arm, so they are cached in the work folder.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.problems.arms.model import arm_modes, features
from spcviz.problems.pose.data import buffy as pose_data
from spcviz.problems.pose.data import render, signs
from spcviz.problems.pose.model import cascade
from spcviz.problems.pose.model import features as pose_features
from spcviz.shared.work.disk_cache import load_or_compute, tree_of
from spcviz.store import digest_of_arrays

N_TIERS, N_MODES = len(features.STATE_EDGES), arm_modes.N_MODES
N_CLIPS, FIRST_SEED = 120, 0
CODE = ("spcviz.problems.arms.model.proposals",)  # the modules that make the features of clips
SIGN_EVERY, PIECE = 2, 10  # step between frames (15 a second are left); frames of a piece, about
MODE_CLIPS, MODE_SEED = 24, 10_000  # rendered clips to make modes from; nothing is measured on them


class ArmClips(NamedTuple):
    """W chains, R frames in all, chains one after the other."""

    # clip, side (W,), int64: the same for all pieces of a clip; 0 = left of the picture, 1 = right
    clip: np.ndarray
    side: np.ndarray
    starts: np.ndarray  # (W + 1,), int64
    joints: np.ndarray  # (R, 32, 3, 2), float32: shoulder, elbow, wrist of every proposal, pixels of 240
    truth: np.ndarray  # (R, 3, 2): NaN where unknown: such frames cost, but are neither right nor wrong
    before: np.ndarray  # (R, 32, 5), int64: allowed predecessors; zeros in a chain's first frame
    state: np.ndarray  # (R, 32, F), float32: features of all tiers, see `features.STATE_EDGES`
    step: np.ndarray  # (R, 32, 5, G), float32: of steps from predecessors
    looks: np.ndarray  # (R, 32, 64), float32: colour histograms
    # (R, T): CPU time of each tier of the frame, so that other programs do not count. Tier 0 is
    seconds: np.ndarray  # detectors (half of them: they serve both arms) and proposals

    @property
    def errors(self):
        """Distance in pixels from the true elbow and wrist, shape (R, 32, 2)."""
        return np.linalg.norm(self.joints[:, :, 1:] - self.truth[:, None, 1:], axis=-1)

    @property
    def is_known(self):
        """Whether a frame's truth is known, shape (R,)."""
        return np.isfinite(self.truth).all(axis=(1, 2))

    @property
    def loss(self):
        """Number of joints (elbow, wrist) more than 20 pixels off, shape (R, 32), int64."""
        return (self.errors > features.NEAR_PX).sum(axis=2).astype(np.int64)

    @property
    def tier_ms(self):
        """Median milliseconds of a frame's features of each tier, shape (T,)."""
        return 1e3 * np.median(self.seconds, axis=0)

    def choose(self, chains):
        """Some of the chains, in the order given."""
        chains = np.asarray(chains, dtype=np.int64)
        rows = [np.arange(self.starts[c], self.starts[c + 1]) for c in chains]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[chains])])
        of_rows = (getattr(self, name)[rows] for name in self._fields[3:])
        return ArmClips(self.clip[chains], self.side[chains], starts, *of_rows)


def fit_modes(buffy: pose_data.PoseClips) -> arm_modes.Modes:
    """Modes of the arms in Buffy's training frames and of rendered arms."""
    limbs = [buffy.limbs[buffy.clips == c] for c in np.unique(buffy.clips)]
    limbs += [rendered_clip(MODE_SEED + s).limbs for s in range(MODE_CLIPS)]
    chains = [arm_modes.arms_of(clip_limbs)[:, side] for clip_limbs in limbs for side in (0, 1)]
    starts = np.concatenate([[0], np.cumsum([len(c) for c in chains])])
    return arm_modes.fit_modes(np.concatenate(chains), starts)


def n_frames_of(seed):
    """Frames of a rendered clip: 10 to 30, by its seed."""
    return 10 + 7 * seed % 21


def rendered_clip(seed):
    """A clip of the experiments: every third rendered frame, about 8 a second."""
    return render.render_clip(seed, render.STRIDE * n_frames_of(seed), every=render.STRIDE)


def arm_chains(
    model: cascade.PoseModel,
    modes: arm_modes.Modes,
    images: np.ndarray,
    limbs: np.ndarray | None = None,
    tick: Callable | None = None,
    clip: int = 0,
    run: Callable = map,
) -> ArmClips:
    """Both arms of a clip with all tiers of features; an executor's map as `run` works in parallel."""
    known = _Known(modes, arm_modes.arm_detectors(model, arm_modes.search_tables(modes)))
    chains, before = ([], []), [None, None]
    seen = _describe_image(images[0])
    for f, image in enumerate(images):
        pictures = image, image[:, ::-1]
        jobs = [partial(_frame, known, pictures[side], side, seen, before[side]) for side in (0, 1)]
        jobs += [partial(_describe_image, following) for following in images[f + 1 : f + 2]]
        outcomes = list(run(lambda job: job(), jobs))
        for side, frame in enumerate(outcomes[:2]):
            before[side] = frame | {"picture": pictures[side]}
            chains[side].append(frame)
        seen = outcomes[-1]
        if tick is not None:
            tick((f + 1) / len(images))
    return _as_chains(chains, limbs, clip)


class _Known(NamedTuple):
    """Models, which do not change from frame to frame."""

    modes: arm_modes.Modes
    detectors: arm_modes.ArmDetectors


class _Seen(NamedTuple):
    """What both arms of a picture share."""

    cells: np.ndarray  # (80, 80, 14)
    seconds: float  # of one arm: half of the time


class _Arm(NamedTuple):
    """An arm whose proposals are known."""

    picture: np.ndarray
    joints: np.ndarray
    score: np.ndarray
    chosen: np.ndarray  # allowed predecessors
    before: dict | None  # what `_frame` found in the frame before, and its picture


def _describe_image(image):
    began = time.thread_time()
    cells = pose_features.histograms(image)
    return _Seen(cells, (time.thread_time() - began) / 2)


def _frame(known, picture, side, seen, before):
    """Proposals and features of one arm in one frame, a dict of what `ArmClips` holds."""
    clock, n = [time.thread_time()], features.N_BEFORE
    cells = seen.cells if side == 0 else pose_features.mirror_cells(seen.cells)
    joints, score = arm_modes.propose_arms(known.detectors, cells)
    chosen = np.zeros((N_MODES, n), dtype=np.int64)
    if before is not None:
        chosen = features.nearest_before(joints, before["joints"], n)
    arm = _Arm(picture, joints, score, chosen, before)
    state, step = [], []
    for source in features.LADDER:
        for columns, tier_columns in zip((state, step), _SOURCES[source](known, arm), strict=True):
            columns.append(tier_columns)
        clock.append(time.thread_time())
    seconds = np.diff(clock)
    seconds[0] += seen.seconds
    return {
        "joints": joints,
        "before": chosen,
        "state": np.concatenate(state, axis=-1).astype(np.float32),
        "step": np.concatenate(step, axis=-1).astype(np.float32),
        "looks": features.colour_histograms(picture, features.points_of(joints)[0]),
        "seconds": seconds,
    }


def _detector_states(known, arm):
    state = np.column_stack([np.log(known.modes.share), features.standing(arm.score)])
    step = np.zeros((*arm.chosen.shape, 7))
    if arm.before is not None:
        step[..., 0] = np.log(known.modes.follows)[arm.chosen, np.arange(N_MODES)[:, None]]
        step[..., 1:] = features.kinematics(arm.joints, arm.before["joints"], arm.chosen)
    return state, step


def _flow(pitch, known, arm):
    if arm.before is None:
        return np.zeros((N_MODES, 3)), np.zeros((*arm.chosen.shape, 2))
    flow = features.flow_between(arm.picture, arm.before["picture"], pitch)
    overlap = features.flow_overlap(flow, arm.joints, arm.before["joints"])
    return features.motion(flow, arm.joints), np.take_along_axis(overlap, arm.chosen[..., None], axis=1)


_SOURCES = {
    "detectors": _detector_states,
    "coarse_flow": partial(_flow, features.PITCHES["coarse_flow"]),
    "flow": partial(_flow, features.PITCHES["flow"]),
}


def _as_chains(chains, limbs, clip):
    length, frames = len(chains[0]), [*chains[0], *chains[1]]
    stacked = {name: np.stack([frame[name] for frame in frames]) for name in frames[0]}
    joints = stacked.pop("joints")
    joints[length:] = arm_modes.mirror_joints(joints[length:])
    truth = np.full((2 * length, 3, 2), np.nan)
    if limbs is not None:
        arms = arm_modes.arms_of(limbs)
        truth = np.concatenate([arms[:, 0], arm_modes.mirror_joints(arms[:, 1])])
    starts, joints = np.array([0, length, 2 * length]), joints.astype(np.float32)
    return ArmClips(np.full(2, clip), np.arange(2), starts, joints, truth, **stacked)


def join_clips(parts):
    """Several `ArmClips` one after the other."""
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    clip, side, _, *rest = (np.concatenate(arrays) for arrays in zip(*parts))
    return ArmClips(clip, side, np.concatenate([[0], np.cumsum(lengths)]), *rest)


def rendered_clips(
    model: cascade.PoseModel,
    modes: arm_modes.Modes,
    folder: Path | None = None,
    n_clips: int = N_CLIPS,
    tick: Callable | None = None,
) -> ArmClips:
    """Chains of rendered clips, seeds 0 .. n_clips - 1; finished clips are cached in the work folder."""
    n_clips = checks.integer("n_clips", n_clips, 1, 10_000)

    def drawn(seed):
        clip = rendered_clip(seed)
        return [(clip.images, clip.limbs)]

    seeds = range(FIRST_SEED, FIRST_SEED + n_clips)
    clips = ((seed, f"rendered-{seed}", {"seed": seed}, partial(drawn, seed)) for seed in seeds)
    return _one_by_one(model, modes, folder, tick, "rendered", clips)


def buffy_clips(model, modes, data, split, folder=None, tick=None):
    """Chains of Buffy's clips of one split, as `rendered_clips`."""
    frames = pose_data.load_buffy(data, split)

    def clips():
        for number in np.unique(frames.clips).tolist():
            clip = frames.pick(frames.clips == number)
            key = {"clip": number, "data": clip.digest()}
            yield number, f"buffy-{number}", key, lambda clip=clip: [(clip.images, clip.limbs)]

    return _one_by_one(model, modes, folder, tick, "buffy", clips())


def sign_clips(
    model: cascade.PoseModel,
    modes: arm_modes.Modes,
    folder: Path | None = None,
    names: Sequence[str] | None = None,
    tick: Callable | None = None,
) -> ArmClips:
    """Chains of pieces of signing clips, numbered as in the reference; truth is NaN where not seen."""
    every = signs.load_reference().clips

    def cut(images, limbs):
        return [(images[piece], limbs[piece]) for piece in pieces_of(len(limbs))]

    def clips():
        for name in every if names is None else names:
            (clip,) = signs.load_signs([name], every=SIGN_EVERY)
            limbs = clip.limbs.copy()
            for upper, lower in ((1, 3), (2, 4)):
                limbs[~(clip.is_seen[:, upper] & clip.is_seen[:, lower]), upper] = np.nan
            key = {"clip": every.index(name)}
            key["data"] = digest_of_arrays({"images": clip.images, "limbs": limbs})
            yield key["clip"], f"signs-{name}", key, partial(cut, clip.images, limbs)

    return _one_by_one(model, modes, folder, tick, "signing", clips())


def _one_by_one(model, modes, folder, tick, kind, clips):
    """Chains of clips (number, name, key, maker of its pieces), cached in a folder of all clips."""
    about, parts = made_with(model, modes), []
    place = None if folder is None else folder / "arms"
    for number, name, key, pieces in clips:

        def make(number=number, pieces=pieces):
            return join_clips([arm_chains(model, modes, *piece, clip=number) for piece in pieces()])

        parts.append(load_or_compute(place, name, key | about, CODE, make, tree_of(ArmClips)))
        if tick is not None:
            tick(f"{kind} clip {number}")
    return join_clips(parts)


def pieces_of(n_frames):
    """Index arrays of the pieces that a clip is cut into, about `PIECE` frames each.

    >>> [len(piece) for piece in pieces_of(33)]
    [11, 11, 11]
    """
    return np.array_split(np.arange(n_frames), max(1, round(n_frames / PIECE)))


def tier_medians(model, modes, n_clips):
    """`ArmClips.tier_ms` of some rendered clips."""
    clips = [rendered_clip(seed) for seed in range(n_clips)]
    return join_clips([arm_chains(model, modes, clip.images) for clip in clips]).tier_ms


def made_with(model, modes):
    """Digest of the models behind the features, as part of a key of `load_or_compute`."""
    arrays = {f"detector{part}": weights for part, weights in model.detectors.items()}
    arrays |= {"centre": model.centre, "spread": model.spread} | modes._asdict()
    return {"models": digest_of_arrays({name: np.asarray(value) for name, value in arrays.items()})}
