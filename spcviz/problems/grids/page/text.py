"""Sentences of the Loopy grids page, built from its numbers: plain words first, symbols after."""

import numpy as np

from spcviz.problems.grids.page.maps import comb_name, place, wrong_of_combs
from spcviz.web.figures.formatting import name_rows, percent

SHOWS = {
    "grid": "The grid",
    "errors": "Who ranks best",
    "strength": "Where LBP fails",
    "combs": "The combs",
    "pruning": "States falling",
    "messages": "LBP's messages",
    "agreement": "Agreement",
    "thesis": "Fig. 5.3",
}
INTRODUCTION = (
    "# Loopy grids: many easy answers instead of one hard one\n"
    "On a grid every variable depends on its neighbours; the loops make exact inference intractable. "
    "But a **comb** (one row or column as the spine, everything else hanging off it) has no loops, "
    "it is solved exactly. Take *all* combs, add up what they say of each state, and prune by the sum."
)
MISSING = (
    "Fig. 5.3 has not been reproduced here yet. Make it (about 15 minutes on two cores; `--quick` takes "
    "half a minute): `python -m spcviz reproduce grid`"
)
HELP = {
    "show": "Every view shows the same grid; the address repeats it.",
    "rows": "A grid of n × n has 2n combs: 6 for 3 × 3, 22 for 11 × 11.",
    "columns": "A grid of n × n has 2n combs: 6 for 3 × 3, 22 for 11 × 11.",
    "classes": "K: how many states every variable can be in. The thesis uses 8.",
    "strength": "ω: every score of a pair of neighbouring states is drawn evenly from −ω to ω; the thesis "
    "uses 25. "
    "At 0 neighbours do not matter. Belief propagation copes with weak coupling and fails with strong.",
    "seed": "Draws another grid of the same kind; the seed is in the address.",
    "alpha": "α sets each comb's threshold τ = α · best + (1 − α) · mean of its max-marginals. A state stays "
    "if its max-marginals, summed over combs, exceed the sum of the thresholds.",
    "kind": "*Sum-product* aims at how probable each state is (what the thesis compares with); "
    "*max-product* at the best labelling with it.",
    "damping": "How much of its old message a variable repeats. Damping calms oscillation; it does not make "
    "the answer right.",
    "comb": "The comb whose own max-marginals are shown. Click a picture to choose one.",
    "variable": "The variable looked at. Click any node or cell to choose one.",
    "ensemble": "Share of (sample, variable) whose state is not among the k best by ψ*: the max-marginals "
    "summed over all combs. Measured on this grid.",
    "lbp": "The same with states ranked by loopy belief propagation's beliefs. Measured on this grid.",
    "tree": "The same with one comb alone, averaged over combs. Measured on this grid.",
    "samples": "The same with states ranked by how often the samples themselves have them: no ranking can "
    "do better.",
    "settled": "Variables whose messages stopped changing (by more than a millionth) within the iterations.",
    "kept": "Efficiency loss: the share of all states that are kept.",
    "lost": "Share of (sample, variable) whose state was pruned.",
    "rescued": "Variables that lost every state. It can happen here, unlike in a chain, because the combs "
    "need not agree on one labelling; each is given back its best state, and counted.",
    "agreement": "For each pair of combs, the rank correlation of how they order this variable's states "
    "(Spearman: 1 = the same order, 0 = unrelated); the mean over all pairs.",
    "median": "Median of agreement over the variables of this grid. The thesis reports 0.38 for 11 × 11 "
    "grids of 8 classes.",
}


WAITS = "What each method ranks first stays hidden until you have guessed."


