"""What is shown of the five results of budgets on words."""

from spcviz.figures.common.blocks import Heading, Headline, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import chosen_on
from spcviz.figures.words import charts, evidence, quiescence, text


def _blocks(result, features, look):
    name = result["name"]
    drawn = [
        chart(charts.trade_off_figure, result, look),
        chart(charts.trade_off_figure, result, look, axis="us", tolerances=True),
    ]
    if name == "dms-ocr":
        drawn += [
            chart(charts.speedup_figure, result, look), chart(charts.stopping_figure, result, look),
        ]  # fmt: skip
    return [
        *drawn,
        Text(bullets(text.sentences(result))),
        Text(bullets(evidence.sentences(result)), on_page=False),
        # budget-ocr repeats the curves of the other three.
        Table(charts.curves_frame(result), name, in_report=not name.startswith("budget-ocr")),
        *_tables(result, name),
        Note(text.UNITS_NOTE),
        Text(chosen_on(result), on_page=False),
    ]


def _tables(result, name):
    """What only some of the results have."""
    frames = {
        "Where the time of a word goes, at the budget chosen on training words": (
            "time",
            charts.time_frame(result),
        ),
        "At equal letters wrong: means and standard deviations over folds": (
            "equal",
            charts.equal_frame(result),
        ),
        "Word by word, the price of a feature alone": ("prices", charts.prices_frame(result)),
    }
    out = []
    for heading, (key, frame) in frames.items():
        if len(frame):
            out += [Heading(heading), Table(frame, f"{name}-{key}")]
    return out


def _headline(result):
    found = evidence.headline(result)
    return [Headline(*found)] if found else []


BUDGET = Shown(charts.NEEDS, _blocks, _headline, evidence.misses)


def _long_blocks(result, features, look):
    kinds = dict.fromkeys(row["data"] for row in result["rows"])
    return [
        *(chart(quiescence.length_figure, result, look, key=kind, kind=kind) for kind in kinds),
        *([chart(quiescence.courses_figure, result, look)] if result.get("courses_summary") else []),
        Text(bullets(quiescence.sentences(result))),
        Table(quiescence.courses_frame(result), f"{result['name']}-courses"),
        Table(quiescence.frame(result), result["name"], {"updates": 1}, in_report=False),
        Note(quiescence.NOTE),
    ]


def _long_headline(result):
    return [Headline("Messages that stop early, long chains", quiescence.PAPER, quiescence.measured(result))]


QUIESCENCE = Shown(quiescence.NEEDS, _long_blocks, _long_headline, quiescence.misses)


def _steps_blocks(result, features, look):
    return [
        chart(charts.steps_figure, result, look),
        Table(charts.steps_frame(result), result["name"]),
        Note(text.STEPS_NOTE),
        Text(bullets(text.steps_sentences(result))),
    ]


def _steps_headline(result):
    return [Headline("Budgets on words, steps apart from letters", "–", text.steps_measured(result))]


STEPS = Shown(("method", "points", "units_chosen"), _steps_blocks, _steps_headline)
