"""What a file holds, wherever it comes from: a path, an open file, bytes, a text, lines."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.engine.errors import ArgumentError

UNNAMED = "text"


class Text(NamedTuple):
    """A text without byte order mark, and what errors call it: the file's name, or ``text``.

    The encoding is ``utf-8``, ``utf-16``, or ``latin-1`` where bytes are neither; empty if it came as text.
    """

    name: str
    text: str
    encoding: str


def bytes_of(source: Any, most: int) -> tuple[str, bytes]:
    """(name, bytes) of a path, an open binary file, or bytes: at most so many, or `ArgumentError`."""
    name, data = _read(source, most)
    if isinstance(data, str):
        raise ArgumentError(f"{name}: must be bytes, got a text: open the file in binary mode")
    return name, data


def text_of(source: Any, most: int) -> Text:
    """The text of a path, an open file, bytes, a text of several lines, or an iterable of lines.

    A string without a line break is a path. `ArgumentError` if it cannot be read, is larger than `most`
    bytes, or is no text.
    """
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        return Text(UNNAMED, source.removeprefix("\ufeff"), "")
    is_lines = isinstance(source, Iterable) and not isinstance(source, str | bytes | bytearray | Path)
    if is_lines and not hasattr(source, "read"):
        lines = list(source)
        if not all(isinstance(line, str) for line in lines):
            odd = next(line for line in lines if not isinstance(line, str))
            raise ArgumentError(f"source must be lines of text, got {odd!r:.60}")
        return Text(UNNAMED, "\n".join(line.rstrip("\r\n") for line in lines).removeprefix("\ufeff"), "")
    name, data = _read(source, most)
    if isinstance(data, str):
        return Text(name, data.removeprefix("\ufeff"), "")
    return _decoded(name, data)


def _decoded(name: str, data: bytes) -> Text:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return Text(name, data.decode("utf-16"), "utf-16")
        except UnicodeDecodeError as error:
            raise ArgumentError(f"{name}: must be text, got no UTF-16: {error.reason}") from None
    if b"\0" in data:
        raise ArgumentError(f"{name}: must be text, got bytes with zeros among them")
    try:
        return Text(name, data.decode("utf-8-sig"), "utf-8")
    except UnicodeDecodeError:
        return Text(name, data.decode("latin-1"), "latin-1")


def _read(source: Any, most: int) -> tuple[str, bytes | str]:
    if isinstance(source, bytes | bytearray | memoryview):
        return _checked(UNNAMED, bytes(source), most)
    if hasattr(source, "read"):
        name = getattr(source, "name", UNNAMED)
        data = source.read(most + 1)
        if not isinstance(data, bytes | str):
            raise ArgumentError(f"source must be a file of bytes or text, got one of {type(data).__name__}")
        return _checked(os.path.basename(name) if isinstance(name, str) else UNNAMED, data, most)
    if not isinstance(source, str | Path):
        raise ArgumentError(f"source must be a path, an open file, bytes or lines, got {source!r:.60}")
    path = Path(source)
    try:
        if path.exists() and not path.is_file():  # opening a named pipe would wait for ever
            raise ArgumentError(f"{path}: must be a file")
        with path.open("rb") as file:
            return _checked(path.name, file.read(most + 1), most)
    except (OSError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{str(source)[:200]}: cannot be read: {reason}") from None


def _checked(name: str, data: bytes | str, most: int) -> tuple[str, bytes | str]:
    if len(data) > most:
        raise ArgumentError(f"{name}: must have at most {most} bytes")
    return name, data
