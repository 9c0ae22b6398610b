"""Claims about the result tagging (thesis Table 4.2), as data."""

from spcviz.problems.tagging.paper.tables import METHODS
from spcviz.web.figures.claims import Claim, NotMeasured, find

_SEEN = {"full": "affixes, case, neighbours", "paper": "the paper's features"}
_RIVALS = {
    ("full", "wsj"): ("crf", "spc_log_loss_start", "perceptron"),
    ("full", "ewt"): ("crf", "spc_log_loss_start", "perceptron"),
    ("paper", "wsj"): ("crf", "spc_log_loss_start"),
    ("paper", "ewt"): ("crf",),
}
"""Who can lose as few sentences as are compared."""
_LOSS, _TABLE = 5.0, "thesis Table 4.2"
_UNEQUAL = "Not the losses alone are compared: the rivals learn with dropout, the SPC without."
_ALIKE = "Same dropout, start, passes, patience and number of tries on development sentences."
_START = "Begun with log loss, an SPC is not the thesis' method."
_SHORT = {"wsj": "WSJ sample", "ewt": "EWT"}


def _equal(features, data, method):
    where = {"features": features, "data": data, "filter": "cascade", "target": _LOSS, "method": method}
    return ("equal", where)


def _more(features, data, rival):
    """Bigrams that a rival leaves more than the SPC; a bound where only one of them loses so few."""

    def pairs_more(result):
        row = find(result, _equal(features, data, rival))
        value = row["pairs_more"]
        value = row["pairs_more_high"] if value is None else value
        if value is None:
            raise NotMeasured(f"{rival}: cannot lose as few sentences")
        return value

    return pairs_more


def _interval(features, data, rival):
    row = _equal(features, data, rival)
    return lambda result: [find(result, (*row, f"pairs_more_{end}")) for end in ("low", "high")]


def _left(features, data, method):
    def pairs_left(result):
        row = find(result, _equal(features, data, method))
        return "cannot" if row["pairs_equal"] is None else f"{row['pairs_equal']:.3g}"

    return pairs_left


def _paper_states(result):
    """Bigrams that the paper's filters leave."""
    rows = {row["method"]: row["paper"] for row in result["rows"] if row.get("paper")}
    return f"SPC {rows['spc']['states']:g}, CRF {rows['crf']['states']:.4g} (all of WSJ)"


def _named(features, data):
    return _SHORT[data] + (", paper's features" if features == "paper" else "")


def _treated(features, data, rival):
    """What must be known of how SPC and rival learn."""

    def note(result):
        try:
            mine, theirs = (find(result, _row(features, data, method)) for method in ("spc", rival))
        except NotMeasured:
            mine, theirs = {}, {}
        is_alike = "dropout" in mine and mine["dropout"] == theirs.get("dropout")
        if rival == "spc_log_loss_start":
            return _START if is_alike else f"{_UNEQUAL} {_START}"
        return _ALIKE if is_alike else _UNEQUAL

    return note


def _fewest(features, data, rival):
    is_paper = rival == "crf"
    return Claim(
        "tagging", f"Tagging: fewest bigrams at {_LOSS:g} % of sentences lost",
        f"SPC fewer than {METHODS[rival]}, {_named(features, data)}", _more(features, data, rival),
        "ahead" if is_paper else "rival", None if is_paper else 0,
        spread=_interval(features, data, rival), shown="SPC {1}, rival {2}", source=_TABLE,
        said=_paper_states if is_paper else "–",
        beside=(_left(features, data, "spc"), _left(features, data, rival)),
        note=_treated(features, data, rival), is_headline=is_paper,
    )  # fmt: skip


def _row(features, data, method):
    return "rows", {"features": features, "data": data, "method": method}


def _right(features, data, rival):
    row = _row(features, data, rival)
    return Claim(
        "tagging", "Tagging: words right", f"SPC against {METHODS[rival]}, {_named(features, data)}",
        (*_row(features, data, "spc"), "accuracy"), "rival",
        (*row, "accuracy"), spread=lambda result: find(result, (*row, "right_against_spc")) == "as many",
        decimals=2, shown="{} %", said=f"{METHODS[rival]} here: {{}} %", source=_TABLE,
        note="A cascade's predictors begin at their filters, Full's at zero." if rival == "full" else "",
        is_headline=rival == features == "full",
    )  # fmt: skip


def _faster(features, data):
    def times(*key):
        full, spc = ((*_row(features, data, method), *key) for method in ("full", "spc"))
        return lambda result: find(result, full) / find(result, spc)

    return Claim(
        "tagging", "Tagging, SPC: times faster than Full", _named(features, data), times("us_inference"),
        paper=times("paper", "ms"), shown="{} times ({:.1f} with features)",
        beside=(times("us_total"),), said="{} times (all of WSJ)", source=_TABLE,
        note="The paper's Full is a scalar dense search of its day, this one is vectorised.",
        is_headline=features == "full",
    )  # fmt: skip


def _levels(result, features):
    rows = (row for row in result["rows"] if row["features"] == features)
    return [level for row in rows for level in row.get("levels", ())]


def _of_alphas(alphas):
    is_below = any(alpha < 0 for alpha in alphas)
    sentence = "An alpha below 0 is below the mean" if is_below else "Alpha is not let below 0"
    return f"{sentence}; the table What each level may lose has each of them."


def _tolerance(features):
    return Claim(
        "tagging", "Tagging: every filter keeps its tolerance held out", _SEEN[features],
        lambda result: sum(not level["is_kept"] for level in _levels(result, features)), "holds", decimals=0,
        shown="{} of {} do not", beside=(lambda result: len(_levels(result, features)),),
        said="alpha chosen to keep it", source="thesis 4.2",
        note=lambda result: _of_alphas(level["alpha"] for level in _levels(result, features)),
        is_aside=True,
    )  # fmt: skip


def _best_order(data, method):
    """The order of most words right."""
    wanted = {"features": "full", "data": data, "method": method, "split": "test"}

    def order(result):
        if not (rows := [row for row in result.get("orders", ()) if wanted.items() <= row.items()]):
            raise NotMeasured(f"orders, {wanted}")
        return max(rows, key=lambda row: row["accuracy"])["order"]

    return Claim(
        "tagging", "Tagging: order of most words right", f"order 3, {METHODS[method]}, {_SHORT[data]}",
        lambda result: int(order(result) != 3), "holds", decimals=0, shown="order {1}", beside=(order,),
        said="3 of 1 to 5", source="thesis 4.2", is_aside=True,
    )  # fmt: skip


_PAIRS = [(features, data) for features in _SEEN for data in ("wsj", "ewt")]
CLAIMS = (
    *(_fewest(*pair, rival) for pair in _PAIRS for rival in _RIVALS[pair]),
    *(_right(*pair, rival) for pair in _PAIRS for rival in ("tags", "full", "crf")),
    *(_faster(*pair) for pair in _PAIRS),
    *(_best_order(data, method) for data in ("wsj", "ewt") for method in ("spc", "spc_log_loss_start")),
    *(_tolerance(features) for features in _SEEN),
)
