"""Command line: ``python -m spcviz train | reproduce | bench | models | data``."""

import argparse
import concurrent.futures
import contextlib
import json
import os
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tqdm import tqdm

from spcviz.engine.errors import SpcvizError

_ABOUT = "Train, reproduce, time and look after structured prediction cascades."
CACHE = Path(__file__).parents[1] / "cache"
WORK = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "spcviz-work"


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
    train.add_argument("target", choices=sorted(_TRAIN))
    train.add_argument("--features", nargs="+", help="ocr: raw, hog, fourier (default: all)")
    train.add_argument("--models", type=Path, default=CACHE / "models", metavar="DIR")
    train.add_argument("--quick", action="store_true", help="few passes: for trying things out")
    train.set_defaults(run=_train)

    reproduce = commands.add_parser("reproduce", help="repeat a table or figure of a paper")
    reproduce.add_argument("name", choices=sorted(_REPRODUCE))
    reproduce.add_argument(
        "--features", nargs="+", help="ocr: some of raw, hog, fourier; keeps the others' rows"
    )
    reproduce.add_argument("--folds", type=int, help="how many of the ten test folds, or random partitions")
    reproduce.add_argument("--quick", action="store_true", help="few passes over the data")
    reproduce.add_argument("--workers", type=int, default=2, help="processes on this machine (default: 2)")
    reproduce.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, not local processes")
    reproduce.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="default: cache/results/NAME.json, with --quick the work folder",
    )
    reproduce.add_argument("--work", type=Path, metavar="DIR", default=WORK, help="keeps finished parts")
    reproduce.set_defaults(run=_reproduce)

    bench = commands.add_parser("bench", help="time the engine against numpy and installed peers")
    bench.add_argument("name", choices=("engine",))
    bench.add_argument("--repeats", type=int, default=20)
    bench.add_argument("--json", type=Path, metavar="FILE")
    bench.set_defaults(run=_bench)

    warmup = commands.add_parser("warmup", help="compile the kernels once; later starts take a second")
    warmup.set_defaults(run=_warmup)

    models = commands.add_parser("models", help="list the stored models, or verify every byte of them")
    models.add_argument("action", choices=("list", "verify"), nargs="?", default="list")
    models.add_argument("--models", type=Path, default=CACHE / "models", metavar="DIR")
    models.set_defaults(run=_models)

    data = commands.add_parser("data", help="what data is found, where it comes from, how to bring it")
    data.set_defaults(run=_data)
    return parser


def _train(options):
    return _TRAIN[options.target](options)


def _train_ocr(options):
    from spcviz.experiments import ocr, ocr_models, ocr_tables

    chosen = options.features or ocr.SETTINGS
    every = {features: ocr.settings_for(features, quick=options.quick) for features in chosen}
    for features, settings in every.items():
        with tqdm(desc=f"ocr {features}", unit="pass") as bar:

            def tick(label, bar=bar):
                bar.set_postfix_str(label, refresh=False)
                bar.update()

            trained = ocr.train(settings, 0, ocr_tables.RANDOM_STATE, tick=tick)
        model = ocr_models.rounded(trained.model)
        metrics = {
            "test_fold": ocr.evaluate(model, 0),
            "held_out": [report._asdict() for report in trained.reports],
        }
        path = ocr_models.save_ocr(
            options.models, model, random_state=ocr_tables.RANDOM_STATE, metrics=metrics
        )
        last = metrics["test_fold"][-1]
        print(f"{path}: letters {last['char_accuracy']:.2f} %, words {last['word_accuracy']:.2f} % on fold 0")


def _train_budget(options):
    _train_budget_words(options)
    _train_budget_arms(options)


def _train_budget_words(options):
    from spcviz.experiments import budget_models

    with tqdm(desc="budget", unit="part") as bar:

        def tick(label):
            bar.set_postfix_str(label, refresh=False)
            bar.update()

        trained = budget_models.train(WORK, quick=options.quick, tick=tick)
    path = budget_models.save(options.models, *trained)
    found = budget_models.metrics_of(budget_models.from_arrays(*trained))
    errors = ", ".join(f"{error:.2f}" for error in found["plain_error"])
    print(f"{path}: letters wrong {errors} % with the models of the three tiers, fold 0")


