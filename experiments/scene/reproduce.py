"""SpeedMachines, Tables 1 and 2 and Figs. 2 and 4: what `reproduce scene` runs.

All methods run on every test picture as they would for a visitor: from the pixels on, with features computed
on demand. Accuracy is over all test pictures and stored; times are over every `EVERY_TIMED`-th, in one
thread, the fastest of `REPEATS` runs, measured anew by every run: they need a quiet machine.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from experiments.scene import costs, measure
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import extract, features, segments, stored, train
from spcviz.problems.scene.model import run as predictors
from spcviz.problems.scene.model.features import load_costs as known_costs
from spcviz.problems.scene.page import trade
from spcviz.problems.scene.shown import TIERS
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import JSON, load_or_compute
from spcviz.store import digest_of_arrays

SOURCE = "Grubb et al. (2013), SpeedMachines, Tables 1 and 2, Figs. 2 and 4 (CamVid)"
EVERY_TIMED, REPEATS = 16, 5
_RECALLS = {  # Table 1, in the order of our classes
    "sim": (94.1, 76.8, 14.0, 95.2, 66.3, 79.2, 30.2, 25.7, 71.8, 34.6, 15.0),
    "him": (95.9, 83.3, 13.6, 96.0, 72.1, 82.2, 42.2, 21.5, 75.2, 38.6, 33.3),
}
_MEANS = {"sim": {"pixel": 81.5, "class": 54.8}, "him": {"pixel": 84.9, "class": 59.4}}
PAPER = {name: means | {"classes": _RECALLS[name]} for name, means in _MEANS.items()}
CHOSEN_ON = (
    "where HIM stops: validation pictures; class weights, trees, how many a step has, folds, what HIM sees "
    "around regions and changed copies to learn from: these and a training drive that trials did not learn "
    "from; the forest beside HIM's boosted trees: two drives left out in turn, half of the pictures; SIM's "
    "prices of a call, groups looked at as a whole, depths and copies: a training drive left out"
)
MEANINGS = {
    "pixel_accuracy": "pixels right, % of those with a class, all test pictures together",
    "class_accuracy": "mean of the recalls of 11 classes, %",
    "seconds": "wall clock from a picture's pixels to its labels, one thread, fastest of several runs, mean "
    "of test pictures",
    "interval": f"95 %, {measure.N_DRAWS} draws of blocks of {measure.BLOCK} successive test pictures",
}
CODE = (
    "spcviz.problems.scene.model.run",
    "experiments.scene.measure",
    "spcviz.problems.scene.model.train",
)


def train_all(run: Run) -> Iterator[str]:
    """Train the anytime predictor, the machines and their selector on CamVid; yields a line when stored."""
    lab = train.Lab(run.quick, run.work, run.tick)
    steps, risk, ms = lab.sim()
    machines = {name: lab.him(name) for name in train.LIMITED}
    new = extract.scenes("val", camvid.names_of("val"), lab.vocabulary, run.work)
    rng = np.random.default_rng(train.RANDOM_STATE)
    chooser = trade.learn(trade.look(new, [machines[tier.key] for tier in TIERS]), rng)
    model = stored.SceneModel(lab.vocabulary, steps, ms, machines.pop("him"), machines, chooser)
    scenes, *_ = lab.scenes()
    path = stored.save(
        run.models,
        model,
        settings=asdict(lab.settings),
        metrics={"held_out_risk": float(risk[-1]), "modelled_ms": float(ms.sum())},
        data_digest=digest_of_arrays({"counts": scenes.counts, "size": scenes.structure.size}),
    )
    yield f"{path}: {len(steps)} steps, {ms.sum():.0f} modelled ms, held-out risk {risk[-1]:.3f}"


def reproduce_scene(run: Run) -> dict:
    """Accuracy against time for every method on the test pictures (Tables 1 and 2, Figs. 2 and 4)."""
    lab = train.Lab(run.quick, run.work, run.tick)
    names = camvid.names_of("test")[:: 60 if run.quick else 1]
    tables = _evaluate_pictures(lab, names, run)
    seconds, every = _times(lab, names[::EVERY_TIMED], run.tick)
    rng = np.random.default_rng(train.RANDOM_STATE)
    drawn = measure.draws(len(names), rng)
    last = {method: table[:, -1] for method, table in tables.items()}
    steps, risk, ms = lab.sim()
    numbers = [int.from_bytes(name.encode()[-7:], "little") % 2**53 for name in names]
    rows = _sim_rows(seconds["sim"], tables["sim"], ms)
    rows += [_row(method, seconds[method][-1], last[method]) for method in tables if method != "sim"]
    for row in rows:
        if row["method"] != "sim" or row["step"] == len(steps):
            row["interval"] = measure.interval(last[row["method"]], drawn)
    return describe(
        "scene",
        SOURCE,
        rows,
        baselines=[row for row in rows if row["method"] == "forest"],
        settings={
            **asdict(lab.settings),
            "random_state": train.RANDOM_STATE,
            "groups": list(features.GROUPS),
            "fh": {"sigma": segments.SIGMA, "scale": [segments.SCALE, *segments.SCALES],
                   "least": [segments.LEAST, *segments.LEASTS]},
            "chosen_on": CHOSEN_ON,
            **MEANINGS,
        },
        data={"camvid": {"names": np.array(numbers)}},
        fold_rows=[{"fold": "test", "rows": [{k: v for k, v in r.items() if k != "seconds"} for r in rows]}],
        risk=[float(step_risk) for step_risk in risk],
        centres=_centres(steps, seconds["sim"]),
        table_2=list(known_costs().values()),
        all_features_seconds=every,
        compared=_compare_methods(tables, seconds, drawn),
        him_validation=_validate_stages(lab, run),
        n_pictures=len(names),
        size=list(camvid.SIZE),
    )  # fmt: skip


def _validate_stages(lab, run):
    """Accuracy of each of HIM's stages on validation pictures, which decides where it stops."""

    def make():
        scenes = extract.scenes("val", camvid.names_of("val"), lab.vocabulary, run.work)
        stages = lab.all_stages("him")
        rows = []
        for stage, share in zip(stages, predictors.shares_of(stages, scenes.structure)):
            scores = measure.scores(measure.confusion(share.argmax(axis=1), scenes.counts.astype(np.int64)))
            rows.append({"level": stage.level} | {k: scores[k] for k in ("pixel_accuracy", "class_accuracy")})
        return rows

    key = {"settings": asdict(lab.settings), "random_state": train.RANDOM_STATE}
    return load_or_compute(run.work, "scene-val-him", key, CODE, make, JSON)


