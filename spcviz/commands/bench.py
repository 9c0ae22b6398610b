"""``bench``: run a benchmark from the clone: engine, library, app, data, robust, envelope."""

import argparse
import json
import sys
from pathlib import Path

from spcviz import registry
from spcviz.shared import folders, outputs
from spcviz.shared.folders import RESULTS, WORK, shipped_path

HELP = "measure speed and strength; print a table"


def add_options(parser: argparse.ArgumentParser) -> None:
    if not folders.is_clone():
        parser.add_argument("name", nargs=argparse.REMAINDER, help="(in a clone of the repository)")
        return
    names = parser.add_subparsers(required=True, metavar="NAME", dest="name")
    for name, row in _benches().items():
        one = names.add_parser(name, help=row.about)
        for option, keywords in row.options.items():
            one.add_argument(f"--{option}", **keywords)
        usual = f"cache/results/bench-{name}.json; below scale 1 the work folder"
        of = {
            "const": RESULTS / f"bench-{name}.json",
            "help": f"also write the result (without FILE: {usual})",
        }
        one.add_argument("--json", type=Path, nargs="?", metavar="FILE", **of)


def run(options: argparse.Namespace) -> int | None:
    from spcviz.shared import report
    from spcviz.shared.work import ledger
    from spcviz.store import write_json_atomic

    benches = _benches()
    row = benches[options.name]
    chosen = {name: getattr(options, name) for name in row.options}
    path = options.json
    if path:
        part = chosen.get("only") or chosen.get("task")
        path = shipped_path(_bench_path(path, options.name, chosen.get("scale"), part))
        outputs.file("--json", path, project_folders=(RESULTS, WORK))
    command = f"python -m spcviz bench {options.name}"
    command += "".join(f" --{name} {value}" for name, value in chosen.items() if value is not None)
    with ledger.collecting() as costs, ledger.spending("measuring"):
        result = registry.load(row.make)(**chosen, tick=lambda text: print(text, file=sys.stderr))
    print(registry.load(row.text)(result))
    if path:
        if row.beside and path.is_file():
            result = registry.load(row.beside)(result, json.loads(path.read_text(encoding="utf-8")))
        about = {"command": command} | report.provenance(row.make, {}, costs.parts)
        result |= {"provenance": [about], "command": command, "seconds": about["cpu_seconds"]}
        write_json_atomic(path, result)
        print(path, file=sys.stderr)


def _benches():
    """{name: Bench} of the benchmarks in the clone; `NoCloneError` outside a clone."""
    folders.require("bench")
    return folders.load_module("benchmarks").BENCHES


def _bench_path(path, name, scale, part=None):
    """The path of a measurement; a part, or one with fewer cases or visitors, does not replace the full one.

    >>> full = RESULTS / "bench-app.json"
    >>> _bench_path(full, "app", 1.0) == full
    True
    >>> _bench_path(full, "app", 0.1) == _bench_path(full, "app", 1.0, "hostile") == WORK / "bench-app.json"
    True
    """
    is_default = path == RESULTS / f"bench-{name}.json"
    is_part = part is not None or (scale is not None and scale < 1)
    return WORK / path.name if is_default and is_part else path
