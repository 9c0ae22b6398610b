"""Claims about orders and features bought together (thesis, chapter 8: a proposal without experiments)."""

from spcviz.problems.hybrid.page.shown import DATA, METHODS, VARIANTS
from spcviz.web.figures.claims import Claim, NotMeasured, find

GOAL, MIDDLE = 0.8, (0.25, 0.75)
"""At most so much of the better parent's time somewhere in the middle half of the accuracies compared."""
MOST_OF_MIXTURES, GOALS_OF_MIXTURES = 1.02, {"open": 0.8, "ocr": 0.9}
"""Beside the hull of both parents: at most so dear anywhere, so cheap somewhere in the middle."""
_MIXED = "Parents mixed within a batch: the convex hull of their points, chosen on the test words themselves."
_STEPS = "Parents are points, no mixtures of them: a mixture is a harder rival, below."


def of_parents(result, data, method, against="parents"):
    """Accuracies at which a variant of SPC-pi and one of its parents, or another method, can be compared."""
    wanted = (data, method, against)
    compared = [row for row in result["compared"] if (row["data"], row["method"], row["against"]) == wanted]
    if not (rows := [row for row in compared if row["ratio"] is not None]):
        raise NotMeasured(f"{wanted}")
    return rows


def middle_of(rows):
    """Those in the middle half of the accuracies."""
    low, high = rows[0]["char_accuracy"], rows[-1]["char_accuracy"]
    ends = [low + share * (high - low) for share in MIDDLE]
    return [row for row in rows if ends[0] <= row["char_accuracy"] <= ends[1]]


def ranges(rows):
    """Accuracies, from the lowest, at which a variant is not dearer: "80.0 to 85.1 and 90.0 to 91.0"."""
    runs, is_open = [], False
    for row in rows:
        if row["ratio"] > 1:
            is_open = False
        elif is_open:
            runs[-1][1] = row["char_accuracy"]
        else:
            runs.append([row["char_accuracy"]] * 2)
            is_open = True
    return " and ".join(f"{low:.1f} to {high:.1f}" for low, high in runs) or "nowhere"


def _dearer(data, method, against="parents"):
    def percent(result):
        return _percent_dearer(of_parents(result, data, method, against))

    return percent


def _percent_dearer(rows):
    return 100 * sum(row["ratio"] > 1 for row in rows) / len(rows)


def _worst(data, method, against="parents"):
    return lambda result: max(of_parents(result, data, method, against), key=lambda row: row["ratio"])


def _best(data, method, against="parents"):
    def row(result):
        rows = of_parents(result, data, method, against)
        return min(middle_of(rows) or rows, key=lambda row: row["ratio"])

    return row


def _key(place, key):
    return lambda result: place(result)[key]


def _claims(data, method):
    worst, best = _worst(data, method), _best(data, method)
    system, way = f"SPC-π, {DATA[data]}", "" if method == "spc_pi" else f" ({METHODS[method][0]})"
    mixed, least = _worst(data, method, "hull"), _best(data, method, "hull")
    return (
        Claim("hybrid", system, f"dearer than the better parent{way}", _dearer(data, method), paper=0,
              better="lower", decimals=0, shown="at {} %, up to {:.2f} times",
              beside=(_key(worst, "ratio"),), said="aim: never",
              source="thesis 8.1.1", is_headline=method == "spc_pi",
              note=f"Of the accuracies compared. {_STEPS}"),
        Claim("hybrid", system, f"least of its time in the middle{way}", _key(best, "ratio"), paper=GOAL,
              better="lower", decimals=2, shown="{} at {:.1f} %; cheaper: {}",
              beside=(_key(best, "char_accuracy"),
                      lambda result: ranges(of_parents(result, data, method))),
              said="aim: {}", source="thesis 8.1.1", note=_STEPS),
        Claim("hybrid", system, f"times its parents' mixtures, at the dearest{way}", _key(mixed, "ratio"),
              "rival", MOST_OF_MIXTURES, "lower", decimals=2, shown="{} at {:.1f} %; cheaper: {}",
              beside=(_key(mixed, "char_accuracy"),
                      lambda result: ranges(of_parents(result, data, method, "hull"))),
              said="aim: {}", is_headline=method == "portfolio", note=_MIXED),
        Claim("hybrid", system, f"times its parents' mixtures, in the middle{way}", _key(least, "ratio"),
              "rival", GOALS_OF_MIXTURES[data], "lower", decimals=2, shown="{} at {:.1f} %",
              beside=(_key(least, "char_accuracy"),), said="aim: {}", note=_MIXED),
        *(
            Claim("hybrid", system, f"dearer than {METHODS[rival][0].lower()}{way}",
                  _dearer(data, method, rival), "rival", 0, "lower", decimals=0, shown="at {} %",
                  said="never", note="Of the accuracies compared.")
            for rival in ("greedy", "random")
        ),
    )  # fmt: skip


def _combs(key):
    return ("loopy", {"how": "all combs"}, key)


def _grown(result):
    """The trees grown by doubt that have most nodes right."""
    find(result, _combs("right"))
    return max(
        (row for row in result["loopy"] if row["how"] == "doubt" and row["added"]),
        key=lambda row: row["right"],
    )


_TREES = "A tree for each added factor, 5 x 5 grid"
CLAIMS = (
    *(claim for data in ("open", "ocr") for method in VARIANTS for claim in _claims(data, method)),
    Claim("hybrid", _TREES, "nodes right", _key(_grown, "right"), "rival", _combs("right"),
          spread=lambda result: 2 * _grown(result)["right_se"], shown="{} % ({} trees)",
          beside=(_key(_grown, "added"),), said="all combs here: {} %", source="thesis 8.1", is_aside=True),
    Claim("hybrid", _TREES, "time", _key(_grown, "ms"), "rival", _combs("ms"), "lower", shown="{} ms",
          said="all combs here: {} ms", source="thesis 8.1", is_aside=True),
)  # fmt: skip