def grids(live, beliefs, panels):
    """How many cells of the grid each method gets wrong, in words."""
    _, comb, ensemble, lbp = panels
    n, alone = len(live.summed), wrong_of_combs(live)
    if lbp.n_wrong > ensemble.n_wrong:
        verdict = (
            f":material/check: **Belief propagation is wrong at {lbp.n_wrong} of {n} cells, all combs "
            f"together at {ensemble.n_wrong}.**"
        )
    elif lbp.n_wrong < ensemble.n_wrong:
        verdict = (
            f":material/info: **Here belief propagation is the better one: wrong at {lbp.n_wrong} of {n} "
            f"cells, all combs together at {ensemble.n_wrong}.**"
        )
    else:
        verdict = f":material/drag_handle: **A draw: both are wrong at {lbp.n_wrong} of {n} cells.**"
    settled, loose = "Its messages settle.", int((~beliefs.converged).sum())
    if loose:
        settled = (
            f"After {len(beliefs.residual)} iterations its messages are still changing at {loose} of them."
        )
    each = f"each by itself at {alone.min()} to {alone.max()}"
    return f"{verdict} {settled} One comb alone is wrong at {comb.n_wrong}, {each}. (Measured, this grid.)"


def grids_note(live):
    """What the pictures show and how the thesis counts."""
    return (
        f"The truth here is {live.n_samples} labellings drawn from the grid by Gibbs sampling, as in the "
        "thesis; the first picture shows the state that most of them have. The others show the state that a "
        "method ranks first, crossed out where it is another. The thesis counts more finely: the share of "
        f"the samples' states that are missing from the best K of each method (“{SHOWS['errors']}”)."
    )


def explain_choice(result):
    """Why the page opens with this grid, and the thesis's grids for comparison where they were computed."""
    sentence = (
        "Chosen because belief propagation fails on this grid as the coupling rises and the combs together "
        "do not. That is rare in grids this small: on most, belief propagation is right more often. Draw "
        "others to see."
    )
    rows = {row["method"]: row["error"] for row in (result or {}).get("rows", ()) if row["k"] == 1}
    if not {"ensemble", "lbp"} <= set(rows):
        return sentence
    s = result["settings"]
    return (
        f"{sentence} On average over {s['n_instances']} grids of {s['rows']} × {s['columns']} with "
        f"{s['n_states']} classes and ω = {s['strength']:g}, the best state alone loses "
        f"{percent(rows['ensemble'])} of the true states with all combs and {percent(rows['lbp'])} with "
        f"belief propagation (“{SHOWS['thesis']}”)."
    )


def panel_facts(live, panels):
    """How many cells each picture gets wrong, for the sentences of a tour."""
    counts = {f"{panel.name}_wrong": str(panel.n_wrong) for panel in panels[1:]}
    return counts | {"cells": str(len(live.summed)), "omega": f"{live.strength:g}"}


def panel_values(beliefs, panels):
    """How many cells each picture gets wrong, for the checks of tasks."""
    counts = {f"{panel.name}_wrong": panel.n_wrong for panel in panels[1:]}
    return counts | {"n_settled": int(beliefs.converged.sum())}


def error_figures(live, beliefs, k):
    """The column of figures next to the error curves: label, value, note, help."""
    done, n = int(beliefs.converged.sum()), len(beliefs.converged)
    rows = (
        ("Lost: combs summed", live.error[k - 1], "measured", "ensemble"),
        ("Lost: LBP", beliefs.error[k - 1], "measured", "lbp"),
        ("Lost: one comb", live.error_combs[:, k - 1].mean(), "mean of combs", "tree"),
        ("Best possible", live.error_samples[k - 1], "samples' own order", "samples"),
    )
    shown = [(label, percent(value), note, HELP[name]) for label, value, note, name in rows]
    note = "still changing" if done < n else "all settled"
    return [*shown, ("LBP settled", f"{done} of {n}", note, HELP["settled"])]


def error_facts(live, beliefs, k):
    """The same figures for the sentences of a tour, by name."""
    names = {"Lost: combs summed": "combs_lose", "Lost: LBP": "lbp_loses", "Lost: one comb": "comb_loses"}
    names |= {"Best possible": "best_loses", "LBP settled": "settled"}
    return name_rows(error_figures(live, beliefs, k), names) | {"k": str(k)}


def grid_facts(live):
    """How large the grid is, for the sentences of a tour."""
    times = sorted(set(live.membership.sum(axis=0).tolist())) if len(live.edges) else []
    return {
        "combs": str(len(live.combs)),
        "variables": str(len(live.summed)),
        "classes": str(live.summed.shape[1]),
        "edges": str(len(live.edges)),
        "times": " or ".join(map(str, times)),
        "samples": str(live.n_samples),
    }


