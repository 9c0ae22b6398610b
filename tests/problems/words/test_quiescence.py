"""Charts and sentences about messages that stop early, from a small result."""

import pytest

from spcviz.problems.words.paper import result
from spcviz.problems.words.paper.result import QUIESCENCE
from spcviz.web.figures import palette


def row(method, q, length, us, wrong=0.0):
    more = {"messages_share": 50.0, "messages": length, "wrong_labels": 0.0, "marginal_error": 0.0}
    row = {"data": "letters", "length": length, "method": method, "q": q, "us": us}
    return row | {"updates_with_wrong_labels": wrong, "updates": 10} | more


def found(pays_from, times, wrong):
    out = {"pays_from": pays_from, "times_faster": times, "updates_with_wrong_labels": wrong}
    return out | {"messages_at_longest": 4.0}


COURSE = {
    "pays_from": 17.3,
    "pays_from_fast": None,
    "times_faster": {"7.4": 0.9, "800": 4.5},
    "error_added": {"7.4": 0.25, "800": -0.1},
}
RESULT = {
    "name": "quiescence",
    "rows": [
        row(method, q, length, us)
        for method, q, us in (
            ("anew", None, 3.0), ("exact", 0.0, 2.0), ("printed", 0.5, 1.0), ("level", 1e-9, 1.5),
        )
        for length in (8, 800)
    ],
    "summary": {
        "letters": {"printed 0.5": found(None, 0.5, 5.5), "level 1e-09": found(12.0, 70.0, 0.0)},
    },
    "courses": [
        {
            "length": 7.4, "method": "exact", "q": 0.0, "features_share": 8.0, "error": 5.0,
            "error_all_features": 5.0, "messages": 7.0, "us_policy": 3.0, "us": 30.0, "us_fast": 6.0,
        }
    ],
    "courses_summary": {"printed 0.5": COURSE, "margin 0.5": COURSE},
    "skipped": {"tags": "needs a folder"},
}  # fmt: skip


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_every_way_to_stop_has_its_curve(palette):
    drawn = result.length_figure(RESULT, palette, kind="letters")
    assert [trace.name for trace in drawn.data] == [
        "all messages anew", "exact update", "as printed (of the range), q = 0.5", "level scores, exact",
    ]  # fmt: skip
    assert list(drawn.data[2].x) == [8, 800]
    assert drawn.layout.xaxis.type == drawn.layout.yaxis.type == "log"
    looks = [(t.line.color, t.line.dash, t.marker.symbol) for t in drawn.data]
    assert len(set(looks)) == len(looks)
    courses = result.courses_figure(RESULT, palette)
    assert list(courses.data[0].x) == [7.4, 800.0]
    assert list(courses.data[0].y) == [0.9, 4.5]


def test_frames():
    assert len(result.updates_frame(RESULT)) == len(RESULT["rows"])
    assert result.courses_frame(RESULT).iloc[0]["letters of a line"] == 7.4
    look = {"palette": palette.LIGHT, "scale": 1.0, "height": 400}
    blocks = QUIESCENCE.blocks(RESULT, "", look)
    charts = [block.make() for block in blocks if hasattr(block, "make")]
    assert len(charts) == 2
    assert "No tags: needs a folder." in QUIESCENCE.notes(RESULT)
