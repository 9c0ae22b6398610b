"""A tour as one URL parameter: its JSON text, compressed and encoded."""

import base64
import binascii
import zlib

from spcviz.web.tours.tour import MAX_BYTES, TourError, dump, parse

LONGEST = 30_000
"""Characters; longer addresses are cut off by servers and messengers."""
LONGEST_KEPT = 400_000
"""Characters of what a browser keeps for itself; no tour that can be read comes near."""


def pack(tour):
    """The text of a tour for an address.

    >>> from spcviz.web.tours.tour import Scene, Tour
    >>> mine = Tour("own", "Mine", "", (Scene("letters?level=2", "Look."),))
    >>> unpack(pack(mine)) == mine
    True
    """
    squeezed = zlib.compress(dump(tour, indent=None).encode(), 9)
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def unpack(text, longest=LONGEST):
    """The tour of an address's text, of at most so many characters.

    Raises `TourError` with a sentence, for anything else; no more than `MAX_BYTES` are ever unpacked.
    """
    if len(text) > longest:
        raise TourError(f"This address is too long for a tour: {len(text):,} characters.")
    try:
        squeezed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        content = zlib.decompressobj().decompress(squeezed, MAX_BYTES + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise TourError("This address holds no tour, or only a part of one: copy all of it.") from None
    return parse(content)
