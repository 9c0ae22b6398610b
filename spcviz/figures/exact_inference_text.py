"""What the Exact inference page says, worked out from the numbers."""

import numpy as np

from spcviz.figures.exact_inference import letter, spell

INTRODUCTION = (
    "#### Exact inference: the best of all readings without trying them all\n"
    "Four letters have 456,976 readings. **Exhaustive search** tries every one; **dynamic programming** "
    "finds the very same best in a few thousand steps, because letters only talk to their neighbours."
)
HONEST = (
    "Real handwriting; ink scores come from mean letter images, pair scores from counted letter pairs, both "
    "from the other nine tenths of the data. This is a small counted model, not the trained cascade."
)
HELP = {
    "show": "Five views of lecture 12, on the same word where there is one.",
    "letters": "D: how many letters are read, the chain's length.",
    "candidates": "K: how many letters are on offer at each position, the best by ink.",
    "weight": "λ: what letter-pair scores are multiplied by. At 0 every letter is read by itself.",
    "visited": "Configurations that exhaustive search really scored, one by one, on this computer just now.",
    "entries": "Sums that dynamic programming compared: about D · K².",
    "time": "Measured on this word just now; the projection scales measured speed to K to the power D.",
    "sets": "Which letters are scored together: 12 is a table over letters 1 and 2. Separate sets by spaces.",
    "noise": "Share of the right eye's dots drawn anew.",
    "smooth": "λ: how much neighbouring pixels want the same disparity.",
    "step": "Messages sent so far: forward, then backward, then both added up.",
}


def duration(seconds):
    """A time in the unit that suits it.

    Examples
    --------
    >>> duration(2.5e-05), duration(90.0), duration(1e11)
    ('25 µs', '90 s', '3,169 years')
    """
    for limit, unit, size in ((1e-3, "µs", 1e-6), (1, "ms", 1e-3), (600, "s", 1), (86400, "hours", 3600)):
        if seconds < limit:
            return f"{seconds / size:.3g} {unit}"
    if seconds < 3.2e7:
        return f"{seconds / 86400:,.0f} days"
    years = seconds / 31557600
    return f"{years:,.0f} years" if years < 1e9 else f"{years:.1e} years"


def search(problem, run):
    """Both methods in words."""
    word, length, k = spell(problem, run.labels), *problem.unary.shape
    ran = f"{k} to the power {length} = **{run.n_configurations:,}** readings"
    if np.isfinite(run.score_search):
        same = "the same best score" if abs(run.score - run.score_search) < 1e-9 else "another score (a bug!)"
        return (
            f":material/check: Both really ran: {ran} tried in {duration(run.seconds_search)}, or "
            f"**{run.n_entries:,}** sums in {duration(run.seconds_dp)}, and {same}: “**{word}**”. (Measured.)"
        )
    return (
        f":material/hourglass: {ran} are too many to try here. Search ran on the first "
        f"{run.n_letters_searched} letters ({duration(run.seconds_search)} measured); all would take "
        f"**{duration(run.seconds_projected)}** at that speed (projected). Dynamic programming read "
        f"“**{word}**” in {duration(run.seconds_dp)} (measured)."
    )


def figures(run):
    """Label, value, note, help of the counters."""
    ran = np.isfinite(run.score_search)
    return [
        ("Search: readings", f"{run.n_configurations:,}", "tried" if ran else "too many", HELP["visited"]),
        ("Search: time", duration(run.seconds_projected), "measured" if ran else "projected", HELP["time"]),
        ("DP: sums", f"{run.n_entries:,}", "counted", HELP["entries"]),
        ("DP: time", duration(run.seconds_dp), "measured", HELP["time"]),
    ]


def ink(problem, run):
    """Separate against joint reading, in words."""
    alone, joint = spell(problem, run.separate), spell(problem, run.labels)
    truth = "".join(letter(y) for y in problem.truth)
    same = "the pairs change nothing here" if alone == joint else "pairs outweigh the ink"
    return (
        f"By itself (◆) each letter is read “**{alone}**”; together with its neighbours (●) “**{joint}**”: "
        f"{same}. Written was “**{truth}**”. Bars are ink scores, higher is better."
    )


def tables(sizes, total, count, scopes):
    """A decomposition as a table and a sentence."""
    rows = "\n".join(
        f"| {'·'.join(str(d + 1) for d in scope)} | {size:,} |" for scope, size in zip(scopes, sizes)
    )
    return (
        f"**{total:,} numbers stored** score **{count:,} configurations** (paper, 4 letters: 2132 for the "
        f"chain against 456,976 for the joint table).\n\n"
        f"| letters scored together | table entries |\n|---|---|\n{rows}"
    )


def step(length, at):
    """What the latest message did, in words."""
    if at == 0:
        return "Nothing has been sent. The first letter has nothing before it: its message is 0."
    if at < length:
        return (
            f"**Forward message {at} of {length - 1}**: for each letter at position {at + 1}, the best "
            f"letter before it (line) and the best score of everything before it. In symbols μ(y{at + 1}) = "
            f"max over y{at} of [ink(y{at}) + pair(y{at}, y{at + 1}) + μ(y{at})]."
        )
    if at < 2 * length - 1:
        return f"**Backward message {at - length + 1} of {length - 1}**: the same from the end of the word."
    return (
        "**Max-marginals**: forward message + ink + backward message = the best score of any word with that "
        "letter there. The largest in each column spell the best word (◇); its score is the same in each."
    )


def stereo(found):
    """The three readings in words."""
    one, rows, grid = (f"{100 * e:.1f} %" for e in found.errors)
    return (
        f"Neither eye sees anything; the shift between them does. Each pixel by itself gets **{one}** wrong, "
        f"each row solved exactly **{rows}**, the grid with its circles, approximately, **{grid}** (measured "
        "against the known truth). Rows do not know of each other: that is the streaking."
    )
