"""Sentences of the Exact inference page, built from its numbers."""

from collections import Counter

import numpy as np

from spcviz.problems.exact.page.charts import letter, spell, word_of
from spcviz.web.figures import formatting
from spcviz.web.figures.formatting import count, duration

INTRODUCTION = (
    "# Exact inference: the best of all readings without trying them all\n"
    "Four letters have 456,976 readings. **Exhaustive search** tries every one; **dynamic programming** "
    "finds the very same best in a few thousand steps, because each letter is scored only together with its "
    "neighbours."
)
HONEST = (
    "Real handwriting; ink scores come from mean letter images, other scores from counted n-grams, both "
    "from the other nine tenths of the data. This is a small counted model, not the trained cascade."
)
HELP = {
    "show": "Views of lecture 12, on the same word where there is one.",
    "letters": "D: how many letters are read, the chain's length.",
    "candidates": "K: how many letters are on offer at each position, the best by ink.",
    "weight": "λ: what letter-pair scores are multiplied by. At 0 every letter is read by itself.",
    "visited": "Configurations that exhaustive search really scored, one by one, on this computer just now.",
    "entries": "Sums that dynamic programming compared: about D · K².",
    "time": "Measured on this word just now; the projection scales measured speed to K to the power D.",
    "sets": "Which letters are scored together: 12 is a table over letters 1 and 2. Or click a square.",
    "stored": "The sizes of all tables added up: 26 for one letter, 676 for a pair, 456,976 for all four.",
    "explored": "Readings that exhaustive search visits, however the score is made up: 26 to the power 4.",
    "dp": "Sums that dynamic programming compares, taking one letter out after the other in the best order.",
    "crossword": "Two real words that share a letter. The shared letter's ink is that of the first word.",
    "root": "Messages first go to this letter, then back from it. The result is the same whichever it is.",
    "epsilon": "ε: at 1 the loss takes a soft maximum over all readings, at 0 the best one alone.",
    "cost": "L: what the loss adds to a reading's score for every wrong letter. The lecture's CRF adds 0, "
    "its SVM 1. With 1 − ε one slider leads from the one to the other.",
    "loss": "The lecture's equation (1) on this word, without the regulariser.",
    "log_loss": "ε = 1, no cost: minus the logarithm of the probability of what was written.",
    "hinge": "ε = 0, each wrong letter costs 1: it is 0 once what was written leads each other reading by "
    "as much as that has wrong letters.",
    "shared": "How many of {count} readings share the blame: exp of the entropy of their weights.",
    "order": "n: how many neighbours a table scores together. n − 1 of them are merged into one.",
    "merged_states": "K to the power n − 1: every way to write the letters that are merged.",
    "agree": "Transitions that are not −∞: K to the power n. Neighbours agree where they overlap.",
    "merged_full": "The same for 26 letters on offer: transitions that agree, of all in the table.",
    "step": "Messages sent so far: forward, then backward, then both added up.",
}


YEAR = 365.25 * 24 * 3600.0  # seconds
FAR = 14  # letters of the longest word in the data, for which the time of search is always projected
CROSSWORDS = {
    "qual-bul": "qual × bul (u)",
    "phone-roje": "phone × roje (o)",
    "wab-axi": "wab × axi (a)",
    "phon-roje": "phon × roje, a hard hand",
}


ALONE = "Each letter by itself (◆); what its neighbours say stays hidden until you have guessed."
COST_WAITS = "What this costs stays hidden until you have guessed."


def search(problem, run, *, is_far=True):
    """Compare both methods in words."""
    word, length, k = spell(problem, run.labels), *problem.unary.shape
    ran = f"{k} to the power {length} = **{run.n_configurations:,}** readings"
    far = run.seconds_search / max(run.n_visited, 1) * float(k) ** FAR
    beyond = (
        f" A word of {FAR} letters would take search **{duration(far)}** (projected)."
        if k > 1 and is_far
        else ""
    )
    if np.isfinite(run.score_search):
        same = "the same best score" if abs(run.score - run.score_search) < 1e-9 else "another score (a bug!)"
        return (
            f":material/check: Both really ran: {ran} tried in {duration(run.seconds_search)}, or "
            f"**{run.n_entries:,}** sums in {duration(run.seconds_dp)}, and {same}: “**{word}**”. "
            f"(Measured.){beyond}"
        )
    return (
        f":material/hourglass: {ran} are too many to try here. Search ran on the first "
        f"{run.n_letters_searched} letters ({duration(run.seconds_search)} measured); all would take "
        f"**{duration(run.seconds_projected)}** at that speed (projected). Dynamic programming read "
        f"“**{word}**” in {duration(run.seconds_dp)} (measured).{beyond if length < FAR else ''}"
    )


def figures(run):
    """Label, value, note, help of the counters."""
    ran = np.isfinite(run.score_search)
    return [
        ("Search: readings", count(run.n_configurations), "tried" if ran else "too many", HELP["visited"]),
        ("Search: time", duration(run.seconds_projected), "measured" if ran else "projected", HELP["time"]),
        ("DP: sums", f"{run.n_entries:,}", "counted", HELP["entries"]),
        ("DP: time", duration(run.seconds_dp), "measured", HELP["time"]),
    ]


WAITS = "How long trying all readings takes stays hidden until you have guessed."


def without_time(run):
    """The counters while visitors are to guess the time of search."""
    rows = [row for row in figures(run) if row[0] != "DP: time"]
    return [(label, "?", "guess first", meaning) if label == "Search: time" else (label, *rest, meaning)
            for label, *rest, meaning in rows]  # fmt: skip


