"""Optional packages: which extra of this project installs each, and the error that names it.

`pip install spcviz` installs what is needed to compute; drawing, serving, reading tables and using a cluster
need extras. Every entry to such code goes through `name_extra`, so that a missing package is reported in one
sentence: the code that needs it, the name it is installed by, and the extra that brings it.
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
"""{extra: import names of its packages, and of those of their dependencies that are used here}."""

_INSTALLED_AS = {"skimage": "scikit-image", "PIL": "pillow"}
_EXTRA_OF = {  # by either name: a query for the version of a missing package reports the second
    name: extra
    for extra, packages in _EXTRAS.items()
    for package in packages
    for name in (package, _INSTALLED_AS.get(package, package))
}


class MissingPackageError(SpcvizError, ModuleNotFoundError):
    """A package is missing that an extra of this project brings; `name` is its import name."""


def how_to_install(package: str) -> str:
    """The command that installs a package, given its import name.

    >>> how_to_install("skimage"), how_to_install("pytest")
    ('python -m pip install "spcviz[app]"', 'python -m pip install pytest')
    """
    extra = _EXTRA_OF.get(package)
    return f'python -m pip install "spcviz[{extra}]"' if extra else f"python -m pip install {package}"


def is_installed(package: str) -> bool:
    """Whether a package can be imported, without spending the time to import it.

    >>> is_installed("numpy"), is_installed("no_such_package")
    (True, False)
    """
    return importlib.util.find_spec(package) is not None


def require(package: str, what: str) -> None:
    """Raise `MissingPackageError` where a package is not installed.

    Parameters
    ----------
    package : str
        Its import name.
    what : str
        The code that needs it; the message begins with this.
    """
    if not is_installed(package):
        raise MissingPackageError(_message(package, what), name=package)


@contextlib.contextmanager
def name_extra(what: str) -> Iterator[None]:
    """Name the extra that brings a package missing in the block, as `MissingPackageError`.

    A missing module of this project, and a `MissingPackageError` from within, are passed on.

    Parameters
    ----------
    what : str
        The code that needs the package; the message begins with this.

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
