"""Statements about ensembles of trees on grids and limbs: thesis chapter 5."""

import numpy as np

from experiments.statements.evidence import Evidence, Found, Rows, halves, row_of, signed, values
from experiments.statements.rules import ALL, Estimate, beside, direction, estimate, exactly, level

ROWS = Rows()
_RECIPE = "yes (its recipe)"


def _agreement(ev):
    """Rows by K of which a rank correlation is stored, and how its spread was taken."""
    about = ev["grid"]["agreement"]
    rows = [row for row in about["by_k"] if row["error_rho"] is not None]
    if all("error_rho_stderr" in row for row in rows):
        return rows, lambda row, key: row[f"{key}_stderr"], "2 se, bootstrap of the 100 grids"
    error = 1 / np.sqrt(about["n_variables"])
    return (
        rows,
        lambda row, key: error,
        f"2 / sqrt of {about['n_variables']:,} variables, taken as independent",
    )


@ROWS.add(
    "The ensemble errs less than belief propagation and every comb, at each K",
    source="thesis 5.5.1, Fig. 5.3", paper="drawing only",
    same_data=_RECIPE, needs=ALL, results=("grid",),
    where="gaps lbp (paired, 100 grids); trees against rows ensemble: error, stderr",
)  # fmt: skip
def _ensemble_errs_less(ev: Evidence) -> Found:
    grid = ev["grid"]
    ours = {row["k"]: row for row in grid["rows"] if row["method"] == "ensemble"}
    lbp = {
        row["k"]: estimate(row["gap"], row["stderr"], ev.rules)
        for row in grid["gaps"]
        if row["method"] == "lbp" and row["k"] < 8
    }
    best, comb = {}, {}
    for k in lbp:
        best[k] = min((row for row in grid["trees"] if row["k"] == k), key=lambda row: row["error"])
        error = np.hypot(best[k]["stderr"], ours[k]["stderr"])
        comb[k] = estimate(best[k]["error"] - ours[k]["error"], error, ev.rules)
    least = [min(gaps, key=lambda k: gaps[k].value / gaps[k].half) for gaps in (lbp, comb)]
    three = [ours[3]["error"], row_of(grid["rows"], method="lbp", k=3)["error"], best[3]["error"]]
    return Found(
        f"K = 3: {three[0]:.3f}, belief propagation {three[1]:.3f}, best comb {three[2]:.3f}",
        f"least: belief propagation {signed(lbp[least[0]], 4)} (K = {least[0]}); "
        f"best comb {signed(comb[least[1]], 4)} (K = {least[1]}, unpaired)",
        [direction(f"LBP {k}", gap) for k, gap in lbp.items()]
        + [direction(f"comb {k}", gap) for k, gap in comb.items()],
        "belief propagation left variables unconverged on all 100 grids (paper: on most)",
        f"{values(three, 3)} keeping 3 of 8",
    )


@ROWS.add(
    "Where combs agree more the ensemble errs less, at every K",
    source="thesis 5.5.1", paper="median 0.38; rho to -0.143, p < 1e-15",
    same_data=_RECIPE, needs=ALL, results=("grid",),
    where="agreement median, by_k error_rho, error_rho_stderr",
)  # fmt: skip
def _agreement_and_error(ev: Evidence) -> Found:
    rows, error_of, how = _agreement(ev)
    rho = {row["k"]: estimate(row["error_rho"], error_of(row, "error_rho"), ev.rules) for row in rows}
    widest = max(rho.values(), key=lambda one: one.half)
    return Found(
        f"median {ev['grid']['agreement']['median']:.3f}; rho {max(r.value for r in rho.values()):.2f} "
        f"to {min(r.value for r in rho.values()):.2f}",
        f"± {widest.half:.3f} at most ({how})",
        [direction(f"K = {k}", -one) for k, one in rho.items()],
        "rank correlation of error share and agreement over variables; stronger than the paper's",
    )


@ROWS.add(
    "Agreement does not explain the gain over belief propagation",
    source="thesis 5.5.1", paper="largest rho 0.0185, p < 0.05",
    same_data=_RECIPE, needs=ALL, results=("grid",),
    where="agreement by_k gain_rho, gain_rho_stderr",
)  # fmt: skip
def _agreement_and_gain(ev: Evidence) -> Found:
    rows, error_of, how = _agreement(ev)
    row = max(rows, key=lambda row: row["gain_rho"])
    rho = estimate(row["gain_rho"], error_of(row, "gain_rho"), ev.rules)
    return Found(
        f"largest rho {rho.value:.3f} (K = {row['k']})",
        f"± {rho.half:.3f} ({how})",
        [level("rho", rho, 0.0185, lower_is_better=True)],
        f"weak in both: {100 * rho.value**2:.1f} % of variance",
    )


