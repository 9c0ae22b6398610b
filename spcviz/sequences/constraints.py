"""Which label may follow which: the schemes of named entities, or a rule of one's own.

A span of a kind X is written B-X I-X I-X ("bio"), or B-X I-X E-X and S-X for a single token ("bioes", with L
and U instead of E and S "bilou"); O is outside.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError

SCHEMES = {"bio": "OBI", "bioes": "OBIES", "bilou": "OBILU"}

Rule = Callable[[Any, Any], bool]


def forbidden_steps(constraints: str | Rule | None, classes: np.ndarray) -> np.ndarray | None:
    """Steps that no labelling may take, (3, K, K) bool as of `spcviz.learning.chains.crf.loss_and_gradient`.

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
    if callable(constraints):
        rule = constraints
    elif isinstance(constraints, str) and constraints in SCHEMES:
        parts = {label: _parted(label, constraints) for label in labels}
        parts[None] = ("O", "")

        def rule(before: Any, after: Any) -> bool:
            return _may_follow(*parts[before], *parts[after])
    else:
        raise ArgumentError(
            f"constraints must be one of {', '.join(SCHEMES)}, a function or None, got {constraints!r:.60}"
        )
    n = len(labels)
    forbidden = np.zeros((3, n, n), dtype=bool)
    for j, before in enumerate(labels):
        forbidden[0, j, j] = not rule(None, before)
        forbidden[1, j] = [not rule(before, after) for after in labels]
        forbidden[2, j, j] = not rule(before, None)
    return forbidden


def _parted(label: Any, scheme: str) -> tuple[str, str]:
    """(letter, kind) of a label; L and U as E and S."""
    letter, dash, kind = str(label).partition("-")
    letters = SCHEMES[scheme]
    if letter not in letters or len(letter) != 1 or bool(dash) == (letter == "O"):
        wanted = " ".join(char if char == "O" else f"{char}-..." for char in letters)
        raise ArgumentError(f"classes_ must be {wanted} for constraints={scheme!r}, got {label!r:.60}")
    if scheme == "bilou":
        letter = {"L": "E", "U": "S"}.get(letter, letter)
    elif scheme == "bio":
        letter = {"B": "b", "I": "i"}.get(letter, letter)  # spans that may end anywhere
    return letter, kind


def _may_follow(before: str, kind_before: str, after: str, kind_after: str) -> bool:
    is_within = after in ("I", "E", "i")
    if before in ("B", "I"):  # a span that has to be closed
        return is_within and kind_before == kind_after
    if is_within:
        return before in ("b", "i") and kind_before == kind_after
    return True
