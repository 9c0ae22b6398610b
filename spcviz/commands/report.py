"""``report``: write the README tables and evidence pages from the stored results."""

import argparse
import sys

from spcviz.shared import folders, outputs

HELP = "write what the stored results come to, paper and measured"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    about = "write nothing; print how the verdicts hang on the rules"
    parser.add_argument("--sensitivity", action="store_true", help=about)


def run(options: argparse.Namespace) -> int | None:
    report = folders.load_module("experiments.report")
    if options.sensitivity:
        print(report.sensitivity_text())
        return 0
    if options.check:
        changed = report.stale()
        for path in changed:
            print(
                f"{path} is not what the results say; write it with: python -m spcviz report", file=sys.stderr
            )
        return int(bool(changed))
    for path in (report.RESULTS / "README.md", report.README, report.CLASS):
        outputs.file("report", path)
    paths, moved = report.write()
    for path in paths:
        print(path)
    for change in moved:
        print(f"changed since the last report: “{change.text}” from {change.before!r} to {change.now!r}")
    return 0
