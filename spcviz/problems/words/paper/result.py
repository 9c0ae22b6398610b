"""How Paper tables shows the five results about budgets on words."""

from spcviz.problems.words.paper import charts, quiescence_shown
from spcviz.web.figures.blocks import Heading, Shown, Table, chart
from spcviz.web.figures.results import chosen_on

UNITS_NOTE = (
    "Features come in three tiers: pixels (free), HoG with cells of 3 pixels, HoG with cells of 2 pixels. A "
    "word with every tier costs 2 units. Microseconds hold everything: features, scores, inference, "
    "looking and choosing. Budgets called “chosen” were found on training words, read by models that had "
    "not seen them."
)
STEPS_NOTE = (
    "A step's feature is which of eight kinds the facing halves of its two letters look like (nearest centre "
    "of their HoG); a unit a tier, as of letters. The papers have no step features of handwriting."
)


def _blocks(result, features, look):
    name, trade = result["name"], charts.trade_off_figure
    drawn = [chart(trade, result, look), chart(trade, result, look, axis="us", tolerances=True)]
    if name == "dms-ocr":
        drawn += [chart(draw, result, look) for draw in (charts.speedup_figure, charts.stopping_figure)]
    return [*drawn, Table(charts.curves_frame(result), name), *_tables(result, name)]


def _notes(result):
    return [UNITS_NOTE, f"Means over {result['folds']} test folds.", *chosen_on(result)]


def _tables(result, name):
    """Tables that only some of the results have."""
    out = []
    for key, made, heading in (
        ("time", charts.time_frame, "Where the time of a word goes, at the budget chosen on training words"),
        ("equal", charts.equal_frame, "At equal letters wrong: means and standard deviations over folds"),
        ("prices", charts.prices_frame, "Word by word, the price of a feature alone"),
    ):
        if len(frame := made(result)):
            out += [Heading(heading), Table(frame, f"{name}-{key}")]
    return out


BUDGET = Shown(charts.NEEDS, _blocks, _notes)


def _long_blocks(result, features, look):
    kinds = dict.fromkeys(row["data"] for row in result["rows"])
    return [
        *(chart(quiescence_shown.length_figure, result, look, key=kind, kind=kind) for kind in kinds),
        *([chart(quiescence_shown.courses_figure, result, look)] if result.get("courses_summary") else []),
        Table(quiescence_shown.courses_frame(result), f"{result['name']}-courses"),
        Table(quiescence_shown.updates_frame(result), result["name"], {"updates": 1}),
    ]


def _long_notes(result):
    return [quiescence_shown.NOTE, *(f"No {kind}: {why}." for kind, why in result.get("skipped", {}).items())]


QUIESCENCE = Shown(quiescence_shown.NEEDS, _long_blocks, _long_notes)


def _steps_blocks(result, features, look):
    return [chart(charts.steps_figure, result, look), Table(charts.steps_frame(result), result["name"])]


def _steps_notes(result):
    apart = result["rows"][-1]
    point = [p for p in apart["points"] if p["units"] <= 1 + 1e-9][-1]
    return [
        STEPS_NOTE,
        f"Free to choose, DMS-π spends {point['share_of_steps']:.0f} % of the first unit a letter on steps.",
        f"Means over {result['folds']} test folds.",
    ]


STEPS = Shown(("method", "points", "units_chosen"), _steps_blocks, _steps_notes)
