"""Part detectors trained on pictures, hand-set weights to begin with, and clips as the detectors see them.

Detectors are linear classifiers of true states against random ones, on Buffy's training frames and on single
pictures of other sets (`PoseSettings.extra`). Signing clips as they see them are computed once and cached in
the work folder.
"""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.problems.pose.data import body, buffy, pictures, signs
from spcviz.problems.pose.model import cascade, features, templates
from spcviz.shared.work.disk_cache import load_or_compute, tree_of


def augment(clips, rng):
    """Training frames, and mirrored copies whose window is as uncertain as a detector's."""
    other = buffy.jitter_clips(buffy.mirror_clips(clips), rng)
    return buffy.PoseClips(
        np.concatenate([clips.images, other.images]),
        np.concatenate([clips.limbs, other.limbs]),
        np.concatenate([clips.clips, other.clips + clips.clips.max() + 1]),
        (*clips.names, *(f"mirrored {name}" for name in other.names)),
    )


def augmented_limbs(clips):
    """Limbs of training frames and of their mirrored pictures: those that a mean pose averages."""
    return np.concatenate(
        [clips.limbs, buffy.mirror_clips(clips._replace(images=clips.images[:, :1, :1])).limbs]
    )


class DetectorExamples(NamedTuple):
    """Pictures that detectors learn from."""

    cells: np.ndarray  # (N, 80, 80, 14)
    limbs: np.ndarray  # (N, 5, 2, 2): nan: not known
    weight: float = 1.0  # of each picture
    parts: tuple = (0, 1, 3)  # the parts whose detectors learn from them


def extra_examples(folder, settings):
    """The sets of single pictures that the settings name, as a list of `DetectorExamples`."""
    sets = []
    for name, parts in settings.extra:
        if min(parts) < settings.n_parts:
            clips = pictures.load_pictures(folder, name)
            sets.append(
                DetectorExamples(cells_of(clips.images), clips.limbs, settings.extra_weight, tuple(parts))
            )
    return sets


def cells_of(images):
    """Features of pictures as detectors see them, (N, 80, 80, 14), float16."""
    return np.stack([features.histograms(image).astype(np.float16) for image in images])


def train_detectors(
    sources: Sequence[DetectorExamples], settings, rng: np.random.Generator
) -> dict[int, np.ndarray]:
    """One linear template (T, 14) for each kind of part."""
    from sklearn.linear_model import LogisticRegression  # takes a second to import, and only fitting needs it

    detectors = {}
    for part in (0, 1, 3)[: 2 + (settings.n_parts == 5)]:
        seen, is_true, weights = [], [], []
        for source in (examples for examples in sources if part in examples.parts):
            for picture, limbs in zip(source.cells, source.limbs):
                for vectors, good in _sample_limbs(part, picture, limbs, settings.n_negatives, rng):
                    seen.append(vectors)
                    is_true.append(good)
                    weights.append(np.full(len(good), source.weight))
        how = {"class_weight": "balanced", "max_iter": 300, "tol": 1e-3}
        classifier = LogisticRegression(C=settings.detector_c, **how)
        classifier.fit(np.concatenate(seen), np.concatenate(is_true), np.concatenate(weights))
        detectors[part] = classifier.coef_[0].reshape(-1, features.N_CHANNELS).astype(np.float64)
    return detectors


