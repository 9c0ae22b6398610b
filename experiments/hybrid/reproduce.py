"""The result "hybrid", orders and features bought together: every method against its microseconds per word.

Curves are for a whole batch, whose queue takes the action with the highest value per price; each cascade is
one point.
"""

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from experiments.hybrid import summary
from spcviz.engine import checks
from spcviz.learning.budgets import part_policy
from spcviz.learning.hybrid import policy
from spcviz.learning.hybrid.policy import CoursePoints
from spcviz.problems.hybrid.model import fold as folds
from spcviz.problems.hybrid.model import loopy, parents, times, whole_words, worlds
from spcviz.problems.hybrid.model.times import BOTH, clock_of, rules_of, whole_words_of
from spcviz.problems.hybrid.shown import DATA
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as open_data
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.shared.work.jobs import expect

PART_CODE = ("experiments.hybrid.reproduce",)
LOOPY_CODE = ("spcviz.problems.hybrid.model.loopy",)
AFTER = {"begin": 0, "5 actions": 5, "10 actions": 10, "20 actions": 20, "everything": None}
"""Where one model and two are compared: after this many random actions per word."""

MIXED = ("dms_pi", "spc_pi", "rounds", "whole_words")
"""Methods that a portfolio mixes with fixed cascades."""
BUDGETS = np.geomspace(2.0, 150.0, 90)
"""Microseconds per letter at which those methods are offered."""

GRID = np.round(np.geomspace(10.0, 800.0, 70), 1)
"""Microseconds per word at which the folds' curves are averaged."""


def reproduce(run: Run) -> dict:
    """Every method against its microseconds, on folds of the handwritten words and on the open vocabulary."""
    n_folds = checks.integer("folds", folds.N_FOLDS if run.folds is None else run.folds, 1, folds.N_FOLDS)
    settings = folds.settings_for(run.quick)
    jobs = [("open", 0)] + [("ocr", fold) for fold in range(n_folds)]
    expect(run.tick, len(jobs))
    done = {}
    for data, fold in jobs:
        done.setdefault(data, []).append(run_fold(data, fold, settings, run.work, run.tick))
    rows = [row for data, of_folds in done.items() for row in summary.rows_of(data, of_folds, GRID)]
    each = [(data, one_fold) for data in done for one_fold in done[data]]
    return describe(
        run.name,
        "Weiss (2013), thesis, chapter 8 (a proposal without experiments)",
        rows,
        baselines=[],
        settings={
            "settings": asdict(settings),
            "random_state": folds.RANDOM_STATE,
            "chosen_on": f"policies' discounts and shapes, and the share of rounds (of {folds.SHARES}), what "
            "predicts which whole words to reread, and the portfolio: development words (the fold after the "
            "test fold; the open vocabulary's own); their ridge: cross-validation; tolerance (of "
            f"{settings.tolerances}, tried at all since the test curve of fold 0 ended early with 0.005): "
            "the same words; steps, the hinge's share, prices that controllers reckon with: set by hand",
            "time": f"process CPU microseconds, least of {times.ROUNDS} rounds in which the calls of all "
            "methods take turns, on the same test words: features (the project's own HoG, 200 letters "
            "a call) and scores a letter, lattice with its controller and queue by kind of action from whole "
            "courses, cascades and DMS-pi from calls on the same words",
        },
        data={"ocr": letters.load_words()._asdict(), "open": open_data.arrays_of(open_data.load_composed())},
        fold_rows=[
            {"fold": f"{data} {one_fold['fold']}", "rows": summary.drop_times(one_fold)}
            for data, one_fold in each
        ],
        folds=n_folds,
        compared=[row for data, of_folds in done.items() for row in summary.compare_variants(data, of_folds)],
        models=[row for data, of_folds in done.items() for row in summary.models(data, of_folds)],
        clock={data: of_folds[0]["clock"] for data, of_folds in done.items()},
        clock_parents={data: of_folds[0]["parents_us"] for data, of_folds in done.items()},
        loopy=loopy_rows(run),
        names=DATA,
    )


def loopy_rows(run):
    """The table of loopy graphs, from the work folder if it is stored there."""
    n_grids = 10 if run.quick else loopy.N_GRIDS
    return load_or_compute(
        run.work, "hybrid-loopy", {"n_grids": n_grids}, LOOPY_CODE, lambda: loopy.table(n_grids)
    )


