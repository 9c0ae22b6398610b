"""Warm-up happens once, behind the visitor's back, and never takes the app down."""

import sys
import types

import pytest

import spcviz.ui.cached
from spcviz.ui import warmup


@pytest.fixture
def calls(monkeypatch):
    """What warm-up did, in order, with a cache that only takes notes."""
    made = []
    common = types.ModuleType("spcviz.ui.cached.common")
    common.fill = lambda: made.append("fill")
    monkeypatch.setitem(sys.modules, "spcviz.ui.cached.common", common)
    monkeypatch.setattr(spcviz.ui.cached, "common", common, raising=False)
    monkeypatch.setattr(warmup.gc, "collect", lambda: made.append("collect"))
    monkeypatch.setattr(warmup.gc, "freeze", lambda: made.append("freeze"))
    return made


def test_in_the_background(calls):
    thread = warmup.start()
    assert thread.daemon
    thread.join(timeout=10)
    assert calls == ["fill", "collect", "freeze"]


def test_a_broken_compiler_is_logged_and_survived(calls, monkeypatch, caplog):
    def fail():
        raise RuntimeError("no compiler")

    monkeypatch.setattr(spcviz.ui.cached.common, "fill", fail)
    warmup.start().join(timeout=10)
    assert calls == ["collect", "freeze"]
    assert "warm-up failed" in caplog.text
    assert "no compiler" in caplog.text