def strength_facts(sweep, k):
    """The strength from which belief propagation fails, for the sentences of a tour."""
    wins, loose = _failing(sweep, k)
    words = {"strengths": str(len(sweep.strengths)), "combs_win": str(len(wins))}
    words |= {"first_win": f"{wins[0]:g}"} if len(wins) else {}
    return words | ({"first_loose": f"{loose[0]:g}"} if len(loose) else {})


def _failing(sweep, k):
    """(strengths at which the combs lose less, those at which some messages never settle)."""
    is_worse = sweep.lbp[:, k - 1] > sweep.ensemble[:, k - 1] + 5e-4
    return sweep.strengths[is_worse], sweep.strengths[sweep.settled < 1]


def strengths(sweep, k):
    """The strength from which belief propagation fails, in words."""
    wins, loose = _failing(sweep, k)
    settled = "It settles at every strength."
    if len(loose):
        settled = f"From ω = {loose[0]:g} on some of its messages never settle."
    if not len(wins):
        return f"On this grid belief propagation ranks no worse at any strength. {settled} (Measured.)"
    return (
        f"The same grid, its scores of pairs turned up. Belief propagation loses more true states than the "
        f"combs at **{len(wins)} of {len(sweep.strengths)} strengths**, the smallest ω = {wins[0]:g}. "
        f"{settled} The combs cannot fail to settle: each is solved exactly. (Measured, K = {k}.)"
    )


def agreement_figures(live):
    """The column of figures next to the agreement map."""
    known = live.agreement[~np.isnan(live.agreement)]
    if not len(known):
        return [("Median agreement", "–", "one comb or state", HELP["median"])]
    full = int((known > 1 - 1e-12).sum())
    return [
        ("Median agreement", f"{np.median(known):.2f}", "measured; paper 0.38", HELP["median"]),
        ("Lowest", f"{known.min():.2f}", "measured", HELP["agreement"]),
        ("Highest", f"{known.max():.2f}", "measured", HELP["agreement"]),
        ("Same order in all", f"{full}", f"of {len(known)}; paper: never", HELP["agreement"]),
    ]


def agreement_facts(live):
    """The same figures for the sentences of a tour, by name."""
    names = {"Median agreement": "median", "Lowest": "lowest", "Highest": "highest"}
    return name_rows(agreement_figures(live), names | {"Same order in all": "same"})


def pruning_facts(live, pruned):
    """The figures next to the pruned states for the sentences of a tour, by name."""
    names = {"States left": "left", "Share kept": "share", "True states lost": "lost"}
    words = name_rows(pruning_figures(live, pruned), names | {"Variables rescued": "rescued"})
    return words | {"states": str(pruned.keep.size)}


def oscillation_facts(beliefs, variable):
    """How often the messages' top state changed in late iterations, for the sentences of a tour."""
    return {"turns": str(_turns(beliefs, variable)[0])}


