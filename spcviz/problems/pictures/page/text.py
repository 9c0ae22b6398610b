"""Sentences of the page Joint beats separate, computed from the numbers."""

from spcviz.problems.pictures.page.charts import READINGS
from spcviz.web.figures.numbers import duration

INTRODUCTION = (
    "# Joint beats separate: why pixels should ask their neighbours\n"
    "A pixel by itself is easily fooled. Let each **row** agree with itself, and dynamic programming still "
    "finds the very best row; let the **whole grid** agree, and the best is out of reach, but a good "
    "approximation beats both."
)
HELP = {
    "noise": "Share of the right view's pixels drawn anew, or of the picture's changed to another shade.",
    "smooth": "λ: how much neighbouring pixels want to be alike. At 0 all three readings are the same.",
    "seed": "Draws other noise; the seed is in the address.",
}
NAMES = {"dots": "Random dots", "motorcycle": "Motorcycle", "cones": "Cones", "adirondack": "Adirondack"}
ORIGINS = {
    "dots": "Random dots rendered here, with exact truth.",
    "motorcycle": "Photographs, measured disparity: Middlebury 2014, Scharstein et al., shrunk to a quarter.",
    "cones": "Photographs, measured disparity: Middlebury 2003, Scharstein and Szeliski, shrunk to a third.",
    "adirondack": "Photographs, measured disparity: Middlebury 2014, Scharstein et al., shrunk to a quarter.",
    "horse": "A silhouette that comes with scikit-image, in black and white.",
    "astronaut": "Eileen Collins, NASA, as it comes with scikit-image, in eight greys.",
    "word": "A handwritten word of the data. Its strokes are one pixel thin, so smoothness also eats ink.",
}


def missing(pair):
    """Message that the stereo pair a link requests is not available here."""
    return (
        f"This link asks for the stereo pair {NAMES[pair]}, whose photographs are not here: `python -m "
        "spcviz data get stereo` brings them. Shown instead: random dots."
    )


def compare_readings(readings):
    """The three readings in a sentence: the order is read off the numbers."""
    one, rows, grid = (f"**{100 * e:.1f} %**" for e in readings.errors)
    off = "more than one pixel off" if readings.slack else "wrong"
    begin = f"Each pixel by itself: {one} {off}. Each row solved exactly: {rows}. "
    a, b, c = readings.errors
    if c < b < a:
        verdict = " Every neighbour that is asked helps; rows do not know of each other, hence the streaks."
    elif c < b == a:
        verdict = " Rows alone change nothing; the grid helps."
    elif max(readings.errors) - min(readings.errors) < 5e-4:
        verdict = " No difference here: try more noise or more smoothness."
    elif b < c:
        verdict = " Here exact rows beat the approximate grid: loops cost the guarantee."
    else:
        verdict = " Here smoothness does harm: neighbours really differ."
    return f"{begin}The whole grid, approximately: {grid}.{verdict} (Measured against the known truth.)"


WAITS = "What rows and the whole grid make of it stays hidden until you have guessed."


def facts(readings):
    """Errors and size for the sentences of a tour, by name."""
    one, rows, grid = (f"{100 * error:.1f} %" for error in readings.errors)
    height, width = readings.truth.shape
    size = {"height": str(height), "width": str(width), "states": str(readings.n_states)}
    return {"one": one, "rows": rows, "grid": grid, "weight": f"{readings.weight:g}"} | size


def values(readings):
    """Errors in percent, rounded as they are shown, for the checks of tasks."""
    return dict(
        zip(("one", "rows", "grid"), (round(100 * error, 1) for error in readings.errors), strict=True)
    )


def table(readings):
    """The three readings as a table."""
    unit = "mean distance, pixels" if len(readings.seen) == 2 else "mean distance, shades"
    rows = "\n".join(
        f"| {name} | {100 * wrong:.1f} % | {off:.2f} | {duration(seconds)} |"
        for name, wrong, off, seconds in zip(READINGS, readings.errors, readings.mean_off, readings.seconds)
    )
    return f"| measured | wrong | {unit} | time |\n|---|---|---|---|\n{rows}"


def origin(readings):
    """The picture's origin, and what the numbers measure."""
    rows, columns = readings.truth.shape
    share = f"at {100 * readings.settled:.0f} % of the pixels"
    settled = f"settled {'everywhere' if readings.settled == 1 else share}"
    slack = " Wrong: more than one (shrunken) pixel off, where the truth is known." if readings.slack else ""
    belief = f"{readings.n_iterations} iterations, {settled}"
    return (
        f"{ORIGINS.get(readings.name, '')} {rows} × {columns} pixels of {readings.n_states} states each: "
        f"{readings.n_states} to the power {rows * columns:,} pictures. Smoothness λ = {readings.weight:g}. "
        f"The grid is read by max-product belief propagation, {belief}.{slack}"
    )
