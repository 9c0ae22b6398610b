"""Optional packages: which extra of this project installs each, and the error that names it.

`pip install spcviz` brings what computes; what draws, serves, reads tables or goes to a cluster comes with an
extra. Every door to such code is entered through `name_extra`, so that a package that is missing is told by
one sentence: what wants it, what it is called where packages are installed, and the extra that brings it.
"""

import contextlib
import importlib.util
from collections.abc import Iterator

from spcviz.engine.errors import SpcvizError

_EXTRAS = {
    "app": (
        "streamlit", "plotly", "orjson", "brotli", "pandas", "skimage", "PIL", "av", "pooch", "segno",
        "uvloop", "anyio", "starlette", "requests",
    ),
    "tables": ("pyarrow", "openpyxl"),
    "cluster": ("distributed", "dask"),
    "notebook": ("jupyterlab", "IPython"),
    "docs": ("pdoc",),
}  # fmt: skip
"""{extra: names by which its packages, and those of their packages that are used here, are imported}."""

_INSTALLED_AS = {"skimage": "scikit-image", "PIL": "pillow"}
_EXTRA_OF = {  # by either name: who asks for the version of a package that is missing is told the second
    name: extra
    for extra, packages in _EXTRAS.items()
    for package in packages
    for name in (package, _INSTALLED_AS.get(package, package))
}


class MissingPackageError(SpcvizError, ModuleNotFoundError):
    """Something is wanted that an extra of this project brings; `name` is the package as it is imported."""


def how_to_install(package: str) -> str:
    """The command that brings a package, by the name that it is imported by.

    >>> how_to_install("skimage"), how_to_install("pytest")
    ('python -m pip install "spcviz[app]"', 'python -m pip install pytest')
    """
    extra = _EXTRA_OF.get(package)
    return f'python -m pip install "spcviz[{extra}]"' if extra else f"python -m pip install {package}"


def is_installed(package: str) -> bool:
    """Whether a package can be imported, without the time that this takes.

    >>> is_installed("numpy"), is_installed("no_such_package")
    (True, False)
    """
    return importlib.util.find_spec(package) is not None


def require(package: str, what: str) -> None:
    """Raise `MissingPackageError` where a package is not installed.

    Parameters
    ----------
    package : str
        As it is imported.
    what : str
        Wants it; the message begins with this.
    """
    if not is_installed(package):
        raise MissingPackageError(_message(package, what), name=package)


@contextlib.contextmanager
def name_extra(what: str) -> Iterator[None]:
    """Say of a package that is missing inside which extra brings it, as `MissingPackageError`.

    A module of this project that is missing, and one that is missing inside another's package, is passed on.

    Parameters
    ----------
    what : str
        Wants the package; the message begins with this.

    Examples
    --------
    >>> with name_extra("spcviz.show"):
    ...     raise ModuleNotFoundError("No module named 'PIL'", name="PIL.Image")
    Traceback (most recent call last):
    spcviz.engine.extras.MissingPackageError: spcviz.show needs the package pillow;
    python -m pip install "spcviz[app]" brings it
    """
    try:
        yield
    except MissingPackageError:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "spcviz").partition(".")[0]
        if package == "spcviz":
            raise
        raise MissingPackageError(_message(package, what), name=package) from error


def _message(package: str, what: str) -> str:
    installed_as = _INSTALLED_AS.get(package, package)
    return f"{what} needs the package {installed_as}; {how_to_install(package)} brings it"
