"""Messengers' picture of the app; ``python -m spcviz.bench.app.preview`` takes it in Chromium."""

import shutil
from pathlib import Path

from spcviz.bench.app.browsed import IS_SHOWN
from spcviz.bench.app.server import Server
from spcviz.problems.common.folders import ROOT

TARGET = ROOT / "spcviz" / "web" / "serving" / "preview.jpg"
ADDRESS, SIZE = "letters?word=2655&embed=true&controls=0", (1200, 630)
"""What is shown; the size is `spcviz.web.serving.first_html.SIZE`."""

QUALITIES, MOST = (80, 70, 60, 50), 100_000
"""Of the JPEG: the first that makes it small enough; bytes that every messenger takes."""


def take(port: int, target: Path = TARGET) -> int:
    """Photograph the page as the server at `port` shows it; its size in bytes."""
    from playwright.sync_api import sync_playwright  # tests/requirements.txt

    width, height = SIZE
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        page.goto(f"http://127.0.0.1:{port}/{ADDRESS}")
        page.wait_for_function(IS_SHOWN, timeout=60_000)
        page.wait_for_timeout(1000)
        taken = [page.screenshot(type="jpeg", quality=quality) for quality in QUALITIES]
        browser.close()
    fitting = next(one for one in taken if len(one) <= MOST)
    target.write_bytes(fitting)
    return len(fitting)


if __name__ == "__main__":
    with Server() as server:
        take(server.port)
