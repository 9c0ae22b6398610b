"""The two reproduced results about budgets on arms: dms-pose and policy-pose."""

from dataclasses import asdict, replace
from functools import partial

import numpy as np

from spcviz.engine import checks
from spcviz.problems.arms import data, dms, dms_pi, features, fit, readings
from spcviz.problems.arms.readings import GRID
from spcviz.problems.arms.shown import TIERS
from spcviz.problems.arms.tallies import JOINTS, gap, tidy
from spcviz.problems.budgets.tables import Measured
from spcviz.problems.pose import data as pose_data
from spcviz.problems.pose.models import ARMS, data_folder, load_pose

SOURCES = {
    "dms-pose": "Weiss (2013), thesis, section 6.3.2, Fig. 6.2, 6.3 and 6.4",
    "policy-pose": "Weiss (2013), thesis, section 7.4.1, Table 7.1 and Fig. 7.2",
}
SHARES = {"dms-pose": (0.7, 0.1, 0.2), "policy-pose": (0.8, 0.2)}
PARTITIONS = {"dms-pose": 50, "policy-pose": 30}
"""The thesis has 200 and 50."""

TABLE_7_1 = {
    "All": {"error": 44.3, "time_s": 5.20, "speedup": 1.0},
    4: {"error": 44.0, "features_share": 23.1, "time_s": 1.20, "overhead_s": 0.10, "speedup": 4.0},
    8: {"error": 44.5, "features_share": 10.8, "time_s": 0.56, "overhead_s": 0.08, "speedup": 8.0},
    16: {"error": 45.6, "features_share": 4.6, "time_s": 0.24, "overhead_s": 0.08, "speedup": 16.0},
    32: {"error": 46.5, "features_share": 1.5, "time_s": 0.08, "overhead_s": 0.07, "speedup": 32.0},
    "All-Flow": {"error": 46.3, "time_s": 1.01, "overhead_s": 0.0, "speedup": 5.1},
    "Base only": {"error": 47.7},
}


def measure(run):
    """All that dms-pose or policy-pose is made of.

    Parameters
    ----------
    run : Run
        ``folds`` is the number of partitions; quick: six clips, two partitions, few passes. In
        ``run.models``, "pose-arms" has the detectors.

    Returns
    -------
    Measured
        dms-pose: with ``summary``, ``accuracy`` (Fig. 6.2) and ``stopping_points`` (Fig. 6.4); policy-pose
        with ``summary`` and ``table`` (Table 7.1).

    Raises
    ------
    ArgumentError
        Buffy's training frames are not there: modes of arms are made of them.
    StoreError
        The detectors are not there.
    """
    usual = 2 if run.quick else PARTITIONS[run.name]
    n_splits = checks.integer("partitions", run.folds or usual, 1, 1000)
    settings = fit.ArmSettings()
    settings = replace(settings, epochs=3) if run.quick else settings
    folder, model = data_folder(), load_pose(run.models, ARMS)
    modes = data.fit_modes(pose_data.load_buffy(folder, "train"))
    ms = readings.tier_ms(model, modes, run.work)
    n_clips = 6 if run.quick else data.N_CLIPS
    clips = data.rendered_clips(model, modes, run.work, n_clips, run.tick)
    splits = [partial(fit.partition, clips, i, SHARES[run.name]) for i in range(n_splits)]
    if run.name == "dms-pose":
        sets = {"rendered": splits}
        tested = {"rendered": clips}
        if not run.quick:
            halves = [
                data.buffy_clips(model, modes, folder, half, run.work, run.tick)
                for half in ("train", "dev", "test")
            ]
            sets["buffy"], tested["buffy"] = [lambda: halves], halves[-1]
        rows, more = dms_result(
            {name: dms.measure(own, settings, ms, run.tick) for name, own in sets.items()}
        )
        for name, own in tested.items():
            more["summary"][name]["modes_near"] = plain(readings.near_share(own))
    else:
        rows, more = policy_result(dms_pi.measure(splits, settings, ms, run.tick))
    return Measured(
        rows,
        [],
        {
            "predictors": asdict(settings),
            "tiers": [tier.key for tier in TIERS],
            "tier_ms": [tidy(v) for v in ms],
            "partitions": n_splits,
            "shares": SHARES[run.name],
            "n_clips": n_clips,
            "quick": run.quick,
            "near_px": features.NEAR_PX,
            "chosen_on": "predictors: training clips of the first partition; budgets, gamma, alpha, queues: "
            "training and development clips",
        },
        {"arms": {"joints": clips.joints, "truth": clips.truth}},
        more,
    )


def dms_result(sets):
    """Rows and further entries of dms-pose from `dms.measure` of each set of clips."""
    rows, more = [], {"summary": {}, "accuracy": [], "stopping_points": []}
    for clips, found in sets.items():
        for method, tally in found.tallies.items():
            rows += tally.rows(method, clips=clips)
        more["summary"][clips] = dms_summary(found)
        for reader, own in zip(dms.READERS, found.within, strict=True):
            for radius, near in zip(dms.RADII, own, strict=True):
                row = {"clips": clips, "reader": reader, "radius_px": radius}
                more["accuracy"].append(row | {j: tidy(v) for j, v in zip(JOINTS, near, strict=True)})
        for share, stops in zip(GRID, found.stops, strict=True):
            row = {"clips": clips, "budget_share": tidy(100 * share)}
            more["stopping_points"].append(row | {f"stopped_{t}": tidy(100 * s) for t, s in enumerate(stops)})
    return rows, more


