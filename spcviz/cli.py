"""Command line: ``python -m spcviz train | reproduce | report | bench | models | data``."""

import argparse
import concurrent.futures
import contextlib
import itertools
import json
import os
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tqdm import tqdm

from spcviz.bench import BENCHES
from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.problems import licences, registry
from spcviz.problems.common import outputs
from spcviz.problems.common.folders import MODELS, RESULTS, WORK, data_folder, shipped
from spcviz.problems.common.work.jobs import Progress
from spcviz.problems.problem import Run

FIRST_SCENES = "first-scenes"
_ABOUT = "Train, reproduce, time and look after structured prediction cascades."


def main(arguments=None):
    """Run one command; returns the exit status (0 done, 1 refused, 130 interrupted)."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except (SpcvizError, OSError) as error:
        print(f"spcviz: {error}", file=sys.stderr)
        return 1
    except BrokenProcessPool:
        print(
            "spcviz: a worker process died (out of memory?); finished parts have been kept: "
            "try again with --workers 1",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("spcviz: interrupted; what was finished has been kept", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m spcviz", description=_ABOUT)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    train = commands.add_parser("train", help="train the models that the app shows and store them")
    train.add_argument("target", choices=sorted([*registry.trainings(), FIRST_SCENES]))
    train.add_argument(
        "--features", nargs="+", help="some sets of features only, where a model has several (default: all)"
    )
    train.add_argument("--models", type=Path, default=MODELS, metavar="DIR")
    train.add_argument("--quick", action="store_true", help="few passes: for trying things out")
    train.add_argument(
        "--check", action="store_true", help=f"{FIRST_SCENES}: make nothing; fail if something is stale"
    )
    train.set_defaults(run=_train)

    reproduce = commands.add_parser("reproduce", help="repeat a table or figure of a paper")
    reproduce.add_argument("name", choices=sorted(registry.results()))
    reproduce.add_argument(
        "--features",
        nargs="+",
        help="some sets of features only, where a result has several; keeps the others' rows",
    )
    reproduce.add_argument(
        "--data",
        metavar="WORDS",
        help="which words, where a result has a twin on others: budget-ocr --data open is budget-ocr-open",
    )
    reproduce.add_argument(
        "--folds",
        type=int,
        help="how many of the test folds, or random partitions; fewer than all go to the work folder",
    )
    reproduce.add_argument("--quick", action="store_true", help="few passes over the data")
    reproduce.add_argument("--workers", type=int, default=2, help="processes on this machine (default: 2)")
    reproduce.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, not local processes")
    reproduce.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="default: cache/results/NAME.json, with --quick the work folder",
    )
    reproduce.add_argument(
        "--check",
        action="store_true",
        help="write nothing; compare with the result that stands, fold by fold (--folds 1: the first only)",
    )
    reproduce.add_argument("--work", type=Path, metavar="DIR", default=WORK, help="keeps finished parts")
    reproduce.set_defaults(run=_reproduce)

    report = commands.add_parser("report", help="write what the stored results come to, paper and measured")
    report.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    report.set_defaults(run=_report)

    bench = commands.add_parser("bench", help="measure speed and strength; print a table")
    names = bench.add_subparsers(required=True, metavar="NAME", dest="name")
    for name, row in BENCHES.items():
        one = names.add_parser(name, help=row.about)
        for option, keywords in row.options.items():
            one.add_argument(f"--{option}", **keywords)
        one.add_argument(
            "--json",
            type=Path,
            nargs="?",
            const=RESULTS / f"bench-{name}.json",
            metavar="FILE",
            help=f"also write the result (without FILE: cache/results/bench-{name}.json; below scale 1 the "
            "work folder)",
        )
    bench.set_defaults(run=_bench)

    warmup = commands.add_parser("warmup", help="compile the kernels once; later starts load them")
    warmup.add_argument("--only", nargs="+", metavar="GROUP", help="these warm-up groups, in this process")
    warmup.add_argument(
        "--behind", action="store_true", help="let other processes go first, as a server does"
    )
    warmup.add_argument("--json", type=Path, help="write how long every warm-up group took to compile")
    warmup.set_defaults(run=_warmup)

    models = commands.add_parser("models", help="list the stored models, or verify every byte of them")
    models.add_argument("action", choices=("list", "verify"), nargs="?", default="list")
    models.add_argument("--models", type=Path, default=MODELS, metavar="DIR")
    models.set_defaults(run=_models)

    data = commands.add_parser("data", help="what data is found; get an original, prepare it for the loaders")
    data.set_defaults(run=_data, action="list")
    actions = data.add_subparsers(metavar="ACTION")
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
    return parser


def _train(options):
    if options.target == FIRST_SCENES:
        return _first_scenes(options)
    if options.check:
        raise ArgumentError(f"check must be left out with {options.target}: it is for {FIRST_SCENES}")
    models = outputs.folder("--models", shipped(options.models), is_own=options.models == MODELS)
    with tqdm(desc=options.target, unit="part") as bar:
        run = Run(
            options.target,
            quick=options.quick,
            features=tuple(options.features or ()),
            models=models,
            tick=Progress(bar),
        )
        for row in registry.trainings()[options.target]:
            for line in registry.load(row.make)(run):
                bar.clear()
                print(line)
    licences.stamp(models)
    return 0


def _first_scenes(options):
    from spcviz.web import first_scenes  # opens pages: streamlit, plotly and all that they import
    from spcviz.web.cached import common, first

    if options.check:
        common.trade_tasks()  # imports every file of cached calls
        stale = first.stale()
        for name, why in stale.items():
            print(f"{name}: {why}")
        print(
            f"{len(first.FUNCTIONS) - len(stale)} of {len(first.FUNCTIONS)} stored first scenes can be used"
        )
        return 1 if stale else 0
    n_wrong = 0
    with tqdm(
        first_scenes.make(), desc=FIRST_SCENES, unit="page", total=len(first_scenes.addresses())
    ) as bar:
        for opened in bar:
            if opened.problem:
                n_wrong += 1
                bar.clear()
                print(f"/{opened.address}: {opened.problem}", file=sys.stderr)
    if n_wrong:
        print(f"{n_wrong} pages or scenes are not stored in full", file=sys.stderr)
    return 0


def _reproduce(options):
    from spcviz.problems.common import report
    from spcviz.problems.common.work import ledger
    from spcviz.store import write_json_atomic

    options.name = _twin(options.name, options.data)
    row = registry.results()[options.name]
    path = _result_path(options, row)
    _try_outputs(options, path)
    earlier = _earlier(path) if row.in_parts and options.features and not options.quick else None
    standing = _standing(options) if options.check else None
    with _executor(options) as executor, tqdm(desc=options.name, unit="part") as bar:
        run = Run(
            options.name,
            quick=options.quick,
            folds=options.folds,
            features=tuple(options.features or ()),
            work=options.work,
            executor=executor,
            tick=Progress(bar),
            earlier=earlier,
        )
        with ledger.collecting() as costs, ledger.spending("putting it together"):
            result = registry.load(row.make)(run)
    if options.check:
        return _check(result, standing)
    models = {name: run.models / f"{name}.json" for name in row.models}
    about = {"command": _command(options)} | report.provenance(row.make, models, costs.parts)
    before = (earlier or {}).get("provenance", [])
    result["provenance"] = [*(run for run in before if _is_needed(run["command"], about["command"])), about]
    result["command"] = "; ".join(run["command"] for run in result["provenance"])
    result["seconds"] = round(sum(run["cpu_seconds"] for run in result["provenance"]), 3)
    write_json_atomic(path, result)
    print(f"{path}: {len(result['rows'])} rows, made in {result['seconds']} CPU seconds")


def _try_outputs(options, path):
    """Refuse what cannot be written."""
    outputs.folder("--work", options.work, is_own=options.work == WORK)
    if not options.check:
        outputs.file("--json", path, own=(RESULTS, WORK))


def _twin(name, data):
    """The result's name on other data."""
    if data is None:
        return name
    twins = [
        result.removeprefix(f"{name}-") for result in registry.results() if result.startswith(f"{name}-")
    ]
    if data not in twins:
        raise SpcvizError(f"--data: {name} has {', '.join(twins) or 'no other data'}, got {data!r:.60}")
    return f"{name}-{data}"


