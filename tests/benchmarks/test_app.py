"""Visitors of `bench app`: their actions, what is counted, and a small class on the real server."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from streamlit.proto.Element_pb2 import Element

from benchmarks.app import acting, hall, server, words
from benchmarks.app.load import Crowd, Malformed, Visits
from benchmarks.app.visitor import Ran
from spcviz.engine.errors import ArgumentError

RNG = np.random.default_rng


def element(kind, **fields):
    """An element as the server sends it."""
    made = Element()
    options = fields.pop("contents", ())
    message = getattr(made, kind)
    type(message).MergeFrom(message, type(message)(**fields))
    for content in options:
        message.options.add(content=content)
    return made


def widget(kind, fragment="", **fields):
    return acting.widget_of(kind, element(kind, id="w", **fields), fragment)


def acted(of):
    """Actions of a visitor on one widget, one for each of 30 seeds."""
    return [acting.choose({"w": of}, RNG(seed)) for seed in range(30)]


def test_a_slider_goes_to_one_of_its_steps():
    shown = widget("slider", fragment="f", min=0.0, max=1.0, step=0.25, default=[0.5])
    assert list(shown.state.double_array_value.data) == [0.5]
    values = {tuple(w.state.double_array_value.data) for w in acted(shown)}
    assert values <= {(0.0,), (0.25,), (0.5,), (0.75,), (1.0,)}
    assert len(values) > 2
    assert acted(shown)[0].fragment == "f"


def test_a_list_and_a_row_of_choices_take_another_value():
    shown = widget("selectbox", options=["a", "b", "c"], default=1)
    assert {w.state.string_value for w in acted(shown)} == {"a", "c"}
    shown = widget("selectbox", options=["a", "b", "c"], default=1, set_value=True, raw_value="c")
    assert {w.state.string_value for w in acted(shown)} == {"a", "b"}
    shown = widget("button_group", contents=["x", "y"], default=[0])
    assert {tuple(w.state.string_array_value.data) for w in acted(shown)} == {("y",)}
    shown = widget("slider", options=["1 %", "2 %"], default=[1.0])
    assert {tuple(w.state.string_array_value.data) for w in acted(shown)} == {("1 %",)}


def test_switches_numbers_and_buttons():
    assert all(w.state.bool_value for w in acted(widget("checkbox", default=False)))
    shown = widget("number_input", default=3.0, step=1.0, min=3.0, has_min=True)
    assert {w.state.double_value for w in acted(shown)} == {4.0}
    assert all(w.state.trigger_value for w in acted(widget("button")))


def test_what_cannot_be_changed_is_left_alone():
    assert widget("slider", disabled=True) is None
    assert acting.widget_of("markdown", element("markdown", body="text"), "") is None
    assert widget("bidi_component", component_name="somebody.else") is None
    assert acting.choose({}, RNG(0)) is None
    assert acting.choose({"w": widget("selectbox", options=["only"])}, RNG(0)) is None


def test_a_component_is_dragged_and_counts_its_drags():
    shown = widget("bidi_component", component_name="app.spcviz_lattice")
    first = acting.choose({"w": shown}, RNG(0))
    second = acting.choose({"w": first}, RNG(1))
    views = [json.loads(w.state.json_value)["view"] for w in (first, second)]
    assert [view["seq"] for view in views] == [1, 2]
    assert views[0]["alphas"] != views[1]["alphas"]
    assert not views[0]["dragging"]


def test_a_widget_that_comes_again_keeps_its_state_unless_the_server_sets_it():
    before = acted(widget("selectbox", options=["a", "b"], default=0))[0]
    assert acting.carry_over(before, widget("selectbox", options=["a", "b"])).state.string_value == "b"
    said = widget("selectbox", options=["a", "b"], set_value=True, raw_value="a")
    assert acting.carry_over(before, said).state.string_value == "a"


def ran(ms, kb=1.0):
    return Ran(ms, kb, (), "")


@pytest.fixture
def result():
    """A result assembled as `hall` does it, from made-up figures."""
    plan = [("Letters", 40, [60.0] * 99 + [300.0], []), ("Pose", 40, [90.0, 800.0], ["Boom"])]
    rows = [
        hall._row(page, n, 1.0, 1.0, Crowd([ran(500.0, 990.0)], [ran(ms) for ms in times], faults, 3, 8.0))
        | {"server_cores": 0.5}
        for page, n, times, faults in [*plan, ("Letters", 200, [1900.0], [])]
    ]
    memory = [(0, 100.0), (200, 110.0), (1000, 131.5)]
    return {
        "rows": rows,
        "settings": {"goals": hall._goals()},
        "machine": {"cores": 2, "cpu": "a processor"},
        "visits": hall._of_visits(Visits([1.0, 3.0], 300, [], memory)),
        "malformed": hall._of_malformed(Malformed(200, [], ["Error: x", "Error: x"])),
        "server": {"idle_mb": 400, "end_mb": 500, "logged_tracebacks": 0},
        "client": {"cores": 0.1, "lag_p95_ms": 2.0},
    }


def test_rows_hold_medians_and_faults(result):
    row = result["rows"][1]
    keys = {"page", "sessions", "p50_ms", "p95_ms", "exceptions", "kb_first", "kb_rerun"}
    assert keys <= set(row)
    assert (row["p50_ms"], row["kb_first"], row["exceptions"]) == (445.0, 990.0, 1)
    assert row["faults"] == {"Boom": 1}
    assert row["skipped"] == 3
    assert result["visits"]["growth_mb"] == 21.5  # after the first fifth
    assert result["malformed"]["shown_to_sender"] == {"Error: x": 2}
    nobody = hall._row("x", 2, 1.0, 1.0, Crowd([], [], ["no connection"], 0, 1.0))
    assert nobody["p95_ms"] is nobody["kb_first"] is None


def test_the_texts_say_what_holds_and_what_does_not(result):
    text = words.as_text(result)
    assert "Pose: 1 times Boom" in text
    assert "memory grows by 21.5 MB" in text
    said = words.for_readme(result)
    assert "40 students who act once a second: 1 of 2 pages answer within 100 ms (median) and 400 ms" in said
    assert "slower: Pose 445 ms and 764 ms" in said
    assert "Letters with 200 students, one action in 1 s each: 1.9 s (p95)" in said
    assert len(said.splitlines()) == 5
    rows = [row | {"first_visit_ms": 700.0 + 2000 * at} for at, row in enumerate(result["rows"][:2])]
    start = {"page": "3 Letters · 12 min", "sessions": 40, "arrival_p95_ms": 1900.0}
    said = words.for_readme(result | {"rows": rows, "at_start": start})
    assert "first visitor has the whole page after 2.7 s (Pose, the slowest), 40 students" in said
    assert "within a second to Letters after 1.9 s (p95)" in said
    for mb, sentence in (
        (-13.8, "memory falls by 13.8 MB after the first fifth, 1 faults"),
        (None, "memory not known, 1 faults"),
    ):
        came = result["visits"] | {"growth_mb": mb, "exceptions": 1}
        assert sentence in words.for_readme(result | {"visits": came})


@pytest.mark.parametrize("scale", [0, 11, float("nan"), "1"])
def test_a_bad_scale_is_refused_before_anything_is_started(scale):
    with pytest.raises(ArgumentError, match=r"scale must be a number from 0.01 to 10"):
        hall.bench_app(scale=scale)


def test_a_page_that_is_not_there_is_named():
    with pytest.raises(ArgumentError, match="pages must be some of home, letters, got 'leters'"):
        hall._choose({"": "Home", "letters": "Letters"}, ["home", "leters"])


@pytest.mark.browser
def test_a_small_class_on_the_real_server(monkeypatch):
    monkeypatch.setattr(hall, "IDLE_SECONDS", 0.0)  # the home page needs nothing compiled
    ticks = []
    outcome = hall.bench_app(scale=0.02, pages="home", tick=ticks.append)
    (row,) = outcome["rows"]
    assert row["page"] == "Home"
    assert row["exceptions"] == 0, row["faults"]
    assert row["actions"] >= 2
    assert 0 < row["p50_ms"] <= row["p95_ms"]
    assert 0 < row["kb_rerun"] <= row["kb_first"] < 1000
    assert row["first_picture_cold_ms"] > 0
    assert row["first_visit_ms"] > 0
    assert outcome["visits"]["visits"] == 20
    assert outcome["visits"]["exceptions"] == outcome["malformed"]["faults"] == 0, outcome
    assert outcome["server"]["logged_tracebacks"] == 0
    assert outcome["client"]["cores"] < 1
    assert "Home: 2 visitors, one action in 1 s" in ticks
    json.dumps(outcome, allow_nan=False)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
def test_time_of_processes_that_the_server_started_counts():
    busy = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    watched = server.Server(port=1)
    watched._process = subprocess.Popen([sys.executable, "-c", busy], start_new_session=True)
    try:
        end = time.monotonic() + 20
        while watched.cpu_seconds() < 0.3 and time.monotonic() < end:
            time.sleep(0.05)
        server_seconds = server._processes()[watched._process.pid].ticks / os.sysconf("SC_CLK_TCK")
        assert watched.cpu_seconds() > server_seconds
        assert watched.memory_mb() > 1
    finally:
        os.killpg(watched._process.pid, signal.SIGKILL)
        watched._process.wait()
    assert watched.cpu_seconds() is watched.memory_mb() is None
