"""The two reproduced results about budgets on arms: dms-pose and policy-pose."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from experiments.arms import dms_pi
from experiments.budgets import Measured, reproduce
from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.arms.model import dms, features, fit, proposals, readings, stored
from spcviz.problems.arms.model.readings import GRID
from spcviz.problems.arms.model.tallies import JOINTS, equal_rows, gap, plain, tidy
from spcviz.problems.arms.shown import AT_ONCE, EITHER, EVERYONE, SPAN_LENGTHS, TIERS, spans_of
from spcviz.problems.pose.data import buffy as pose_data
from spcviz.problems.pose.data import signs
from spcviz.problems.pose.model.stored import ARMS, data_folder, load_pose
from spcviz.registry.problem import Run

SOURCES = {
    "dms-pose": "Weiss (2013), thesis, section 6.3.2, Fig. 6.2, 6.3 and 6.4",
    "policy-pose": "Weiss (2013), thesis, section 7.4.1, Table 7.1 and Fig. 7.2",
}
DATA = {"dms-pose": ("signs", "rendered", "buffy"), "policy-pose": ("signs", "rendered")}
"""Sets of clips of each result: real, long clips with reference joints; rendered; real clips of 4 frames."""

SHARES = {"dms-pose": (0.7, 0.1, 0.2), "policy-pose": (0.8, 0.2)}
PARTITIONS = {"dms-pose": 15, "policy-pose": 5}  # the thesis: 200, 50; more hardly shrink errors over clips

N_REPEATS = 2  # of each person left out: averages out random draws, the spread over clips remains

N_MORE = 40  # rendered clips that predictors of signing clips learn from in addition to four persons' clips


class Clips(NamedTuple):
    """One set of clips."""

    trial: fit.Trial
    tested: proposals.ArmClips  # all chains that are tested in some split, if all splits are made
    about: dict  # its entry in the result's settings


def train(run: Run) -> Iterator[str]:
    """Train what the budget pages need for arms; yields a line when it is stored."""
    trained = stored.train(run.models, run.work, quick=run.quick, tick=run.tick)
    path = stored.save(run.models, *trained)
    metrics = readings.metrics_of(stored.load(run.models))
    errors = ", ".join(f"{error:.1f}" for error in metrics["plain_error"])
    tenth = metrics["error_of_a_tenth"]
    yield (
        f"{path}: joints off {errors} % with the models of all tiers, {tenth:.1f} % "
        "for a tenth of the time, on test clips"
    )


def result(run: Run) -> dict:
    """dms-pose or policy-pose; ``run.features`` are names of sets of clips."""
    fresh = reproduce(sys.modules[__name__], run)
    return merge_results(run.earlier, fresh) if run.earlier else fresh


def measure(run: Run) -> Measured:
    """Measure a result on ``run.features``; folds: persons left out, and partitions of rendered clips."""
    names = run.features or DATA[run.name]
    for name in names:
        if name not in DATA[run.name]:
            raise ArgumentError(f"features must be of {', '.join(DATA[run.name])}, got {name!r}")
    settings = fit.ArmSettings()
    settings = replace(settings, epochs=3) if run.quick else settings
    model = load_pose(run.models, ARMS)
    modes = proposals.fit_modes(pose_data.load_buffy(data_folder(), "train"))
    more, about, digests = {}, {}, {}
    for name in names:
        clips = MAKERS[name](run, model, modes)
        if run.name == "dms-pose":
            entries = dms_result(dms.measure(clips.trial, settings, run.tick), clips.tested)
        else:
            entries = policy_result(dms_pi.measure(clips.trial, settings, run.tick))
        for key, value in entries.items():
            _put(more, key, name, value)
        about[name] = clips.about
        digests[name] = {"joints": clips.tested.joints, "truth": clips.tested.truth}
    spans = "lengths of spans, " if run.name == "policy-pose" else ""
    settings_entry = {
        "predictors": asdict(settings),
        "tiers": [tier.key for tier in TIERS],
        "data": about,
        "quick": run.quick,
        "near_px": features.NEAR_PX,
        "chosen_on": "predictors: rendered training clips of the first partition; how blocks are matched: "
        f"other rendered clips; budgets, gamma, alpha, queues, {spans}tiers and their order: training and "
        "development clips, of signing clips those of the other four persons",
    }
    return Measured(more.pop("rows"), [], settings_entry, digests, more)


def _put(more, key, name, value):
    """Add the results of one set of clips: lists are joined, everything else is stored under its name."""
    if isinstance(value, list):
        more.setdefault(key, []).extend({"data": name, "clips": name} | row for row in value)
    else:
        more.setdefault(key, {})[name] = value


def merge_results(old: dict, new: dict) -> dict:
    """A result completed from an earlier run's for the sets of clips that it lacks."""
    if not isinstance(old, dict) or "data" not in old.get("settings", {}):
        return new
    fresh = new["settings"]["data"]
    out = new | {"settings": dict(new["settings"]), "fold_rows": list(new["fold_rows"])}
    lists = [key for key, value in new.items() if isinstance(value, list) and value and "data" in value[0]]
    for key in lists:
        out[key] = new[key] + [row for row in old.get(key, []) if row["data"] not in fresh]
        out[key].sort(key=lambda row: DATA[new["name"]].index(row["data"]))
    out["fold_rows"] += [row for row in old.get("fold_rows", []) if row["fold"].split()[0] not in fresh]
    for key in ("summary", "data_digests"):
        others = {name: entry for name, entry in old.get(key, {}).items() if name not in fresh}
        out[key] = _in_order(new["name"], new[key] | others)
    others = {name: entry for name, entry in old["settings"]["data"].items() if name not in fresh}
    out["settings"]["data"] = _in_order(new["name"], fresh | others)
    return out


