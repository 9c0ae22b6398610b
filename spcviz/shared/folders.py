"""Paths of the project's cache, work folder and data sets, and the code that only a clone has."""

import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

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

OUTSIDE = ("experiments", "benchmarks")
"""Packages of the repository next to ours, which only a clone has."""


class NoCacheError(SpcvizError, FileNotFoundError):
    """A part of the repository's cache is needed, and a package installed by pip has none."""


class NoCloneError(SpcvizError):
    """Something is needed that only a clone of the repository has."""


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


def is_clone() -> bool:
    """Whether experiments and benchmarks are next to the package.

    A folder of the same name next to an installed package may belong to another project: it is ours only next
    to a ``pyproject.toml``.
    """
    return (ROOT / "pyproject.toml").is_file() and all((ROOT / name).is_dir() for name in OUTSIDE)


def require(command: str) -> None:
    """Raise `NoCloneError` outside a clone, naming `command`; in one, make its modules importable.

    The clone's folder goes to the front of ``sys.path``, so that workers and a command line started elsewhere
    find them too.
    """
    if not is_clone():
        raise NoCloneError(
            f"{command}: {ROOT / OUTSIDE[0]} is missing; {' and '.join(OUTSIDE)} come with the repository, "
            "not with a package installed by pip: run this in a clone of the repository"
        )
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def load_module(name: str) -> ModuleType:
    """A module of the package, or of the code next to it; `NoCloneError` where that is missing."""
    if name.partition(".")[0] in OUTSIDE:
        require(name)
    return import_module(name)
