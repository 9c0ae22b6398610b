"""Warm-up happens once, behind the visitor's back, and never takes the app down."""

import sys
import types

import pytest

import spcviz.experiments
from spcviz.ui import warmup


@pytest.fixture
def calls(monkeypatch):
    """What warm-up did, in order, with an experiment that only takes notes."""
    made = []
    ocr = types.ModuleType("spcviz.experiments.ocr")
    ocr.warmup = lambda: made.append("warmup")
    monkeypatch.setitem(sys.modules, "spcviz.experiments.ocr", ocr)
    monkeypatch.setattr(spcviz.experiments, "ocr", ocr, raising=False)
    monkeypatch.setattr(warmup.gc, "collect", lambda: made.append("collect"))
    monkeypatch.setattr(warmup.gc, "freeze", lambda: made.append("freeze"))
    warmup.start.clear()
    yield made
    warmup.start.clear()


def test_once_in_a_process(calls):
    thread = warmup.start()
    assert warmup.start() is thread
    assert thread.daemon
    thread.join(timeout=10)
    assert calls == ["warmup", "collect", "freeze"]


def test_a_broken_compiler_is_logged_and_survived(calls, monkeypatch, caplog):
    def fail():
        raise RuntimeError("no compiler")

    monkeypatch.setattr(spcviz.experiments.ocr, "warmup", fail)
    warmup.start().join(timeout=10)
    assert calls == ["collect", "freeze"]
    assert "warm-up failed" in caplog.text
    assert "no compiler" in caplog.text
