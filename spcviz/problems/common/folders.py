"""Where things lie: the project's cache, the work folder, the data that somebody brought."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[3]
CACHE = ROOT / "cache"
MODELS, RESULTS = CACHE / "models", CACHE / "results"
WORK = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "spcviz-work"
"""Where long work keeps its finished parts, for the next run."""


def data_folder():
    """The folder that SPCVIZ_DATA names, or None if it is unset or missing."""
    named = os.environ.get("SPCVIZ_DATA")
    folder = Path(named).expanduser() if named else None
    return folder if folder is not None and folder.is_dir() else None
