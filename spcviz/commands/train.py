"""``train``: train the models that the app shows, and compute the scenes that its pages open with."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from spcviz import registry
from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets import task
from spcviz.registry import licences
from spcviz.registry.problem import Run
from spcviz.shared import outputs
from spcviz.shared.folders import MODELS, shipped_path
from spcviz.shared.work.jobs import Progress

HELP = "train the models that the app shows and store them"

FIRST_SCENES = "first-scenes"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", choices=sorted([*registry.trainings(), FIRST_SCENES]))
    parser.add_argument(
        "--features", nargs="+", help="some sets of features only, where a model has several (default: all)"
    )
    parser.add_argument("--models", type=Path, default=MODELS, metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="few passes: for trying things out")
    parser.add_argument(
        "--check", action="store_true", help=f"{FIRST_SCENES}: make nothing; fail if something is stale"
    )


def run(options: argparse.Namespace) -> int | None:
    if options.target == FIRST_SCENES:
        return _first_scenes(options)
    if options.check:
        raise ArgumentError(f"check must be left out with {options.target}: it is for {FIRST_SCENES}")
    models = outputs.folder("--models", shipped_path(options.models), is_own=options.models == MODELS)
    with tqdm(desc=options.target, unit="part") as bar:
        features = tuple(options.features or ())
        run = Run(options.target, quick=options.quick, features=features, models=models, tick=Progress(bar))
        for row in registry.trainings()[options.target]:
            for line in registry.load(row.make)(run):
                bar.clear()
                print(line)
    licences.stamp(models)
    return 0


def _first_scenes(options):
    from spcviz.web import first_scenes  # imports pages: streamlit, plotly and their dependencies
    from spcviz.web.cached import first

    if options.check:
        task.trade_tasks()  # imports every module with cached calls
        stale = first.stale()
        for name, why in stale.items():
            print(f"{name}: {why}")
        stored = first.list_stored()
        if not stored:
            print(f"no first scene is stored in {first.FOLDER}: pages compute what they open with")
            return 1
        print(f"{len(stored - stale.keys())} of {len(stored)} stored first scenes can be used")
        return 1 if stale else 0
    n_wrong, total = 0, len(first_scenes.addresses())
    with tqdm(first_scenes.make(), desc=FIRST_SCENES, unit="page", total=total) as bar:
        for opened in bar:
            if opened.problem:
                n_wrong += 1
                bar.clear()
                print(f"/{opened.address}: {opened.problem}", file=sys.stderr)
    if n_wrong:
        print(f"{n_wrong} pages or scenes are not stored in full", file=sys.stderr)
    return 0
