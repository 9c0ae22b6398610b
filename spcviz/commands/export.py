"""``export``: save a scene as one HTML file, its Python, its chart for a paper, or its story as a loop."""

import argparse
from pathlib import Path

HELP = "save a scene as one HTML file that works offline, as Python, its chart, or its story as a loop"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", help="as in the browser: letters?order=6")
    ends = (
        ".html: the page; .py: lines that compute what it shows; .svg, .pdf: its first chart; "
        ".webp, .gif, .mp4: its story as a loop, level by level or purchase by purchase; "
        ".svg of a page without a chart: the same, as the lattice draws it"
    )
    parser.add_argument("file", type=Path, metavar="FILE.html", help=ends)
    parser.add_argument("--width", type=int, default=960, help="of a loop, 960 or 1920 pixels")
    parser.add_argument("--dark", action="store_true", help="a loop in the dark theme")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.engine.errors import ArgumentError
    from spcviz.shared import outputs
    from spcviz.store.atomic import write_bytes_atomic
    from spcviz.web.exporting import loops, page, paper

    outputs.file("FILE.html", options.file)
    forms = {".html": page.html, ".htm": page.html, ".py": paper.python, ".svg": paper.svg, ".pdf": paper.pdf}
    make = forms.get(ending := options.file.suffix.lower())
    if (kind := ending.removeprefix(".")) in loops.KINDS:
        content = loops.make_loop(options.address, kind, width=options.width, dark=options.dark)
    elif make is None:
        got = f"got {ending}" if ending else "got a name without an ending"
        known = ", ".join([*(form for form in forms if form != ".htm"), *(f".{one}" for one in loops.KINDS)])
        raise ArgumentError(f"{options.file}: must end in one of {known}, which says what is written; {got}")
    else:
        content = make(options.address, **({"dark": True} if options.dark and ending == ".svg" else {}))
    scene = page.scene_of(options.address)
    content = content.encode() if isinstance(content, str) else content
    write_bytes_atomic(options.file, content)
    print(f"{options.file}: {scene.address}, {len(content) / 1e6:.2f} MB")
    return None
