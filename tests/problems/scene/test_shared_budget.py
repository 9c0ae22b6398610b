"""One budget for many streets: tables follow the numbers."""

import pytest

from spcviz.problems.scene.paper import result
from spcviz.web.figures.palette import LIGHT

LOOK = {"palette": LIGHT, "scale": 1.0, "height": 400}


@pytest.fixture
def found():
    rows = [
        {"method": method, "cost_ms": [0.0, 10.0, 20.0], "error": error}
        for method, error in (
            ("dms", [30.0, 21.0, 20.0]),
            ("oracle", [30.0, 19.0, 20.0]),
            ("uniform", [30.0, 25.0, 20.0]),
            ("uniform, not by tiers", [30.0, 26.0, 20.0]),
            ("myopic", [30.0, 24.0, 20.0]),
            ("imitation", [30.0, 24.0, 20.0]),
            ("fixed", [30.0, 27.0, 20.0]),
        )
    ]
    compared = [
        {"method": method, "share": share, "points": -3.0, "interval": [-5.0, high]}
        for method, high in (("uniform", -1.0), ("myopic", 0.5))
        for share in (0.25, 0.5, 0.75)
    ]
    return {"rows": rows, "compared": compared, "n_pictures": 9, "tier_error": [30.0, 25.0, 20.0]}


def test_blocks_hold_what_was_measured(found):
    blocks = result.shared_blocks(found, "", LOOK)
    frames = {b.name: b.frame for b in blocks if hasattr(b, "frame")}
    assert frames["scene-shared"]["10.0 ms"].tolist() == [21, 19, 25, 26, 24, 24, 27]
    assert frames["scene-shared"]["method"][2] == "Pictures, at random"
    assert frames["scene-shared-tiers"].loc["outlines, texture and colour", "pixels right, %"] == 70.0
    assert frames["scene-shared-gaps"]["to"].tolist() == [-1.0] * 3 + [0.5] * 3
    (drawn,) = [block.make() for block in blocks if hasattr(block, "make")]
    assert [list(trace.y) for trace in drawn.data] == [
        row["error"] for row in (*found["rows"][:3], found["rows"][4])
    ]
