"""Claims about ocr-orders (thesis Table 4.3) and ocr-sweep (summary of SPC, 5.2), as data."""

import math

from spcviz.problems.letters.paper.tables import FEATURES, dictionary, rows_of, sweep_frame
from spcviz.web.figures.claims import Claim, NotMeasured, find

_TABLE = "thesis Table 4.3"
_HEADLINE, _OWN = 5.0, "Its tolerance at all levels."
_SPC, _RIVALS = "cascade filter (SPC)", ("perceptron filter", "CRF filter")
_COLUMNS = (
    ("letters right", "char_accuracy", "char_accuracy", "higher", "{} %", 2, ""),
    ("words right", "word_accuracy", "word_accuracy", "higher", "{} %", 2, ""),
    ("filter loss", "filter_loss_position", "filter_loss", "lower", "{} % of n-grams", 2,
     "Lost at all levels before; the paper does not say how it counts, its word errors fit positions."),
)  # fmt: skip


def _order(order):
    """A line of Table 4.3: the rows whose tolerance counts positions, as the paper's word errors do."""
    where = "rows", {"features": "raw", "order": order, "tolerance_kind": "position"}
    return [
        Claim(
            "ocr-orders", "Handwriting, orders 1 to 6, raw pixels", f"{name}, order {order}", (*where, ours),
            paper=(*where, "paper", paper), better=better, decimals=decimals, shown=unit, source=_TABLE,
            note=note, is_headline=order == 6,
        )
        for name, ours, paper, better, unit, decimals, note in _COLUMNS
        if order > 1 or name.endswith("right")
    ]  # fmt: skip


def _by_word(order):
    """The same line where the tolerance counts words: rows beside the others, in the file and on the page."""
    where = "rows", {"features": "raw", "order": order, "tolerance_kind": "word"}

    def whose(result):
        is_shared = find(result, where).get("cascade") != "own"
        return "One cascade, whose levels have other tolerances." if is_shared else _OWN

    return [
        Claim(
            "ocr-orders", "Handwriting, tolerance counted in words", f"{name}, order {order}", (*where, key),
            paper=(*where, "paper", key), decimals=2, shown="{} %", source=_TABLE, note=whose, is_aside=True,
        )
        for name, key in (("letters right", "char_accuracy"), ("words right", "word_accuracy"))
    ]  # fmt: skip


def _own_loss(order):
    """What the level before an order lost by itself, in words: the other reading of the paper's column."""

    about = {"features": "raw", "tolerance_kind": "word"}
    where, before = (("rows", about | {"order": n}) for n in (order, order - 1))

    def lost(result):
        row = find(result, where)
        if "loss_level" in row:
            return row["loss_level"]
        return row["filter_loss"] - find(result, (*before, "filter_loss"))  # of one cascade for all orders

    return Claim(
        "ocr-orders", "Handwriting, filter loss read as each level's own", f"filter loss, order {order}",
        lost, paper=(*where, "paper", "filter_loss"), better="lower", decimals=2, shown="{} % of words",
        source=_TABLE, note="The other reading of the paper's column: words, tolerance per word, one level.",
        is_aside=True,
    )  # fmt: skip


def _measured(measurement, about):
    """What was found, if it was."""
    if not measurement:
        raise NotMeasured(about)
    return measurement


def _last(features, key):
    return lambda result: _measured(rows_of(result, features), features)[-1][key]


def _dictionary(features):
    def word_accuracy(result):
        return _measured(dictionary(result, features), f"dictionary, {features}")["word_accuracy"]

    return Claim(
        "ocr-orders", "Handwriting, cascade against a dictionary", f"words right, {FEATURES[features]}",
        _last(features, "word_accuracy"), "rival", word_accuracy, decimals=2, shown="{} % (order {})",
        said="dictionary here: {} %", beside=(_last(features, "order"),),
        note="The data have 55 distinct words, all in training: a word list only tells these apart.",
        is_aside=True,
    )  # fmt: skip