def facts(problem, run):
    """A word's numbers for the sentences of a tour, by name."""
    names = {"Search: readings": "search_readings", "Search: time": "search_time"}
    return formatting.name_rows(figures(run), names | {"DP: sums": "sums", "DP: time": "sums_time"}) | {
        "letters": str(len(problem.unary)),
        "word": spell(problem, run.labels),
        "alone": spell(problem, run.separate),
        "truth": word_of(problem),
        "score": f"{run.score:.1f}",
    }


def values(problem, run):
    """A word's values for the checks of tasks."""
    return {
        "word": spell(problem, run.labels),
        "alone": spell(problem, run.separate),
        "truth": word_of(problem),
        "years": run.seconds_projected / YEAR,
    }


def tables_values(sizes, sets):
    """Costs of a decomposition, for the checks of tasks."""
    return {"looked_at": sizes.n_explored, "sets": tuple(sets), "n_pairs": sum(len(s) == 2 for s in sets)}


def ink(problem, run):
    """Separate against joint reading, in words."""
    alone, joint = spell(problem, run.separate), spell(problem, run.labels)
    truth = word_of(problem)
    same = "the pairs change nothing here" if alone == joint else "pairs outweigh the ink"
    return (
        f"By itself (◆) each letter is read “**{alone}**”; together with its neighbours (●) “**{joint}**”: "
        f"{same}. The writer wrote “**{truth}**”. Bars are ink scores, higher is better."
    )


def sizes_of(sets):
    """Label, value, note, help of the counters next to the factor graph."""
    most = 26 ** len(sets.widest)
    return [
        ("Numbers stored", f"{sets.n_stored:,}", f"{len(sets.sizes)} tables", HELP["stored"]),
        ("Search looks at", f"{sets.n_configurations:,}", "all readings", HELP["explored"]),
        ("DP looks at", f"{sets.n_explored:,}", f"largest step {most:,}", HELP["dp"]),
    ]


def tables_facts(sizes):
    """Costs of a decomposition, for the sentences of a tour."""
    names = {"Numbers stored": "stored", "Search looks at": "readings", "DP looks at": "looked_at"}
    return formatting.name_rows(sizes_of(sizes), names)


def tree_facts(problem, run):
    """Two crossing words, for the sentences of a tour."""
    return {
        "alone": crossing(problem, run.separate),
        "together": crossing(problem, run.labels),
        "best": f"{run.score:.1f}",
        "sums": f"{run.n_entries:,}",
        "readings": f"{problem.unary.shape[1] ** len(problem.names):,}",
    }


def tables(sizes, sets):
    """A decomposition in words: its cost and what it can know."""
    counts = sorted(Counter(sizes.sizes).items())
    sums = " + ".join(f"{n} × {size:,}" if n > 1 else f"{size:,}" for size, n in counts)
    sentence = f"**{sizes.n_stored:,} numbers stored** ({sums}) score "
    sentence += f"**{sizes.n_configurations:,} readings**. "
    missing = sorted(set("1234") - set("".join(sets)))
    if missing:
        sentence += f"Letter {', '.join(missing)} is in no table: anything will do there. "
    elif max(map(len, sets)) == 1:
        sentence += "**Separate**: no letter knows of any other, so QV stays QV. "
    elif any(len(s) == 4 for s in sets):
        sentence += "**Joint**: one table can know every word, and is as large as the list of all words. "
    elif len(sizes.widest) > max(map(len, sets)):
        together = ", ".join(str(d + 1) for d in sizes.widest)
        sentence += (
            f"The tables close a **loop**: dynamic programming has to look at letters {together} "
            f"together, {26 ** len(sizes.widest):,} sums in one step. "
        )
    else:
        sentence += (
            "**No loop**: dynamic programming never looks at more letters together than a table does. "
        )
    return sentence + "(Paper, the chain of four letters: 2132 stored against 456,976 for the joint table.)"


def crossing(problem, labels) -> str:
    """The two crossing words, "across/down", of labels that index a problem's candidates."""
    return _crossing(problem, spell(problem, labels))


def _crossing(problem, letters):
    column, line = problem.place.T
    words = (np.flatnonzero((line == 0) | (line == direction)) for direction in (1, -1))
    return "/".join("".join(letters[i] for i in nodes[np.argsort(column[nodes])]) for nodes in words)


def tree_step(problem, run, at):
    """What the latest message on the tree did, in words."""
    n = len(run.messages) // 2
    names = problem.names
    if at == 0:
        return (
            "Two words cross at a letter. Nothing has been sent: beside each letter stands its ink score. "
            f"Read by themselves, the letters say “**{crossing(problem, run.separate)}**”."
        )
    if at > 2 * n:
        truth = _crossing(problem, word_of(problem))
        return (
            "Every letter has heard from all its neighbours: the numbers are **max-marginals**, the best "
            "score of any pair of words with that letter there. The largest is the same everywhere, "
            f"{run.score:.1f}, and spells “**{crossing(problem, run.labels)}**” (◇). The writer wrote "
            f"“**{truth}**”. {run.n_entries:,} sums instead of "
            f"{problem.unary.shape[1] ** len(names):,} readings (counted)."
        )
    message = run.messages[at - 1]
    best = int(message.values.argmax())
    to = letter(problem.candidates[message.target, best])
    heard = letter(problem.candidates[message.source, message.choice[best]])
    way = f"Upward message {at} of {n}" if at <= n else f"Downward message {at - n} of {n}"
    goal = "towards the root" if at <= n else "away from the root"
    return (
        f"**{way}**, {goal}: “{names[message.source]}” tells “{names[message.target]}”, for each letter "
        "there, the best score of everything behind it (line: which letter that takes). Most for "
        f"**{to}**: {message.values[best]:.1f}, with **{heard}**."
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
