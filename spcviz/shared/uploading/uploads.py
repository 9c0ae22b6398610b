"""Decode visitors' pictures and clips in a separate process, once their first bytes tell what they are.

A small file can unpack to gigabytes, name other files and crash a decoder. FFmpeg would try all its readers,
and some open other files or sockets that fifty bytes of text can name. So a few signatures choose the reader,
and everything else is refused before any decoder has seen it. `decoder` then reads the file from nothing but
its bytes. Every failure becomes an `UploadError`.
"""

import math
import os
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import SpcvizError
from spcviz.shared.confined.asking import Answer, Line, ask
from spcviz.shared.confined.limits import Task
from spcviz.shared.uploading.decoder import MAX_BYTES, MAX_KEPT, MAX_SIDE

N_AT_ONCE = max(1, (os.cpu_count() or 2) // 2)
"""Files that this process opens at a time, for all visitors: each may take a core and `Task.memory`."""

PATIENCE = 18.0
"""Seconds within which a visitor gets a reply, whether or not the file was opened."""

DECODE = Task(
    work="spcviz.shared.uploading.decoder:decode",
    ready="spcviz.shared.uploading.decoder:load",
    most_out=MAX_KEPT * MAX_SIDE * MAX_SIDE * 3 + 1000,
)
LINE = Line(N_AT_ONCE)
_BUSY = "The server is busy with other visitors' files; try again in a minute."


class UploadError(SpcvizError, ValueError):
    """The file cannot be used; the message is for the visitor."""


class UploadBusyError(UploadError):
    """The file could not be read now: nothing about the file itself, so not to be cached."""


class Header(NamedTuple):
    """The library and the reader for a file."""

    library: str  # Pillow ("picture") or FFmpeg ("video")
    reader: str  # the library's name of the format
    label: str  # name of the file's kind in a sentence


def read_upload(data: bytes, *, glance: Callable[[], None] = lambda: None) -> np.ndarray:
    """Frames of a picture or clip, (N, H, W, 3) uint8, the longest side at most 320.

    `data` is at most 20 MB in a format that `header_of` knows. `glance` is called ten times a second; an
    exception from it ends the decoder, so that nothing is decoded for a visitor who has left. The result has
    at most 60 frames, evenly spaced over the first 300 or those that `decoder` unpacks. Raises `UploadError`,
    or `UploadBusyError` if no decoder became free within `PATIENCE` or none could be started.
    """
    if not isinstance(data, bytes | bytearray) or not data:
        raise UploadError("The file is empty.")
    if len(data) > MAX_BYTES:
        raise UploadError(f"The file has {len(data) / 1e6:.1f} MB; at most {MAX_BYTES >> 20} are read.")
    header = header_of(data)
    if isinstance(header, str):
        raise UploadError(header)
    about = {"library": header.library, "reader": header.reader}
    return _frames(in_turn(DECODE, about, bytes(data), glance), header)


def in_turn(task: Task, about: dict[Any, Any], data: bytes, glance: Callable[[], None]) -> Answer:
    """Run a task on a visitor's file in a separate process, when it is this file's turn.

    The visitor gets a reply within `PATIENCE`: `UploadBusyError` if the turn did not come, no process could
    be started, or the time left after waiting was too short.
    """
    end = time.monotonic() + PATIENCE
    with LINE.join() as place:
        if not place.wait(glance, end):
            raise UploadBusyError(_BUSY)
        left = max(end - time.monotonic(), 0.0)
        try:
            answer = ask(task, about, data, glance=glance, seconds=left)
        except OSError:  # no process, descriptor or memory left: not the file's fault
            raise UploadBusyError("No file can be read just now; try again in a minute.") from None
    if answer.fault == "long" and time.monotonic() > end:  # CPU time has a separate limit
        raise UploadBusyError(f"The file was not read within {PATIENCE:.0f} s; try again in a minute.")
    return answer


def _frames(answer: Answer, header: Header) -> np.ndarray:
    """The frames in a decoder's answer; raises `UploadError` with its message or the way it ended."""
    if answer.fault == "long":
        raise UploadError(
            f"Reading the file took longer than {DECODE.cpu_seconds} s; try a shorter clip or a smaller "
            "picture."
        )
    if answer.fault == "memory":
        raise UploadError("The file needs more memory than uploads may use; try a smaller one.")
    if answer.fault == "damaged":
        how = "is damaged: no picture or video can be read from it"
        raise UploadError(f"The file begins like {header.label} but {how}.")
    if answer.fault:
        raise UploadError("The file could not be decoded: the decoder gave up on it.")
    if problem := answer.problem or answer.head.get("problem"):
        raise UploadError(str(problem)[:1000])
    shape: Any = answer.head.get("shape")
    is_small = isinstance(shape, list) and len(shape) == 4 and all(type(n) is int for n in shape)
    is_small = is_small and 0 < shape[0] <= MAX_KEPT and min(shape[1:3]) > 0 and max(shape[1:3]) <= MAX_SIDE
    if not is_small or shape[3] != 3 or len(answer.body) != math.prod(shape):  # the decoder may be hostile
        raise UploadError("The file could not be decoded: the decoder stopped half-way.")
    return np.frombuffer(answer.body, dtype=np.uint8).reshape(shape)


N_BYTES = 2048
"""Length of a file's beginning that `header_of` examines."""

UNKNOWN = (
    "The file is no picture or video that can be read here. Choose a JPEG, PNG, WebP, BMP or GIF picture, "
    "or an MP4, MOV, WebM, MKV, AVI or MPEG video."
)


_SIGNATURES = (
    (rb"\xff\xd8\xff", Header("picture", "JPEG", "a JPEG picture")),
    (rb"\x89PNG\r\n\x1a\n", Header("picture", "PNG", "a PNG picture")),
    (rb"RIFF....WEBP", Header("picture", "WEBP", "a WebP picture")),
    (rb"GIF8[79]a", Header("picture", "GIF", "a GIF picture")),
    (rb"BM.{4}.{4}.{3}\0(?:\x0c|[\x28-\x7f])\0\0\0", Header("picture", "BMP", "a BMP picture")),
    (rb"\x1aE\xdf\xa3", Header("video", "matroska", "a WebM or MKV video")),
    (rb"RIFF....AVI[ \x19X]|RIFF....AMV ", Header("video", "avi", "an AVI video")),
    (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Header("video", "asf", "a WMV video")),
    (rb"FLV\x01", Header("video", "flv", "a Flash video")),
    (rb"OggS\0", Header("video", "ogg", "an Ogg video")),
    (rb"DKIF\0\0", Header("video", "ivf", "an IVF video")),
    (rb"\0\0\x01\xba", Header("video", "mpeg", "an MPEG video")),
    (rb"\0\0\x01\xb3", Header("video", "mpegvideo", "an MPEG video")),
    # A packet begins with G: 188 bytes, or 192 with a time stamp before it, or 204 with a checksum after it.
    (rb"(?:.{4})?G.{187}(?:.{4}|.{16})?G.{187}(?:.{4}|.{16})?G", Header("video", "mpegts", "an MPEG video")),
    (rb".{4}(?:ftyp|moov|mdat|free|skip|wide|pnot|styp)", Header("video", "mov", "an MP4 or MOV video")),
)

_PICTURE = "{}, which cannot be read here; save it as JPEG or PNG"
_NAMES_OTHERS = "{}, no picture or video: choose the clip that it names"
_NEITHER = "{}, no picture or video"

_REFUSED = (
    (rb".{4}ftyp(?:mif1.{4})?avi[fs]", _PICTURE.format("an AVIF picture")),
    (rb".{4}ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", _PICTURE.format("a HEIC picture")),
    (rb"II[*+]\0|MM\0[*+]", _PICTURE.format("a TIFF or raw picture")),
    (rb"\xff\x0a|\0\0\0\x0cJXL ", _PICTURE.format("a JPEG XL picture")),
    (rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51", _PICTURE.format("a JPEG 2000 picture")),
    (rb"8BPS", _PICTURE.format("a Photoshop picture")),
    (rb"\0\0[\x01\x02]\0.\0", _PICTURE.format("an icon")),
    (rb"\xc5\xd0\xd3\xc6|%!PS", _NEITHER.format("a PostScript document (EPS)")),
    (rb"%PDF", _NEITHER.format("a PDF document")),
    (rb"PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!|\xfd7zXZ|BZh", _NEITHER.format("an archive")),
    (rb"ID3|fLaC|RIFF....WAVE|FORM....AIF|#!AMR", _NEITHER.format("a recording of sound")),
)

_TEXTS = (
    (r"ffconcat", _NAMES_OTHERS.format("a list of clips (ffconcat)")),
    (r"#EXTM3U", _NAMES_OTHERS.format("a playlist (HLS)")),
    (r"v=0\s", _NEITHER.format("the description of a stream (SDP)")),
    (r"\[(?:playlist|reference)\]|<asx|<smil|.*<playlist", _NAMES_OTHERS.format("a playlist")),
    (r".*<MPD\b", _NAMES_OTHERS.format("a playlist (DASH)")),
    (r".*<(?:\w+:)?(?:CompositionPlaylist|AssetMap|PackingList)\b", _NAMES_OTHERS.format("a playlist (IMF)")),
    (r".*<SmoothStreamingMedia\b", _NAMES_OTHERS.format("a playlist")),
    (r"(?:concat|subfile|file|async|cache|crypto|tcp|udp|rtp)[:,]\S|[a-z]{3,6}://",
     _NAMES_OTHERS.format("an address")),
    (r".*<(?:\w+:)?svg\b", _PICTURE.format("a drawing (SVG)")),
    (r"<!doctype html|<html", _NEITHER.format("a web page")),
    (r"WEBVTT|\[script info\]|\d+\s+\d\d:\d\d:\d\d|\{\d+\}\{\d+\}", _NEITHER.format("a file of subtitles")),
    (r"<\?xml|<\w", _NEITHER.format("an XML document")),
    (r"", _NEITHER.format("a text")),
)  # fmt: skip


def header_of(data: bytes) -> Header | str:
    """The reader for a file, or a sentence that tells the visitor why there is none.

    >>> header_of(b"GIF89a" + bytes(20)).reader
    'GIF'
    >>> header_of(b"#EXTM3U\\n/etc/passwd")
    'The file is a playlist (HLS), no picture or video: choose the clip that it names.'
    """
    start = bytes(data[:N_BYTES])
    for pattern, kind in _REFUSED:
        if re.match(pattern, start, re.DOTALL):
            return f"The file is {kind}."
    for pattern, header in _SIGNATURES:
        if re.match(pattern, start, re.DOTALL):
            return header
    written = _text_of(start)
    if written is None:
        return UNKNOWN
    rules = re.IGNORECASE | re.DOTALL
    return next(f"The file is {kind}." for pattern, kind in _TEXTS if re.match(pattern, written, rules))


def _text_of(start: bytes) -> str | None:
    """A text's beginning without byte order mark and white space; None if it is not a text."""
    is_wide = start[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = start.decode("utf-16" if is_wide else "latin-1", errors="replace").removeprefix("\xef\xbb\xbf")
    n_odd = sum(not (c.isprintable() or c.isspace()) for c in text)
    return None if not text or "\0" in text or n_odd > len(text) // 50 else text.lstrip()
