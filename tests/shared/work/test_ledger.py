"""The ledger of CPU seconds: each part counts separately and once, whether found or made."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from spcviz.shared.work import ledger
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.shared.work.jobs import Progress, expect, run_all

CODE = ("spcviz.engine.checks",)


def burn(seconds):
    """Use the processor for the given time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def close(seconds):
    return pytest.approx(seconds, abs=0.04)


def test_a_part_does_not_count_what_is_inside_it():
    with ledger.collecting() as costs, ledger.spending("outer"):
        burn(0.1)
        with ledger.spending("inner"):
            burn(0.2)
    assert costs.parts == {"inner": close(0.2), "outer": close(0.1)}
    assert costs.now == close(0.3)
    assert ledger.total(costs.parts) == close(0.3)


def test_nobody_has_to_collect():
    with ledger.spending("alone") as costs:
        burn(0.01)
    assert costs.parts["alone"] > 0


def test_found_parts_bring_the_costs_of_all_inside(tmp_path):
    def inner():
        return load_or_compute(tmp_path, "inner", {}, CODE, lambda: burn(0.2))

    def outer():
        return load_or_compute(tmp_path, "outer", {}, CODE, lambda: [inner(), burn(0.1)])

    runs = []
    for _ in range(2):
        with ledger.collecting() as costs:
            outer()
        runs.append(costs.parts)
    assert runs[0] == runs[1]
    assert sorted(runs[0].values()) == [close(0.1), close(0.2)]
    with ledger.collecting() as costs:
        outer()
        inner()  # shared: counts once
    assert costs.parts == runs[0]


@pytest.mark.parametrize("content", [None, "", "[]", "3", '{"a": "long"}'])
def test_parts_without_noted_seconds_are_said_to_be_unknown(tmp_path, content):
    load_or_compute(tmp_path, "part", {}, CODE, lambda: 1)
    (beside,) = tmp_path.glob("*.seconds")
    beside.unlink() if content is None else beside.write_text(content)
    with ledger.collecting() as costs:
        assert load_or_compute(tmp_path, "part", {}, CODE, lambda: 2) == 1
    assert list(costs.parts.values()) == [None]
    assert ledger.total(costs.parts) == 0


def test_workers_send_their_costs_home():
    class Bar:
        total, n, said = None, 0, []

        def set_postfix_str(self, label, refresh):
            self.said.append(label)

        def update(self):
            self.n += 1

        def refresh(self):
            pass

    tick = Progress(bar := Bar())
    expect(tick, 2)
    with ThreadPoolExecutor(1) as pool, ledger.collecting() as costs:
        assert run_all(pool, burn, [(0.1,), (0.05,)], tick) == [0.1, 0.05]
    assert costs.parts == {"burn 0.1": close(0.1), "burn 0.05": close(0.05)}
    assert (bar.total, bar.n) == (4, 2)
    assert sorted(bar.said) == ["0.05", "0.1"]
    expect(None, 3)
    expect(print, 3)
