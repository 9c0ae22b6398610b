"""Errors of the store. Arguments that can never be right raise `spcviz.engine.errors.ArgumentError`."""

from pathlib import Path

from spcviz.engine.errors import SpcvizError


class StoreError(SpcvizError):
    """A model file is missing, damaged, or of another kind; the message ends with the repair command."""


class DamagedError(SpcvizError):
    """Bytes are not in the store's format; used inside the store only, callers see `StoreError`."""


OWN_MODEL = "estimator"
"""File name of a user's own model, which no command can rebuild."""


def repair_command(name: str) -> str:
    """The command that rebuilds a model.

    >>> repair_command("ocr-hog")
    'python -m spcviz train ocr'
    >>> repair_command("first_scenes-letters-letters_trace")
    'python -m spcviz train first-scenes'
    """
    return f"python -m spcviz train {name.partition('-')[0].replace('_', '-')}"


def refusal(folder: str | Path, name: str, what: str) -> StoreError:
    """The `StoreError` that says what is wrong with a model and how to repair it."""
    if name == OWN_MODEL:
        return StoreError(f"model in {folder} {what}; fit it again and write it with spcviz.save")
    return StoreError(f"model {name!r} in {folder} {what}; repair with: {repair_command(name)}")
