"""Sentences of the Write page about a drawn word."""


def hint(written, reading: str):
    """One line under the boxes: what is wrong with a `Written`, or what was read."""
    if written.problems:
        return " ".join(written.problems)
    if not len(written.pixels):
        return "Draw one small letter, a to z, in each box: as on ruled paper, not joined."
    return f"Read as “{reading}”."


def loss(trace, truth: str, reading: str):
    """What reading a word cost, once it is known what was meant."""
    if len(truth) != len(reading):
        advice = "draw or clear a box, or type as many."
        return f"You typed {len(truth)} letters, and {len(reading)} can be read: {advice}"
    wrong = sum(a != b for a, b in zip(truth, reading))
    read = "Every letter is right" if not wrong else f"{wrong} of {len(truth)} letters wrong"
    kept = "no filter has pruned what you meant"
    if fell := next((level.order for level in trace.levels if not len(level.truth_arcs)), None):
        at = f"level {max(fell - 1, 1)}"
        kept = f"what you meant was pruned at {at}: its filter loss on this word is 1"
    return f"Meant “{truth}”, read as “{reading}”. {read}; {kept}."
