"""The browser's half of the drawing's text against Python's, under node."""

import json

from spcviz.problems.open_words.data.drawings import boxes_text, parse, strip_text
from tests.node import needs_node, run_node

BOXES = [[[[0, 0], [63, 63], [5, 9]], [[1, 2]]], [], [[[30, 40], [31, 40]]]]
STROKES = [[[10, 5], [100, 50]], [[200, 3], [150, 3]], [[1279, 63]]]
BODY = """
const { boxes, strokes, cuts } = data;
const line = Array.from({ length: 40 }, (_, i) => [i, i < 20 ? 0 : i - 20]);
process.stdout.write(JSON.stringify({
  boxes: core.boxesText(boxes), strip: core.stripText(strokes, cuts),
  parsed: core.parse(core.boxesText(boxes)), cut: core.parse(core.stripText(strokes, cuts)),
  gaps: core.cutsAtGaps([[[0, 0], [10, 0]], [[8, 5], [12, 5]], [[30, 0], [31, 9]], [[32, 0]]]),
  straight: core.straighten(line), moved: core.toStrip(boxes) }));
"""


@needs_node
def test_both_write_and_read_the_same(tmp_path):
    data = {"boxes": BOXES, "strokes": STROKES, "cuts": [64, 120]}
    answer = run_node(tmp_path, "problems/open_words/view/write_core.js", BODY, data)
    assert answer["boxes"] == boxes_text(BOXES)
    assert answer["strip"] == strip_text(STROKES, [64, 120])
    assert answer["parsed"] == {"isStrip": False, "letters": BOXES}
    assert answer["cut"] == {"isStrip": True, "strokes": STROKES, "cuts": [64, 120]}
    assert len(answer["straight"]) == 3  # a bend of two straight lines
    assert [answer["straight"][0], answer["straight"][2]] == [[0, 0], [39, 19]]
    assert answer["gaps"] == [21]
    moved = parse(strip_text(answer["moved"]["strokes"], answer["moved"]["cuts"]))
    boxes = parse(boxes_text(BOXES))
    for one, two in zip(boxes.letters, moved.letters):
        low = [stroke - stroke[0] for stroke in one]
        assert json.dumps([s.tolist() for s in low]) == json.dumps([(s - s[0]).tolist() for s in two])
    assert len(boxes.letters) == len(moved.letters)
