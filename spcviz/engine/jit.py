"""The one place that decides how kernels compile and where compiled code is kept.

Numba's disk cache notices edits only in a kernel's own file, not in the functions it inlines, so
the cache folder is named after a digest of the code of every file with a kernel, at any depth of the
package, and of what these files import (a constant of another file is compiled in). Sentences are left
out: a changed docstring compiles nothing anew. Numba neither survives an unwritable folder ("no locator
available" at import) nor heals a damaged file, so files carry a SHA-256 of their content here: a damaged
one counts as missing and is compiled anew.

Flags: -inf means "pruned", so `nnan` and `ninf` must stay off; ``fastmath=True`` would let LLVM
fold ``score == -inf`` to False. `strict_kernel` has no flags at all: its rounding is that of plain
IEEE arithmetic and so equals numpy's and JavaScript's to the last bit.
"""

import contextlib
import hashlib
import io
import os
import re
import tempfile
from pathlib import Path

import numba
from numba.core import caching
from numba.extending import register_jitable

from spcviz.engine import sources

SAFE_FLAGS = {"nsz", "arcp", "contract", "afn"}
_HOLDS_KERNELS = re.compile(rb"^\s*(from|import) (numba|spcviz\.engine\.jit)\b|import jit\b", re.MULTILINE)


def kernel_digest(root=sources.ROOT):
    """Short digest of numba's version and of the code that kernels are made of.

    Parameters
    ----------
    root : Path
        Folder that holds the package.
    """
    files = Path(root, "spcviz").rglob("*.py")
    holding = [path for path in files if _HOLDS_KERNELS.search(path.read_bytes())]
    code = sources.code_digest(holding, Path(root))
    return hashlib.sha256(f"{numba.__version__} {code}".encode()).hexdigest()[:16]


def _remembered_digest(folder):
    """`kernel_digest`, which takes half a second, remembered in ``folder`` under the bytes of all files."""
    seen = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(sources.ROOT, "spcviz").rglob("*.py")):
        seen.update(path.as_posix().encode() + path.read_bytes())
    note = folder / f"{seen.hexdigest()[:16]}.digest"
    with contextlib.suppress(OSError, UnicodeError):
        if re.fullmatch("[0-9a-f]{16}", known := note.read_text(encoding="ascii")):
            return known
    digest = kernel_digest()
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="ascii") as file:
        file.write(digest)
    os.replace(file.name, note)
    return digest


def _writable_cache_folder():
    """A private folder that can be written to, or None."""
    chosen = os.environ.get("SPCVIZ_JIT_DIR")
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        root = chosen or Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "spcviz-jit")
        root = Path(root)
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = root / _remembered_digest(root)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    return None


class _CheckedFile(caching.IndexDataCacheFile):
    """Numba's cache file with a digest behind it: damaged means missing, unwritable means unsaved.

    Numba's readers stop at the end of their own content, so the digest does not disturb them.
    """

    @contextlib.contextmanager
    def _open_for_write(self, filepath):
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())

    def _load_index(self):
        return super()._load_index() if _is_intact(self._index_path) else {}

    def _load_data(self, name):
        if not _is_intact(self._data_path(name)):
            raise OSError("damaged")  # numba takes an unreadable file for a missing one
        return super()._load_data(name)

    def save(self, key, data):
        with contextlib.suppress(OSError):  # a full disk must not stop the computation
            super().save(key, data)


def _is_intact(path):
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content[:-32]).digest() == content[-32:]


_FOLDER = _writable_cache_folder()
if _FOLDER is not None:
    numba.config.CACHE_DIR = str(_FOLDER)


def _compile(function, flags, **options):
    dispatcher = numba.njit(nogil=True, cache=_FOLDER is not None, fastmath=flags, **options)(function)
    cache = getattr(dispatcher, "_cache", None)  # absent under NUMBA_DISABLE_JIT=1
    if isinstance(cache, caching.FunctionCache):
        old = cache._cache_file
        cache._cache_file = _CheckedFile(
            cache._cache_path, old._index_name.removesuffix(".nbi"), old._source_stamp
        )
    return dispatcher


def kernel(function):
    """Compile a serial kernel: releases the GIL, cached on disk, -inf safe."""
    return _compile(function, SAFE_FLAGS)


def strict_kernel(function):
    """Like `kernel`, with IEEE rounding: for arithmetic that another language must repeat."""
    return _compile(function, False)


def inlined_kernel(function):
    """A kernel for inner loops of other kernels: passing arrays to a call costs more than a look-up."""
    return _compile(function, SAFE_FLAGS, forceinline=True)


def shared(function):
    """A plain Python function that kernels may call too: each compiles it in, under flags of its own."""
    return register_jitable(function)
