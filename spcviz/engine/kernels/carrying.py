"""Portable compiled kernels: export to a file, import from one, and kernels that a container image carries.

Compiled code fits only the same code, Python, numba and kind of processor, so a file records these and is
refused elsewhere. An image is built on one processor and runs on another: its kernels are compiled for
x86-64-v3, the processors since 2013 that have AVX2, and a process whose own kernels are not ready uses those
(``SPCVIZ_CARRIED_KERNELS`` names their folder).

Compiled code is run as it stands. So import a file only from somebody whose programs you would run; an
image's folder is used only if nobody else can write to it.
"""

import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

import llvmlite.binding
import numba

from spcviz.engine.errors import ArgumentError

BASELINE = "x86-64-v3"
_OF_BASELINE = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3")
CARRIED = "SPCVIZ_CARRIED_KERNELS"
_ABOUT = "kernels.json"
_MOST_BYTES, _MOST_FILES = 1 << 30, 100_000
_KINDS = (".nbi", ".nbc", ".ready")


class Platform(NamedTuple):
    """The platform that compiled code fits: all fields must be equal."""

    code: str  # digest of the kernels' code and numba's version
    python: str
    system: str
    processor: str


def this_platform(code: str) -> Platform:
    """The platform that code compiled in this process fits; `code` is from `kernel_cache.kernel_digest`."""
    name = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    if features is None:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    python = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    about = hashlib.sha256(features.encode()).hexdigest()[:8]
    return Platform(code, python, f"{sys.platform} {platform.machine()}", f"{name} {about}")


def export_kernels(folder: Path, here: Platform, file: IO[bytes]) -> int:
    """Write all compiled kernels of a folder to a file; returns how many there are.

    `ArgumentError` if there are none.
    """
    paths = sorted(path for path in folder.rglob("*") if path.suffix in _KINDS and path.is_file())
    n = sum(path.suffix == ".nbc" for path in paths)
    if not n:
        raise ArgumentError(
            f"{folder}: must hold compiled kernels, got none; python -m spcviz warmup makes them"
        )
    sums = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            name, content = path.relative_to(folder).as_posix(), path.read_bytes()
            sums[name] = hashlib.sha256(content).hexdigest()
            archive.writestr(name, content)
        archive.writestr(_ABOUT, json.dumps({"platform": here._asdict(), "sums": sums}))
    return n


def import_kernels(folder: Path, here: Platform, file: Path) -> tuple[int, int]:
    """Import kernels from a file of `export_kernels`; returns how many were imported, and how many existed.

    A function of which this machine has compiled anything stays as it is. `ArgumentError` if the file is not
    one of these, is damaged, or fits another code, Python, system or processor.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            contents = _check_archive(archive, here, file)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise ArgumentError(
            f"{file}: must be a file of kernels export, got a damaged one ({error})"
        ) from None
    indices = {name for name in contents if name.endswith(".nbi")}
    there = {name for name in indices if (folder / name).exists()}
    taken = 0
    # The compiled code first: an index must not name files that do not exist yet.
    for name in sorted(contents, key=lambda name: name.endswith((".nbi", ".ready"))):
        if _index_of(name) in there or (folder / name).exists():
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.tmp.{os.getpid()}")
        part.write_bytes(contents[name])
        os.replace(part, path)
        taken += name.endswith(".nbc")
    return taken, sum(name.endswith(".nbc") for name in contents) - taken


def _index_of(name: str) -> str:
    """The index that a file of compiled code belongs to: module.function-kernel.py311.1.nbc."""
    return name if not name.endswith(".nbc") else f"{name.rsplit('.', 2)[0]}.nbi"


def _check_archive(archive: zipfile.ZipFile, here: Platform, file: Path) -> dict[str, bytes]:
    """The contents of an archive's files, each checked against its recorded sum."""
    entries = archive.infolist()
    if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > _MOST_BYTES:
        raise ArgumentError(f"{file}: must hold at most {_MOST_BYTES} bytes in {_MOST_FILES} files")
    about = _about(archive, file)
    for field, wanted in here._asdict().items():
        if (got := about["platform"].get(field)) != wanted:
            raise ArgumentError(
                f"{file}: must be of the same {field} as this machine's, {wanted}, got {got!r:.60}"
            )
    contents = {}
    for name, known in about["sums"].items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or len(path.parts) > 2 or path.suffix not in _KINDS:
            raise ArgumentError(f"{file}: must hold compiled kernels only, got {name!r:.80}")
        try:
            content = archive.read(name)
        except KeyError:
            raise ArgumentError(f"{file}: must hold {name!r:.80}, got none") from None
        if hashlib.sha256(content).hexdigest() != known:
            raise ArgumentError(f"{file}: must be as it was written, got another {name!r:.80}")
        contents[name] = content
    return contents


def _about(archive: zipfile.ZipFile, file: Path) -> dict[str, Any]:
    try:
        about = json.loads(archive.read(_ABOUT))
        if not isinstance(about["platform"], dict) or not isinstance(about["sums"], dict):
            raise TypeError
        if not all(isinstance(item, str) for pair in about["sums"].items() for item in pair):
            raise TypeError
    except (KeyError, ValueError, TypeError, RecursionError):
        raise ArgumentError(f"{file}: must be a file that kernels export has written") from None
    return about


def carried_folder(digest: str) -> Path | None:
    """The folder of this code's kernels that an image carries for this kind of processor, or None.

    `ArgumentError` if somebody else could have changed them.
    """
    named = os.environ.get(CARRIED)
    if not named or os.environ.get("NUMBA_CPU_NAME") or not has_baseline():
        return None
    folder = Path(named) / digest
    if not folder.is_dir():
        return None
    about = folder.stat()
    if hasattr(os, "getuid") and (
        about.st_uid not in (0, os.getuid()) or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise ArgumentError(
            f"{folder}: must be writable by its owner alone, root or this user; it is not used"
        )
    return folder


def has_baseline() -> bool:
    """Whether this processor runs code compiled for `BASELINE`."""
    has = llvmlite.binding.get_host_cpu_features()
    return platform.machine().lower() in ("x86_64", "amd64") and all(has.get(name) for name in _OF_BASELINE)


def baseline_environment() -> dict[str, str]:
    """The environment of a process that compiles for `BASELINE`, or for this processor if it is older."""
    return {"NUMBA_CPU_NAME": BASELINE, "NUMBA_CPU_FEATURES": ""} if has_baseline() else {}


def take_carried(carried: Path, folder: Path) -> None:
    """Compile for `BASELINE` in this process, into a copy of the carried kernels."""
    numba.config.CPU_NAME, numba.config.CPU_FEATURES = BASELINE, ""
    if not folder.is_dir():
        part = folder.with_name(f"{folder.name}.tmp.{os.getpid()}")
        shutil.copytree(carried, part)
        os.chmod(part, 0o700)
        try:
            os.rename(part, folder)
        except OSError:  # another process was first
            shutil.rmtree(part, ignore_errors=True)


def has_all_notes(carried: Path, own: Path) -> bool:
    """Whether every carried group of kernels is by now compiled for this processor."""
    return all((own / note.name).is_file() for note in carried.glob("*.ready"))