def _in_order(name, parts):
    return {clips: parts[clips] for clips in DATA[name] if clips in parts}


def _signs(run, model, modes):
    """`Clips` of splits that leave one person out."""
    n_folds = checks.integer("folds", run.folds or (2 if run.quick else len(signs.PERSONS)), 1, 1000)
    reference, folds = signs.load_reference(), signs.folds()[:n_folds]
    n_repeats = 1 if run.quick else N_REPEATS
    names = reference.clips[:6] if run.quick else reference.clips  # of four persons
    clips = proposals.sign_clips(model, modes, run.work, names, run.tick)
    every = np.array([signs.PERSONS.index(person) for person in reference.persons])

    def split(fold):
        is_test = every[clips.clip] == signs.PERSONS.index(fold.person)
        return clips.choose(np.flatnonzero(~is_test)), clips.choose(np.flatnonzero(is_test))

    more = proposals.rendered_clips(model, modes, run.work, 6 if run.quick else N_MORE, run.tick)
    trial = fit.Trial(
        [partial(split, fold) for fold in folds for _ in range(n_repeats)],
        [f"signs {fold.person}" + (f" {r}" if r else "") for fold in folds for r in range(n_repeats)],
        clips.tier_ms,
        lambda chains, _settings, _rng: every[chains.clip],
        more,
        every,
    )
    how = f"each of {len(folds)} persons left out {n_repeats} times, with other random numbers"
    return Clips(trial, clips, _about(trial, clips, how))


def _partition_rendered(run, model, modes):
    """`Clips` of random partitions of rendered clips."""
    n_splits = checks.integer("folds", run.folds or (2 if run.quick else PARTITIONS[run.name]), 1, 1000)
    clips = proposals.rendered_clips(model, modes, run.work, 6 if run.quick else proposals.N_CLIPS, run.tick)
    trial = fit.Trial(
        [partial(fit.partition, clips, i, SHARES[run.name]) for i in range(n_splits)],
        [f"rendered {i}" for i in range(n_splits)],
        readings.tier_ms(model, modes, run.work),
        fit.draw_parts,
    )
    return Clips(trial, clips, _about(trial, clips, "random partitions"))


