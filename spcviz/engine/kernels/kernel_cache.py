"""The disk cache that keeps compiled kernels between processes, and the fallback without one.

Numba's disk cache notices edits only in a kernel's own file, not in the functions it inlines, so
the cache folder is named after a digest of the code of every file with a kernel, at any depth of the
package, and of what these files import (a constant of another file is compiled in). Docstrings and comments
are left out: editing them recompiles nothing. The package's location is left out, too: kernels that one clone
or environment has compiled are loaded by another of the same code (`placing`). Folders of older sources are
removed.

Numba neither survives an unwritable folder ("no locator available" at import) nor repairs a damaged file. So
the folder is tested before it is used, and its files are compared with a list of SHA-256 sums before any
kernel is loaded: a file without its sum, damaged or left by a process that was killed, is removed and
compiled again. A process adds the sums of its compiled kernels within a moment, and when it ends.
A disk that fills up while kernels compile is the one thing that still makes a call fail, since numba saves a
kernel before it runs it; the next call works. So a folder on a disk without enough free space is not used.
"""

import atexit
import contextlib
import errno
import hashlib
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numba
from numba.core import event as events

from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels import calm, carrying, placing, sources

_KEEP_SECONDS = 24 * 3600
_DISK_LEFT = 64 * 2**20
"""Bytes that must be free: all kernels together take a third of this."""
_SUMS = "sums.txt"
_SECONDS_BETWEEN = 0.2
"""Sums are added no more often than this: scanning the folder takes milliseconds."""
_SECONDS_AFTER = 1.0
"""Time until a compiled kernel is written, however busy the machine is."""
_HOLDS_KERNELS = re.compile(
    rb"^\s*(?:from|import) (?:numba|spcviz\.engine\.kernels\.jit)\b"
    rb"|^\s*from spcviz\.engine\.kernels import .*\bjit\b",
    re.MULTILINE,
)


def kernel_digest(root: Path = sources.ROOT) -> str:
    """Short digest of numba's version and of the code that kernels are made of, wherever it is stored."""
    files = Path(root, "spcviz").rglob("*.py")
    holding = [path for path in files if _HOLDS_KERNELS.search(path.read_bytes())]
    code = sources.code_digest(holding, Path(root))
    named = f"{numba.__version__} {code}"
    if not placing.is_known():  # then numba keeps each location's kernels separate
        named += f" {Path(root).resolve()}"
    return hashlib.sha256(named.encode(errors="surrogateescape")).hexdigest()[:16]


def _remembered_digest(folder: Path) -> str:
    """`kernel_digest`, which takes half a second, remembered in ``folder`` under a digest of all files."""
    seen = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(sources.ROOT, "spcviz").rglob("*.py")):
        name = path if not placing.is_known() else path.relative_to(sources.ROOT)
        seen.update(name.as_posix().encode() + path.read_bytes())
    note = folder / f"{seen.hexdigest()[:16]}.digest"
    with contextlib.suppress(OSError, UnicodeError):
        if re.fullmatch("[0-9a-f]{16}", known := note.read_text(encoding="ascii")):
            return known
    digest = kernel_digest()
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="ascii") as file:
        file.write(digest)
    os.replace(file.name, note)
    return digest


_COMPLAINTS: dict[str, None] = {}


def complain(sentence: str) -> None:
    """Remember once what went wrong with the folder; start-up code reports it (`complaints`)."""
    _COMPLAINTS.setdefault(sentence, None)


def complaints() -> list[str]:
    """Sentences about what went wrong with the folder of compiled kernels, and what was done instead."""
    return list(_COMPLAINTS)


def folder() -> Path | None:
    """The folder of compiled kernels, or None if they cannot be stored."""
    return _FOLDER


def _writable_cache_folder() -> Path | None:
    """A private folder that can be written to, or None."""
    named = os.environ.get("SPCVIZ_JIT_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    root = Path(named)
    try:
        root = root.expanduser()
        root = root if os.environ.get("SPCVIZ_JIT_DIR") else root / "spcviz-jit"
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        digest = _remembered_digest(root)
        cache = root / digest
        if (carried := _find_carried(digest, cache)) is not None:
            cache = root / f"{digest}-carried"
            carrying.take_carried(carried, cache)
        is_new = not cache.is_dir()
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=cache) as file:
            file.write(bytes(4096))
        # Numba would stop the computation when it cannot write.
        if shutil.disk_usage(cache).free < _DISK_LEFT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.utime(cache)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        why = getattr(error, "strerror", None) or error
        complain(f"{root}: {why}; compiled kernels are not kept, so they compile anew in every process")
        return None
    if is_new:
        _remove_old(root, cache)
    return cache


def _find_carried(digest: str, own: Path) -> Path | None:
    """The kernels that an image carries, as long as this processor's own are not ready."""
    try:
        carried = carrying.carried_folder(digest)
    except ArgumentError as error:
        complain(str(error))
        return None
    return carried if carried is not None and not carrying.has_all_notes(carried, own) else None