def _train_budget_arms(options):
    from spcviz.experiments import arm_batch, pose_budget_models

    with tqdm(desc="budget, arms", unit="clip") as bar:

        def tick(label):
            bar.set_postfix_str(label, refresh=False)
            bar.update()

        trained = pose_budget_models.train(options.models, WORK, quick=options.quick, tick=tick)
    path = pose_budget_models.save(options.models, *trained)
    found = arm_batch.metrics_of(pose_budget_models.load(options.models))
    errors = ", ".join(f"{error:.1f}" for error in found["plain_error"])
    print(
        f"{path}: joints off {errors} % with the models of the four tiers, {found['error_of_a_tenth']:.1f} % "
        "for a tenth of the time, on test clips"
    )


def _train_tagging(options):
    from spcviz.experiments import tagging, tagging_models

    settings = tagging.settings_for("ewt", "full", quick=options.quick)
    data = tagging.prepared("ewt", "full", settings.least)
    with tqdm(desc="tagging ewt", unit="pass") as bar:

        def tick(label):
            bar.set_postfix_str(label, refresh=False)
            bar.update()

        spc = tagging.train(settings, "spc", data, tick=tick)
        crf = tagging.train(settings, "crf", data, tick=tick, n_orders=2)  # its bigram filter is compared
    model = tagging_models.shrunk(settings, data, spc.cascade, crf.cascade)
    metrics = {
        "test": tagging.evaluate(model.cascade, data, "test"),
        "held_out": [report._asdict() for report in spc.reports],
    }
    path = tagging_models.save_tagger(
        options.models, model, random_state=tagging.RANDOM_STATE, metrics=metrics, data=data
    )
    print(f"{path}: {metrics['test'][-1]['accuracy']:.2f} % of test words right")


def _train_pose(options):
    from dataclasses import replace

    from spcviz.experiments import pose_models, pose_tables, pose_train
    from spcviz.tasks import pose_data

    dev = pose_data.load_buffy(pose_models.data_folder(), "dev")
    for name, (settings, methods) in pose_train.SETTINGS.items():
        if options.quick:
            settings = replace(settings, n_frames=32, n_clips=4, n_epochs=1, n_negatives=20)
        with tqdm(desc=name, unit="part") as bar:

            def tick(label, bar=bar):
                bar.set_postfix_str(label, refresh=False)
                bar.update()

            trained = pose_train.train(settings, methods, tick=tick)
        names = (name, pose_models.HAND_SET) if name == pose_models.NAME else (name,)
        for own, model in zip(names, trained):
            last = pose_tables.measure(model, dev)[-1]
            metrics = {"development": last}
            path = pose_models.save_pose(options.models, model, settings, metrics=metrics, name=own)
            print(
                f"{path}: upper arms {last['pcp50_upper_arms']:.1f} % (PCP 0.5), survivors "
                f"{last['oracle_pcp25']:.1f} % at {last['efficiency']:.1f} % pruned, on development frames"
            )


def _reproduce(options):
    from spcviz.store import write_json_atomic

    path = _result_path(options)
    with _executor(options) as executor, tqdm(desc=options.name, unit="part") as bar:

        def tick(label):
            bar.set_postfix_str(label, refresh=False)
            bar.update()

        result = _REPRODUCE[options.name](executor, options, tick)
    result["command"] = _command(options, _earlier(path) if options.features else None)
    write_json_atomic(path, result)
    print(f"{path}: {len(result['rows'])} rows in {result['seconds']} s")


def _command(options, earlier):
    """What repeats a result; where it was made in parts, the commands of all parts."""
    words = ["python -m spcviz reproduce", options.name]
    if options.features:
        words += ["--features", *options.features]
    if options.folds is not None:
        words += ["--folds", str(options.folds)]
    if options.quick:
        words += ["--quick"]
    command = " ".join(words)
    before = (
        (earlier or {}).get("command", "").split("; ") if options.name in ("ocr-orders", "tagging") else []
    )
    return "; ".join([c for c in before if c and c != command] + [command])


def _result_path(options):
    """Where the result goes; a quick look never replaces a full result."""
    folder = options.work if options.quick else CACHE / "results"
    return options.json or folder / f"{options.name}.json"


