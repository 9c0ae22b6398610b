"""Paths of the project's cache (SPCVIZ_CACHE), the work folder and the data sets (SPCVIZ_DATA)."""

import os
from pathlib import Path

from spcviz.engine.errors import SpcvizError

ROOT = Path(__file__).parents[2]
APP = ROOT / "spcviz" / "app" if (ROOT / "spcviz" / "app").is_dir() else ROOT
"""Holds app.py and the pages: the clone itself, or the folder of an installed package that contains them."""
NAMED_CACHE = os.environ.get("SPCVIZ_CACHE", "")
CACHE = Path(NAMED_CACHE).expanduser().absolute() if NAMED_CACHE else ROOT / "cache"
"""Stored models, results and words: a clone's own, or that of the clone that SPCVIZ_CACHE names."""
NEEDS = """# Wants spcviz[app] and the stored models of a clone: run it there, or let the environment variable
# SPCVIZ_CACHE name the folder cache of one."""
"""Comment at the head of a scene's Python."""
MODELS, RESULTS = CACHE / "models", CACHE / "results"
WORK = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "spcviz-work"
"""Folder in which long computations store finished parts for the next run."""


class NoCacheError(SpcvizError, FileNotFoundError):
    """A part of the repository's cache is needed, and a package installed by pip has none."""


def shipped_path(path: Path) -> Path:
    """The path itself; `NoCacheError` if it is in the repository's cache and there is none, as after pip."""
    if path.is_relative_to(CACHE) and NAMED_CACHE and not path.exists():
        raise NoCacheError(
            f"{path} is missing: SPCVIZ_CACHE is {NAMED_CACHE!r}; let it name the folder cache of a clone of "
            "the repository"
        )
    if path.is_relative_to(CACHE) and not CACHE.is_dir():
        raise NoCacheError(
            f"{path} is missing; stored models, results and handwritten words come with the repository, not "
            "with a package installed by pip: run this in a clone of the repository, or let SPCVIZ_CACHE "
            "name the folder cache of one"
        )
    return path


def data_folder() -> Path | None:
    """The folder that SPCVIZ_DATA names, or None if it is unset or missing."""
    named = os.environ.get("SPCVIZ_DATA")
    folder = Path(named).expanduser() if named else None
    return folder if folder is not None and folder.is_dir() else None


def state_of_data(below: str = "") -> str:
    """The state of SPCVIZ_DATA and its folder `below`, as the end of a message."""
    named = os.environ.get("SPCVIZ_DATA")
    if not named:
        return "SPCVIZ_DATA is not set"
    folder = Path(named).expanduser()
    if not folder.is_dir():
        return f"SPCVIZ_DATA is {named!r}, which is no folder"
    if not (folder / below).is_dir():
        return f"SPCVIZ_DATA is {named!r}, which holds no folder {below}"
    return f"SPCVIZ_DATA is {named!r}"