def _buffy(run, model, modes):
    """`Clips` of Buffy's own halves."""
    names = ("train", "dev", "test")
    halves = [proposals.buffy_clips(model, modes, data_folder(), name, run.work, run.tick) for name in names]
    trial = fit.Trial([lambda: halves], ["buffy test"], proposals.join_clips(halves).tier_ms, fit.draw_parts)
    return Clips(
        trial, halves[-1], _about(trial, proposals.join_clips(halves), "episodes 2, 5 and 6 are tested")
    )


MAKERS = {"signs": _signs, "rendered": _partition_rendered, "buffy": _buffy}


def _about(trial, clips, how):
    return {
        "splits": len(trial.names),
        "how": how,
        "n_clips": len(np.unique(clips.clip)),
        "n_chains": len(clips.clip),
        "n_frames": len(clips.joints),
        "frames_known": plain(100 * clips.is_known.mean()),
        "tier_ms": plain(trial.medians),
    }


def dms_result(measured: dms.Measured, tested: proposals.ArmClips) -> dict:
    """Entries of dms-pose for one set of clips."""
    rows = [row for method, tally in measured.tallies.items() for row in tally.rows(method)]
    out = {"rows": _describe_rows(rows, measured.base_ms, dms.OPPONENTS)}
    out |= {"summary": dms_summary(measured), "accuracy": [], "stopping_points": []}
    for reader, within in zip(dms.READERS, measured.within, strict=True):
        for radius, near in zip(dms.RADII, within, strict=True):
            row = {"reader": reader, "radius_px": radius}
            out["accuracy"].append(row | {j: tidy(v) for j, v in zip(JOINTS, near, strict=True)})
    for share, stops in zip(GRID, measured.stops, strict=True):
        row = {"budget_share": tidy(100 * share)}
        out["stopping_points"].append(row | {f"stopped_{t}": tidy(100 * s) for t, s in enumerate(stops)})
    out["equal_ms"] = _describe_rows(
        equal_rows(measured.equal, readings.TARGETS), measured.base_ms, dms.OPPONENTS
    )
    out["by_fold"] = plain(measured.by_fold)
    out["fold_rows"] = measured.folds
    out["summary"]["modes_near"] = plain(readings.near_share(tested))
    return out


def _describe_rows(rows, base_ms, opponents):
    """Rows with the tiers in order, the detectors' milliseconds included in them, and the opponent's role."""
    about = {"tiers": [tier.name for tier in TIERS], "detectors_ms": tidy(base_ms)}
    return [row | about | {"opponent": opponents.get(row["method"])} for row in rows]


def dms_summary(measured):
    """Summary of the curves: {str: number or list of [elbow, wrist]}."""
    ours, fixed = measured.tallies["dms"], measured.tallies["fixed"]
    chosen, equal = measured.chosen["dms"], measured.equal
    all_ms, targets = measured.base_ms + measured.full_ms + measured.overhead.read, readings.TARGETS
    last, later = len(GRID) - 1, GRID >= 1 / 32

    def against(one, other):
        return {f"{s}": gap(equal[one], equal[other], i) for i, s in enumerate(targets)}

    def spent(method):
        return {f"{s}": ms for s, ms in zip(targets, equal[method].mean("ms_per_frame"), strict=True)}

    at = targets.index
    return plain(_summary_head(measured, ours) | {
        "r2": measured.r2,
        "base_error": fixed.error[0],
        "final_error": fixed.error[last],
        "final_error_stderr": fixed.stderr()[last],
        "chosen_error": chosen.error[0],
        "chosen_ms": chosen.mean("ms_per_frame")[0],
        "chosen_speedup": all_ms / chosen.mean("ms_per_frame")[0],
        "chosen_minus_final": gap(chosen, fixed, 0, last),
        "least_error_ratio": ours.error[later].min(axis=0) / fixed.error[last],
        "dms_ms": spent("dms"),
        "dms_minus_uniform": against("dms", "uniform"),
        "dms_minus_unsynchronised": against("dms", "uniform, not by tiers"),
        "imitation_ms": spent("imitation"),
        "dms_minus_imitation": against(dms.AS_IMITATION, "imitation"),
        "dms_minus": {name: against("dms", name) for name in (EVERYONE, AT_ONCE, "oracle")},
        "oracle_minus_uniform": against("oracle", "uniform"),
        "oracle_minus_at_once": against("oracle", AT_ONCE),
        "either_at_2_minus_final": gap(equal[EITHER], fixed, at(2), last),
        "either_minus": {name: against(EITHER, name) for name in dms.RANDOM},
        "dms_at_5_minus_uniform_at_2": gap(equal["dms"], equal["uniform"], at(5), at(2)),
        "dms_at_2_minus_final": gap(equal["dms"], fixed, at(2), last),
        "dms_at_5_minus_final": gap(equal["dms"], fixed, at(5), last),
    })  # fmt: skip


