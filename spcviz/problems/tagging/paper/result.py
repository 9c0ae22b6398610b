"""How Paper tables shows the result tagging (thesis Table 4.2)."""

from spcviz.problems.tagging.paper import charts, tables
from spcviz.web.figures.blocks import Heading, Link, Note, Shown, Table, Text, chart
from spcviz.web.figures.results import chosen_on

DECIMALS = {"words right %": 2, "filter loss %": 2}

FEATURES = {"paper": "the word alone (paper)", "full": "affixes, case, neighbours too"}
NOTE = (
    "The paper measured all of the Wall Street Journal with word-tag features, in milliseconds of its day; "
    "here Full is this project's own vectorised exact Viterbi over all trigrams, and all methods were timed "
    "in turns in one run. Thresholds were chosen on held-out sentences. SPC begun with log loss is another "
    "method than the thesis'."
)
EQUAL = (
    "Bigrams (for pairs of tags: trigrams) left per position where exactly this share of test sentences is "
    "lost, with 95 % bootstrap intervals over sentences. Single filters work in the spaces that SPC's "
    "earlier levels leave; whole cascades in their own. The last row of a corpus is at the loss of Tags. "
    "\u2013: the filter cannot lose so few."
)


def _blocks(result, features, look):
    blocks = [Table(tables.methods_frame(result, features), f"tagging-{features}", DECIMALS)]
    blocks += _equal(result, features, look)
    for key, made, heading, *decimals in _FRAMES:
        if (frame := made(result, features)) is not None:
            blocks += [Heading(heading), Table(frame, f"tagging-{key}-{features}", *decimals)]
    for data in dict.fromkeys(row["data"] for row in result["rows"] if row["features"] == features):
        alt = charts.curves_text(result, features, data)
        drawn = chart(charts.curves, result, look, f"tagging_{data}", alt, features=features, data=data)
        name = tables.CORPORA.get(data, data)
        blocks += [Heading(f"Filters against each other: {name}"), drawn, Text(alt)]
    return [*blocks, Link("pages/cascade/tagging.py", "One sentence, live", ":material/sell:")]


def _equal(result, features, look):
    frame = tables.equal_frame(result, features)
    if frame is None:
        return []
    alt = "Bigrams left where equally many sentences are lost, by corpus and method: the table below."
    drawn = chart(charts.equal, result, look, "tagging_equal", alt, features=features)
    table = Table(frame, f"tagging-equal-{features}")
    return [Heading("At equal sentences lost"), drawn, table, Note(EQUAL)]


_FRAMES = (
    ("levels", tables.levels_frame, "What each level may lose"),
    ("tried", tables.tried_frame, "Settings tried on development sentences"),
    ("orders", tables.orders_frame, "Every order", DECIMALS),
)


def _learnt(result):
    """How SPC is trained, compared with its rivals."""
    if not result.get("tried"):
        return "SPC is learnt as the thesis says, its rivals with dropout."
    return (
        "SPC, CRF and perceptron get the same dropout, start, passes and patience, and as many tries each "
        "on development sentences."
    )


def _notes(result):
    corpora = {name.split()[0]: digest for name, digest in result.get("corpora", {}).items()}
    named = [f"{tables.CORPORA.get(data, data)} (SHA-256 {d[:12]}…)" for data, d in corpora.items()]
    trained = [(row["data"], FEATURES[row["features"]], row.get("n_train")) for row in result["rows"]]
    sizes = {f"{tables.CORPORA.get(data, data)}, {seen} {n:,}" for data, seen, n in trained if n}
    who = result.get("settings", {}).get("tokens_right")
    return [
        f"{NOTE} {_learnt(result)}",
        *([f"Corpora: {', '.join(named)}."] if named else []),
        *([f"Training sentences: {'; '.join(sorted(sizes))}."] if sizes else []),
        *([f"Who tags: {who}."] if who else []),
        *chosen_on(result),
    ]


TABLE = Shown(("data", "method", "features"), _blocks, _notes, features=FEATURES)
