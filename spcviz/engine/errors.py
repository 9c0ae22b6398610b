"""Errors of the engine. Every message names the argument and the value it got."""

from collections.abc import Iterable


class SpcvizError(Exception):
    """Root of every error this package raises on purpose."""


class ArgumentError(SpcvizError, ValueError):
    """An argument lies outside what its docstring allows."""


class ShapeError(ArgumentError):
    """An array does not have the shape its docstring promises."""


class ScoreError(ArgumentError):
    """A score is NaN or +inf. (-inf is allowed and means: forbidden.)"""


class InfeasibleError(SpcvizError, ValueError):
    """Every assignment has score -inf, so there is nothing to decode."""


class CycleError(ArgumentError):
    """A tree was needed and the graph has a `cycle`: its nodes in order, the first repeated at the end."""

    def __init__(self, cycle: Iterable[int], name: str = "edges") -> None:
        self.cycle = tuple(cycle)
        shown = [str(i) for i in self.cycle]
        if len(shown) > 20:
            shown[18:-1] = ["..."]
        path = " - ".join(shown)
        super().__init__(f"{name} must form a tree or forest, got the cycle {path}")
