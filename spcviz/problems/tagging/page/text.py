"""Sentences of the Tagging page, computed from the numbers."""

from spcviz.web.figures.plain import plain

INTRODUCTION = (
    "# Tagging: watch a sentence lose its readings\n"
    "Which **tags** could a word have by itself, beside its **neighbours**, in **pairs**? Drag α: tags fade "
    "that no good reading needs."
)
CHOSEN = (
    "This is a development sentence, chosen because neighbours change a tag, the answer is right, and "
    "max-marginals leave fewer tags than a CRF. On most sentences the CRF leaves fewer: *Compare with a CRF*."
)
ORIGIN = (
    "Words are split as the Penn Treebank splits them (do n\u2019t, she \u2019s; hyphens apart). The "
    "tagger was trained on the Universal Dependencies English Web Treebank (Silveira et al. 2014), "
    "CC BY-SA 4.0; it knows English only: other scripts are tagged as unknown words."
)
RULE_NAMES = {"mean_max": "mean and best", "margin": "margin"}
RULE_HELP = (
    "*Mean and best* (thesis): the line lies a share α of the way from the mean of what is left to the best. "
    "*Margin*: it lies the same distance below the best for every sentence, tuned on the development "
    "sentences that ship, to lose as many of them at each level."
)


def margins(tuned):
    """The margins of the levels, in a sentence, or a message that there are none."""
    if not tuned:
        return "No development sentences are here to tune margins on: the line lies between mean and best."
    each = ", ".join(f"{margin:.3g} at level {n}" for n, margin in enumerate(tuned, start=1))
    return (
        f"Threshold: a margin below the best, the same for every sentence ({each}), tuned on the development "
        "sentences that ship. The tuned α of a level is this sentence's own that stands for it, 1 − margin / "
        "(best − mean). Comparisons with a CRF stay at mean and best."
    )


SHOWS = {"words": "The sentence", "lattice": "Step by step", "compare": "Compare with a CRF"}


def counts(comparison) -> str:
    """Tags per word left by two filters at the loss allowed in training; answers changed by structure."""
    n = len(comparison.words)
    left = {name: sum(map(len, getattr(comparison, name.lower()))) / n for name in ("SPC", "CRF")}
    changed = sum(alone != tag for alone, tag in zip(comparison.alone, comparison.tagged, strict=True))
    listed = " · ".join(f"**{name}** {value:.1f}" for name, value in left.items())
    differ = f"{changed} of {n} answers" if changed else "no answer"
    return (
        f"Tags left a word, both tuned to the same loss: {listed}. Without structure each word keeps its one "
        f"best tag, which changes {differ}."
    )


FOREIGN = (
    "This text is not in English, which is all that the model has learned: its tags are guesses from the "
    "shape of words."
)


def too_long(text: str, most: int) -> str:
    """Message about a text in an address that cannot be tagged."""
    return (
        f"The text of this link, “{plain(text[:40])}…”, cannot be shown: at most {most} characters without "
        "control signs are read. Another sentence is shown instead."
    )


WAITS = "The tags stay hidden until you have guessed. Read the sentence aloud: what is each word in it?"
