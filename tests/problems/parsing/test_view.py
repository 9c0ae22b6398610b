"""One sentence in the browser: tables arrive unchanged; levels, depths and steps of trees."""

import json

import numpy as np
import pytest

from experiments.parsing import measure
from spcviz.problems.budgets.view.component import TRADE_OFF
from spcviz.problems.parsing.data import gallery
from spcviz.problems.parsing.shown import ParsedSentence, PolicyCourse
from spcviz.problems.parsing.view import component
from spcviz.problems.parsing.view.component import PARSING, cut_off, parsing_payload, sentence_part
from spcviz.web.view.mount import script
from tests.node import needs_node, run_node

BODY = """
const back = (v) => v ?? NaN;
const typed = (course) => ({ ...course, heads: Uint8Array.from(course.heads), other: Uint8Array.from(course.other), without: Float64Array.from(course.without, back), values: Float64Array.from(course.values, back) });
const [course] = data.payload.courses, n = data.payload.words.length, got = core.unpackCourse(typed(course), n), rank = core.rankOf(course.order);
const number = (v) => Number.isFinite(v) ? v : null;
console.log(JSON.stringify({
  heads: got.heads.map((row) => Array.from(row)), other: got.other.map((row) => Array.from(row)),
  values: got.values.map((row) => Array.from(row, number)), without: got.without.map((row) => Array.from(row, number)),
  steps: data.shares.map((share) => core.stepOf(share, n)), rank,
  counts: core.depthCounts(got.heads[0], rank, 2), right: core.rightOf(got.heads[1], data.payload.truth),
  levels: data.trees.map((tree) => core.levelsOf(tree)), depths: data.trees.map((tree) => core.depthsOf(tree)),
}));
"""  # noqa: E501


def sentence(rng, n=5):
    heads = rng.integers(0, n + 1, (n + 1, n))
    heads[0] = [0, 1, 2, 3, 4]
    course = PolicyCourse(
        "one_shot",
        "One shot",
        "ranks",
        rng.permutation(n),
        heads,
        rng.normal(size=n + 1),
        np.where(rng.random((n + 1, n)) < 0.2, -1, heads),
        np.where(rng.random((n + 1, n)) < 0.2, -np.inf, 3.5),
        np.where(rng.random((n + 1, n)) < 0.2, np.nan, 0.25),
        np.arange(n + 1.0),
    )
    words = tuple("abcde")
    return ParsedSentence(words, ("NN",) * n, {"NN": "noun"}, np.array([0, 1, 1, 3, 3]), 40.0, (course,))


@needs_node
def test_the_browser_sees_what_was_sent(tmp_path):
    parsed = sentence(np.random.default_rng(0))
    trees = [s.heads.tolist() for s in gallery.own_sentences()]
    flat = lambda a: [v if np.isfinite(v) else None for v in a.ravel().tolist()]  # noqa: E731
    payload = json.loads(json.dumps(sentence_part(parsed), default=flat))
    shares = [0, 0.2, 0.39, 0.6, 1, 3, -1]
    data = {"payload": payload, "trees": trees, "shares": shares}
    seen = run_node(tmp_path, "problems/parsing/view/parsing_core.js", BODY, data)
    (course,) = parsed.courses
    assert seen["heads"] == course.heads.tolist()
    assert seen["other"] == np.where(course.other < 0, 255, course.other).tolist()
    for name in ("values", "without"):
        array = getattr(course, name)
        assert seen[name] == [[v if np.isfinite(v) else None for v in row] for row in array.tolist()]
    assert seen["steps"] == [0, 1, 1, 3, 5, 5, 0]
    assert [seen["rank"][w] for w in course.order] == [0, 1, 2, 3, 4]
    first = course.order[:2].tolist()
    assert seen["counts"][:5] == [{"words": 1, "bought": int(d in first)} for d in range(5)]
    assert seen["right"] == (course.heads[1] == parsed.truth).sum()
    for tree, levels, depths in zip(trees, seen["levels"], seen["depths"], strict=True):
        assert depths == measure.depths_of(np.array(tree), np.array([0, len(tree)])).tolist()
        arcs = [(min(h, d), max(h, d), levels[d - 1]) for d, h in enumerate(tree, 1) if h]
        for a, b, level in arcs:  # above every arc under it, and no higher than needed
            under = [other for c, e, other in arcs if (c, e) != (a, b) and a <= c and e <= b]
            assert all(level > other for other in under)
            assert level >= 1
        assert all(level == 0 for level, head in zip(levels, tree, strict=True) if head == 0)


@pytest.mark.parametrize("stop", [0, 2, 5])
def test_what_a_question_hides_is_not_sent(stop):
    parsed = sentence(np.random.default_rng(1))
    (course,) = parsed.courses
    before = cut_off(course, stop)
    assert before.order.tolist() == course.order[:stop].tolist()
    for name in ("heads", "score", "other", "without", "us"):
        assert np.array_equal(getattr(before, name), getattr(course, name)[: stop + 1])
    assert np.array_equal(before.values[:stop], course.values[:stop], equal_nan=True)
    assert np.isnan(before.values[stop]).all(), "what the policy makes of the next purchase names it"
    assert len(before.values) == stop + 1
    sent, parts = parsing_payload(parsed, "x", stop=stop)
    whole, all_parts = parsing_payload(parsed, "x")
    assert sent == {"identity": f"x|{stop}", "stop": stop}
    assert "stop" not in whole
    assert len(parts["sentence"].content) < len(all_parts["sentence"].content) or stop == 5


@needs_node
def test_the_browser_reads_what_is_sent_of_it(tmp_path):
    parsed = sentence(np.random.default_rng(1))
    parsed = parsed._replace(courses=(cut_off(parsed.courses[0], 2),))
    flat = lambda a: [v if np.isfinite(v) else None for v in a.ravel().tolist()]  # noqa: E731
    payload = json.loads(json.dumps(sentence_part(parsed), default=flat))
    data = {"payload": payload, "trees": [], "shares": [0.4]}
    seen = run_node(tmp_path, "problems/parsing/view/parsing_core.js", BODY, data)
    assert seen["heads"] == parsed.courses[0].heads.tolist()
    assert sum(one["bought"] for one in seen["counts"]) == 2


def test_the_trade_off_page_takes_the_task_along():
    assert "problems/parsing/view/trade_task.js" in TRADE_OFF.parts
    text = script(TRADE_OFF.parts)
    assert text.index("TASKS = {}") < text.index("TASKS.parsing =") < text.index("TASKS[data.task]")
    assert "import {" not in script(PARSING.parts)


def test_while_a_question_is_open_a_sentence_is_packed_once(monkeypatch):
    """Every rerun requests the payload; only another sentence or number of purchases is packed again."""
    packed = []
    monkeypatch.setattr(
        component, "course_payload", lambda one: packed.append(one.name) or {"name": one.name}
    )
    sentences = [sentence(np.random.default_rng(number)) for number in range(2)]
    cases = [(0, 1), (0, 2), (1, 1), (0, None)]
    first = [parsing_payload(sentences[n], "x", stop=stop)[1]["sentence"] for n, stop in cases]
    assert len(packed) == len(cases)
    again = [parsing_payload(sentences[n], "x", stop=stop)[1]["sentence"] for n, stop in cases]
    assert len(packed) == len(cases)
    assert all(one is other for one, other in zip(first, again, strict=True))