def run_fold(data, fold, settings, folder, tick=None):
    """Curves of all methods on one fold of one data set, from the work folder if stored there."""

    def make():
        world = folds.world_of(data, fold, settings, folder)
        learned = folds.learn(data, fold, settings, world, folder)
        clock = clock_of(data, settings, folder)
        return _measure_fold(fold, world, learned, settings, clock)

    measured = load_or_compute(
        folder, f"hybrid-{data}{fold}", folds.key_of(data, fold, settings), PART_CODE, make
    )
    if tick is not None:
        tick(f"{data} fold {fold}")
    return measured


def _measure_fold(fold, world, learned, settings, timed):
    clock, of_parents = times.ActionTimes(**timed["clock"]), timed["parents_us"]
    _, read = whole_words_of(world, learned, ("dev", "test"))
    mended = {"dev": whole_words.predicted_unseen(read["dev"])}
    mended["test"] = whole_words.predict_mended(whole_words.fit(read["dev"]), read["test"].features)
    points, fixed, options = {}, {}, {}
    for split, reading in read.items():
        points[split] = _points(split, world, learned, settings, clock, of_parents)
        begun = whole_words.begun_us(clock, of_parents, int(reading.starts[-1]))
        us = whole_words.us_of(clock, of_parents, np.diff(reading.starts))
        points[split]["whole_words"] = whole_words.points_of(reading, mended[split], us, begun)
        fixed[split] = _cascades(reading, clock, of_parents)
        options[split] = _options(points[split], fixed[split], getattr(world, split))
    curves = {name: _on_grid(curve, world.test) for name, curve in points["test"].items()}
    curves["portfolio"] = _mix_portfolio(options, len(world.test.labels) / (len(world.test.starts) - 1))
    out = {"fold": fold, "curves": curves, "spc": fixed["test"]} | timed
    return out | {"models": _models(world, learned, settings)}


def _points(split, world, learned, settings, clock, of_parents):
    """`CoursePoints` of every controller on the development or test words."""
    batch, points = getattr(world, split), {}
    for name, rule, is_valuing in rules_of(batch, learned, settings):
        course = policy.course(batch, learned.model, rule)
        us = times.action_us(clock, course, worlds.N_ORDERS, is_valuing)
        points[name] = policy.points_of(batch, course, us, times.begun_us(clock, batch, course, is_valuing))
    points["dms_pi"] = chain_points(world, batch, learned, settings, clock, of_parents)
    return points


def _options(points, fixed, batch):
    """The options of a portfolio: fixed cascades, and each controller of `MIXED` at budgets per letter."""
    n_words, n = len(batch.starts) - 1, len(batch.labels)
    rows = [[row[name] for name in summary.NUMBERS] for row in fixed]
    options = [Option("spc", us * n_words / n, *right) for us, *right in rows]
    for name, curve in ((name, points[name]) for name in MIXED):
        for i in np.maximum(policy.at_budgets(curve, BUDGETS * n), 0):  # below its first point: that point
            right, words = 100 * (1 - curve.wrong[i] / n), 100 * (1 - curve.wrong_words[i] / n_words)
            options.append(Option(name, float(curve.us[i]) / n, float(right), float(words)))
    return options


def _mix_portfolio(options, letters_a_word):
    """The portfolio at `GRID`, with its two ends; see `_on_grid`."""
    chosen = [options["test"][i] for i in hull_of(options["dev"])]
    right, words = mix_options(chosen, GRID / letters_a_word)
    has_begun = ~np.isnan(right)

    def shown(values):
        return [float(value) if begun else None for value, begun in zip(values, has_begun)]

    ends = {}
    for name, pick in (("begin", min), ("end", max)):
        _, us, *accuracies = pick(chosen, key=lambda option: option.us)
        ends[name] = dict(zip(summary.NUMBERS, (us * letters_a_word, *accuracies)))
    return dict(zip(summary.NUMBERS, map(shown, (GRID, right, words)))) | ends


def _on_grid(points, batch):
    """A curve at `GRID`, None below its first point, and its two ends."""
    n_words, n = len(batch.starts) - 1, len(batch.labels)

    def figures(i):
        letters_right, right = 1 - float(points.wrong[i]) / n, 1 - float(points.wrong_words[i]) / n_words
        return float(points.us[i] / n_words), 100 * letters_right, 100 * right

    ends = {name: dict(zip(summary.NUMBERS, figures(i))) for name, i in (("begin", 0), ("end", -1))}
    at = [figures(i) if i >= 0 else (None,) * 3 for i in policy.at_budgets(points, GRID * n_words)]
    return {name: list(column) for name, column in zip(summary.NUMBERS, zip(*at))} | ends


