"""The one place that decides how kernels compile and where compiled code is kept.

Numba's disk cache notices edits only in a kernel's own file, not in the functions it inlines, so
the cache folder is named after a digest of all the package's kernels. Numba neither survives an
unwritable folder ("no locator available" at import) nor heals a damaged file, so files carry
a SHA-256 of their content here: a damaged one counts as missing and is compiled anew.

Flags: -inf means "pruned", so `nnan` and `ninf` must stay off; ``fastmath=True`` would let LLVM
fold ``score == -inf`` to False. `strict_kernel` has no flags at all: its rounding is that of plain
IEEE arithmetic and so equals numpy's and JavaScript's to the last bit.
"""

import contextlib
import hashlib
import io
import os
import tempfile
from pathlib import Path

import numba
from numba.core import caching

SAFE_FLAGS = {"nsz", "arcp", "contract", "afn"}


def source_digest():
    """Short digest of all sources that hold kernels, and of numba's version."""
    package = Path(__file__).parents[1]
    sources = sorted([*package.glob("engine/*.py"), *package.glob("learning/*.py")])
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable_cache_folder():
    """A private folder that can be written to, or None."""
    chosen = os.environ.get("SPCVIZ_JIT_DIR")
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        root = chosen or Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "spcviz-jit")
        folder = Path(root) / source_digest()
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
