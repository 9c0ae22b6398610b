"""Encode arrays as PNG data URIs for charts, instead of one number per pixel."""

import base64
import struct
import zlib
from functools import lru_cache

import numpy as np


def png(colours: np.ndarray) -> str:
    """A picture, (H, W, 3) or (H, W, 4) uint8, as a data URI.

    >>> png(np.zeros((1, 1, 3), np.uint8))[:29]
    'data:image/png;base64,iVBORw0'
    """
    rows, columns, depth = colours.shape
    lines = b"".join(b"\0" + np.ascontiguousarray(row, dtype=np.uint8).tobytes() for row in colours)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 6 if depth == 4 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(data).decode()


def ink(pixels: np.ndarray, colour: str, times: int = 4) -> str:
    """A handwritten letter (16, 8), 1 = ink, as a picture: ink in `colour` (``#RRGGBB``), transparent paper.

    Each pixel is drawn as `times` x `times`, so that browsers do not blur it.
    """
    is_ink = np.asarray(pixels) > 0
    return _ink(is_ink.tobytes(), is_ink.shape, colour, times)


@lru_cache(4096)
def _ink(is_ink, shape, colour, times):
    """Cached `ink` of booleans as bytes: the same letters are drawn again and again."""
    rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    big = np.kron(np.frombuffer(is_ink, bool).reshape(shape), np.ones((times, times), dtype=np.uint8))
    return png(np.concatenate([np.broadcast_to(rgb, (*big.shape, 3)), 255 * big[..., None]], axis=2))


def letter_image(pixels, colour, x, y, height):
    """An entry of a layout's images: a letter, its bottom at (x, y), `height` units of the y axis tall."""
    place = {"x": x, "y": y, "xref": "x", "yref": "y", "xanchor": "center", "yanchor": "bottom"}
    return place | {"source": ink(pixels, colour), "sizex": 0.5, "sizey": height, "sizing": "contain"}
