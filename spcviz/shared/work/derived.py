"""Digests of stored models, so that artifacts derived from a model are ignored once it has changed."""

import json
from pathlib import Path


def model_digest(folder: str | Path, name: str) -> str:
    """The digest that identifies a stored model; "" if none can be read.

    >>> model_digest("nowhere", "ocr")
    ''
    """
    try:
        return json.loads((Path(folder) / f"{name}.json").read_bytes())["sha256"]
    except (OSError, ValueError, KeyError):
        return ""


def made_with(folder: str | Path, *names: str) -> dict[str, str]:
    """Digests of stored models by name: what a value from them is made from; see `spcviz.store.save_value`.

    >>> made_with("nowhere", "ocr")
    {'ocr': ''}
    """
    return {name: model_digest(folder, name) for name in names}
