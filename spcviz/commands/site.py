"""``site``: all tours and first scenes as static pages, for a web host or a memory stick."""

import argparse
import sys
from pathlib import Path

from spcviz.engine.extras import how_to_install

HELP = "write all tours and first scenes as static pages that need no server"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="index.html is written into it")
    tour_help = "a tour of your own to add, as the page Tours saves it; may be repeated"
    parser.add_argument("--tour", type=Path, action="append", default=[], metavar="FILE", help=tour_help)
    parser.add_argument("--app", default="", metavar="ADDRESS", help="of an app that the scenes link to")
    parser.add_argument("--only", nargs="*", metavar="TOUR", help="of the tours that ship only these")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.shared import folders, outputs
    from spcviz.web.exporting import drawing, site
    from spcviz.web.tours import gallery

    tours = site.choose_tours(options.only, options.tour)
    app = site.app_checked(options.app)
    outputs.folder("FOLDER", options.folder)
    n_docs, left_out = _docs(options.folder / "docs"), []
    if not n_docs:
        left_out.append(f"the library's documentation: pdoc is not installed ({how_to_install('pdoc')})")
    if drawing.browser() is None:
        why = "no Chromium or Chrome is installed; visitors fetch plotly, 4.8 MB"
        left_out.append(f"charts drawn ahead: {why}")
    made = site.write(
        options.folder,
        tours,
        systems=folders.load_module("experiments.report").front_table(),
        docs="docs/index.html" if n_docs else "",
        app=app,
        tell=lambda name: print(name, file=sys.stderr, flush=True),
        exhibits=gallery.exhibits() if options.only is None else (),
    )
    n_bytes = sum(path.stat().st_size for path in options.folder.rglob("*") if path.is_file())
    n_scenes = sum(name.startswith("scenes/") for name in made.written)
    print(
        f"{options.folder / 'index.html'}: {len(tours)} tours, {n_scenes} scenes, "
        f"{sum(made.written.values()) / 1e6:.1f} MB; {n_docs} pages of the library's documentation; "
        f"the folder has {n_bytes / 1e6:.1f} MB"
    )
    for title in made.untrue:
        left_out.append(f"of the gallery, as it does not hold here: {title}")
    for what in left_out:
        print(f"left out: {what}")
    return None


def _docs(folder):
    """Write the library's documentation; returns the number of its pages, 0 without pdoc."""
    from spcviz.commands import docs

    try:
        return docs.write(folder)
    except ModuleNotFoundError as error:
        if error.name != "pdoc":
            raise
        return 0
