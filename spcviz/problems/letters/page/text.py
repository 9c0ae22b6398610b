"""Sentences of the Letters page: its purpose, help on the threshold rule, why a word is chosen."""

INTRODUCTION = (
    "# Letters: watch a cascade prune\nWhich **letters** could stand at each place, which **pairs**, which "
    "**triples**? At each level the cascade discards what no plausible word contains. Drag the threshold."
)
CHOSEN = (
    "This is a development word, chosen because the first three levels misread it and the fourth reads it "
    "right. Not every word ends so well: choose from the misread."
)
RULE_HELP = (
    "*Mean and best* (thesis): the line lies a share α of the way from the mean of what is left to the best. "
    "*Margin*: it lies the same distance below the best for every word. Both are tuned on development words, "
    "to lose as many of them at each level."
)


NO_MARGINS = (
    "Margins are tuned on words of a development set, which only the open vocabulary has here: this is the "
    "threshold between mean and best."
)


def margins(trace, tuned):
    """The margins of the levels on display, in a sentence."""
    each = ", ".join(
        f"{margin:.3g} at level {n}" for n, margin in enumerate(tuned[: len(trace.levels)], start=1)
    )
    return (
        f"Threshold: a margin below the best, the same for every word ({each}), tuned on development words. "
        "The tuned α of a level is this word's own that stands for it, 1 − margin / (best − mean)."
    )


FEW_WORDS = (
    "This data has 55 different words, each without its first letter (a capital). A plain dictionary "
    "of the training words beats the cascade on them, but it cannot know other words. The cascade "
    "shows how little exact inference can cost when nothing is known about the words."
)
