"""The record of one file of an original data set (address, checksum), and the errors of fetching it."""

from typing import NamedTuple

from spcviz.engine.errors import ArgumentError, SpcvizError


class Source(NamedTuple):
    """One file of an original distribution."""

    file: str  # its name below the folder of originals, with slashes
    url: str  # at its home
    sha256: str = ""  # empty where nobody who wrote this could know it: then a person has to trust what came
    is_packed: bool = False  # whether it is a zip file that has to be unpacked


class DownloadError(SpcvizError, OSError):
    """A home does not answer, refuses, or breaks off."""


class SumError(SpcvizError):
    """A file has other bytes than it must have."""


class UntrustedError(SpcvizError):
    """No sum is known here, and nobody has said that the file may be trusted."""


class OriginalError(ArgumentError):
    """A folder does not hold the original distribution that it should."""


class NoRoomError(SpcvizError, OSError):
    """The disk is full."""