def _turns(beliefs, variable):
    """(changes of the top state in the later half of the iterations, number of these iterations)."""
    leaders = beliefs.trace[len(beliefs.trace) // 2 :, variable].argmax(axis=1)
    return int((leaders[1:] != leaders[:-1]).sum()), len(leaders) - 1


def pruning_figures(live, pruned):
    """The column of figures next to the pruned states."""
    n, lost = len(live.summed), percent(pruned.lost.mean())
    return [
        ("States left", f"{int(pruned.keep.sum())}", f"of {pruned.keep.size}", HELP["kept"]),
        ("Share kept", percent(pruned.efficiency_loss), "measured", HELP["kept"]),
        ("True states lost", lost, "measured", HELP["lost"]),
        ("Variables rescued", f"{int(pruned.is_rescued.sum())}", f"of {n}", HELP["rescued"]),
    ]


def compare_ranks(live, beliefs, k):
    """Which method ranks better on this grid, in words."""
    k = min(k, len(live.error))
    ours, theirs, single = live.error[k - 1], beliefs.error[k - 1], live.error_combs[:, k - 1].mean()
    if k == len(live.error):
        return "All states are kept: nothing can be lost, whoever ranks them."
    n_loose, n = int((~beliefs.converged).sum()), len(beliefs.converged)
    loose = f" Its messages had not settled at {n_loose} of {n} variables." if n_loose else ""
    numbers = f"{percent(ours)} of the true states lost against {percent(theirs)}"
    if abs(ours - theirs) < 5e-4:
        verdict = f":material/drag_handle: **A draw** at K = {k}: {percent(ours)} each."
    elif ours < theirs:
        verdict = f":material/check: **The combs together beat belief propagation** at K = {k}: {numbers}."
    else:
        verdict = f":material/info: **Belief propagation ranks better here** at K = {k}: {numbers}."
    return f"{verdict}{loose} One comb alone loses {percent(single)} on average. (Measured, this grid.)"


def ranking(live, beliefs, comb, variable):
    """What the four panels of one variable say, in words."""
    tables = live.combs[comb], live.summed, beliefs.beliefs, live.frequencies
    tops = [int(np.argmax(table[variable])) + 1 for table in tables]
    return (
        f"At {place(live, variable)}, the comb of {comb_name(live, comb)} puts state **{tops[0]}** first "
        f"(①), all combs together **{tops[1]}**, belief propagation **{tops[2]}**; the samples mostly say "
        f"**{tops[3]}**, in {percent(live.frequencies[variable].max(), 0)} of {live.n_samples}."
    )


def combs(live):
    """How many combs there are, in words and counts."""
    n, times = len(live.combs), grid_facts(live)["times"]
    lies = f"each edge lies in {times} of them" if times else "there are no edges"
    return (
        f"**{n} combs**, one for each row and column. Each reaches all {len(live.summed)} variables; {lies}, "
        "so scores are divided by that and the combs' scores of any labelling add up to the grid's own."
    )


def pruning(live, pruned):
    """What pruning did, in words."""
    n, kept, broken = pruned.keep.size, int(pruned.keep.sum()), int(pruned.is_rescued.sum())
    sentence = f"**{kept} of {n} states are left**"
    if broken:
        sentence += f"; **{broken} variables had lost them all** and were given back their best (◆)"
    lost = percent(pruned.lost.mean())
    return f"{sentence}. {lost} of the samples' states were pruned. (Measured, this grid.)"


def oscillation(beliefs, live, variable):
    """What the messages do at the chosen variable, in words."""
    (turns, n_late), where = _turns(beliefs, variable), place(live, variable)
    if beliefs.converged[variable]:
        n = len(beliefs.residual)
        return f":material/check: At {where} the messages **settled** after {n} iterations."
    if turns:
        return (
            f":material/sync_problem: At {where} the favourite state **changed {turns} times** in the last "
            f"{n_late} iterations, and the messages still change: the answer depends on when "
            "one stops."
        )
    return (
        f":material/sync_problem: At {where} the favourite state no longer changes, but the **messages "
        "have not settled**."
    )


def agreement(live):
    """The map in words."""
    if np.isnan(live.agreement).any():
        return "With one comb or one state there is no order to agree on."
    low = int(np.argmin(live.agreement))
    full = int((live.agreement > 1 - 1e-12).sum())
    return (
        f"A stronger fill: the combs order the states more alike. They agree least at {place(live, low)} "
        f"({live.agreement[low]:.2f}) and completely at {full} of {len(live.agreement)} variables. Where all "
        "combs have the same best labelling through a state, their sum is the grid's exact max-marginal."
    )


def thesis(result):
    """Whether the expected order was found, in words."""
    s, agreed, held = result["settings"], result.get("agreement") or {}, result.get("order_holds") or {}
    quick = " **A quick look, not the figure:** run it without `--quick`." if s.get("quick") else ""
    order = (
        ":material/check: The thesis's order (ensemble below LBP below single combs, at every K) **holds**."
        if held.get("all")
        else f":material/close: The thesis's order **fails** at K = {held.get('broken_at_k')}."
    )
    median = agreed.get("median")
    agreement = f" Median agreement {median:.2f} measured, 0.38 paper." if median is not None else ""
    return (
        f"{order}{agreement} {s['n_instances']} grids of {s['rows']} × {s['columns']}, {s['n_states']} "
        f"classes, {s['n_samples']} samples each; bars are standard errors. All curves are measured; the "
        f"paper gives its own (thesis, Fig. 5.3) as a drawing only.{quick}"
    )
