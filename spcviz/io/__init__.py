"""Files in and out: tagged text, scores of other models, and models that were trained here.

======================  =======================================================================
`read_conll`            CoNLL-2000, CoNLL-2003, CoNLL-U, TSV and CSV with one token a line
`read_scores`           scores of any model: ``.npz``, or CSV with one row a token
`save`, `load`          estimators: a folder with arrays and a manifest, never pickle
======================  =======================================================================

Whatever is read may come from a stranger: nothing in it is run, and what is wrong is said with file and line.
"""

from importlib import import_module
from typing import Any

_FILE_OF = {
    "Corpus": "conll",
    "read_conll": "conll",
    "ScoreFile": "scores",
    "read_scores": "scores",
    "save": "models",
    "load": "models",
}

__all__ = ["Corpus", "ScoreFile", "load", "read_conll", "read_scores", "save"]


def __getattr__(name: str) -> Any:
    """What this package offers, loaded when it is first asked for: a parser of text needs no kernels."""
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
