"""Find what lies beside the package in a clone of the repository and in no wheel: experiments, benchmarks."""

import sys
from importlib import import_module
from types import ModuleType

from spcviz.engine.errors import SpcvizError
from spcviz.shared.folders import ROOT

OUTSIDE = ("experiments", "benchmarks")


class NoCloneError(SpcvizError):
    """Something is wanted that only a clone of the repository has."""


def is_clone() -> bool:
    """Whether experiments and benchmarks lie beside the package.

    A folder of the same name beside an installed package may be anybody's: it is ours where the project's own
    file says what is built there.
    """
    return (ROOT / "pyproject.toml").is_file() and all((ROOT / name).is_dir() for name in OUTSIDE)


def require(command: str) -> None:
    """Raise `NoCloneError` where there is no clone, by what wants one; else let Python find what lies in it.

    Whoever starts the command line elsewhere, and every worker, finds it too: the clone's folder goes to the
    front of ``sys.path``.
    """
    if not is_clone():
        raise NoCloneError(
            f"{command}: {ROOT / OUTSIDE[0]} is missing; {' and '.join(OUTSIDE)} come with the repository, "
            "not with a package installed by pip: run this in a clone of the repository"
        )
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def load_module(name: str) -> ModuleType:
    """A module of the package, or of what lies beside it; `NoCloneError` where that is missing."""
    if name.partition(".")[0] in OUTSIDE:
        require(name)
    return import_module(name)
