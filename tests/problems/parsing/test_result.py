"""What is shown of parsing under a budget: tables follow the numbers."""

import pandas as pd
import pytest

from spcviz.problems.parsing.page.shown import METHOD_OF
from spcviz.problems.parsing.paper import charts, claims, result
from spcviz.web.figures.claims import NotMeasured
from spcviz.web.figures.palette import LIGHT

SHARES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
LOOK = {"palette": LIGHT, "scale": 1.0, "height": 400}


def alone(arcs, template, uas, us):
    return {
        "data": "ewt", "arcs": arcs, "template": template, "uas_arborescence": uas, "uas_eisner": uas + 1.0,
        "us_features": us - 1, "us_decoding": 1.0, "us_per_word": us,
    }  # fmt: skip


def about(policy, share):
    return {"data": "ewt", "policy": policy, "features_share": share}


@pytest.fixture
def found():
    rows = [
        {
            "data": "ewt",
            "policy": policy,
            "features_share": share,
            "uas": 76 + 7 * share,
            "us_per_word": 3 + 6 * share,
        }
        for policy in METHOD_OF
        for share in SHARES
    ]
    compared = [
        {
            "is_chosen": policy == "one_shot", "minus_uniform": 1.5, "minus_uniform_interval": [1.2, 1.8],
            "minus_full": -0.5, "minus_full_interval": [-0.7, 0.1], **about(policy, share),
        }
        for policy in METHOD_OF
        for share in (0.5, 0.7)
    ]  # fmt: skip
    depth = [
        {
            "data": "ewt",
            "policy": "one_shot",
            "features_share": share,
            "words": [9] * 8,
            "bought": [share] * 8,
        }
        for share in SHARES
    ]
    everywhere, near = "all arcs", "length dictionary"
    return {
        "name": "parsing", "rows": rows, "compared": compared, "depth": depth, "best": {"ewt": "one_shot"},
        "without_policy": [alone(everywhere, "tags", 76.0, 3.0), alone(everywhere, "full", 83.0, 10.0)],
        "lengths": [alone(near, "tags", 75.5, 2.0), alone(near, "full", 82.4, 2.5)],
        "templates": [{"data": "ewt", "what": "decoding: Eisner", "us_per_word": 0.6}],
        "settings": {"chosen_on": "development sentences"},
    }  # fmt: skip


def test_every_table_has_its_rows_and_every_chart_draws(found):
    shown = result.TABLE
    blocks = shown.blocks(found, "", LOOK)
    frames = [block.frame for block in blocks if hasattr(block, "frame")]
    assert all(isinstance(frame, pd.DataFrame) and len(frame) for frame in frames)
    assert len(charts.curves_frame(found)) == len(found["rows"])
    drawn = [block.make() for block in blocks if hasattr(block, "make")]
    assert len(drawn) == 3
    assert len(drawn[0].data) == len(METHOD_OF) + 1  # and one template for all words
    assert len(drawn[2].data[0].x) == 8


def test_the_cheapest_point_near_everything(found):
    # 82.3 % right is the point at 0.9 of the words, with 8.4 µs.
    assert claims.cheapest(found, "ewt", 0.7)["us_per_word"] == pytest.approx(8.4)
    for row in found["rows"]:
        row["uas"] -= 20
    with pytest.raises(NotMeasured, match=r"ewt: no policy within 0\.5 points"):
        claims.cheapest(found, "ewt", 0.5)


def test_what_was_not_timed_fairly_is_noted(found):
    assert any("not comparable with all arcs'" in note for note in result.TABLE.notes(found))
