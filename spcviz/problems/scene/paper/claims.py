"""Claims about scenes at any time (SpeedMachines) and of street pictures under one budget."""

from spcviz.problems.scene.page.shown import GROUPS
from spcviz.problems.scene.paper import charts, shared
from spcviz.web.figures.claims import Claim, find

AIM, SHARE = 72.0, 0.25  # pixels right that so much of the full-feature time should reach
_SMALL = "240 x 180 here, larger pictures in the paper."
_PAPER = "SpeedMachines, "


def _end(method, *key):
    return lambda result: find(charts.ends(result), (method, *key))


def reached(result, percent=AIM):
    """Seconds after which SIM has so many pixels right, and stays there; never is infinity."""
    seconds = float("inf")
    for row in reversed(charts.course(result)):
        if row["pixel_accuracy"] < percent:
            break
        seconds = row["seconds"]
    return seconds


def order(result):
    """Groups in the order in which SIM bought them."""
    first = {}
    for row in result["centres"]:
        for group in GROUPS:
            if row[group] and group not in first:
                first[group] = row["step"]
    return sorted(first, key=first.get)


def _level(method, name, measure, what):
    return Claim(
        "scene", "Scenes, SIM and HIM (CamVid)", f"{name}, {what}", _end(method, f"{measure}_accuracy"),
        paper=_end(method, "paper", measure), spread=_end(method, "interval", measure), shown="{} %",
        said="{} %", source=f"{_PAPER}Table 1", note=_SMALL, is_headline=True,
    )  # fmt: skip


def _paper_gap(result):
    ends = charts.ends(result)
    return ends["him"]["paper"]["pixel"] - ends["sim"]["paper"]["pixel"]


def _against(method):
    row = "compared", {"method": method}
    is_him = method == "him"
    sim, other = _end("sim", "seconds"), _end(method, "seconds")
    return Claim(
        "scene", "Scenes, SIM against others (CamVid)", charts.NAMES[method],
        (*row, "pixel"), "rival", 0, spread=(*row, "interval", "pixel"),
        shown="{} points in {:.2f}x the time", beside=(lambda result: sim(result) / other(result),),
        said="–", source=f"{_PAPER}Fig. 2" if is_him else "", is_aside=True,
    )  # fmt: skip


def _overtaken(result):
    """How many others are done before SIM with more pixels right than SIM stopped then."""
    ends, late = charts.ends(result), 0
    for method in _OTHERS:
        seconds, right = ends[method]["seconds"], ends[method]["pixel_accuracy"]
        then = [row["pixel_accuracy"] for row in charts.course(result) if row["seconds"] <= seconds]
        late += seconds < ends["sim"]["seconds"] and right > (then[-1] if then else 0.0)
    return late


def _piece(piece, what):
    row = "rows", {"piece": piece}
    return Claim(
        "scene-costs", "Scenes, what pieces take", what, (*row, "ms"), "new", (*row, "paper_ms"),
        shown="{} ms", said="{} ms at 320 x 240", source=f"{_PAPER}Table 2",
        note="No verdict: other machine, other size.", is_aside=True,
    )  # fmt: skip


def _paper_pieces(result):
    return sum(row["paper_ms"] for row in result["rows"] if "paper_ms" in row and row["piece"] != "FH")


def _step(result):
    return sum(find(result, ("rows", {"piece": piece}, "ms")) for piece in ("select", "predict"))


def _ahead(method, share):
    row = "compared", {"method": method, "share": share}
    return Claim(
        "dms-scene", "Street pictures, one budget: DMS against others",
        f"{shared.label(method).removeprefix('Pictures, ')}, {share:g} of the cost",
        (*row, "points"), "rival", 0,
        "lower", spread=(*row, "interval"), decimals=2, shown="{} points wrong", said="it: 0",
        note="No paper has this: Algorithm 3 of the thesis on SpeedMachines' machines.",
    )  # fmt: skip


_OTHERS = ("him", "him-txt", "him-txt-isift", "forest")
CLAIMS = (
    *(
        _level(method, name, measure, what)
        for method, name in (("sim", "SIM"), ("him", "HIM"))
        for measure, what in (("pixel", "pixels right"), ("class", "class mean"))
    ),
    Claim("scene", "Scenes, SIM against others (CamVid)", "points of pixels below HIM",
          lambda result: -find(result, ("compared", {"method": "him"}, "pixel")), paper=_paper_gap,
          better="lower", source=f"{_PAPER}Table 1", is_aside=True),
    *(_against(method) for method in _OTHERS),
    Claim("scene", "Scenes, SIM against others (CamVid)", "ahead of all that are done before it", _overtaken,
          "holds", decimals=0, shown="behind {} of 4", said="ahead", source=f"{_PAPER}Fig. 2", is_aside=True),
    Claim("scene", "Scenes, SIM against others (CamVid)", "share of all features' time to 72 % of pixels",
          lambda result: reached(result) / result["all_features_seconds"], paper=SHARE, better="lower",
          decimals=3, said="aim: {}", note="The regions of all levels, which come first, are part of it.",
          is_aside=True),
    Claim("scene", "Scenes, SIM against others (CamVid)", "LBP ignored",
          lambda result: int("LBP" in order(result)[:3]), "holds", decimals=0, shown="bought: {1}",
          beside=(lambda result: ", ".join(order(result)),), said="LBP ignored", source=f"{_PAPER}Fig. 4",
          note="LBP's descriptors are the cheapest here.", is_aside=True),
    _piece("FH", "regions"),
    Claim("scene-costs", "Scenes, what pieces take", "all features", ("all_features_ms",), "new",
          _paper_pieces, shown="{} ms", said="{} ms at 320 x 240", source=f"{_PAPER}Table 2",
          note="No verdict: other machine, other size.", is_aside=True),
    Claim("scene-costs", "Scenes, what pieces take", "a step beside features", _step, "new", decimals=2,
          shown="{} ms", is_aside=True),
    *(_ahead(method, share) for method in ("uniform", "myopic") for share in (0.25, 0.5, 0.75)),
)  # fmt: skip