def _summary_head(measured, ours):
    """The common first entries of both summaries."""
    return {
        "n_clips_tested": int((ours.frames > 0).sum()),
        "base_ms": measured.base_ms,
        "full_ms": measured.full_ms,
        "overhead_ms": measured.overhead._asdict(),
        "useful_tiers": [TIERS[tier].name for tier in measured.useful],
        "queues": measured.queues,
    }


def policy_result(measured):
    """Entries of policy-pose for one set of clips, from `dms_pi.measure`."""
    drawn = [name for name in measured.tallies if name not in map(spans_of, SPAN_LENGTHS)]  # of the rest
    rows = [row for method in drawn for row in measured.tallies[method].rows(method)]
    fixed = measured.fixed.rows("single tier")
    rows += [row | {"tier": t} for t, row in enumerate(fixed)]
    lists = {"rows": rows, "table": dms_pi.lines_of(measured)}
    out = {
        key: [
            row | {"clock": dms_pi.CLOCKS[row.get("is_beyond", False)]}
            for row in _describe_rows(entries, measured.base_ms, dms_pi.OPPONENTS)
        ]
        for key, entries in lists.items()
    }
    return out | {"summary": policy_summary(measured), "fold_rows": measured.folds}


def policy_summary(measured):
    """Summary of the curves: {str: number or list of [elbow, wrist]}."""
    ours, last, targets = measured.tallies["q-learning"], len(GRID) - 1, readings.TARGETS
    chosen = measured.chosen["q-learning"]

    def against(one, other):
        return {f"{s}": gap(measured.targets[one], measured.targets[other], i) for i, s in enumerate(targets)}

    def over_people(one, other):
        """Standard errors of `against` over people."""
        one, other = (measured.targets[name].by(measured.people) for name in (one, other))
        return {f"{s}": gap(one, other, i)[1] for i, s in enumerate(targets)}

    return plain(_summary_head(measured, ours) | {
        "least_overhead_ms": ours.mean("overhead_ms")[0],
        "base_error": ours.error[0],
        "all_features_error": ours.error[last],
        "all_features_error_stderr": ours.stderr()[last],
        "least_error_ratio": ours.error.min(axis=0) / ours.error[last],
        "chosen_error": chosen.error[0],
        "chosen_minus_all": gap(chosen, ours, 0, last),
        "chosen_features_share": chosen.mean("features_share")[0],
        "chosen_budget_share": chosen.mean("budget_share")[0],
        "chosen_speedup": (measured.base_ms + measured.full_ms) / chosen.mean("ms_per_frame")[0],
        "q_learning_minus": {
            name: against("q-learning", name) for name in measured.targets if name != "q-learning"
        },
        "q_learning_minus_people": None if measured.people is None else {
            name: over_people("q-learning", name) for name in measured.targets if name != "q-learning"
        },
        "span_lengths": measured.lengths,
        "people": dms_pi.people_of(measured),
        "oracle_minus_uniform": against("oracle", "uniform by tiers"),
        "oracle_minus_at_once": against("oracle", AT_ONCE),
    })  # fmt: skip
