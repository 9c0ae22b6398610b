"""What is promised of a visitor's own file, in a sentence."""

import math

from spcviz.problems.own_data.page.shown import Promise

NAMES = {"tuned": "as tuned", "mean": "on average", "certain": "with 90 % certainty"}
"""What a menu calls the promises."""


def promise(told: Promise, examples: str = "sentences") -> str:
    """What one `Promise` says of other sentences, or how many it would take.

    >>> from math import inf, nan
    >>> promise(Promise("certain", 0.01, 80, -1, 230, nan, nan, nan))
    'A loss of 1 % with 90 % certainty takes 230 sentences to choose thresholds on; here are 80.'
    """
    share = f"{100 * told.tolerance:.3g} %"
    if told.key == "tuned":
        return (
            f"At most {share} of the {told.n} {examples} that thresholds were chosen on are lost; nothing is "
            f"promised of others. On the other half {100 * told.lost:.3g} % are."
        )
    if told.allowed < 0:
        if told.needed == math.inf:
            return f"A loss of {share} cannot be promised {NAMES[told.key]}: allow more than 0 %."
        if told.n >= told.needed:
            return f"A loss of {share} cannot be promised {NAMES[told.key]}: more are lost at any threshold."
        return (
            f"A loss of {share} {NAMES[told.key]} takes {told.needed:.0f} {examples} to choose thresholds on;"
            f" here are {told.n}."
        )
    return (
        f"Promised {NAMES[told.key]}: other {examples} lose at most {share}, if they might have come in any "
        f"order with these {told.n}, of which {told.allowed} may be lost. α = {told.alpha:.3f}; on the other "
        f"half {100 * told.lost:.3g} % are lost and {told.kept:.3g} a place are left."
    )
