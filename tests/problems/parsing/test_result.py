"""Paper tables of parsing under a budget: tables follow the numbers."""

import pandas as pd
import pytest

from experiments.parsing import measure
from spcviz.problems.parsing.paper import result
from spcviz.problems.parsing.shown import METHOD_OF
from spcviz.web.figures.palette import LIGHT

SHARES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
LOOK = {"palette": LIGHT, "scale": 1.0, "height": 400}


def alone(arcs, template, uas, us):
    return {
        "data": "ewt", "arcs": arcs, "template": template, "uas_arborescence": uas, "uas_eisner": uas + 1.0,
        "us_features": us - 1, "us_decoding": 1.0, "us_per_word": us, "us_per_word_turns": [us] * 3,
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
            "dictionary": dictionary,
            "shared_weights": True,
            "uas": 76 + 7 * share,
            "uas_dev": 77 + 7 * share,
            "us_per_word": (3 + 6 * share) / (1 + dictionary),
            "us_per_word_turns": [(3 + 6 * share) / (1 + dictionary)] * 3,
            "us_per_word_dev": (3 + 6 * share) / (1 + dictionary),
        }
        for dictionary in (False, True)
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
    whole = [alone(everywhere, "tags", 76.0, 3.0), alone(everywhere, "full", 83.0, 10.0) | {"uas_dev": 84.0}]
    return {
        "chosen": [{"data": "ewt"} | row for row in measure._choose_fastest(rows, whole)],
        "name": "parsing", "rows": rows, "compared": compared, "depth": depth, "best": {"ewt": "one_shot"},
        "without_policy": whole,
        "lengths": [alone(near, "tags", 75.5, 2.0), alone(near, "full", 82.4, 2.5)],
        "templates": [{"data": "ewt", "what": "decoding: Eisner", "us_per_word": 0.6}],
        "settings": {"chosen_on": "development sentences"},
    }  # fmt: skip


def test_every_table_has_its_rows_and_every_chart_draws(found):
    shown = result.TABLE
    blocks = shown.blocks(found, "", LOOK)
    frames = [block.frame for block in blocks if hasattr(block, "frame")]
    assert all(isinstance(frame, pd.DataFrame) and len(frame) for frame in frames)
    assert len(result.curves_frame(found)) == len(found["rows"])
    drawn = [block.make() for block in blocks if hasattr(block, "make")]
    assert len(drawn) == 4
    assert len(drawn[0].data) == len(METHOD_OF) + 1  # and one template for all words
    assert len(drawn[3].data[0].x) == 8
    assert drawn[1].data[0].x[0] == drawn[0].data[0].x[0] / 2  # with the length dictionary


def test_it_is_chosen_on_development_sentences_whatever_the_test_says(found):
    whole = found["without_policy"]
    rows = [row | {"uas": 0.0, "us_per_word": 9.0} for row in found["rows"]]
    picked = measure._choose_fastest(rows, whole)
    keys = ("loss", "dictionary", "policy", "features_share")
    assert [[row[key] for key in keys] for row in picked] == [
        [row[key] for key in keys] for row in measure._choose_fastest(found["rows"], whole)
    ]
    assert {row["times_faster"] for row in picked} == {10.0 / 9.0}
    weak = [row | {"uas_dev": row["uas_dev"] - 20} for row in rows]
    assert measure._choose_fastest(weak, whole) == []
