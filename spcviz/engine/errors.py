"""What this package raises on purpose. Every message names the argument and the value it got."""


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
