"""Download an original from its source: the licence first, known checksums, progress.

An interrupted download leaves ``NAME.part``; the next attempt requests the rest (HTTP Range), unless the
server says that the file has changed since (If-Range). Pooch checks the sum before a file gets its name.
"""

import os
import shlex
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pooch
import requests
from tqdm import tqdm

from spcviz.shared.bring.original import DataSetLike, DownloadError, Source, SumError, UntrustedError
from spcviz.shared.bring.place import room
from spcviz.shared.bring.unpack import unpack

ATTEMPTS = 3
TIMEOUT = (20, 60)
"""Seconds to connect to a server, and to wait for its next bytes."""
CHUNK = 1 << 16
"""Bytes per chunk; an interruption loses only the last, unfinished chunk."""


class _BrokenOffError(Exception):
    """The download stopped before the end."""


def get(
    entry: DataSetLike, sources: Sequence[Source], folder: Path, is_trusted: bool = False
) -> Iterator[str]:
    """Download and unpack the files of an original; yields lines for the user, the licence first.

    A file with the right sum is not downloaded again. Raises `DownloadError` (the received bytes are kept for
    the next attempt), `SumError` (the file is deleted), `UntrustedError` (an unknown sum without
    `is_trusted`; files are kept) or `NoRoomError`.
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
