"""Run predictors on a picture and time every step."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost import hierarchy, predictor
from spcviz.learning.speedboost.structure import RegionLevel, Structure
from spcviz.problems.scene.data.camvid import N_CLASSES
from spcviz.problems.scene.model import features
from spcviz.problems.scene.model.features import PictureVocabulary


class Timed(NamedTuple):
    """A predictor's trajectory on one picture."""

    labels: np.ndarray  # (S, A), uint8: class of every atom after each step
    seconds: np.ndarray  # (S,): wall clock from the picture's pixels to each step


def structure_of(seen):
    """The regions of a picture as a structure without features."""
    hierarchy_, none = seen.hierarchy, np.zeros((0, features.N_COLUMNS), dtype=np.uint8)
    levels = tuple(
        RegionLevel(member, none, borders.first, borders.second, borders.length)
        for member, borders in zip(hierarchy_.member, hierarchy_.borders)
    )
    return Structure(np.zeros(len(seen.size), dtype=np.int32), seen.size, levels, N_CLASSES)


def sim_updates(steps, seen):
    """The updates of an anytime predictor; see `spcviz.learning.speedboost.predictor.course`."""
    return predictor.course(steps, structure_of(seen), features.N_COLUMNS, seen.steps)


def bought_after(steps):
    """Number of columns of each group that an anytime predictor has bought after each step, (S, 5)."""
    columns, out = set(), []
    for step in steps:
        columns |= set(step.columns[step.columns < features.N_COLUMNS].tolist())
        out.append(np.bincount(features.GROUP_OF[sorted(columns)], minlength=len(features.GROUPS)))
    return np.array(out)


def sim(
    picture: np.ndarray,
    vocabulary: PictureVocabulary,
    steps: Sequence[predictor.WeakPredictor],
    repeats: int = 1,
):
    """The anytime predictor's trajectory on a picture: `Timed`, each step's fastest repeat."""

    def answers(seen):
        for update in sim_updates(steps, seen):
            yield _labels(update.state.scores)

    return _time_answers(picture, vocabulary, answers, repeats)


def him(
    picture: np.ndarray,
    vocabulary: PictureVocabulary,
    stages: Sequence[hierarchy.Stage],
    columns: np.ndarray,
    repeats: int = 1,
):
    """An inference machine's trajectory on a picture, all its `columns` computed first: `Timed`."""

    def answers(seen):
        for level in {stage.level for stage in stages}:
            seen.steps(level, columns)
        for share in shares(stages, seen):
            yield _labels(share)

    return _time_answers(picture, vocabulary, answers, repeats)


def _time_answers(picture, vocabulary, answers, repeats):
    """`Timed` of a predictor whose features are computed when it requests them."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        seen = features.LazyPicture(picture, vocabulary)
        marks, labels = [start, time.perf_counter()], []
        for answer in answers(seen):
            labels.append(answer)
            marks.append(time.perf_counter())
        times.append(np.diff(marks))
    return Timed(np.stack(labels), np.cumsum(np.min(times, axis=0))[1:])


def shares(stages, seen):
    """Class probabilities of a picture's atoms after each stage of an inference machine."""
    return hierarchy.course(stages, structure_of(seen), features.N_COLUMNS, seen.steps)


def shares_of(stages, structure):
    """`shares` for a structure that already has its features."""
    return hierarchy.course(
        stages, structure, features.N_COLUMNS, lambda level, _: structure.levels[level].steps
    )


def last_share(stages, seen):
    """Class probabilities of every atom after an inference machine's last stage, (A, 11) float32."""
    *_, share = shares(stages, seen)
    return share


def answers(
    seen: features.LazyPicture,
    steps: Sequence[predictor.WeakPredictor],
    machines: dict[str, list[hierarchy.Stage]],
    forest_,
) -> dict[str, np.ndarray]:
    """Labels of all methods on a new `seen`; the anytime predictor runs first, with features on request."""
    out = {"sim": np.stack([_labels(update.state.scores) for update in sim_updates(steps, seen)])}
    for name, stages in machines.items():
        out[name] = _labels(last_share(stages, seen))[None]
    steps = seen.steps(0, np.arange(features.N_COLUMNS))
    out["forest"] = forest_.predict(steps).astype(np.uint8)[None]
    return out


def _labels(scores):
    return scores.argmax(axis=1).astype(np.uint8)


def forest(picture, vocabulary, forest_):
    """A forest on the atoms of a picture: `Timed` of one step."""
    start = time.perf_counter()
    seen = features.LazyPicture(picture, vocabulary)
    steps = seen.steps(0, np.arange(features.N_COLUMNS))
    labels = forest_.predict(steps).astype(np.uint8)
    return Timed(labels[None], np.array([time.perf_counter() - start]))
