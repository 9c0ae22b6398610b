"""``docs``: the library's documentation as a site, built by pdoc from docstrings and examples."""

import argparse
import importlib
import tempfile
from pathlib import Path

from spcviz import engine
from spcviz.shared import outputs
from spcviz.shared.folders import ROOT, NoCacheError

HELP = "write the library's documentation, docstrings and examples, as a site"
DOORS = ("spcviz", "spcviz.sequences", "spcviz.scores", "spcviz.spending", "spcviz.io", "spcviz.scenes")
EXAMPLES = ROOT / "examples"
PAGES = {"benchmark_figures": ROOT / "docs" / "benchmarks.md", "stored_models": ROOT / "docs" / "models.md"}
"""{name in the site's list: file that `report` has written in a clone}."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="index.html is written into it")


def run(options: argparse.Namespace) -> int | None:
    n_pages = write(options.folder)
    print(f"{options.folder / 'index.html'}: {n_pages} pages")
    return None


def write(folder: Path) -> int:
    """Write the documentation into a folder; returns the number of its pages."""
    import pdoc
    import pdoc.render

    if not EXAMPLES.is_dir():
        raise NoCacheError(f"{EXAMPLES} is missing; examples come with a clone of the repository")
    outputs.folder("FOLDER", folder, is_own=True)
    for door in DOORS:  # set the names that are imported on first access, so that pdoc sees them
        module = importlib.import_module(door)
        for name in module.__all__:
            setattr(module, name, getattr(module, name))
    rooms = [getattr(engine, name).__name__ for name in engine.__all__ if name != "warmup"]
    pdoc.render.configure(docformat="numpy", footer_text="spcviz")
    inner = ("web", "problems", "shared", "registry", "commands", "cli", "report", "__main__")
    hidden = [f"!spcviz.{name}" for name in inner]
    examples = [str(path) for path in sorted(EXAMPLES.glob("*.py"))]
    with tempfile.TemporaryDirectory() as place:
        pages = [_as_module(Path(place), *page) for page in PAGES.items() if page[1].is_file()]
        pdoc.pdoc(*DOORS, *rooms, *examples, *pages, *hidden, output_directory=folder)
    return len(list(folder.rglob("*.html")))


def _as_module(place: Path, name: str, page: Path) -> str:
    """A module that includes a Markdown page: pdoc reads modules, and includes files only in this format."""
    (place / page.name).write_bytes(page.read_bytes())
    module = place / f"{name}.py"
    module.write_text(f'"""\n.. include:: {page.name}\n"""\n\n__docformat__ = "restructuredtext"\n', "utf-8")
    return str(module)
