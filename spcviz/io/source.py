"""Open a reader's input, whichever form it has: a path, an open file, bytes, a text, or lines."""

import codecs
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.engine.errors import ArgumentError

UNNAMED = "text"


class SourceText(NamedTuple):
    """A text without byte order mark, and its name in errors: the file's name, or ``text``.

    The encoding is ``utf-8``, ``utf-16``, ``utf-32``, ``windows-1252`` if the bytes are none of these, or the
    requested one; empty if the input was text. `notes` are sentences on what the user should check.
    """

    name: str
    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def bytes_of(source: Any, most: int) -> tuple[str, bytes]:
    """(name, bytes) of a path, an open binary file, or bytes; `ArgumentError` beyond `most` bytes."""
    name, data = _read(source, most)
    if isinstance(data, str):
        raise ArgumentError(f"{name}: must be bytes, got a text: open the file in binary mode")
    return name, data


def text_of(source: Any, most: int, encoding: str = "auto") -> SourceText:
    """The text of a path, an open file, bytes, a text of several lines, or an iterable of lines.

    A string without a line break is a path. `ArgumentError` if it cannot be read, is larger than `most`
    bytes, or is not text.
    """
    name, data = given_of(source, most)
    return (
        SourceText(name, data.removeprefix("\ufeff"), "")
        if isinstance(data, str)
        else decode_text(name, data, encoding)
    )


def given_of(source: Any, most: int) -> tuple[str, bytes | str]:
    """(name, content) of a source as in `text_of`: bytes that are not yet decoded, or a text."""
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        return UNNAMED, source
    is_lines = isinstance(source, Iterable) and not isinstance(source, str | bytes | bytearray | memoryview)
    if is_lines and not isinstance(source, Path) and not hasattr(source, "read"):
        lines = list(source)
        if not all(isinstance(line, str) for line in lines):
            odd = next(line for line in lines if not isinstance(line, str))
            raise ArgumentError(f"source must be lines of text, got {odd!r:.60}")
        return UNNAMED, "\n".join(line.rstrip("\r\n") for line in lines)
    return _read(source, most)