def _slowest(features):
    """The order at which the cascade compares worst with dense inference of the same order."""

    def ratios(result):
        rows = [row for row in rows_of(result, features) if row["us_dense_per_word"]]
        _measured(rows, f"dense inference, {features}")
        return {row["order"]: row["us_dense_per_word"] / row["us_per_word"] for row in rows}

    def orders(result):
        each = ", ".join(f"order {n}: {ratio:.2f}" for n, ratio in ratios(result).items())
        return f"{each}. Dense inference was not run at orders 5 and 6."

    return Claim(
        "ocr-orders", "Handwriting, time against dense inference",
        f"times as fast, {FEATURES[features]}, worst order", lambda result: min(ratios(result).values()),
        "rival", 1, decimals=2, said="dense Viterbi here: {}", shown="{} times", is_aside=True, note=orders,
    )  # fmt: skip


def _kept(tolerance, method, level=2):
    """n-grams that a filter must keep on test words if at most so many words may be lost."""

    def percent_kept(result):
        table = sweep_frame(result, "raw", (tolerance,))
        name = f"level {level}, {method}"
        if name not in table.index or math.isnan(table.loc[name].iloc[0]):
            raise NotMeasured(f"{name} at {tolerance:g} %")
        return table.loc[name].iloc[0]

    return percent_kept


def _lost_at_the_mean(method, level=1):
    """Words lost at the first alpha of the curve that is not below 0."""
    wanted = {"features": "raw", "split": "test", "method": method, "level": level}

    def lost(result):
        rows = _measured([row for row in result["rows"] if wanted.items() <= row.items()], wanted)
        pairs = [zip(row["alpha"], row["filter_loss"]) for row in rows]
        return min(next(loss for alpha, loss in curve if alpha >= 0) for curve in pairs)

    return lost


def _alphas(result):
    """The tuned alphas of the cascades whose orders 5 and 6 stand in the table, over all test folds."""
    rows = rows_of(result, "raw")
    runs = {(f"position {row.get('tolerance', 0):g}", row["order"]) for row in rows if row["order"] in (5, 6)}
    folds = [row for fold in result.get("fold_rows", ()) for row in fold["rows"] if row["features"] == "raw"]
    values = [row["alpha"] for row in folds if (row.get("run"), row["order"]) in runs]
    return _measured(values, "alphas of single folds")


def _n_below(result):
    return sum(alpha < 0 for alpha in _alphas(result))


CLAIMS = (
    *(claim for order in (6, 5, 4, 3, 2, 1) for claim in _order(order)),
    *(claim for order in (6, 5, 4, 3) for claim in _by_word(order)),
    *(_own_loss(order) for order in (2, 3, 4, 5, 6)),
    Claim(
        "ocr-orders", "Handwriting, filter loss read as each level's own",
        "tolerance kept, filters of orders 5 and 6",
        lambda result: sum(alpha == 0 for alpha in _alphas(result)), "holds", decimals=0,
        shown="alpha is 0 in {} of {}", beside=(lambda result: len(_alphas(result)),),
        said="alpha chosen to keep it", source="thesis 4.5.2",
        note=lambda result: f"Below 0, the threshold under the mean, in {_n_below(result)}; where tuning "
        "stops at 0, the tolerance is not kept.",
        is_aside=True,
    ),
    *(_dictionary(features) for features in FEATURES),
    *(_slowest(features) for features in FEATURES),
    *(
        Claim(
            "ocr-sweep", "Three filters: n-grams to keep at level 2 (one fold)",
            f"at {tolerance:g} % of words lost, against the {rival}", _kept(tolerance, _SPC), "rival",
            _kept(tolerance, rival), "lower", said=f"{rival.removesuffix(' filter')} here: {{}} %",
            shown="{} %", source="summary of SPC, 5.2",
            note="Thresholds read off the test curve; no spread is known.",
            is_headline=tolerance == _HEADLINE,
        )
        for tolerance in (1.0, 2.0, 5.0)
        for rival in _RIVALS
    ),
    Claim(
        "ocr-sweep", "Three filters: fewest words lost at level 1 (one fold)", "words lost at alpha = 0",
        _lost_at_the_mean("spc"), "rival", _lost_at_the_mean("crf"), "lower", decimals=2,
        said="CRF here: {} %", shown="{} %", source="summary of SPC, 5.2", is_aside=True,
    ),
)  # fmt: skip
