"""Which data sets there are, where they come from, and which are here.

The handwritten words ship with the project. Other sets are looked for in the folder that the
environment variable SPCVIZ_DATA names; nothing is fetched by itself.
"""

import hashlib

from spcviz.problems import registry
from spcviz.problems.common.folders import data_folder


def is_intact(entry):
    """Whether the file of a data set that ships is there, byte for byte."""
    if entry.shipped is None:
        return False
    try:
        return hashlib.sha256(entry.shipped.read_bytes()).hexdigest() == entry.sha256
    except OSError:
        return False


def describe():
    """Lines for a person: each set, where it comes from, whether it is here.

    Yields
    ------
    str
    """
    folder = data_folder()
    yield f"SPCVIZ_DATA: {folder if folder else 'not set, or no such folder; only shipped data is used'}"
    for entry in registry.data_sets():
        yield f"{entry.name}: {entry.what}"
        yield f"  from {entry.origin}"
        if entry.folder:
            here = folder is not None and (folder / entry.folder).is_dir()
            yield f"  {'found' if here else f'not found; put it in $SPCVIZ_DATA/{entry.folder}'}"
        else:
            state = "shipped, intact" if is_intact(entry) else "missing or damaged: check out cache/data anew"
            yield f"  {entry.shipped}: {state}"