@ROWS.add(
    "Cascade keeps a near limb for 98.8, 93.8, 84.6 % at three grids",
    source="thesis Fig. 5.5(c)", paper="pruned 87.5, 96.9, 99.2 %",
    same_data="same task, other data", needs=ALL, results=("pose-cascade",),
    where="rows annotated, tolerance_kind size (1200 states), levels 2, 4, 6: oracle_pcp25, efficiency",
)  # fmt: skip
def _near_limb(ev: Evidence) -> Found:
    rows = [
        row_of(ev["pose-cascade"]["rows"], protocol="annotated", tolerance_kind="size", level=n)
        for n in (2, 4, 6)
    ]
    near = [estimate(row["oracle_pcp25"], row["oracle_pcp25_stderr"], ev.rules) for row in rows]
    return Found(
        f"{values(near, 1, mark=' / ')} % at {values([row['efficiency'] for row in rows], 1)} % pruned",
        f"{halves(near, 1)} (2 se, clips)",
        [beside("limbs")],
        f"any surviving state; best of top 4: {values([row['oracle_pcp25_top4'] for row in rows], 1)}; "
        "single frames",
    )


def _clips(ev):
    """Rows of pose-ensemble by clips, method and ties; of the Buffy sets the first."""
    rows = {}
    for row in ev["pose-ensemble"]["rows"]:
        name = row["clips"].split(",")[0]
        rows.setdefault((name + (" 6th" if "6th" in row["clips"] else ""), row["method"], row["ties"]), row)
    return rows


def joint_gain(ev: Evidence, clips: str, method: str, ties: str, joint: str = "elbow") -> Estimate:
    """Pixels by which a joint is nearer than by single frames, over clips."""
    row = _clips(ev)[clips, method, ties]
    gain = row.get(f"{joint}_gain_over_single", float("nan"))
    return estimate(gain, row.get(f"{joint}_gain_stderr"), ev.rules)


@ROWS.add(
    "Over time the ensemble is nearest at every joint, torso-only farthest",
    source="thesis Fig. 5.5(a, b)", paper="drawing only",
    same_data="same task, other data", needs=ALL, results=("pose-ensemble",),
    where="rows signs learned (5.6), buffy hand-set: elbow_, shoulder_gain_over_single, _gain_stderr",
)  # fmt: skip
def _nearest_over_time(ev: Evidence) -> Found:
    parts, elbows = [], {}
    for label, clips, ties in (("signing", "signs", "learned"), ("Buffy", "buffy", "hand-set")):
        for joint in ("elbow", "shoulder"):
            ours, torso = (joint_gain(ev, clips, method, ties, joint) for method in ("ensemble", "torso"))
            parts += [direction(f"{label} {joint}s", ours), direction(f"torso, {label} {joint}s", -torso)]
            if joint == "elbow":
                elbows[label] = ours, torso
    (sign, sign_torso), (buffy, buffy_torso) = elbows.values()
    every = [sign, buffy, sign_torso, buffy_torso]
    is_stored = not np.isnan(joint_gain(ev, "signs", "ensemble", "learned", "shoulder").value)
    return Found(
        f"elbows, px, signing and Buffy: ensemble {values(every[:2], 2, '+')}; torso "
        f"{values(every[2:], 2, '+')}",
        f"{halves(every)} (2 se, clips){'' if is_stored else '; shoulders: spread not stored'}",
        parts,
        "gain over single frames; rendered clips stand in our own table",
        f"signing {signed(sign)}, Buffy {signed(buffy)} px",
    )


@ROWS.add(
    "The ensemble never leaves a variable without a state",
    source="thesis 5.2", paper="never seen",
    same_data="same task, other data", needs=ALL, results=("pose-ensemble",),
    where="rows ensemble, signs and rendered learned, buffy hand-set: n_broken, n_variables",
)  # fmt: skip
def _never_broken(ev: Evidence) -> Found:
    rows = _clips(ev)
    named = {
        "signing": ("signs", "learned"),
        "rendered": ("rendered", "learned"),
        "Buffy": ("buffy", "hand-set"),
    }
    named = {name: rows[clips, "ensemble", ties] for name, (clips, ties) in named.items()}
    return Found(
        "; ".join(f"{name} {row['n_broken']} of {row['n_variables']:,}" for name, row in named.items()),
        "exact counts",
        [exactly(name, row["n_broken"] == 0) for name, row in named.items()],
        "single trees never break (Lemma 2); where the ensemble breaks its best state is kept",
    )