def _row(method, seconds, tables):
    row = {"method": method, "seconds": seconds, **measure.scores(tables.sum(axis=0))}
    return row | ({"paper": PAPER[method]} if method in PAPER else {})


def _sim_rows(times, tables, ms):
    rows = []
    for step, seconds in enumerate(times):
        row = _row("sim", seconds, tables[:, step])
        if step + 1 < len(ms):
            row.pop("paper")
        rows.append(row | {"step": step + 1, "modelled_ms": float(ms[: step + 1].sum())})
    return rows


def _centres(steps, seconds):
    """Fig. 4: centres bought of each group, and columns of SHAPE, after each step."""
    rows = []
    for number, (step, at, bought) in enumerate(zip(steps, seconds, predictors.bought_after(steps)), 1):
        row = {"step": number, "seconds": at, "level": step.level, "theta": step.theta}
        rows.append(row | dict(zip(features.GROUPS, bought.tolist())))
    return rows


def _compare_methods(every, seconds, drawn):
    """Every method against SIM at SIM's end, and at the method's own time: points gained, with intervals."""
    last = {method: table[:, -1] for method, table in every.items()}
    out, ours = [], measure.scores(last["sim"].sum(axis=0))
    for method, tables in last.items():
        if method != "sim":
            theirs, row = measure.scores(tables.sum(axis=0)), {"method": method}
            for name in ("pixel", "class"):
                row[name] = ours[f"{name}_accuracy"] - theirs[f"{name}_accuracy"]
            row["interval"] = measure.interval(last["sim"], drawn, tables)
            out.append(row | _at_its_time(method, every, seconds, drawn))
    return out


def _at_its_time(method, tables, seconds, drawn):
    """SIM's step when a method is done, and its gain there, paired by picture; empty if there is none."""
    done = int(np.searchsorted(seconds["sim"], seconds[method][-1], side="right"))
    if not done:
        return {}
    ours, theirs = tables["sim"][:, done - 1], tables[method][:, -1]
    gain = [measure.scores(table.sum(axis=0))["pixel_accuracy"] for table in (ours, theirs)]
    ends = measure.interval(ours, drawn, theirs)["pixel"]
    return {"at_its_time": {"step": done, "pixel": gain[0] - gain[1], "interval": ends}}


def _evaluate_pictures(lab, names, run):
    """{method: tables of each picture and step} on test pictures, stored."""
    forest, evaluated = [], []
    about = {"settings": asdict(lab.settings), "random_state": train.RANDOM_STATE}
    about["costs"] = list(known_costs().values())
    for at in range(0, len(names), extract.N_PER_PART):
        chosen = names[at : at + extract.N_PER_PART]

        def make(chosen=chosen):
            if not forest:
                forest.append(lab.forest())
            return [_one(lab, name, forest[0]) for name in chosen]

        key = about | {"names": list(chosen), "at": at}
        evaluated += load_or_compute(lab.work, f"scene-test-{at}", key, CODE, make, JSON)
        run.tick(f"test {at}")
    return {method: np.array([tables[method] for tables in evaluated]) for method in evaluated[0]}


def _one(lab, name, forest):
    """{method: tables of its steps} of one test picture."""
    scene = camvid.load("test", name)
    seen = features.LazyPicture(scene.picture, lab.vocabulary)
    counts = camvid.counts_of(scene.truth, seen.hierarchy.atoms, len(seen.size))
    machines = {method: lab.him(method) for method in train.LIMITED}
    answers = predictors.answers(seen, lab.sim()[0], machines, forest)
    return {
        m: [measure.confusion(labels, counts).tolist() for labels in steps] for m, steps in answers.items()
    }


def _times(lab, names, tick):
    """({method: mean seconds until each of its answers}, seconds of all features), measured anew."""
    rows, every, forest = [], [], lab.forest()
    for name in names:
        picture = camvid.load("test", name).picture
        times = {"sim": predictors.sim(picture, lab.vocabulary, lab.sim()[0], REPEATS).seconds}
        for method, groups in train.LIMITED.items():
            columns = np.flatnonzero(np.isin(features.GROUP_OF, [features.GROUPS.index(g) for g in groups]))
            timed = predictors.him(picture, lab.vocabulary, lab.him(method), columns, REPEATS)
            times[method] = timed.seconds[-1:]
        runs = [predictors.forest(picture, lab.vocabulary, forest).seconds[-1:] for _ in range(REPEATS)]
        rows.append(times | {"forest": np.min(runs, axis=0)})
        every.append(costs.everything(picture, lab.vocabulary, REPEATS, time.perf_counter))
        tick(f"times {name}")
    return {m: np.mean([times[m] for times in rows], axis=0).tolist() for m in rows[0]}, float(np.mean(every))
