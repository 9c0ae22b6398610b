"""``models``: list the stored models, or verify every byte of them."""

import argparse
from pathlib import Path

from spcviz.shared.folders import MODELS, shipped_path

HELP = "list the stored models, or verify every byte of them"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "verify"), nargs="?", default="list")
    parser.add_argument("--models", type=Path, default=MODELS, metavar="DIR")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.store import StoreError, list_models, verify_model

    failed, statuses = 0, list_models(shipped_path(options.models))
    if not statuses:
        print(f"no models in {options.models}; make them with: python -m spcviz train NAME")
    for status in statuses:
        line = f"{status.name:16} {status.kind:14} v{status.version}  {status.n_bytes / 1e6:6.2f} MB"
        if options.action == "verify" and not status.problem:
            try:
                verify_model(options.models, status.name)
                line += "  intact"
            except StoreError as error:
                status = status._replace(problem=str(error))
        if status.problem:
            failed += 1
            line = f"{status.name:16} {status.problem}"
        print(line)
    return int(failed > 0)