def _sample_limbs(part, picture, limbs, n_negatives, rng):
    """Yield (the template's features, which are true) for every known limb of a kind."""
    sides = {0: (0,), 1: (1, 2), 3: (3, 4)}[part]
    for side in sides:  # the right arm in a mirror is a left arm
        if np.isfinite(limbs[side]).all():
            cells, limb = picture, limbs[side]
            if side != part:
                cells, limb = features.mirror_cells(picture), limb * (-1, 1) + (body.SIDE, 0)
            states, good = _examples(part, limb, n_negatives // len(sides), rng)
            angle, row, column = body.grid(6).places_of(states)
            yield templates.gather(cells, features.turn_template(part), row, column, angle), good


def _examples(part, limb, n, rng):
    """(states, which are true): the true one and random ones not near it."""
    cells = body.grid(6)
    true = body.nearest_states(6, limb)
    _, row, column = cells.places_of(true)
    near = cells.states_at(
        rng.integers(0, body.N_ANGLES, n // 2),
        np.clip(row + rng.integers(-14, 15, n // 2), 0, cells.rows - 1),
        np.clip(column + rng.integers(-14, 15, n // 2), 0, cells.columns - 1),
    )
    drawn = np.concatenate([rng.integers(0, cells.n_states, n - n // 2), near])
    drawn = drawn[~body.is_correct(body.limbs_of(6, part, drawn), limb, 0.5)]
    return np.concatenate([[true], drawn]), np.arange(len(drawn) + 1) == 0


def set_by_hand(
    detectors: dict, cells: np.ndarray, limbs: np.ndarray, clips: np.ndarray, settings
) -> cascade.PoseModel:
    """A hand-set model with mean thresholds: detectors standardised on `cells`, geometry fitted to limbs."""
    scores = np.stack([features.responses(picture, detectors) for picture in cells])
    geometry = cascade.fit_geometry(limbs, clips, settings.n_parts)
    axes = (0, 2, 3, 4)
    part_weights = np.tile(settings.hand, settings.n_parts)
    hand = np.concatenate([part_weights, np.ones(3 * len(geometry.joints.mean))])
    return cascade.PoseModel(
        detectors, scores.mean(axes), scores.std(axes), geometry,
        {m: np.tile(hand, (body.N_LEVELS, len(subs), 1)) for m, subs in cascade.SUB_MODELS.items()},
        {method: np.zeros(body.N_LEVELS) for method in cascade.SUB_MODELS},
    )  # fmt: skip


def detectors_and_halves(
    frames: buffy.PoseClips, extra: list[DetectorExamples], settings, rng: np.random.Generator
) -> tuple[cascade.PoseModel, list[tuple[cascade.PoseModel, np.ndarray]], np.ndarray]:
    """(Hand-set model, two more with the frames that their detectors have not seen, cells of all frames)."""
    cells = cells_of(frames.images)
    some = np.sort(rng.permutation(len(cells))[:40])
    n = len(frames.clips) // 2  # the second half are the same pictures mirrored
    in_first = np.tile(frames.clips[:n] % 2 == 0, 2)
    models = []  # weights learned on the detectors' training pictures would trust them too much
    for is_seen in (~in_first, in_first, np.ones(2 * n, dtype=bool)):
        examples = DetectorExamples(cells[is_seen], frames.limbs[is_seen])
        detectors = train_detectors([examples, *extra], settings, rng)
        models.append(set_by_hand(detectors, cells[some], frames.limbs, frames.clips, settings))
    unseen = np.flatnonzero(in_first), np.flatnonzero(~in_first)
    return models[2], list(zip(models[:2], unseen)), cells


EVERY = 3  # step in frames of the video, which leaves 10 a second
CLIP_CODE = ("spcviz.problems.pose.model.detectors",)


class Clip(NamedTuple):
    """A clip as detectors see it."""

    name: str
    cells: np.ndarray  # (N, 80, 80, 14), float16
    limbs: np.ndarray  # (N, 5, 2, 2)
    is_seen: np.ndarray  # (N, 5)
    ms: float  # processor milliseconds a frame for `cells`, when they were made


def load_clips(work: str | Path | None, names: Sequence[str] | None = None) -> dict[str, Clip]:
    """Some signing clips, all by default, as detectors see them; cached in the folder `work`."""
    out = {}
    for name in signs.load_reference().clips if names is None else names:
        key = {"clip": name, "every": EVERY, "data": signs.SHIPPED_SHA256}
        made = partial(_view_sign, name)
        out[name] = load_or_compute(work, f"pose-cells-{name}", key, CLIP_CODE, made, tree_of(Clip))
    return out


def _view_sign(name):
    (clip,) = signs.load_signs([name], every=EVERY)
    return of_pictures(name, clip.images, clip.limbs, clip.is_seen)


def of_pictures(name: str, images: Sequence[np.ndarray], limbs: np.ndarray, is_seen: np.ndarray) -> Clip:
    """A clip of pictures (240, 240, 3) as detectors see it."""
    began = time.process_time()
    cells = cells_of(images)
    return Clip(name, cells, limbs, is_seen, 1e3 * (time.process_time() - began) / len(cells))
