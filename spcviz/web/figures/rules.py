"""Words and decimals of every table that compares threshold rules."""

RULE_NAMES = {
    "mean_max": "mean and best (thesis)",
    "mean_max_first": "mean before any filter",
    "margin": "margin",
    "probability": "probability",
}
"""What a menu and a table call the rules."""

DECIMALS = {"n-grams": 1, "words": 2, "letters": 2, "over": 2, "loss": 2, "order": 0, "worst": 0}
WHAT_DECIDES = (
    "The thesis has one rule. Whether another leaves less was settled by a comparison fixed before the look: "
    "the ratio of n-grams at equal loss, with its interval."
)


def interval(low, high):
    """Two ends of an interval as text."""
    return "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
