"""Predictors run on a picture, with the clock beside them."""

import time
from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost import hierarchy, predictor
from spcviz.learning.speedboost.structure import Level, Structure
from spcviz.problems.scene import codes, features, shape
from spcviz.problems.scene.data import N_CLASSES


class Timed(NamedTuple):
    """A predictor's course on one picture.

    Attributes
    ----------
    labels : ndarray of uint8, shape (S, A)
        Class of every atom after each step.
    seconds : ndarray, shape (S,)
        Wall clock until then, from the picture's pixels on.
    """

    labels: np.ndarray
    seconds: np.ndarray


def structure_of(seen):
    """The regions of a picture as a structure without features."""
    hierarchy_, none = seen.hierarchy, np.zeros((0, features.N_COLUMNS), dtype=np.uint8)
    levels = tuple(
        Level(member, none, borders.first, borders.second, borders.length)
        for member, borders in zip(hierarchy_.member, hierarchy_.borders)
    )
    return Structure(np.zeros(len(seen.size), dtype=np.int32), seen.size, levels, N_CLASSES)


def sim_updates(steps, seen):
    """The updates of an anytime predictor; see `spcviz.learning.speedboost.predictor.course`."""
    return predictor.course(steps, structure_of(seen), features.N_COLUMNS, seen.steps)


def sim(picture, vocabulary, steps, repeats=1):
    """The anytime predictor's course: `Timed`; of each step the fastest of its repeats counts.

    Parameters
    ----------
    picture : ndarray, shape (H, W, 3), uint8
    vocabulary : Vocabulary
    steps : sequence of Step
    repeats : int
    """
    least, labels = np.full(len(steps) + 1, np.inf), []
    for _ in range(repeats):
        start = time.perf_counter()
        seen = features.Seen(picture, vocabulary)
        marks, labels = [start, time.perf_counter()], []
        for update in sim_updates(steps, seen):
            labels.append(_labels(update.scores))
            marks.append(time.perf_counter())
        least = np.minimum(least, np.diff(marks))
    return Timed(np.stack(labels), np.cumsum(least)[1:])


def all_steps(seen, levels, columns):
    """Some columns of all regions of some levels, a group at a time: {level: uint8 (621, R)}."""
    groups = [features.GROUPS[g] for g in np.unique(features.GROUP_OF[columns])]
    atoms = {g: seen.of_atoms(g, np.arange(codes.N_CENTRES)) for g in groups if g != "SHAPE"}
    sums, out = shape.of_atoms(seen.hierarchy), {}
    for level in levels:
        n = seen.hierarchy.n_regions(level)
        out[level] = np.zeros((features.N_COLUMNS, n), dtype=np.uint8)
        for group in groups:
            own = np.flatnonzero(features.GROUPS.index(group) == features.GROUP_OF)
            if group == "SHAPE":
                values = np.ascontiguousarray(shape.of_level(sums, seen.hierarchy, level).T)
            else:
                values = atoms[group]
                if level > 0:
                    values = codes.raise_to(values, seen.hierarchy.member[level], seen.size, n)
            out[level][own] = seen.vocabulary.scales.steps(values, own)
    return out


def him(picture, vocabulary, stages, columns, repeats=1):
    """An inference machine's course: `Timed`; all its features are computed before it begins.

    Parameters
    ----------
    picture : ndarray, shape (H, W, 3), uint8
    vocabulary : Vocabulary
    stages : sequence of Stage
    columns : ndarray of int
        Features that it may use.
    repeats : int
    """
    least, labels = np.full(len(stages) + 1, np.inf), []
    for _ in range(repeats):
        start = time.perf_counter()
        seen = features.Seen(picture, vocabulary)
        table = all_steps(seen, sorted({stage.level for stage in stages}), columns)
        marks, labels = [start, time.perf_counter()], []
        asked = partial(_looked_up, table)
        for share in hierarchy.course(stages, structure_of(seen), features.N_COLUMNS, asked):
            labels.append(_labels(share))
            marks.append(time.perf_counter())
        least = np.minimum(least, np.diff(marks))
    return Timed(np.stack(labels), np.cumsum(least)[1:])


def _looked_up(table, level, columns):
    return table[level][columns]


def answers(seen, steps, machines, forest_):
    """Labels of all methods on one picture, its features computed once for those that need all of them.

    Parameters
    ----------
    seen : Seen
        New: the anytime predictor goes first and asks for what it wants.
    steps : sequence of Step
    machines : dict of str to list of Stage
    forest_ : fitted classifier

    Returns
    -------
    dict of str to ndarray of uint8, shape (S, A)
        After each step of "sim"; of the others one row.
    """
    out = {"sim": np.stack([_labels(update.scores) for update in sim_updates(steps, seen)])}
    levels = sorted({0, *(stage.level for stages in machines.values() for stage in stages)})
    table = all_steps(seen, levels, np.arange(features.N_COLUMNS))
    asked = partial(_looked_up, table)
    for name, stages in machines.items():
        *_, share = hierarchy.course(stages, structure_of(seen), features.N_COLUMNS, asked)
        out[name] = _labels(share)[None]
    out["forest"] = forest_.predict(table[0].T).astype(np.uint8)[None]
    return out


def _labels(scores):
    return scores.argmax(axis=1).astype(np.uint8)


def forest(picture, vocabulary, forest_):
    """A forest on the atoms of a picture: `Timed` of one step."""
    start = time.perf_counter()
    seen = features.Seen(picture, vocabulary)
    steps = all_steps(seen, [0], np.arange(features.N_COLUMNS))[0]
    labels = forest_.predict(steps.T).astype(np.uint8)
    return Timed(labels[None], np.array([time.perf_counter() - start]))
