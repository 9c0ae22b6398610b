"""Get an original: show its licence, download and check its files, and unpack them safely.

An interrupted download leaves ``NAME.part``; the next attempt requests the rest (HTTP Range), unless the
server says that the file has changed since (If-Range). Pooch checks the sum before a file gets its name.
"""

import os
import shlex
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import urlsplit

import pooch
import requests
from tqdm import tqdm

from spcviz.shared.bring.original import DataSetLike, DownloadError, Source, SumError, UntrustedError, room

ATTEMPTS = 3
TIMEOUT = (20, 60)
"""Seconds to connect to a server, and to wait for its next bytes."""
CHUNK = 1 << 16
"""Bytes per chunk; an interruption loses only the last, unfinished chunk."""

MOST_FILES = 100_000
"""Files in one archive; the prepared sets together have some 5,000."""
MOST_BYTES = 4 << 30
"""Bytes of one archive, unpacked; the prepared sets together have some 100 MB."""
UNPACKED_CHUNK = 1 << 20


class _BrokenOffError(Exception):
    """The download stopped before the end."""


def get(
    entry: DataSetLike, sources: Sequence[Source], folder: Path, is_trusted: bool = False
) -> Iterator[str]:
    """Download and unpack the files of an original; yields lines for the user, the licence first.

    A file with the right sum is not downloaded again. Raises `DownloadError` (the received bytes are kept for
    the next attempt), `SumError` (the file is deleted), `UntrustedError` (an unknown sum without
    `is_trusted`; files are kept) or `DiskFullError`.
    """
    yield f"{entry.name}: {entry.what}"
    yield f"  from {entry.origin}"
    yield f"  licence: {entry.licence}"
    unknown = []
    with room(folder):
        for source in sources:
            yield f"  {source.file} from {source.url}"
            path = fetch_file(source, folder)
            if source.sha256:
                yield f"  {source.file}: SHA-256 as it should be"
            else:
                yield f"  {source.file}: SHA-256 {pooch.file_hash(str(path))}; none is known here"
                unknown.append(source.file)
        if unknown and not is_trusted:
            raise UntrustedError(
                f"no sum of {', '.join(unknown)} is known here: nobody can say whether these are the right "
                f"bytes; they are kept in {folder}; if you trust what came, run the same command with --trust"
            )
        for source in sources:
            if source.is_packed:
                unpack(folder / source.file)
    yield f"next: python -m spcviz data prepare {entry.name} {shlex.quote(str(folder))}"


def fetch_file(source: Source, folder: Path) -> Path:
    """Path of one file, downloaded unless it exists with the right sum; `DownloadError` or `SumError`."""
    path = folder / source.file
    path.parent.mkdir(parents=True, exist_ok=True)
    pooch.get_logger().setLevel("ERROR")  # it would repeat what `get` says
    known = f"sha256:{source.sha256}" if source.sha256 else None
    try:
        pooch.retrieve(source.url, known, fname=path.name, path=path.parent, downloader=Resuming(path, known))
    except ValueError as error:
        raise SumError(f"{source.url} does not hold the file that it should: {error}") from error
    if source.is_packed and not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            start = file.read(20)
        path.unlink()
        raise DownloadError(f"{source.url} must hold a zip file, got one that begins with {start!r}")
    return path


