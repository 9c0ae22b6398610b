"""Pictures of the app for messengers and tours; ``python -m benchmarks.app.preview`` takes them."""

import contextlib
import io
import shutil
from pathlib import Path

from benchmarks.app.page_figures import IS_SHOWN
from benchmarks.app.server import Server
from spcviz.shared.folders import ROOT
from spcviz.web.exporting import loops
from spcviz.web.exporting.animation import TooLargeError
from spcviz.web.tours import tour

TARGET = ROOT / "spcviz" / "web" / "serving" / "preview.jpg"
ADDRESS, SIZE = "letters?word=2655&embed=true&controls=0", (1200, 630)
"""The page that is shown; the size is `spcviz.web.serving.first_html.SIZE`."""

QUALITIES, MOST = (80, 70, 60, 50), 100_000
"""Qualities of the JPEG, the first that makes it small enough; bytes that every messenger accepts."""


def take(port: int, target: Path = TARGET) -> int:
    """Photograph the page as the server at `port` shows it; returns its size in bytes."""
    with open_browser() as browser:
        page = open_page(browser, SIZE, f"http://127.0.0.1:{port}/{ADDRESS}")
        taken = [page.screenshot(type="jpeg", quality=quality) for quality in QUALITIES]
    fitting = next(one for one in taken if len(one) <= MOST)
    target.write_bytes(fitting)
    return len(fitting)


SCENE = {"cascade": 9, "why": 5, "circles": 11, "spend": 3, "arms": 8, "write": 3, "tags": 4, "parse": 3,
         "scene": 3, "hybrid": 3, "wrong": 1, "yardstick": 1}  # fmt: skip
"""Which scene of each tour is shown."""

TOUR_SIZE, TOUR_WIDTH, TOUR_QUALITY = (1280, 720), 360, 78
"""Size of the window; width of the picture in pixels, and quality of its WebP."""

MOST_LOOP = 90_000
"""Most bytes of a tour's loop."""


def take_tours(port: int, folder: Path = tour.PICTURES) -> dict[str, int]:
    """A picture of a scene of every tour, and its loop if the scene has one; returns bytes of each file.

    The picture is the fullest moment of the loop, else a photograph of the page as the server at `port` shows
    it.
    """
    folder.mkdir(exist_ok=True)
    files = {}
    with open_browser() as browser:
        for name, shipped in tour.shipped_tours().items():
            scene = shipped.scenes[SCENE[name] - 1]
            if loop := loop_of(scene.address):
                files[f"{name}-loop.webp"] = loop
                files[f"{name}.webp"] = _still(_fullest(loop))
                continue
            query = scene.query() | {"embed": "true", "controls": "0"}
            address = f"http://127.0.0.1:{port}/{tour.address(scene.page, query)}&embed=true"
            page = open_page(browser, TOUR_SIZE, address)
            files[f"{name}.webp"] = _still(page.screenshot())
            page.close()
    for path in folder.glob("*-loop.webp"):
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return {name: len(content) for name, content in files.items()}


def loop_of(address: str) -> bytes | None:
    """The small loop of a scene; None if it has none, or none within `MOST_LOOP` bytes."""
    width, height = TOUR_SIZE
    try:
        return loops.small(address, (TOUR_WIDTH, TOUR_WIDTH * height // width), MOST_LOOP)
    except (loops.NoStoryError, TooLargeError):
        return None


def _fullest(loop: bytes) -> bytes:
    """The frame of a loop that shows most, as PNG: the one that needs the most bytes."""
    from PIL import Image, ImageSequence

    pngs = []
    with Image.open(io.BytesIO(loop)) as moving:
        for moment in ImageSequence.Iterator(moving):
            out = io.BytesIO()
            moment.convert("RGB").save(out, "PNG")
            pngs.append(out.getvalue())
    return max(pngs, key=len)


def _still(png: bytes) -> bytes:
    from PIL import Image

    width, height = TOUR_SIZE
    out, picture = io.BytesIO(), Image.open(io.BytesIO(png)).convert("RGB")
    size = (TOUR_WIDTH, TOUR_WIDTH * height // width)
    picture.resize(size).save(out, "WEBP", quality=TOUR_QUALITY)
    return out.getvalue()


@contextlib.contextmanager
def open_browser():
    from playwright.sync_api import sync_playwright  # tests/requirements.txt

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


def open_page(browser, size, address):
    """A page in a window of a size, once it is completely shown."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    page.goto(address)
    page.wait_for_function(IS_SHOWN, timeout=120_000)
    page.wait_for_timeout(1500)
    return page


if __name__ == "__main__":
    with Server() as server:
        take(server.port)
        take_tours(server.port)
