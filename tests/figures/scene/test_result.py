"""What is shown of scenes: texts follow the numbers, misses are said first."""

import copy

import pytest

from spcviz.figures.common.palette import LIGHT
from spcviz.figures.scene import charts, evidence, result

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
        {"step": s + 1, "seconds": 0.05 + 0.01 * s, "level": 3, "theta": 0.4} | dict(zip(charts.GROUPS, own))
        for s, own in enumerate(counts)
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


def test_a_machine_that_is_done_first_is_said_first(found):
    (line,) = result.TABLE.headline(found)
    assert "HIM is done" not in line.measured
    him = next(own for own in found["rows"] if own["method"] == "him")
    him["seconds"] = 0.085
    (line,) = result.TABLE.headline(found)
    assert line.measured.startswith("HIM is done before SIM ends, and has more pixels right; ")
    assert any("HIM, all features (84.0 against 75.0)" in said for said in evidence.misses(found))


def test_blocks_hold_what_was_measured(found):
    blocks = result.TABLE.blocks(found, "", LOOK)
    frames = {b.name: b.frame for b in blocks if hasattr(b, "frame")}
    assert frames["scene-recall"]["pixel %"].tolist() == [82, 81.5, 84, 84.9, 70, 78, 76]
    assert frames["scene-pieces"]["ms here"].tolist() == [50.0, 3.0]
    for block in blocks:
        if hasattr(block, "make"):
            assert block.make().data
    said = " ".join(evidence.sentences(found))
    assert "First answer after 50 ms: 60.0 %" in said
    assert "72 % of pixels after 80.0 ms, 0.400 of the 200 ms" in said
    assert "TXT, SHAPE, I-SIFT, LBP; never: C-SIFT" in said
    (line,) = result.TABLE.headline(found)
    assert "SIM 82.0 [80.0, 84.0] / 34.0 in 90 ms" in line.measured


def test_misses_are_said(found):
    said = " ".join(result.TABLE.misses(found))
    assert "a quarter was the aim" in said
    assert "forest of regions without context has" not in said
    worse = copy.deepcopy(found)
    worse["rows"][-1]["pixel_accuracy"] = 90.0
    worse["compared"][0]["pixel"] = -5.0
    said = " ".join(result.TABLE.misses(worse))
    assert "forest of regions without context has 90.0 %" in said
    assert "forest without context has more pixels right" in result.TABLE.headline(worse)[0].measured
    assert "5.0 points of pixels below HIM" in said
    assert evidence.reached(found, 99) is None


def test_pieces_are_shown(found):
    rows = [{"piece": p, "ms": 2.0} for p in ("FH", "level", "select", "predict")]
    own = {"rows": rows, "all_features_ms": 70.0}
    blocks = result.COSTS.blocks(own, "", LOOK)
    (frame,) = [b.frame for b in blocks if hasattr(b, "frame")]
    assert frame["piece"].tolist()[:2] == ["regions, all levels", "one more level"]
    (line,) = result.COSTS.headline(own)
    assert "segmentation 2.0 ms" in line.measured
    assert "a step 4.00 ms" in line.measured