def _earlier(path):
    """The result that stands at a path, or None."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _reproduce_orders(executor, options, tick):
    from spcviz.experiments import ocr_tables

    chosen = {"features": options.features} if options.features else {}
    result = ocr_tables.reproduce_orders(
        executor,
        folds=10 if options.folds is None else options.folds,
        quick=options.quick,
        folder=options.work,
        tick=tick,
        **chosen,
    )
    is_part = bool(chosen) and not options.quick
    return ocr_tables.merged(_earlier(_result_path(options)), result) if is_part else result


def _reproduce_sweep(executor, options, tick):
    from spcviz.experiments import ocr_tables

    chosen = {"features": options.features} if options.features else {}
    return ocr_tables.reproduce_sweep(
        executor,
        folds=1 if options.folds is None else options.folds,
        quick=options.quick,
        tick=tick,
        **chosen,
    )


def _reproduce_tagging(executor, options, tick):
    from spcviz.experiments import tagging_tables

    chosen = {"features": options.features} if options.features else {}
    result = tagging_tables.reproduce_tagging(
        executor, quick=options.quick, folder=options.work, tick=tick, **chosen
    )
    is_part = bool(chosen) and not options.quick
    return tagging_tables.merged(_earlier(_result_path(options)), result) if is_part else result


def _reproduce_grid(executor, options, tick):
    from spcviz.experiments import grid
    from spcviz.experiments.result import machine

    result = grid.reproduce_grid(
        quick=options.quick, executor=executor, progress=lambda done, total: tick(f"of {total} instances")
    )
    return {"baselines": [], "data_digests": {}} | result | {"machine": machine()}


def _reproduce_budget(executor, options, tick):
    from spcviz.experiments import budget_tables

    return budget_tables.reproduce(
        options.name,
        folds=10 if options.folds is None else options.folds,
        quick=options.quick,
        folder=options.work,
        tick=tick,
    )


def _reproduce_pose_budget(executor, options, tick):
    from spcviz.experiments import pose_budget_tables

    return pose_budget_tables.reproduce(
        options.name,
        CACHE / "models",
        quick=options.quick,
        folder=options.work,
        partitions=options.folds,
        tick=tick,
    )


def _reproduce_pose_cascade(executor, options, tick):
    from spcviz.experiments import pose_tables

    return pose_tables.reproduce_cascade(CACHE / "models", quick=options.quick, tick=tick)


def _reproduce_pose_ensemble(executor, options, tick):
    from spcviz.experiments import pose_ensemble

    return pose_ensemble.reproduce_ensemble(CACHE / "models", quick=options.quick, tick=tick)


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


def _bench(options):
    from spcviz.experiments import bench
    from spcviz.store import write_json_atomic

    result = bench.bench_engine(repeats=options.repeats, tick=lambda text: print(text, file=sys.stderr))
    print(bench.as_text(result))
    if options.json:
        write_json_atomic(options.json, result)


def _warmup(options):
    from spcviz.experiments.warmup import warmup

    start = time.perf_counter()
    warmup(CACHE / "models")
    print(f"kernels ready in {time.perf_counter() - start:.1f} s")


def _models(options):
    from spcviz.store import StoreError, list_models, verify_model

    failed, found = 0, list_models(options.models)
    if not found:
        print(f"no models in {options.models}; make them with: python -m spcviz train ocr")
    for status in found:
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
    from spcviz.tasks import catalogue

    for line in catalogue.describe():
        print(line)


_MADE_IN_PARTS = ("ocr-orders", "tagging")
_TRAIN = {
    "budget": _train_budget,
    "budget-pose": _train_budget_arms,
    "ocr": _train_ocr,
    "pose": _train_pose,
    "tagging": _train_tagging,
}
_REPRODUCE = {
    "budget-ocr": _reproduce_budget,
    "constrained-ocr": _reproduce_budget,
    "dms-ocr": _reproduce_budget,
    "dms-pose": _reproduce_pose_budget,
    "grid": _reproduce_grid,
    "ocr-orders": _reproduce_orders,
    "ocr-sweep": _reproduce_sweep,
    "policy-ocr": _reproduce_budget,
    "policy-pose": _reproduce_pose_budget,
    "pose-cascade": _reproduce_pose_cascade,
    "pose-ensemble": _reproduce_pose_ensemble,
    "tagging": _reproduce_tagging,
}
