"""``data``: list the data that are found and their sources, and get or prepare more."""

import argparse
from pathlib import Path

from spcviz.shared import outputs
from spcviz.shared.folders import data_folder

HELP = "what data is found; get an original, prepare it for the loaders"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action="list")
    actions = parser.add_subparsers(metavar="ACTION")
    get = actions.add_parser("get", help="download an original from its home; its licence is said first")
    get.add_argument("name", metavar="NAME")
    get.add_argument("--to", type=Path, metavar="FOLDER", help="default: $SPCVIZ_DATA/originals/NAME")
    get.add_argument("--trust", action="store_true", help="go on where no SHA-256 is known here")
    get.set_defaults(action="get")
    prepare = actions.add_parser("prepare", help="turn an original into what the loaders read")
    prepare.add_argument("name", metavar="NAME")
    prepare.add_argument("folder", type=Path, metavar="FOLDER", help="of the original, unpacked")
    prepare.add_argument("--to", type=Path, metavar="DATA", help="folder of all data (default: $SPCVIZ_DATA)")
    prepare.set_defaults(action="prepare")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.registry import catalogue

    if options.action != "list" and (options.to or data_folder()):
        outputs.folder("--to" if options.to else "SPCVIZ_DATA", options.to or data_folder())
    if options.action == "get":
        lines = catalogue.get(options.name, options.to, is_trusted=options.trust)
    elif options.action == "prepare":
        lines = catalogue.prepare(options.name, options.folder, options.to)
    else:
        lines = catalogue.describe()
    for line in lines:
        print(line, flush=True)