def _standing(options):
    """The committed result, to check another run against."""
    standing = _earlier(path := shipped(RESULTS) / f"{options.name}.json")
    if standing is None:
        raise SpcvizError(f"--check needs the result that stands, and {path} is missing or damaged")
    return standing


def _check(result, standing):
    """Say whether a result repeats the one that stands; the exit status."""
    from spcviz.problems.common import checking, stored

    with stored.reading(result["name"]):
        compared, differing = checking.differences(result, standing)
    for line in differing[:20]:
        print(line, file=sys.stderr)
    if len(differing) > 20:
        print(f"... and {len(differing) - 20} more", file=sys.stderr)
    print(f"{compared} values of {len(result['fold_rows'])} folds compared, {len(differing)} differ")
    return int(bool(differing) or not compared)


def _is_needed(command, newer):
    """Whether an earlier command has made rows that a newer one has not made again.

    >>> _is_needed("reproduce ocr-orders --features raw --folds 3", "reproduce ocr-orders --features hog raw")
    False
    >>> _is_needed("reproduce ocr-orders", "reproduce ocr-orders --features hog")
    True
    """
    sets, made = _sets_of(command), _sets_of(newer)
    return command != newer and (not sets or not sets <= made)


def _sets_of(command):
    """Names after ``--features``."""
    words = command.partition("--features")[2].split()
    return set(itertools.takewhile(lambda word: not word.startswith("--"), words))