def chain_points(world, batch, learned, settings, clock, parents_us):
    """`CoursePoints` of DMS-pi on a batch."""
    theta = folds.theta_of(learned.model.filters)
    chains = parents.chains(world, theta, batch, parents.chains(world, theta, world.dev).scale)
    rule = part_policy.rule(learned.chains, per_cost=True)
    costs = np.tile(settings.prices.tiers, (chains.shape[0], 1))
    spent = part_policy.spend(chains, rule, costs=costs)
    us = times.bought_us(clock)[spent.tier] + parents_us["dms_pi"]["action"]
    word = np.searchsorted(batch.starts, spent.part, side="right") - 1
    wrong = np.add.reduceat(spent.labels_before != batch.labels, batch.starts[:-1])
    words = [(wrong > 0).sum()]
    for w, gain in zip(word.tolist(), spent.gain.tolist()):
        before, wrong[w] = wrong[w], wrong[w] - gain
        words.append(words[-1] + int(wrong[w] > 0) - int(before > 0))
    begun = len(batch.labels) * (clock.score[0] + parents_us["dms_pi"]["letter"])
    lost = chains.loss_of(spent.labels_before) - np.concatenate([[0], np.cumsum(spent.gain)])
    return CoursePoints(begun + np.concatenate([[0.0], np.cumsum(us)]), lost, np.array(words))


def _cascades(read, clock, parents_us):
    """One row for each order and tier of fixed cascades."""
    rows, n = [], int(read.starts[-1])
    for c, (tier, order) in enumerate(whole_words.COURSES):
        scored = clock.score[0] if tier == 0 else clock.score[tier] + sum(clock.feature[: tier + 1])
        wrong = read.wrong[:, c]
        us = float(parents_us["spc"][tier][order - 1] + n / len(wrong) * scored)
        right = 100 * (1 - float(wrong.sum()) / n), 100 * float((wrong == 0).mean())
        rows.append({"tier": tier, "order": order} | dict(zip(summary.NUMBERS, (us, *right))))
    return rows


def _models(world, learned, settings):
    """One model that filters and predicts against two models, on test words after random trajectories."""
    batch, out = world.test, []
    noise = np.random.default_rng(folds.RANDOM_STATE).random((len(batch.labels), len(learned.model.alphas)))
    for at, most in AFTER.items():
        for name, model in (("one", learned.model), ("two", learned.two)):
            rule = policy.rule_of(model, settings.prices, BOTH, noise=noise)
            is_right = policy.course(batch, model, rule, most=most).after == batch.labels
            words = np.logical_and.reduceat(is_right, batch.starts[:-1])
            row = {"model": name, "at": at, "char_accuracy": 100 * float(is_right.mean())}
            out.append(row | {"word_accuracy": 100 * float(words.mean())})
    return out


class Option(NamedTuple):
    """A method at one of its budgets."""

    method: str
    us: float  # per letter
    right: float  # percent of letters
    right_words: float  # percent of words


def hull_of(dev: list[Option]) -> list[int]:
    """Indices of the options on the upper hull, from the cheapest to the most accurate.

    Different words may be read by different methods, so any point between two methods' points can be reached.
    The upper hull of all points on development words determines which two; test words use the same.

    >>> hull_of([Option("a", 1, 50, 0), Option("b", 2, 54, 0), Option("c", 3, 60, 0), Option("d", 4, 59, 0)])
    [0, 2]
    """
    hull: list[int] = []
    for i in sorted(range(len(dev)), key=lambda i: (dev[i].us, -dev[i].right)):
        if hull and dev[i].right <= dev[hull[-1]].right:
            continue
        while len(hull) > 1 and _gain(dev, hull[-2], hull[-1]) <= _gain(dev, hull[-2], i):
            hull.pop()
        hull.append(i)
    return hull


def _gain(options, i, j):
    """Percentage points gained per microsecond between two options."""
    return (options[j].right - options[i].right) / max(options[j].us - options[i].us, 1e-12)


def mix_options(options: list[Option], us: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Percent of letters and words right at budgets per letter, mixing neighbours; NaN before the first."""
    by_time = sorted(options, key=lambda option: option.us)
    spent = [option.us for option in by_time]
    right, words = (
        np.interp(us, spent, [getattr(option, key) for option in by_time], left=np.nan)
        for key in ("right", "right_words")
    )
    return right, words
