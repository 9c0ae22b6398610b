"""Pictures of today's app for README: ``python -m benchmarks.app.pictures`` takes them (some minutes).

Four pages in the light theme, and the loop of Letters, level by level, as the Save menu makes it. A digest of
the code that draws each page is stored with them; a test reports pictures of outdated code.
"""

import hashlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.app.preview import open_browser, open_page
from benchmarks.app.server import Server
from spcviz.engine.kernels import sources
from spcviz.shared.folders import CACHE, ROOT
from spcviz.web.exporting import loops

FOLDER = CACHE / "pictures"
MANIFEST = "pictures.json"
LOOP = "loop.webp"
SIZE, WIDTH = (1280, 760), 900
"""Size of the window; width of a picture in pixels."""
QUALITY, MOST = 80, 1_500_000
"""Quality of WebP; most bytes of the moving picture."""
_COMMENT_LINE = re.compile(r"^\s*//.*\n", re.MULTILINE)


class Picture(NamedTuple):
    """A picture of a page."""

    file: str
    address: str
    drawn_by: tuple[str, ...]  # files and folders from the project's root, by which it is drawn
    click: str = ""  # the text of a button that is pressed first


_VIEW = ("spcviz/web/view", "spcviz/web/lattice")
_LETTERS = ("pages/cascade/letters.py", *_VIEW)
_EXPORTING = "spcviz/web/exporting"
_LOOP = tuple(f"{_EXPORTING}/{name}" for name in ("loops.py", "animation.py", "browser"))
_POSE = ("spcviz/problems/pose/view",)
PICTURES = (
    Picture("letters.png", "letters?embed=true&controls=0", _LETTERS, "triples"),
    Picture("pose.webp", "pose?embed=true&controls=0", ("pages/cascade/pose.py", *_POSE)),
    Picture(
        "trade-off.webp", "trade_off?embed=true&controls=0",
        ("pages/budget/trade_off.py", "spcviz/problems/budgets/view", "spcviz/problems/words/view"),
    ),
    Picture("your-data.webp", "data?embed=true&controls=0", ("pages/start/data.py", *_VIEW)),
    Picture(LOOP, "letters", (*_LETTERS, *_LOOP)),
)  # fmt: skip


def take(port: int, folder: Path = FOLDER) -> dict[str, int]:
    """Photograph all pages as the server at `port` shows them: bytes by file."""
    folder.mkdir(exist_ok=True)
    with open_browser() as browser:
        for picture in PICTURES:
            if picture.file == LOOP:
                (folder / LOOP).write_bytes(loops.make_loop(picture.address))
                continue
            page = open_page(browser, SIZE, f"http://127.0.0.1:{port}/{picture.address}")
            if picture.click:
                page.get_by_role("button", name=picture.click).click()
            page.wait_for_timeout(3000)
            _image(page.screenshot()).save(folder / picture.file, quality=QUALITY)
            page.close()
    digests = {picture.file: digest(picture) for picture in PICTURES}
    (folder / MANIFEST).write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
    return {picture.file: (folder / picture.file).stat().st_size for picture in PICTURES}


def _image(png: bytes) -> Any:
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    return picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)


def digest(picture: Picture) -> str:
    """Digest of the code of all files that a picture's page is drawn by: comments draw nothing."""
    whole = hashlib.sha256(picture.address.encode())
    for name in picture.drawn_by:
        path = ROOT / name
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.suffix in (".py", ".js", ".css"):
                whole.update(_code(file).encode())
    return whole.hexdigest()[:16]


def _code(file: Path) -> str:
    """A file's text without docstrings and comments; of scripts, without lines that are a comment."""
    text = file.read_text(encoding="utf-8")
    return sources.code_of(text) if file.suffix == ".py" else _COMMENT_LINE.sub("", text)


def stale(folder: Path = FOLDER) -> list[str]:
    """Files of pictures that are missing, or of outdated code."""
    manifest = folder / MANIFEST
    known = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
    return [
        picture.file
        for picture in PICTURES
        if known.get(picture.file) != digest(picture) or not (folder / picture.file).is_file()
    ]


def main() -> int:
    """Take all pictures; a port of a server that runs already may be given."""
    if len(sys.argv) > 1:
        sizes = take(int(sys.argv[1]))
    else:
        with Server() as server:
            sizes = take(server.port)
    for name, size in sizes.items():
        sys.stdout.write(f"{FOLDER / name}: {size / 1000:.0f} KB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