def dms_summary(found):
    """What the curves come to: {str: number or list of [elbow, wrist]}."""
    ours, uniform, fixed, chosen = (
        found.tallies["dms"], found.tallies["uniform"], found.tallies["fixed"], found.chosen["dms"]
    )  # fmt: skip
    all_ms = found.full_ms + found.overhead.read
    last = len(GRID) - 1
    later = GRID >= 1 / 32

    def against(other):
        return {f"{s:g}": gap(ours, found.tallies[other], _grid(s)) for s in (2, 3, 5, 8, 16)}

    out = {
        "n_clips_tested": int((ours.frames > 0).sum()),
        "base_ms": found.base_ms,
        "full_ms": found.full_ms,
        "overhead_ms": found.overhead._asdict(),
        "queues": found.queues,
        "base_error": fixed.error[0],
        "final_error": fixed.error[last],
        "final_error_stderr": fixed.stderr()[last],
        "chosen_error": chosen.error[0],
        "chosen_ms": chosen.mean("ms_per_frame")[0],
        "chosen_speedup": all_ms / chosen.mean("ms_per_frame")[0],
        "chosen_minus_final": gap(chosen, fixed, 0, last),
        "least_error_ratio": ours.error[later].min(axis=0) / fixed.error[last],
        "dms_minus_uniform": against("uniform"),
        "dms_minus_unsynchronised": against("uniform, not by tiers"),
        "dms_minus_imitation": against("imitation"),
        "dms_at_5_minus_uniform_at_2": gap(ours, uniform, _grid(5), _grid(2)),
        "dms_at_2_minus_final": gap(ours, fixed, _grid(2), last),
        "dms_at_5_minus_final": gap(ours, fixed, _grid(5), last),
    }
    return plain(out)


def policy_result(found):
    """Rows and further entries of policy-pose from `dms_pi.measure`."""
    rows = [row for method, tally in found.tallies.items() for row in tally.rows(method)]
    fixed = found.fixed.rows("single tier")
    rows += [row | {"tier": t} for t, row in enumerate(fixed)]
    base, everything = fixed[0]["error"], fixed[-1]["error"]
    table = []
    for method, tally in found.targets.items():
        for target, row in zip(dms_pi.TARGETS, tally.rows(method), strict=True):
            more = {"target": target}
            if method == "q-learning":
                more["paper"] = TABLE_7_1[target]
            table.append(row | more)
    for name, row in zip(dms_pi.FIXED, fixed, strict=True):
        table.append(row | {"method": name} | ({"paper": TABLE_7_1[name]} if name in TABLE_7_1 else {}))
    for row in table:
        row["speedup"] = tidy(found.full_ms / row["ms_per_frame"]) if row["ms_per_frame"] else None
        gained = (base - row["error"]) / (base - everything) if base > everything else np.nan
        row["improvement"] = tidy(100 * gained)
    return rows, {"table": table, "summary": policy_summary(found)}


def policy_summary(found):
    """What the curves come to: {str: number or list of [elbow, wrist]}."""
    ours, last = found.tallies["q-learning"], len(GRID) - 1
    chosen = found.chosen["q-learning"]

    def against(other):
        return {f"{s:g}": gap(ours, other, _grid(s)) for s in dms_pi.TARGETS}

    return plain({
        "n_clips_tested": int((ours.frames > 0).sum()),
        "base_ms": found.base_ms,
        "full_ms": found.full_ms,
        "overhead_ms": found.overhead._asdict(),
        "least_overhead_ms": ours.mean("overhead_ms")[0],
        "queues": found.queues,
        "base_error": ours.error[0],
        "all_features_error": ours.error[last],
        "all_features_error_stderr": ours.stderr()[last],
        "least_error_ratio": ours.error.min(axis=0) / ours.error[last],
        "chosen_error": chosen.error[0],
        "chosen_minus_all": gap(chosen, ours, 0, last),
        "chosen_features_share": chosen.mean("features_share")[0],
        "chosen_budget_share": chosen.mean("budget_share")[0],
        "chosen_speedup": found.full_ms / chosen.mean("ms_per_frame")[0],
        "q_learning_minus": {
            name: against(other) for name, other in found.tallies.items() if name != "q-learning"
        },
    })  # fmt: skip


def _grid(speedup):
    """Index of the budget that is 1 / speedup of everything."""
    return int(np.argmin(np.abs(GRID - 1 / speedup)))


def plain(value):
    """Numbers, lists and dictionaries of a result as JSON has them, rounded."""
    if isinstance(value, dict):
        return {key: plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(own) for own in value]
    return tidy(value)
