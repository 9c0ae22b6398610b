"""``export``: save a scene as one HTML file, its Python, or its chart for a paper."""

import argparse
from pathlib import Path

HELP = "save a scene as one HTML file that works without the app, as Python, or its chart as SVG or PDF"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", help="as in the browser: letters?order=6")
    ends = ".html: the page; .py: lines that compute what it shows; .svg, .pdf: its first chart"
    parser.add_argument("file", type=Path, metavar="FILE.html", help=ends)


def run(options: argparse.Namespace) -> int | None:
    from spcviz.engine.errors import ArgumentError
    from spcviz.shared import outputs
    from spcviz.store.atomic import write_bytes_atomic
    from spcviz.web.exporting import page, paper

    outputs.file("FILE.html", options.file)
    forms = {".html": page.html, ".htm": page.html, ".py": paper.python, ".svg": paper.svg, ".pdf": paper.pdf}
    make = forms.get(ending := options.file.suffix.lower())
    if make is None:
        got = f"got {ending}" if ending else "got a name without an ending"
        raise ArgumentError(
            f"{options.file}: must end in .html, .py, .svg or .pdf, which says what is written; {got}"
        )
    scene = page.scene_of(options.address)
    content = make(options.address)
    content = content.encode() if isinstance(content, str) else content
    write_bytes_atomic(options.file, content)
    print(f"{options.file}: {scene.address}, {len(content) / 1e6:.2f} MB")
    return None
