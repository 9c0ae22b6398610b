"""Find the code that a clone of the repository has and a wheel has not: experiments, benchmarks."""

import sys
from importlib import import_module
from types import ModuleType

from spcviz.engine.errors import SpcvizError
from spcviz.shared.folders import ROOT

OUTSIDE = ("experiments", "benchmarks")


class NoCloneError(SpcvizError):
    """Something is needed that only a clone of the repository has."""


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
