"""Paper tables of street scenes: tables follow the numbers."""

import pytest

from spcviz.problems.scene.paper import result
from spcviz.web.figures.palette import LIGHT

LOOK = {"palette": LIGHT, "scale": 1.0, "height": 400}


def row(method, seconds, pixel, mean, **more):
    return {
        "method": method, "seconds": seconds, "pixel_accuracy": pixel, "class_accuracy": mean,
        "classes": [mean] * 10 + [None], "interval": {"pixel": [pixel - 2, pixel + 2], "class": [0, 1]},
    } | more  # fmt: skip


@pytest.fixture
def found():
    paper = {"pixel": 81.5, "class": 54.8, "classes": [50.0] * 11}
    rows = [
        row("sim", 0.05 + 0.01 * s, pixel, 30 + s, step=s + 1, modelled_ms=3.0 * s)
        for s, pixel in enumerate((60, 73, 71, 75, 82))
    ]
    rows[-1]["paper"] = paper
    rows += [row("him", 0.2, 84, 56, paper=paper | {"pixel": 84.9}), row("him-txt", 0.07, 70, 40)]
    rows += [row("him-txt-isift", 0.1, 78, 45), row("forest", 0.15, 76, 36)]
    counts = ((0, 3, 0, 0, 0), (2, 3, 0, 0, 0), (2, 3, 0, 4, 0), (5, 5, 1, 4, 0), (5, 9, 1, 9, 0))
    centres = [
        {"step": s + 1, "seconds": 0.05 + 0.01 * s, "level": 3, "theta": 0.4}
        | dict(zip(result.GROUPS, bought))
        for s, bought in enumerate(counts)
    ]
    compared = [
        {"method": m, "pixel": d, "class": d, "interval": {"pixel": [d - 1, d + 1], "class": [d - 1, d + 1]}}
        for m, d in (("him", -2.0), ("him-txt", 12.0), ("him-txt-isift", 4.0), ("forest", 6.0))
    ]
    return {
        "rows": rows, "centres": centres, "compared": compared, "all_features_seconds": 0.2,
        "table_2": [{"piece": "FH", "ms": 50.0, "paper_ms": 167}, {"piece": "TXT (D)", "ms": 3.0,
                    "paper_ms": 66, "centre_ms": 0.1}],
        "settings": {"chosen_on": "validation pictures"}, "n_pictures": 233,
        "him_validation": [{"level": 5, "pixel_accuracy": 80.0, "class_accuracy": 47.0}],
    }  # fmt: skip


def test_blocks_hold_what_was_measured(found):
    blocks = result.TABLE.blocks(found, "", LOOK)
    frames = {b.name: b.frame for b in blocks if hasattr(b, "frame")}
    assert frames["scene-recall"]["pixel %"].tolist() == [82, 81.5, 84, 84.9, 70, 78, 76]
    assert frames["scene-pieces"]["ms here"].tolist() == [50.0, 3.0]
    for block in blocks:
        if hasattr(block, "make"):
            assert block.make().data


def test_pieces_are_shown(found):
    rows = [{"piece": p, "ms": 2.0} for p in ("FH", "level", "select", "predict")]
    pieces = {"rows": rows, "all_features_ms": 70.0}
    blocks = result.COSTS.blocks(pieces, "", LOOK)
    (frame,) = [b.frame for b in blocks if hasattr(b, "frame")]
    assert frame["piece"].tolist()[:2] == ["regions, all levels", "one more level"]
