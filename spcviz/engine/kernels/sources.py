"""Digests of this package's code, which change with the code but not with docstrings and comments.

Compiled kernels and cached intermediate results depend on code. A digest of the bytes of files would throw
hours of work away for a comment; one of too few files would let stale results pass. So a digest here is over
syntax trees without docstrings (comments are not in a tree at all), of the given files and of every file of
the package that they import, at any depth.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
_OURS = ("spcviz", "experiments", "benchmarks")
"""The package, and the folders next to it in a clone of the repository."""


def files(root: Path = ROOT) -> list[Path]:
    """Every Python file of the package and, in a clone, of the folders next to it: a sorted list of Path."""
    is_clone = (root / "pyproject.toml").is_file()  # elsewhere a folder of such a name is somebody else's
    return sorted(path for name in (_OURS if is_clone else _OURS[:1]) for path in (root / name).rglob("*.py"))


def code_digest(paths: Iterable[Path], root: Path = ROOT) -> str:
    """Digest of some files below ``root`` and of all files of the package that they import, directly or not.

    64 hexadecimal digits; the same wherever the package is stored.
    """
    digest = hashlib.sha256()
    for path in sorted(with_imports(paths, root)):
        digest.update(f"{path.relative_to(root).as_posix()} {_code(path)}\n".encode())
    return digest.hexdigest()


def with_imports(paths: Iterable[Path], root: Path = ROOT) -> set[Path]:
    """Some files and all files of the package that they import, directly or not: a set of Path."""
    files, waiting = set(), list(paths)
    while waiting:
        path = waiting.pop()
        if path not in files:
            files.add(path)
            waiting += _imports_of(path, root)
    return files


def file_of(module: str, root: Path = ROOT) -> Path | None:
    """The file of a module of the package, a Path; None if there is none (a name in a module, say)."""
    base = Path(root, *module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def code_of(source: str | bytes) -> str:
    """Source text without comments, docstrings and layout.

    >>> code_of("def f(x):\\n    'Twice.'\\n    return 2 * x  # x + x") == code_of("def f(x): return 2*x")
    True
    >>> code_of("def f(x): return 2 * x") == code_of("def f(x): return 3 * x")
    False
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and _opens_with_text(node.body):
            del node.body[0]
    return ast.dump(tree)


def _opens_with_text(body: list[ast.stmt]) -> bool:
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)


def _code(path: Path) -> str:
    stat = path.stat()
    return _code_at(path, stat.st_mtime_ns, stat.st_size)


@cache
def _code_at(path: Path, _changed: int, _size: int) -> str:
    return hashlib.sha256(code_of(path.read_bytes()).encode()).hexdigest()


def _imports_of(path: Path, root: Path) -> list[Path]:
    stat = path.stat()
    return _imported_at(path, root, stat.st_mtime_ns, stat.st_size)


@cache
def _imported_at(path: Path, root: Path, _changed: int, _size: int) -> list[Path]:
    """Files of the package that one file imports, anywhere in it; with every parent package."""
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(root).parts[: -node.level] if node.level else ()
            module = ".".join([*package, *([node.module] if node.module else [])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    names = [name for name in names if name.partition(".")[0] in _OURS]
    on_the_way = {".".join(name.split(".")[:n]) for name in names for n in range(1, name.count(".") + 2)}
    return [file for name in sorted(on_the_way) if (file := file_of(name, root)) is not None]
