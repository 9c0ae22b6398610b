"""Constraints on which label may follow which: a chunking scheme (`scores.schemes`) or a custom rule."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.scores.schemes import SCHEMES, rules_of, scheme_name

Rule = Callable[[Any, Any], bool]


def forbidden_steps(constraints: str | Rule | None, classes: np.ndarray) -> np.ndarray | None:
    """Forbidden transitions, (3, K, K) bool as in `spcviz.learning.chains.crf.loss_and_gradient`.

    `constraints` is a function of ``(before, after)``, or a scheme under any name that `bio_transitions` and
    `spcviz.io.read_conll` know, in any case.

    >>> forbidden = forbidden_steps("bio", np.array(["B-A", "I-A", "O"]))
    >>> forbidden[1].astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 0]])
    >>> forbidden[0].diagonal()
    array([False,  True, False])
    """
    if constraints is None:
        return None
    labels = classes.tolist()
    n = len(labels)
    forbidden = np.zeros((3, n, n), dtype=bool)
    at = np.arange(n)
    if callable(constraints):
        for j, before in enumerate(labels):
            forbidden[0, j, j] = not constraints(None, before)
            forbidden[1, j] = [not constraints(before, after) for after in labels]
            forbidden[2, j, j] = not constraints(before, None)
        return forbidden
    scheme = _scheme(constraints)
    try:
        rules = rules_of(labels, scheme)
    except ArgumentError as error:
        raise ArgumentError(f"constraints={constraints!r:.60}: {error}") from None
    forbidden[0, at, at], forbidden[1], forbidden[2, at, at] = (
        np.isneginf(scores) for scores in (rules.start, rules.transitions, rules.end)
    )
    return forbidden


def _scheme(constraints: Any) -> str:
    try:
        return scheme_name(constraints)
    except ArgumentError:
        known = ", ".join(name.lower() for name in SCHEMES)
        raise ArgumentError(
            f"constraints must be one of {known}, a function or None, got {constraints!r:.60}"
        ) from None