def on_carried() -> bool:
    """Whether this process runs kernels that an image carries: other processes may compile its own."""
    return _FOLDER is not None and _FOLDER.name.endswith("-carried")


def own_folder() -> Path | None:
    """The folder of kernels for this very processor, or None."""
    return _FOLDER.with_name(_FOLDER.name.removesuffix("-carried")) if _FOLDER is not None else None


def _remove_old(root: Path, cache: Path) -> None:
    """Remove what other sources' kernels have left, except what another checkout has used within a day."""
    for path in root.iterdir():
        is_ours = re.fullmatch(r"[0-9a-f]{16}(-carried|\.digest)?", path.name) and path != cache
        with contextlib.suppress(OSError):
            if is_ours and time.time() - path.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


class Sums(events.Listener):
    """The sums of the files in a folder, one per line; several processes may add lines.

    A line is a SHA-256 and a file's path in the folder; a file that was written twice has two. Lines are
    only ever added, so that processes need no lock between them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[Path, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._until, self._follows = 0.0, False

    def _files(self) -> Iterator[tuple[Path, tuple[int, int]]]:
        """Every file of numba's, with the stamp that changes when it is written."""
        for path in self._folder.rglob("*.nb[ci]"):  # an index or compiled code
            with contextlib.suppress(FileNotFoundError):  # another process may remove it
                stat = path.stat()
                yield path, (stat.st_mtime_ns, stat.st_size)

    def _line(self, path: Path) -> str:
        name = path.relative_to(self._folder).as_posix()
        return f"{hashlib.sha256(path.read_bytes()).hexdigest()} {name}"

    def remove_others(self) -> bool:
        """Remove every file whose sum is not listed; returns whether one of them had another sum before."""
        known: set[str] = set()
        with contextlib.suppress(OSError):
            known = set((self._folder / _SUMS).read_text(encoding="ascii", errors="replace").splitlines())
        names, is_damaged = {line.partition(" ")[2] for line in known}, False
        for path, stamp in list(self._files()):
            with contextlib.suppress(FileNotFoundError):  # another process removes the same
                if self._line(path) in known:
                    self._seen[path] = stamp
                else:
                    is_damaged |= path.relative_to(self._folder).as_posix() in names
                    path.unlink()
        return is_damaged

    def add(self) -> None:
        """Add the sums of files written since the last call; a full disk is recorded by `complain`."""
        with self._lock:
            try:
                new, text = {}, ""
                for path, stamp in self._files():
                    if self._seen.get(path) != stamp:
                        with contextlib.suppress(FileNotFoundError):
                            # A separate line, even after one that another process could not finish.
                            text += f"\n{self._line(path)}\n"
                            new[path] = stamp
                if text:
                    with (self._folder / _SUMS).open("a", encoding="ascii") as file:
                        file.write(text)
                self._seen |= new
            except OSError as error:
                complain(
                    f"{self._folder}: {error.strerror}; what could not be kept compiles anew in every process"
                )

    def on_start(self, event: events.Event) -> None:
        """Do nothing: a kernel is about to be compiled."""

    def on_end(self, event: events.Event) -> None:
        """A kernel is compiled; numba writes it next, and in a moment its sum is added."""
        self._until = time.monotonic() + _SECONDS_AFTER
        if not self._follows:
            self._follows = True
            with contextlib.suppress(RuntimeError):  # the process ends: it adds them then
                threading.Thread(target=self._follow, name="spcviz sums", daemon=True).start()

    def _follow(self) -> None:
        """Add sums as kernels are written: a process that starts earlier would remove files without one."""
        while time.monotonic() < self._until:
            time.sleep(_SECONDS_BETWEEN)
            self.add()
        self._follows = False


def settle() -> None:
    """Record the sums of everything this process has compiled so far, so that the next one trusts it."""
    if _LIST is not None:
        _LIST.add()


def _open(cache: Path | None) -> Sums | None:
    """Check the folder's files, and let numba use the folder; None if it cannot be used."""
    if cache is None:
        return None
    listed = Sums(cache)
    try:
        if listed.remove_others():
            complain(f"{cache}: files are damaged; what was in them is compiled anew")
            for note in cache.glob("*.ready"):  # of `spcviz.registry.warmup`: no longer complete
                note.unlink(missing_ok=True)
    except OSError as error:
        complain(f"{cache}: {error.strerror}; compiled kernels are not kept")
        return None
    if placing.is_known():
        placing.KernelLocator.folder = cache
    else:
        numba.config.CACHE_DIR = str(cache)
    events.register("numba:compile", listed)
    atexit.register(listed.add)
    return listed


calm.keep_calm()
_FOLDER = _writable_cache_folder()
_LIST = _open(_FOLDER)
if _LIST is None:
    _FOLDER = None
