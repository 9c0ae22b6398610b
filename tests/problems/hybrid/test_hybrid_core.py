"""The core of the Orders and features page under node: a click's request, a course's description."""

from spcviz.problems.hybrid.page.live import read_hand
from tests.node import needs_node, run_node

BODY = """
const step = (reading, action) => ({ reading, action, order: [1, 2], tier: [0, 1] });
const course = [step("ab", [-1, -1]), step("ac", [0, 1]), step("ab", [1, 0]), step("ab", [1, 1])];
process.stdout.write(JSON.stringify({
  hands: [core.handAfter(course, -1, 0, [0, 1]), core.handAfter(course, -1, 2, [1, 0]),
          core.handAfter(course, 1, 3, [0, 1]), core.handAfter(course, 3, 1, [0, 1])],
  best: [core.bestAction([[null, null], [0.1, 0.3]]), core.bestAction([[null, null]])],
  right: [core.rightFrom(course, "ab"), core.rightFrom(course, "xx"), core.wrongIn("abc", "axx")],
  said: [core.actionText([0, 1], course[0], data.tiers), core.actionText([1, 1], course[0], data.tiers)],
  scope: core.scopeOf(3, 4) }));
"""


@needs_node
def test_what_the_page_asks_and_says(tmp_path):
    answers = run_node(tmp_path, "problems/hybrid/view/hybrid_core.js", BODY, {"tiers": ["pixels", "coarse"]})
    assert answers["hands"] == ["0:r2", "2:b1", "1:b1.b2.r2", "1:r2"]
    assert read_hand(answers["hands"][2]) == (1, ((1, 0), (1, 1), (0, 1)))
    assert answers["best"] == [[1, 1], None]
    assert answers["right"] == [2, -1, 2]
    assert answers["said"] == ["order 2 at letter 2", "coarse of letter 2"]
    assert answers["scope"] == {"first": 2, "last": 4}
