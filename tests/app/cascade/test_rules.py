"""Sweep's picture of two rules and its promises, and Letters by a margin, driven through app.py."""

from functools import partial

import pytest

from spcviz.problems.letters.page import cached, live, sweep_text
from tests.app.driver import open_page

sweep = partial(open_page, "pages/cascade/sweep.py")
letters = partial(open_page, "pages/cascade/letters.py")


def said(at):
    return "\n".join(m.value for m in at.markdown)


@pytest.mark.parametrize("level", [2, 5])
def test_both_rules_in_one_picture_with_the_loss_in_common(level):
    at = sweep(show="rules", level=str(level), tol="1.0")
    both = cached.sweep_rules("open", level)
    facts = sweep_text.rules_facts(both, 0.01)
    assert f"where both lose {facts['allowed']}" in said(at)
    assert f"{facts['by_margin']} a place by a margin, {facts['by_mean']} between mean and best" in said(at)
    for curve in (both.mean_max, both.margin):
        assert (curve.lost[1:] >= curve.lost[:-1]).all()
        assert (curve.kept[1:] <= curve.kept[:-1]).all()
        assert (curve.kept <= both.n_grams_in + 1e-9).all()


def test_a_promise_costs_what_the_page_says():
    at = sweep(level="2", tol="1.0", promise="certain")
    plain = cached.sweep_choice("open", 2, 0.01)
    kept = cached.sweep_promised("open", 2, 0.01, False, 0.9)
    assert kept.alpha < plain.alpha
    assert kept.dev.event < 0.01
    assert f"It costs α = {kept.alpha:.3f} in place of {plain.alpha:.3f}" in said(at)
    assert "with 90 % certainty" in said(at)


def test_what_cannot_be_promised_is_said():
    at = sweep(level="2", tol="0.05", promise="certain")
    assert any("calibration examples" in warning.value for warning in at.warning)
    assert not at.exception


def test_promises_stand_beside_the_theorems():
    at = sweep(show="bound", level="2", tol="1.0")
    assert "What can be promised without a theorem" in said(at)
    assert "| with 90 % certainty |" in said(at)


def test_nobody_waits_for_the_margins_of_the_open_vocabulary(monkeypatch):
    """They are tuned on all development words, in seconds: a class would wait for its first student."""
    cached.letters_margins.clear()
    monkeypatch.setattr(live, "margins_of", lambda model: pytest.fail("margins were tuned"))
    assert len(cached.letters_margins("open")) == 6
    assert not letters(features="open", rule="margin", controls="1").exception


def test_letters_by_a_margin_keeps_the_same_distance_for_every_word():
    at = letters(rule="margin", controls="1")
    assert not at.exception
    margins = cached.letters_margins("open")
    assert any(f"{margins[0]:.3g} at level 1" in caption.value for caption in at.caption)
    for word in (3128, 192):
        trace = cached.letters_trace(word, "open", 3, (None, None, None), "margin")
        for level, margin in zip(trace.levels, margins):
            if level.has_spread:
                assert abs((1 - level.alpha) * (level.best - level.mean) - margin) < 1e-9 * max(1, level.best)
    plain = cached.letters_trace(3128, "open", 3, (None, None, None))
    assert [level.alpha for level in plain.levels] != [level.alpha for level in trace.levels]


def test_tagging_by_a_margin_keeps_the_same_distance_for_every_sentence():
    from spcviz.problems.tagging.page import cached as tagging

    at = open_page("pages/cascade/tagging.py", rule="margin", view="lattice")
    assert not at.exception
    margins = tagging.tagging_margins()
    assert len(margins) == 3
    assert min(margins) > 0
    assert any(f"{margins[0]:.3g} at level 1" in caption.value for caption in at.caption)
    for text in (tagging.FIRST, "The old man the boats ."):
        trace = tagging.tagging_trace_of(tuple(text.split()), (None, None, None), "margin")
        for level, margin in zip(trace.levels, margins):
            if level.has_spread:
                assert abs((1 - level.alpha) * (level.best - level.mean) - margin) < 1e-9 * max(1, level.best)
