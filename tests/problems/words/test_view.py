"""A word in the browser: nothing that a question hides is sent, and bars keep their size."""

import numpy as np
import pytest

from spcviz.problems.budgets import facts
from spcviz.problems.budgets.shown import PolicyTrace, PolicyWord
from spcviz.problems.words.view import component
from spcviz.problems.words.view.component import most_of, policy_payload, word_part

READINGS = ("wates", "wakes", "weeks", "weeps")


def trace(name, cost):
    """Three purchases for a word of five letters."""
    tiers = np.tri(4, 5, -1, dtype=int)
    values = np.array([[0.5, 0.1, 0.2, 0.0, -0.1], [np.nan, 0.1, 0.9, 0.0, 0.0]] + [[np.nan] * 5] * 2)
    spent, ends = cost * np.arange(4.0), np.zeros((4, 2), dtype=int)
    counts = np.arange(4)
    return PolicyTrace(
        name,
        name,
        "help",
        tiers,
        READINGS,
        values,
        np.arange(3),
        spent,
        100 * spent,
        ends,
        ends,
        counts,
        counts,
    )


WORD = PolicyWord(
    7,
    "weeks",
    np.zeros((5, 16, 8), np.uint8),
    ("a", "b", "c"),
    10.0,
    1000.0,
    (trace("x", 1.0), trace("y", 2.0)),
)


@pytest.mark.parametrize("kind", ["units", "us"])
@pytest.mark.parametrize(("share", "steps"), [(0.0, (0, 0)), (0.2, (2, 1)), (1.0, (3, 3))])
def test_a_word_is_cut_off_where_the_question_is_asked(kind, share, steps):
    cut = facts.cut_off(WORD, kind, share)
    for one, whole, step in zip(cut.traces, WORD.traces, steps, strict=True):
        assert one.readings == whole.readings[: step + 1]
        assert one.position.tolist() == whole.position[:step].tolist()
        for name in ("tiers", "values", "units", "us", "forward", "messages", "full_messages", "backward"):
            assert np.array_equal(getattr(one, name), getattr(whole, name)[: step + 1], equal_nan=True)
    assert (cut.truth, cut.full_units) == (WORD.truth, WORD.full_units)


def test_what_is_hidden_is_not_sent_and_bars_keep_their_size():
    sent, parts = policy_payload(WORD, "x", "units", most=0.1)
    assert sent == {"identity": "x|0.1", "kind": "units", "most": 0.1}
    assert b"weeps" not in parts["word"].content
    assert b"wakes" in parts["word"].content
    whole, all_parts = policy_payload(WORD, "x", "units")
    assert whole["most"] is None
    assert b"weeps" in all_parts["word"].content
    assert most_of(WORD.traces[0]) == 0.9
    assert [one["most"] for one in word_part(WORD)["traces"]] == [0.9, 0.9]
    assert parts["word"].content.count(b"0.9") >= 1, "the scale is that of all purchases"


def test_while_a_question_is_open_a_word_is_packed_once(monkeypatch):
    """Every rerun requests the payload; only another word, unit or share is packed again."""
    packed = []
    monkeypatch.setattr(component, "trace_payload", lambda one: packed.append(one.name) or {"name": one.name})
    words = [WORD._replace(word_id=number) for number in range(2)]
    cases = [(0, "units", 0.1), (0, "units", 0.3), (0, "us", 0.1), (1, "units", 0.1), (0, "units", None)]
    first = [policy_payload(words[n], "x", kind, most=most)[1]["word"] for n, kind, most in cases]
    assert len(packed) == 2 * len(cases)
    again = [policy_payload(words[n], "x", kind, most=most)[1]["word"] for n, kind, most in cases]
    assert len(packed) == 2 * len(cases)
    assert all(one is other for one, other in zip(first, again, strict=True))
