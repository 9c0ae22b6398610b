"""Compress HTTP answers once and serve the smallest form that a browser accepts: brotli or gzip.

Brotli at its highest level takes half a minute for the largest file, so one thread of low priority makes it
after the first visitor has been given gzip, and the work folder keeps it for the next start of a server. A
stored file that does not unpack to exactly the same content is made again.
"""

import contextlib
import gzip
import hashlib
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.to_thread
import brotli
from starlette.responses import Response

from spcviz.shared.folders import WORK
from spcviz.store.atomic import write_bytes_atomic

LOG = logging.getLogger(__name__)
FOLDER = WORK / "compressed"
BROTLI, GZIP, BROTLI_NOW = 11, 6, 5
"""Levels: for files compressed once, for those sent meanwhile, for a page's HTML, whose visitor waits."""

LEAST = 500
"""Bytes below which compression does not pay."""


FOR_EVER = "public, max-age=31536000, immutable"
"""For an address that names its content."""

_LIMIT = anyio.CapacityLimiter(1)


class EncodedContent(NamedTuple):
    """A content as it is sent: its bytes, their ``Content-Encoding`` ("" for none) and its ``ETag``."""

    content: bytes
    encoding: str
    tag: str


def accepted_encodings(header: str) -> tuple[str, ...]:
    """Which of brotli and gzip a browser accepts, the smaller first, by its ``Accept-Encoding``.

    >>> accepted_encodings("gzip, deflate, br, zstd"), accepted_encodings("gzip;q=1.0, br;q=0")
    (('br', 'gzip'), ('gzip',))
    >>> accepted_encodings("*"), accepted_encodings("")
    ((), ())
    """
    weights = {}
    for one in header.lower().split(","):
        name, *options = (part.strip() for part in one.split(";"))
        weights[name] = next((option[2:].strip() for option in options if option.startswith("q=")), "1")
    return tuple(name for name in ("br", "gzip") if not _is_zero(weights.get(name, "0")))


def _is_zero(weight):
    try:
        return float(weight) == 0
    except ValueError:
        return True


class Shelf:
    """Forms of contents by name, made once; `folder` keeps the brotli forms between processes.

    A name denotes one content for ever, like the name of a file with a hash in it.
    """

    def __init__(self, folder: Path = FOLDER):
        self._folder, self._forms = folder, {}
        self._making, self._waiting, self._asked = threading.Lock(), queue.SimpleQueue(), set()
        self._thread = None

    def ready(self, name: str, encodings: tuple[str, ...]) -> EncodedContent | None:
        """The smallest form if it exists already; takes no time."""
        return self._forms.get(name, {}).get(encodings[0]) if encodings else None

    def form(self, name: str, read: Callable[[], bytes], encodings: tuple[str, ...]) -> EncodedContent:
        """The smallest form that exists or can be made at once, for a thread that may wait."""
        with self._making:
            forms = self._forms.setdefault(name, {})
            form = next((forms[one] for one in encodings if one in forms), None)
            return form or self._first(forms, read(), encodings)

    def _first(self, forms, content, encodings):
        """The form of a content that was not requested in these encodings before."""
        digest = hashlib.blake2b(content, digest_size=12).hexdigest()
        plain = EncodedContent(content, "", f'"{digest}"')
        if len(content) < LEAST:
            return plain
        if "br" not in forms:
            self._begin(forms, digest, content)
        if "gzip" in encodings and not ("br" in encodings and "br" in forms):
            forms["gzip"] = _gzip(content, digest)
        return next((forms[one] for one in encodings if one in forms), plain)

    def _begin(self, forms, digest, content):
        """Take the brotli form from the folder, or have it made."""
        if kept := self._read_packed(digest, content):
            forms["br"] = _brotli(kept, digest)
        elif digest not in self._asked:
            self._asked.add(digest)
            self._waiting.put((forms, digest, content))
            if self._thread is None:
                self._thread = threading.Thread(target=self._make, name="spcviz compressing", daemon=True)
                self._thread.start()

    def _read_packed(self, digest, content):
        """The brotli form stored in the folder; None if it is missing or damaged."""
        try:
            kept = (self._folder / f"{digest}-{BROTLI}.br").read_bytes()
            return kept if brotli.decompress(kept) == content else None
        except (OSError, brotli.error):
            return None

    def _make(self):
        with contextlib.suppress(OSError):
            if sys.platform == "linux":
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while True:
            forms, digest, content = self._waiting.get()
            made = brotli.compress(content, quality=BROTLI)
            forms["br"] = _brotli(made, digest)
            try:
                write_bytes_atomic(self._folder / f"{digest}-{BROTLI}.br", made)
            except OSError as error:
                LOG.debug("compressed files are not kept in %s: %s", self._folder, error)


def form_of(content: bytes, encodings: tuple[str, ...]) -> EncodedContent:
    """The smallest form of a short content, made at once.

    >>> form_of(b"e" * 1000, ("br", "gzip")).encoding, form_of(b"e" * 1000, ()).encoding
    ('br', '')
    """
    digest = hashlib.blake2b(content, digest_size=12).hexdigest()
    if "br" in encodings:
        return _brotli(brotli.compress(content, quality=BROTLI_NOW), digest)
    if "gzip" in encodings:
        return _gzip(content, digest)
    return EncodedContent(content, "", f'"{digest}"')


def _gzip(content, digest):
    return EncodedContent(gzip.compress(content, GZIP, mtime=0), "gzip", f'"{digest}-gzip"')


def _brotli(content, digest):
    return EncodedContent(content, "br", f'"{digest}-br"')


SHELF = Shelf()
"""The shelf of this process."""


async def answer(
    name: str, read: Callable[[], bytes], headers: Mapping[str, str], media_type: str, shelf: Shelf = SHELF
) -> Response:
    """The content that a name denotes for ever; `read` returns it, `headers` are the browser's."""
    encodings = accepted_encodings(headers.get("accept-encoding", ""))
    form = shelf.ready(name, encodings)
    if form is None:
        form = await anyio.to_thread.run_sync(shelf.form, name, read, encodings, limiter=_LIMIT)
    return response(form, headers, media_type, FOR_EVER)


def response(form: EncodedContent, headers: Mapping[str, str], media_type: str, cache: str) -> Response:
    """A form as an answer; 304 without a body if the browser has it already."""
    fields = {"Cache-Control": cache, "Vary": "Accept-Encoding", "ETag": form.tag}
    has = {tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")}
    if form.tag in has:
        return Response(status_code=304, headers=fields)
    if form.encoding:
        fields["Content-Encoding"] = form.encoding
    return Response(form.content, media_type=media_type, headers=fields)
