"""Ensemble-SPC learned jointly on real clips (thesis 5.3, 5.5.2): five people sign, one at a time left out.

Of the others' clips every third of each person's is for development. The stored model's detectors have seen
none of the five. Geometry is fitted to the teaching clips and their mirrored pictures; weights are learned
level by level: single frames' from hand-set ones, over time by the joint update (5.6) from single frames'
with ties of 1. Those beginnings are "hand-set". Thresholds are tuned on development clips under one
tolerance. To save time every `EVERY_PIECE`-th piece of `PIECE` frames is taken; what is left over is a
shorter one.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.problems.common.work.kept import ARRAYS, kept
from spcviz.problems.pose.data import buffy, signs
from spcviz.problems.pose.model import cascade, detectors, levels, seen
from spcviz.problems.pose.model.train import started
from spcviz.problems.pose.paper import follow
from spcviz.store import digest_of_arrays

PIECE, EVERY_PIECE = 4, 2
SOME = 40  # teaching frames on which detectors' scores are standardised
SETTINGS = levels.Settings(  # one pass over `n_clips` pieces; 1 % of `N_DEV` pieces or their frames: none
    n_frames=36, n_clips=9, n_epochs=1, tolerance=0.01, learns_over_time=True, extra=()
)
STEP_OVER_TIME, ALPHA_OVER_TIME = SETTINGS.step / PIECE, 0.6
"""Of the joint update: a piece's gradient is the sum over its frames. At the single frames' alpha of 0.2 the
hinge is 0 on levels 0 to 4 and weights stay (seen when D was left out); thresholds of about 0.7 are used. No
other values were tried.
"""
N_DEV = 6
MODULES = ("spcviz.problems.pose.paper.joint_signers",)
RANDOM_STATE = 0


def settings_for(quick=False):
    """How to learn; with `quick`, little."""
    return replace(SETTINGS, n_frames=8, n_clips=2) if quick else SETTINGS


class Piece(NamedTuple):
    """Some frames of a clip, one after another."""

    clip: str
    fine: list  # (P, 24, 80, 80), float16
    limbs: np.ndarray  # (frames, 5, 2, 2)


def teachers(fold):
    """(training clips, development clips) of a fold: every third clip of each person is held out.

    >>> teach, dev = teachers(signs.folds()[0])
    >>> len(teach), len(dev), set(teach) & set(dev)
    (8, 6, set())
    """
    of = dict(zip(signs.load_reference().clips, signs.load_reference().persons))
    dev = [name for person in signs.PERSONS for name in [own for own in fold.train if of[own] == person][::3]]
    return [name for name in fold.train if name not in dev], dev


def cut(clips, n_frames=PIECE):
    """(clip, slice of its frames) of every piece that is taken, at most `n_frames` frames long.

    >>> (clip,) = seen.load_clips(None, ["eat"]).values()
    >>> [(part.start, part.stop) for _, part in cut([clip])]
    [(0, 4), (8, 12)]
    """
    return [
        (clip, slice(at, min(at + n_frames, len(clip.cells))))
        for clip in clips
        for at in range(0, len(clip.cells), n_frames * EVERY_PIECE)
    ]


def sure(parts, n, rng):
    """A random `n` of the pieces all of whose torsos and upper arms the reference is sure of, in order."""
    left = [(clip, part) for clip, part in parts if clip.is_seen[part, :3].all()]
    return [left[i] for i in np.sort(rng.permutation(len(left))[:n])]


def scored(model, parts):
    """Pieces with the scores of a model's detectors."""
    out = []
    for clip, part in parts:
        fine = [cascade.standardised(model, cells).astype(np.float16) for cells in clip.cells[part]]
        out.append(Piece(clip.name, fine, clip.limbs[part]))
    return out


def of_person(
    model: cascade.PoseModel, person: str, work: str | Path | None = None, quick: bool = False
) -> list[dict]:
    """`measured` on one person, after learning on the other four; detectors stay as they are."""
    settings = settings_for(quick)

    def make():
        clips = seen.load_clips(work)
        learnt = learn(model, person, clips, settings, work=work)
        return measured(learnt, clips, next(own.test for own in signs.folds() if own.person == person))

    return kept(work, f"pose-ensemble-signs-{person}", _about(model, person, settings), MODULES, make)


def _about(model, person, settings):
    """What all that is learned depends on."""
    detectors = {str(part): weights for part, weights in model.detectors.items()}
    return {"person": person, "settings": asdict(settings), "detectors": digest_of_arrays(detectors),
            "data": signs.SHIPPED_SHA256}  # fmt: skip


