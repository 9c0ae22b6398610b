"""Where compiled kernels are kept between processes, and what is done when they cannot be.

Numba's disk cache notices edits only in a kernel's own file, not in the functions it inlines, so
the cache folder is named after a digest of the code of every file with a kernel, at any depth of the
package, and of what these files import (a constant of another file is compiled in). Sentences are left
out: a changed docstring compiles nothing anew. Numba neither survives an unwritable folder ("no locator
available" at import) nor heals a damaged file, so files carry a SHA-256 of their content here: a damaged
one counts as missing and is compiled anew. Folders of older sources are removed.
"""

import contextlib
import hashlib
import io
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import numba
from numba.core import caching

from spcviz.engine.kernels import sources

_KEEP_SECONDS = 24 * 3600
_HOLDS_KERNELS = re.compile(
    rb"^\s*(?:from|import) (?:numba|spcviz\.engine\.kernels\.jit)\b"
    rb"|^\s*from spcviz\.engine\.kernels import .*\bjit\b",
    re.MULTILINE,
)


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


_COMPLAINTS = {}


def complain(sentence):
    """Remember what went wrong with the folder, once; who starts the process says it (`complaints`)."""
    _COMPLAINTS.setdefault(sentence)


def complaints():
    """Sentences about what went wrong with the folder of compiled kernels, and what was done instead."""
    return list(_COMPLAINTS)


def folder():
    """Where compiled kernels are kept, or None if they cannot be."""
    return _FOLDER


def _writable_cache_folder():
    """A private folder that can be written to, or None."""
    root = os.environ.get("SPCVIZ_JIT_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        root = Path(root).expanduser()
        root = root if os.environ.get("SPCVIZ_JIT_DIR") else root / "spcviz-jit"
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = root / _remembered_digest(root)
        is_new = not found.is_dir()
        found.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=found) as file:
            file.write(bytes(4096))
        os.utime(found)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        why = getattr(error, "strerror", None) or error
        complain(f"{root}: {why}; compiled kernels are not kept, so they compile anew in every process")
        return None
    if is_new:
        _remove_old(root, found)
    return found


def _remove_old(root, found):
    """Remove what other sources' kernels have left, but not what another checkout has used this day."""
    for path in root.iterdir():
        is_ours = re.fullmatch(r"[0-9a-f]{16}(\.digest)?", path.name) and path != found
        with contextlib.suppress(OSError):
            if is_ours and time.time() - path.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


class CheckedFile(caching.IndexDataCacheFile):
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
        if is_intact := _is_intact(self._index_path):
            return super()._load_index()
        _complain_of_damage(is_intact)
        return {}

    def _load_data(self, name):
        if not (is_intact := _is_intact(self._data_path(name))):
            _complain_of_damage(is_intact)
            raise OSError("damaged")  # numba takes an unreadable file for a missing one
        return super()._load_data(name)

    def save(self, key, data):
        try:
            super().save(key, data)
        except OSError as error:  # a full disk must not stop the computation
            complain(f"{_FOLDER}: {error.strerror}; what could not be kept compiles anew in every process")


def _complain_of_damage(is_intact):
    if is_intact is not None:  # asked once: a file that was missing may be there by now
        complain(f"{_FOLDER}: files are damaged; what was in them is compiled anew")


def _is_intact(path):
    """True, False where it is damaged or cannot be read, None where it is missing."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        return False
    return hashlib.sha256(content[:-32]).digest() == content[-32:]


_FOLDER = _writable_cache_folder()
if _FOLDER is not None:
    numba.config.CACHE_DIR = str(_FOLDER)
