"""Claims about parsing under a budget of features (Bolukbasi et al., 2017)."""

from spcviz.problems.parsing.page.shown import said
from spcviz.web.figures.claims import Claim, NotMeasured, find

_NAMES = {"ewt": "EWT", "wsj": "WSJ sample"}
_FIGURE = "Bolukbasi et al. (2017), Fig. 4"
_ON_DEV = "Policy and share chosen on development sentences, which may lose more or less than test ones."
_PAPER_US = {"tags": 165, "full": 275, "tree": 75}
"""Microseconds a word: what the paper says of its templates, and of the best tree."""
_PAPER_MOST = (_PAPER_US["full"] + _PAPER_US["tree"]) / (_PAPER_US["tags"] + _PAPER_US["tree"])
"""Times faster that a policy which buys nothing would be in the paper."""
_DICTIONARY = (
    f"By the paper's own costs a policy alone can bring {_PAPER_MOST:.2f} times at most: "
    "the rest of 2.9 is the length dictionary's."
)


def full(result, data, arcs="without_policy", template="full"):
    """The row of one template for all words."""
    return find(result, (arcs, {"data": data, "template": template}))


def cheapest(result, data, loss, dictionary=False):
    """The fastest point at most `loss` points below everything, both on development sentences."""
    wanted = {"data": data, "loss": loss, "dictionary": dictionary}
    for row in result["chosen"]:
        if wanted.items() <= row.items():
            return row
    raise NotMeasured(f"{data}: no policy within {loss} points")


def _most(result, data):
    """Times faster than everything that tags for all words are: more no policy can be."""
    everything, tags = (full(result, data, template=name)["us_per_word"] for name in ("full", "tags"))
    return everything / tags


def _faster(data, loss, dictionary):
    """Times faster than the full template for all words and arcs, as the paper's 2.9."""

    def point(key):
        return lambda result: cheapest(result, data, loss, dictionary)[key]

    def gap(result):
        row = cheapest(result, data, loss, dictionary)
        return row["uas"] - row["uas_full"]

    how = "with the length dictionary" if dictionary else "policies alone"
    is_paper = dictionary and loss == 1.0
    return Claim(
        "parsing", "Parsing under a budget of features",
        f"times faster at {loss:g} point{'' if loss == 1 else 's'} less, {how}, {_NAMES[data]}",
        point("times_faster"),
        "level" if is_paper else "new", 2.9 if is_paper else None,
        shown="{} times at {:+.2f} points ({}, {:.0%})",
        beside=(gap, lambda result: said(point("policy")(result))[0].lower(), point("features_share")),
        said="{} times, lengths limited" if is_paper else "–", source=_FIGURE,
        note=f"{_ON_DEV} {_DICTIONARY if dictionary else ''}".strip(), is_headline=is_paper,
    )  # fmt: skip


def _half(data):
    return ("compared", {"data": data, "is_chosen": True, "features_share": 0.5})


def _depth(result, data):
    wanted = {"data": data, "policy": result["best"][data], "features_share": 0.3}
    return find(result, ("depth", wanted, "bought"))


def _claims(data):
    system, name = "Parsing under a budget of features", _NAMES[data]
    half = _half(data)
    return (
        Claim("parsing", system, f"half of the words, points lost, {name}", (*half, "minus_full"),
              paper=0, spread=(*half, "minus_full_interval"), decimals=2, said="no loss", source=_FIGURE,
              note="Policy chosen on development sentences; against everything bought.",
              is_headline=True),
        Claim("parsing", system, f"half of the words, against uniform, {name}", (*half, "minus_uniform"),
              "ahead", spread=(*half, "minus_uniform_interval"), decimals=2, said="policies ahead",
              source=_FIGURE),
        *(_faster(data, loss, dictionary) for loss in (1.0, 0.5) for dictionary in (True, False)),
        Claim("parsing", system, f"times faster that a policy can bring at most, {name}",
              lambda result: _most(result, data), "new", decimals=2, shown="{} times: tags for all words",
              said=f"{_PAPER_MOST:.2f} times, by its costs", source=_FIGURE,
              note="Full for no word; what lengths save is not in it."),
        Claim("parsing", system, f"expensive features go to low depth first, {name}",
              lambda result: int(_depth(result, data)[0] < max(_depth(result, data)) - 0.05), "holds",
              decimals=0, shown="{1:.0%} bought below the root, at most {2:.0%}",
              beside=(lambda result: _depth(result, data)[0], lambda result: max(_depth(result, data))),
              said="low depth first", source=_FIGURE, note="Of the words at a depth, 30 % of all.",
              is_headline=True),
        Claim("parsing", system, f"points of heads right by the length dictionary alone, {name}",
              lambda result: full(result, data, "lengths")["uas_arborescence"]
              - full(result, data)["uas_arborescence"], "new", decimals=2,
              shown="{} at {:.2f} times the speed",
              beside=(lambda result: full(result, data)["us_per_word"]
                      / full(result, data, "lengths")["us_per_word"],), source=_FIGURE,
              note="The full template for all words; timed in turns."),
    )  # fmt: skip


CLAIMS = tuple(claim for data in _NAMES for claim in _claims(data))
