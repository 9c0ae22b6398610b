"""A visitor's pictures: gone from memory with the visit, and after half an hour without use.

The markers are random: bytes of the uploaded file, of the pixels that were read from it, and of the pictures
that were sent to the browser. None of them is on a disk.
"""

import io
import secrets
import time
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from spcviz.problems.letters.page import cached as letters
from spcviz.problems.pose.page import cached as pose
from spcviz.problems.scene.page import cached as scene
from spcviz.web.cached import ownership
from tests import heap
from tests.app.driver import open_page

_SLICE = 40
"""Number of bytes in a marker: they are noise, so that nothing else contains them."""


class Place(NamedTuple):
    """A page that takes a picture."""

    page: str
    params: dict[str, str]
    is_there: bool  # whether its models are stored


PLACES = {
    "pose": Place("pages/cascade/pose.py", {"scene": "upload"}, pose.HAS_POSE),
    "scene": Place("pages/budget/scene.py", {"kind": "upload"}, scene.HAS_SCENE),
    "write": Place("pages/cascade/write.py", {}, bool(letters.FIRST)),
}


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    ownership.CLOCK.turn(ownership.SECONDS + 1)
    ownership.clean()


def picture() -> tuple[bytes, list[bytes]]:
    """(a PNG of noise, markers: bytes of the file and of its pixels)."""
    pixels = np.random.default_rng(secrets.randbits(64)).integers(0, 256, (200, 300, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    data, row = out.getvalue(), pixels[100].tobytes()
    return data, [data[len(data) // 2 :][:_SLICE], row[450:][:_SLICE]]


def sent(at) -> list[bytes]:
    """Bytes of the first JPEG or PNG that each of the page's components was sent, if it is large."""
    found = []
    for component in at.get("bidi_component"):
        data = component.proto.bytes
        begin = data.find(b"\xff\xd8\xff")  # of a JPEG
        begin = begin if begin >= 0 else data.find(b"\x89PNG")
        if begin >= 0:
            found.append(bytes(data[begin + 1500 :][:_SLICE]))
    return [one for one in found if len(one) == _SLICE]


def ended() -> None:
    """The visit of these tests ends."""
    for name in ownership.visits():
        ownership.end(name)


def half_an_hour() -> None:
    """Nobody uses the page for 35 minutes; the clock runs on its own."""
    ownership.CLOCK.turn(35 * 60)


def brought(place: Place, data: bytes):
    at = open_page(place.page, **place.params)
    at = at.get("file_uploader")[0].set_value(("me.png", data, "image/png")).run()
    assert not at.exception
    return at


@pytest.mark.parametrize("over", [ended, half_an_hour])
@pytest.mark.parametrize("name", PLACES)
def test_a_picture_is_gone(name, over):
    place = PLACES[name]
    if not place.is_there:
        pytest.skip("its models are not stored here")
    since = time.time() - 1
    data, markers = picture()
    at = brought(place, data)
    pictures = sent(at)
    there = heap.holders_of(markers)
    assert there[markers[0]], "the file is with the page"
    assert there[markers[1]] or name != "pose", "its pixels are in a cache"
    assert pictures or name != "pose", "frames were sent"
    assert heap.on_disk(*markers, since=since) == []
    del at, data, there
    over()
    assert not any(heap.left_of([*markers, *pictures], 120).values())
