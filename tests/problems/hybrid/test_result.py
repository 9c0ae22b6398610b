"""Paper tables of orders and features together: sentences follow numbers, a winning parent comes first."""

import pandas as pd
import pytest

from spcviz.problems.hybrid import result
from spcviz.web.figures.palette import LIGHT

LOOK = {"palette": LIGHT, "scale": 1.0, "height": 400}


def point(method, us, right, **more):
    numbers = {"us": us, "char_accuracy": right, "word_accuracy": right - 10}
    spread = {f"{key}_sd": 0.5 for key in numbers}
    return {"data": "ocr", "method": method, **numbers, **spread, **more}


@pytest.fixture
def found():
    controllers = [
        point(method, us, 80 + us / 20, **({"at": at} if at else {}))
        for method in (*result.VARIANTS, "greedy", "order_only", "dms_pi", "random")
        for us, at in ((30.0, "begin"), (100.0, None), (200.0, "end"))
    ]
    fixed = [point("spc", 30.0 * n, 80 + n, order=n, tier=t) for t in range(3) for n in range(1, 7)]
    compared = [
        {
            "data": "ocr", "method": method, "against": against, "char_accuracy": 80.0 + i,
            "ratio": 1.2 if i == 0 else 0.7,
            "ratio_sd": None, "us": 1.0, "us_other": 2.0, "folds_both_reach": 3,
        }
        for method in result.VARIANTS
        for against in ("parents", "hull", "spc", "greedy", "random")
        for i in range(10)
    ]  # fmt: skip
    models = [
        {"data": "ocr", "model": model, "at": at, "char_accuracy": right, "char_accuracy_sd": None,
         "word_accuracy": 50.0, "word_accuracy_sd": None}
        for at in ("begin", "everything") for model, right in (("one", 90.0), ("two", 90.5))
    ]  # fmt: skip
    clock = dict.fromkeys(("letter", "action", "made", "passed", "valued"), 1.0)
    clock |= {"feature": [0.0, 24.0, 25.0], "score": [2.0, 3.0, 4.0]}
    loopy = [
        {"how": how, "added": added, "right": right, "right_se": 1.0, "kept": 60.0, "lost": 3.0, "ms": 1.0}
        for how, added, right in (("doubt", 0, 70.0), ("doubt", 8, 78.0), ("all combs", 0, 79.0))
    ]
    return {
        "loopy": loopy, "name": "hybrid", "rows": controllers + fixed, "compared": compared, "models": models,
        "clock": {"ocr": clock}, "settings": {"chosen_on": "development words"}, "folds": 3,
    }  # fmt: skip


def test_every_block_can_be_made(found):
    blocks = result.HYBRID.blocks(found, "", LOOK)
    frames = [block.frame for block in blocks if hasattr(block, "frame")]
    assert all(isinstance(frame, pd.DataFrame) and len(frame) for frame in frames)
    drawn = [block.make() for block in blocks if hasattr(block, "make")]
    assert len(drawn) == 2
    names = [trace.name for trace in drawn[0].data]
    assert names[0] == "SPC-π"
    assert len(names) == 8 + 3


def test_what_cannot_be_compared_is_left_out(found):
    found["compared"].append(found["compared"][0] | {"ratio": None})
    assert result.ratios(found, LIGHT, data="ocr").data[0].x[-1] == 89.0
