"""What is stored beside the model that it was made with, and counts as missing with another in its place."""

import json
from pathlib import Path

from spcviz.store import StoreError


def model_digest(folder, name):
    """What tells a stored model from others of its name.

    Parameters
    ----------
    folder : path_like
    name : str

    Returns
    -------
    str
        "" without one that can be read.

    Examples
    --------
    >>> model_digest("nowhere", "ocr")
    ''
    """
    try:
        return json.loads((Path(folder) / f"{name}.json").read_bytes())["sha256"]
    except (OSError, ValueError, KeyError):
        return ""


def check_made_with(folder, name, digest, model):
    """StoreError, unless `name`, which was made with the model of this digest, stands beside that model.

    Parameters
    ----------
    folder : path_like
    name : str
        What was made; ``train NAME`` makes it again.
    digest, model : str
        Of the model then, and its name.

    Raises
    ------
    StoreError
    """
    if digest != model_digest(folder, model):
        raise StoreError(
            f"{name} was made with another {model} than is stored; run: python -m spcviz train {name}"
        )
