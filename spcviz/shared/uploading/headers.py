"""Detect what an uploaded file is by its first bytes: a picture, a video, or something that is refused.

FFmpeg would try all its readers, and some open other files or sockets that fifty bytes of text can name. So a
few signatures choose the reader, and everything else is refused before any decoder has seen it.
"""

import re
from typing import NamedTuple

N_BYTES = 2048
"""Length of the beginning that is examined."""

UNKNOWN = (
    "The file is no picture or video that can be read here. Choose a JPEG, PNG, WebP, BMP or GIF picture, "
    "or an MP4, MOV, WebM, MKV, AVI or MPEG video."
)


class Header(NamedTuple):
    """The library and the reader for a file."""

    library: str  # Pillow ("picture") or FFmpeg ("video")
    reader: str  # the library's name of the format
    label: str  # name of the file's kind in a sentence


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
