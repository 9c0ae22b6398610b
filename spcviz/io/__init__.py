"""Read and write files: tagged text, scores of other models, and models that were trained here.

======================  =======================================================================
`read_conll`            CoNLL-2000, CoNLL-2003, CoNLL-U, TSV and CSV with one token per line
`read_scores`           scores of any model: ``.npz``, or CSV with one row per token
`save`, `load`          estimators: a folder with arrays and a manifest, never pickle
======================  =======================================================================

Files may come from strangers: nothing in them is executed, and errors name the file and line.
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
    """Load a public name of this package on first use: a text parser needs no kernels."""
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
