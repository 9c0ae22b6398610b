"""``export``: save a scene as one HTML file that works without the app and without a network."""

import argparse
from pathlib import Path

HELP = "save a scene as one HTML file that works without the app"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    parser.add_argument("address", metavar="ADDRESS", help="as in the browser: letters?order=6")
    parser.add_argument("file", type=Path, metavar="FILE.html")


def run(options: argparse.Namespace) -> int | None:
    """Run the command; returns its exit status (None: 0)."""
    from spcviz.problems.common import outputs
    from spcviz.store.atomic import write_bytes_atomic
    from spcviz.web.exporting import page

    outputs.file("FILE.html", options.file)
    scene = page.scene_of(options.address)
    content = page.html(options.address).encode()
    write_bytes_atomic(options.file, content)
    print(f"{options.file}: {scene.address}, {len(content) / 1e6:.2f} MB")
    return None
