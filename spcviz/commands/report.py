"""``report``: write what the stored results come to, beside what the papers report."""

import argparse
import sys

from spcviz.shared import outputs
from spcviz.shared.folders import RESULTS

HELP = "write what the stored results come to, paper and measured"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")


def run(options: argparse.Namespace) -> int | None:
    from spcviz import report

    if not options.check:
        for path in (RESULTS / "README.md", report.README):
            outputs.file("report", path)
        for path in report.write():
            print(path)
        return 0
    changed = report.stale()
    for path in changed:
        print(f"{path} is not what the results say; write it with: python -m spcviz report", file=sys.stderr)
    return int(bool(changed))