def _command(options):
    """What repeats a result, or this part of it."""
    words = ["python -m spcviz reproduce", options.name]
    if options.features:
        words += ["--features", *options.features]
    if options.folds is not None:
        words += ["--folds", str(options.folds)]
    if options.quick:
        words += ["--quick"]
    return " ".join(words)


def _result_path(options, row):
    """Where the result goes; neither a quick look nor one with fewer folds replaces a full result."""
    is_part = options.quick or (options.folds is not None and options.folds < row.folds)
    folder = options.work if is_part else RESULTS
    return options.json or shipped(folder) / f"{options.name}.json"


def _earlier(path):
    """The result that stands at a path, or None."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


@contextlib.contextmanager
def _executor(options):
    """Processes on this machine, or a Dask cluster's executor."""
    if options.scheduler is None:
        from spcviz.engine import checks

        checks.integer("--workers", options.workers, 1, 1000)
        with concurrent.futures.ProcessPoolExecutor(options.workers) as executor:
            try:
                yield executor
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise SpcvizError(
            "--scheduler needs the package distributed; install it with: python -m pip install distributed"
        ) from error
    try:
        client = Client(options.scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise SpcvizError(f"--scheduler {options.scheduler!r} does not answer: {error}") from error
    with client:
        yield client.get_executor()


def _report(options):
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


def _bench(options):
    from spcviz.problems.common import report
    from spcviz.problems.common.work import ledger
    from spcviz.store import write_json_atomic

    row = BENCHES[options.name]
    chosen = {name: getattr(options, name.replace("-", "_")) for name in row.options}
    path = _bench_path(options.json, options.name, chosen.get("scale"), chosen.get("only"))
    path = options.json and shipped(path)
    if path:
        outputs.file("--json", path, own=(RESULTS, WORK))
    command = f"python -m spcviz bench {options.name}"
    command += "".join(f" --{name} {value}" for name, value in chosen.items() if value is not None)
    with ledger.collecting() as costs, ledger.spending("measuring"):
        result = registry.load(row.make)(
            **{name.replace("-", "_"): value for name, value in chosen.items()},
            tick=lambda text: print(text, file=sys.stderr),
        )
    print(registry.load(row.text)(result))
    if path:
        about = {"command": command} | report.provenance(row.make, {}, costs.parts)
        result |= {"provenance": [about], "command": command, "seconds": about["cpu_seconds"]}
        write_json_atomic(path, result)
        print(path, file=sys.stderr)


def _bench_path(path, name, scale, only=None):
    """Where a measurement goes; one with fewer cases or visitors, or a part, does not replace the full one.

    >>> full = RESULTS / "bench-app.json"
    >>> _bench_path(full, "app", 1.0) == full
    True
    >>> _bench_path(full, "app", 0.1) == _bench_path(full, "app", 1.0, "hostile") == WORK / "bench-app.json"
    True
    """
    is_default = path == RESULTS / f"bench-{name}.json"
    is_part = only is not None or (scale is not None and scale < 1)
    return WORK / path.name if is_default and is_part else path


def _warmup(options):
    from spcviz.engine.kernels import kernel_cache
    from spcviz.problems import warmup
    from spcviz.store import write_json_atomic

    models, start = shipped(MODELS), time.perf_counter()
    if options.behind and hasattr(os, "nice"):  # pages that are opened meanwhile
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
        write_json_atomic(options.json, warmup.noted())
    print(f"kernels ready in {time.perf_counter() - start:.1f} s")
    return int(bool(failed))


def _models(options):
    from spcviz.store import StoreError, list_models, verify_model

    failed, statuses = 0, list_models(shipped(options.models))
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


def _data(options):
    from spcviz.problems import catalogue

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
