"""``warmup``: compile the kernels ahead of the first start."""

import argparse
import os
import sys
import time
from pathlib import Path

from spcviz.engine.errors import ArgumentError
from spcviz.shared import outputs
from spcviz.shared.folders import MODELS, shipped_path

HELP = "compile the kernels once; later starts load them"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", metavar="GROUP", help="these warm-up groups, in this process")
    parser.add_argument(
        "--behind", action="store_true", help="let other processes go first, as a server does"
    )
    parser.add_argument("--json", type=Path, help="write how long every warm-up group took to compile")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.engine.kernels import kernel_cache
    from spcviz.registry import warmup
    from spcviz.store import write_json_atomic

    models, start = shipped_path(MODELS), time.perf_counter()
    if options.behind and hasattr(os, "nice"):  # pages opened meanwhile go first
        os.nice(10)
    if options.json:
        outputs.file("--json", options.json)
    unknown = sorted({*(options.only or ())} - {*warmup.groups()})
    if unknown:
        raise ArgumentError(f"only must be among {', '.join(warmup.groups())}, got {unknown[0]!r:.60}")
    children = [] if options.only else warmup.start_children()
    failed = [child.names for child in children if child.process.wait()]
    if not children:
        for name, took in warmup.compile_here(options.only or warmup.groups(), models):
            print(f"{name:10} {took:6.1f} s", flush=True)
    lost = [f"could not compile {', '.join(names)}" for names in failed]
    for sentence in [*kernel_cache.complaints(), *lost]:
        print(sentence, file=sys.stderr)
    if options.json:
        write_json_atomic(options.json, warmup.read_notes())
    print(f"kernels ready in {time.perf_counter() - start:.1f} s")
    return int(bool(failed))