def decode_text(name: str, data: bytes, encoding: str = "auto") -> SourceText:
    """Decode bytes with the requested encoding, or with one detected from the bytes.

    A byte order mark is decisive. Zeros at every other byte mean UTF-16 without a mark. Valid UTF-8 is read
    as UTF-8; if it has at least as many valid multi-byte characters as invalid bytes, the latter are strays,
    read as Windows-1252 and named by line; otherwise all of it is Windows-1252, decoded as browsers do.
    """
    if encoding != "auto":
        return _decode_as(name, data, encoding)
    for mark, kind in _MARKS:
        if data.startswith(mark):
            return _strict(name, data, kind)
    if b"\0" in data:
        if kind := _wide(data):
            return _strict(name, data, kind)
        raise ArgumentError(f"{name}: must be text, got bytes with zeros among them")
    try:
        return SourceText(name, data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _read_strays(name, data)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ENCODINGS = (
    "utf-8", "utf-16", "utf-32", "windows-1250", "windows-1251", "windows-1252", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256",
    "windows-1257", "windows-1258", "iso-8859-2", "iso-8859-5", "iso-8859-7",
    "iso-8859-9", "iso-8859-15", "koi8-r", "koi8-u", "gb18030", "big5", "shift-jis", "euc-jp", "euc-kr",
    "mac-roman",
)  # fmt: skip
"""Encodings that may be requested."""
_OTHER_NAMES = {"latin-1": "windows-1252", "latin1": "windows-1252", "iso-8859-1": "windows-1252",
                "cp1252": "windows-1252", "ascii": "utf-8", "utf8": "utf-8", "gbk": "gb18030"}  # fmt: skip
_STRAY = re.compile("[\udc80-\udcff]")
_SEVERAL = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")
_MOST_LINES = 3
"""Most lines with stray bytes that a note names."""


def _strict(name: str, data: bytes, kind: str) -> SourceText:
    said = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(kind, kind)
    try:
        return SourceText(name, data.decode(kind).removeprefix("\ufeff"), said)
    except UnicodeDecodeError as error:
        if kind == "utf-8-sig":
            return _read_strays(name, data.removeprefix(codecs.BOM_UTF8), is_marked=True)
        raise ArgumentError(f"{name}: must be text, got no {said.upper()}: {error.reason}") from None


def _wide(data: bytes) -> str:
    """UTF-16 without a mark, in whose Latin letters just one of the two bytes is zero; empty for others."""
    head = data[:4000]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 or 5 * max(even, odd) < 2 * len(head) // 2 or min(even, odd):
        return ""
    return "utf-16-be" if even else "utf-16-le"


def _read_strays(name: str, data: bytes, *, is_marked: bool = False) -> SourceText:
    """Decode bytes that are not valid UTF-8: stray bytes among UTF-8, or Windows-1252."""
    text = data.decode("utf-8", "surrogateescape")
    strays = _STRAY.findall(text)
    if not is_marked and len(strays) > len(_SEVERAL.findall(text)):
        note = "The bytes are no UTF-8 and were read as Windows-1252: look whether the words are right."
        return SourceText(name, windows_1252(data), "windows-1252", (note,))
    lines = dict.fromkeys(text.count("\n", 0, at.start()) + 1 for at in _first(_STRAY.finditer(text)))
    where = ", ".join(map(str, lines)) + (", ..." if len(strays) > _MOST_LINES else "")
    byte = f"0x{ord(strays[0]) - 0xDC00:02x}"
    mended = _STRAY.sub(lambda sign: windows_1252(bytes([ord(sign[0]) - 0xDC00])), text)
    n = "A byte is" if len(strays) == 1 else f"{len(strays):,} bytes are"
    note = f"{n} no UTF-8 (the first {byte}; line {where}) and read as Windows-1252: look there."
    return SourceText(name, mended, "utf-8", (note,))


def _first(found: Iterable[Any]) -> list[Any]:
    return [one for one, _ in zip(found, range(_MOST_LINES))]


def windows_1252(data: bytes) -> str:
    """Decode Windows-1252 as browsers do: the five bytes that it leaves undefined are control characters.

    >>> windows_1252(bytes([0x93, 0x41, 0xE9, 0x94, 0x81]))
    '“Aé”\\x81'
    """
    return data.decode("windows-1252", "spcviz-open-bytes")


def _open_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return chr(error.object[error.start]), error.start + 1


codecs.register_error("spcviz-open-bytes", _open_byte)


def _decode_as(name: str, data: bytes, encoding: str) -> SourceText:
    """Decode bytes with the encoding that the caller gives."""
    known = encoding.lower().replace("_", "-") if isinstance(encoding, str) else ""
    known = _OTHER_NAMES.get(known, known)
    if known not in ENCODINGS:
        raise ArgumentError(f"encoding must be auto or one of {', '.join(ENCODINGS)}, got {encoding!r:.60}")
    kind = codecs.lookup(known)
    if kind.name == "cp1252":
        return SourceText(name, windows_1252(data), "windows-1252")
    try:
        return SourceText(name, data.decode(kind.name).removeprefix("\ufeff"), known)
    except (UnicodeError, ValueError) as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise ArgumentError(f"{name}, line {line}: must be text in {encoding}, got other bytes") from None


def _read(source: Any, most: int) -> tuple[str, bytes | str]:
    if isinstance(source, bytes | bytearray | memoryview):
        return _check_size(UNNAMED, bytes(source), most)
    if hasattr(source, "read"):
        name = getattr(source, "name", UNNAMED)
        data = source.read(most + 1)
        if not isinstance(data, bytes | str):
            raise ArgumentError(f"source must be a file of bytes or text, got one of {type(data).__name__}")
        return _check_size(os.path.basename(name) if isinstance(name, str) else UNNAMED, data, most)
    if not isinstance(source, str | Path):
        raise ArgumentError(f"source must be a path, an open file, bytes or lines, got {source!r:.60}")
    path = Path(source)
    try:
        if path.exists() and not path.is_file():  # opening a named pipe would block forever
            raise ArgumentError(f"{path}: must be a file")
        with path.open("rb") as file:
            return _check_size(path.name, file.read(most + 1), most)
    except (OSError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{str(source)[:200]}: cannot be read: {reason}") from None


def _check_size(name: str, data: bytes | str, most: int) -> tuple[str, bytes | str]:
    if len(data) > most:
        raise ArgumentError(f"{name}: must have at most {most} bytes")
    return name, data
