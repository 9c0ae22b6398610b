"""Store results of function calls with digests of code and models; the app shows them before it computes.

A value (`spcviz.store.tree`) is stored in a folder like a model (`spcviz.store.models`: two files, atomic,
verified); its manifest has the digests of everything it was made from. If one of these digests has changed,
the value counts as missing.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.store.errors import DamagedError, StoreError, refusal, repair_command
from spcviz.store.models import StoredModel, load_model, save_model
from spcviz.store.tree import pack_tree, unpack_tree

KIND, VERSION = "value", 1


def save_value(
    folder: str | Path,
    name: str,
    value: Any,
    types: type | Iterable[type],
    *,
    made_from: dict[str, str],
    data_digest: str = "",
    random_state: int = 0,
) -> Path:
    """Store a value; see `spcviz.store.tree.flatten` for what it may hold, with records of `types`.

    `name` is built like a model's: it begins with the training that rebuilds the value. `made_from` has the
    digests of the models, the code, ..., under names for a reader. Returns the manifest's path; errors as in
    `save_model`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_value(folder, "demo", ("as it was", 0.5), (), made_from={"code": "a1"})
    ...     load_value(folder, "demo", (), made_from={"code": "a1"})
    ('as it was', 0.5)
    """
    if not all(isinstance(text, str) for pair in made_from.items() for text in pair):
        raise ArgumentError(f"made_from must be digests by name, got {made_from!r}")
    return save_model(
        folder,
        name,
        pack_tree(value, types),
        kind=KIND,
        version=VERSION,
        settings={"made_from": made_from},
        data_digest=data_digest,
        random_state=random_state,
        metrics={},
    )


def load_value(
    folder: str | Path,
    name: str,
    types: type | Iterable[type],
    *,
    made_from: dict[str, str] | None = None,
) -> Any:
    """Read a value that `save_value` stored; its arrays are read-only, and only `types` are instantiated.

    `made_from` has current digests, each of which must equal the stored one. `StoreError` if the value is
    missing, damaged, holds other classes, or was made from something else.
    """
    stored = load_model(folder, name, kind=KIND, version=VERSION)
    for what, digest in (made_from or {}).items():
        if made_from_of(stored).get(what) != digest:
            raise StoreError(f"{name} was made with another {what} than is stored; run: {_training_of(name)}")
    try:
        return unpack_tree(stored.arrays, types)
    except DamagedError as error:
        raise refusal(folder, name, f"cannot be read: {error}") from error


def _training_of(name: str) -> str:
    """The command for a value's own training, or for that of all first scenes."""
    return repair_command(name) if name.startswith("first_scenes-") else f"python -m spcviz train {name}"


def made_from_of(stored: StoredModel) -> dict[str, str]:
    """The digests that a stored value was made from, by name; empty for any other model."""
    digests = stored.manifest["settings"].get("made_from")
    return digests if isinstance(digests, dict) else {}