def learn(
    model: cascade.PoseModel,
    person: str,
    clips: dict[str, seen.Clip],
    settings: levels.Settings = SETTINGS,
    *,
    work: str | Path | None = None,
) -> dict[tuple[str, str], cascade.PoseModel]:
    """Models by method and origin of its ties: "none", "hand-set", "learned", from the other four."""
    fold = next(own for own in signs.folds() if own.person == person)
    teach, dev = ([clips[name] for name in names] for names in teachers(fold))
    base = begun(model, teach, settings)
    about = _about(model, person, settings) | {"every": seen.EVERY, "piece": PIECE}
    rng = np.random.default_rng(RANDOM_STATE)
    pieces = {
        "teach": scored(base, sure(cut(teach), settings.n_clips, rng)),
        "dev": scored(base, sure(cut(dev), N_DEV, rng)),
    }

    def made(start, method, step, name):
        key = about | {"method": method, "step": step}
        make = partial(_taught, start, method, step, pieces, settings)
        found = kept(work, f"pose-{name}", key, MODULES, make, ARRAYS)
        return cascade.with_method(start, method, **found)

    single = made(base, "single", settings.step, f"{person}-single")
    out = {("single", "none"): single}
    for method in ("torso", "ensemble"):
        start = started(single, method)
        out[method, "hand-set"] = made(start, method, None, f"{person}-{method}-hand-set")
        out[method, "learned"] = made(start, method, STEP_OVER_TIME, f"{person}-{method}-learned")
    return out


def begun(model, teach, settings):
    """The model with hand-set weights, geometry and detectors' spread of the teaching clips."""
    limbs = np.concatenate([clip.limbs for clip in teach])
    numbers = np.repeat(np.arange(len(teach)), [len(clip.limbs) for clip in teach])
    blank = np.zeros((len(limbs), 1, 1, 3), dtype=np.uint8)
    other = buffy.mirrored(buffy.PoseClips(blank, limbs, numbers, ()))
    both = np.concatenate([limbs, other.limbs]), np.concatenate([numbers, numbers + len(teach)])
    cells = np.concatenate([clip.cells for clip in teach])
    cells = cells[np.linspace(0, len(cells) - 1, SOME).astype(int)]
    return detectors.untrained(model.detectors, cells, *both, settings)


def _taught(start, method, step, pieces, settings):
    """Weights and thresholds of one method; a step of None keeps the weights."""
    rng = np.random.default_rng(RANDOM_STATE)
    by_clip = method != "single"
    sets = {name: _problems(own, by_clip) for name, own in pieces.items()}
    if not by_clip:
        chosen = np.sort(rng.permutation(len(sets["teach"]))[: settings.n_frames])
        sets["teach"] = [sets["teach"][i] for i in chosen]
    own = replace(settings, train_alpha=ALPHA_OVER_TIME if by_clip else settings.train_alpha)
    own = own if step is None else replace(own, step=step)
    model = levels.train_method(start, method, sets["teach"], sets["dev"], own, rng, learn=step is not None)
    return {"weights": model.weights[method], "alphas": model.alphas[method]}


def _problems(pieces, by_clip):
    """Pieces, or their frames one by one, as training problems."""
    if by_clip:
        return [levels.Problem(piece.fine, piece.limbs, 3) for piece in pieces]
    frames = ((fine, limbs) for piece in pieces for fine, limbs in zip(piece.fine, piece.limbs))
    return [levels.Problem([fine], limbs[None], 3) for fine, limbs in frames]


def measured(learnt: dict, clips: dict[str, seen.Clip], names: Sequence[str]) -> list[dict]:
    """``method``, ``ties`` and what was ``found``: a `follow` of each piece, its clip and detector's ms."""
    scores = {name: _scored_clip(next(iter(learnt.values())), clips[name]) for name in names}
    out = []
    for (method, ties), model in learnt.items():
        found = []
        for pieces, detect in scores.values():
            for piece in pieces:
                own = follow.follow(model, piece.fine, piece.limbs, method)
                found.append({"clip": piece.clip, "detect_ms": detect} | own)
        out.append({"method": method, "ties": ties, "found": found})
    return out


def _scored_clip(model, clip):
    """(pieces, processor ms a frame) of a clip; all methods share the detectors."""
    began = time.process_time()
    pieces = scored(model, cut([clip]))
    return pieces, clip.ms + 1e3 * (time.process_time() - began) / len(clip.cells)