class Resuming:
    """A downloader for pooch that resumes ``.part`` next to `path`; ``.part.tag`` holds its version."""

    def __init__(self, path: Path, known: str | None):
        self.path, self.is_checked = path, known is not None
        self.part = path.with_name(f"{path.name}.part")
        self.tag = path.with_name(f"{path.name}.part.tag")

    def __call__(self, url: str, output_file: str, _pooch: object, check_only: bool = False) -> None:
        """Download to `output_file`; called by pooch."""
        for attempt in range(ATTEMPTS):
            try:
                self._go_on(url)
                break
            except _BrokenOffError as error:
                if attempt == ATTEMPTS - 1:
                    raise DownloadError(
                        f"{url} broke off {ATTEMPTS} times ({error}); what came is kept, "
                        "the same command goes on from there"
                    ) from error
        os.replace(self.part, output_file)
        self.tag.unlink(missing_ok=True)

    def _go_on(self, url: str) -> None:
        tag = self.tag.read_text(encoding="utf-8") if self.tag.is_file() else ""
        have = self.part.stat().st_size if self.part.is_file() and (tag or self.is_checked) else 0
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers |= {"Range": f"bytes={have}-"} | ({"If-Range": tag} if tag else {})
        with self._answer(url, headers) as answer:
            if answer.status_code == requests.codes.requested_range_not_satisfiable:
                if answer.headers.get("Content-Range", "").endswith(f"/{have}"):
                    return  # the part is already complete
                self.part.unlink()
                raise _BrokenOffError("its part was longer than the file")
            if not answer.ok:
                raise DownloadError(
                    f"{url} answered {answer.status_code} {answer.reason}: the file may have moved; "
                    f"if you find it elsewhere, put it at {self.path}"
                )
            begin = have if answer.status_code == requests.codes.partial_content else 0
            self._keep_tag(answer.headers)
            self._receive(answer, begin)

    def _answer(self, url: str, headers: dict[str, str]) -> requests.Response:
        try:
            return requests.get(url, headers=headers, stream=True, timeout=TIMEOUT)
        except requests.RequestException as error:
            raise DownloadError(
                f"{urlsplit(url).netloc} cannot be reached; check the network, or put the file of {url} "
                f"at {self.path} by other means"
            ) from error

    def _keep_tag(self, headers: Mapping[str, str]) -> None:
        """Store the version that the part belongs to; a weak ETag does not guarantee the same bytes."""
        tag = headers.get("ETag", "")
        tag = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
        self.tag.write_text(tag, encoding="utf-8")

    def _receive(self, answer: requests.Response, begin: int) -> None:
        length = answer.headers.get("Content-Length")
        total = begin + int(length) if length else None
        bar = tqdm(desc=self.path.name, total=total, initial=begin, unit="B", unit_scale=True)
        with bar, open(self.part, "ab" if begin else "wb") as file:
            try:
                for chunk in answer.iter_content(CHUNK):
                    file.write(chunk)
                    bar.update(len(chunk))
            except requests.RequestException as error:
                raise _BrokenOffError(f"after {bar.n} of {total or 'unknown'} bytes") from error
        if total is not None and bar.n != total:  # urllib3 before 2 does not notice
            raise _BrokenOffError(f"after {bar.n} of {total} bytes")


def unpack(path: Path) -> None:
    """Unpack a zip file into its own folder.

    Raises `SumError`, and writes nothing, if it has more files or bytes than any original, or an entry is not
    a plain file or folder below its own; damage may be found only while unpacking. Raises `DiskFullError` if
    the disk is full.
    """
    try:
        with zipfile.ZipFile(path) as archive, room(path.parent):
            entries = archive.infolist()
            _check(path, entries)
            left = MOST_BYTES
            for entry in tqdm(entries, desc=path.name, unit="file", leave=False):
                left -= _extract(path, archive, entry, left)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise SumError(f"{path} is damaged: {error}; delete it and get it again") from error


def _check(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive by what it declares."""
    if len(entries) > MOST_FILES:
        raise SumError(f"{path} must hold at most {MOST_FILES:,} files, got {len(entries):,}")
    if (n_bytes := sum(entry.file_size for entry in entries)) > MOST_BYTES:
        raise SumError(f"{path} must unpack to at most {MOST_BYTES:,} bytes, got {n_bytes:,}")
    for entry in entries:
        if not is_below(entry.orig_filename) or not _is_plain(entry):
            name = f"{entry.orig_filename!r:.80}"
            raise SumError(f"{path} must hold plain files below its own folder, got {name}; unpacked nothing")


def is_below(name: str) -> bool:
    """Whether a name in an archive is a path below the folder it is unpacked in, on any system.

    >>> [is_below(name) for name in ("a/b.txt", "../a", "/a", "C:\\\\a", "a/..\\\\b", "a\\0b", "")]
    [True, False, False, False, False, False, False]
    """
    parts = name.replace("\\", "/").split("/")
    is_absolute = PurePosixPath(name).is_absolute() or bool(PureWindowsPath(name).anchor)
    return bool(name.strip()) and not is_absolute and ".." not in parts and "\0" not in name


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a file or a folder, not a link or device; many archives do not record it."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)


def _extract(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> int:
    """Write one entry; returns the number of bytes, at most `left`."""
    place = path.parent.joinpath(*PurePosixPath(entry.filename).parts)
    if entry.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        return 0
    place.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with archive.open(entry) as packed, open(place, "wb") as file:
        while chunk := packed.read(UNPACKED_CHUNK):
            written += len(chunk)
            if written > min(left, entry.file_size):
                raise SumError(f"{path} is damaged: {entry.filename!r:.80} is longer than it says")
            file.write(chunk)
    return written
