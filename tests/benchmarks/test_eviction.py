"""The replay of requests to the memory: what each policy computes again, and that a recording reads back."""

import json

import numpy as np
import pytest

from benchmarks.app import eviction
from spcviz.web.cached import memory
from spcviz.web.cached.memory import Held

BIG, SMALL = Held(100, {}, False), Held(10, {}, False)


def test_the_policies_give_up_different_values():
    """A dear value that was requested twice, then four cheap ones, then the dear one again."""
    requests = [("add", 0, SMALL, 9.0), ("use", 0)]
    requests += [("add", k, BIG, 0.1) for k in range(1, 5)]
    requests += [("use", 0), ("use", 4), ("use", 1)]
    assert eviction.replay(requests, memory.MemoryBudget(250)) == (1, pytest.approx(0.1))
    assert eviction.replay(requests, eviction.OldestFirst(250)) == (2, pytest.approx(9.1))
    assert eviction.replay(requests, eviction.OldestFirst(10_000)) == (0, 0)


def test_what_its_call_has_dropped_is_not_counted():
    requests = [("add", 0, SMALL, 9.0), ("remove", 0), ("add", 0, SMALL, 9.0), ("use", 0)]
    assert eviction.replay(requests, memory.MemoryBudget(250)) == (0, 0)


def test_an_array_that_values_share_is_counted_once():
    requests = [("add", k, Held(1, {7: 200}, False), 1.0) for k in range(3)] + [("use", 0)]
    assert eviction.replay(requests, eviction.OldestFirst(250)) == (0, 0)


def test_a_recording_reads_back(tmp_path):
    recorder = eviction.Recorder(str(trace := tmp_path / "trace.jsonl"))
    value = np.zeros(20_000), "text"
    recorder.add(("call", 3), lambda name: pytest.fail("a recorder has no limit"), value, 0.5)
    recorder.touch(("call", 3), value)
    recorder.remove(("call", 3))
    assert eviction.read(trace) == [("add", 0, memory.held_by(value), 0.5), ("use", 0), ("remove", 0)]
    assert json.loads(trace.read_text().splitlines()[1]) == ["use", 0]
