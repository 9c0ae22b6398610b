"""What the page Orders and features says."""

INTRODUCTION = (
    "#### Orders and features: context or a closer look?\n"
    "A word begins with single letters, read from pixels. A **controller** then spends time where it helps: "
    "it makes a factor longer (**context**), or computes better features of a letter (**ink**). After each "
    "action the changed factor is filtered, and everything stays exact over what survives."
)
ORIGIN = (
    "Handwritten words that no model here has seen, or composed of letters of unseen words. Microseconds as "
    "measured when the models were trained (python -m spcviz train hybrid). Weiss (2013), section 8.1.1: a "
    "proposal, built here."
)
