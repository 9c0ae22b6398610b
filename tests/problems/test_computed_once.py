"""Large values are computed once: by one thread, however many request them at the same moment."""

import ast
import threading
from pathlib import Path

import numpy as np

import spcviz.problems
from spcviz.problems.open_words.model import ink

FOLDER = Path(spcviz.problems.__file__).parent


def test_forty_visitors_of_a_fresh_server_compute_the_waves_once(monkeypatch):
    """Forty computations at once took eleven seconds, and 150 MB each."""
    drawn, real, asked = [], np.random.PCG64, threading.Barrier(8)

    def draw(seed):
        drawn.append(seed)
        return real(seed)

    def ask():
        asked.wait(30)
        found.append(ink.waves(settings))

    monkeypatch.setattr(np.random, "PCG64", draw)
    settings, found = ink.InkSettings("fourier", 500, 5.5, 123), []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert drawn == [123]
    assert len(found) == 8
    assert len({id(one) for one in found}) == 1


def test_no_problem_keeps_what_it_computes_where_threads_would_all_compute_it():
    """`functools.lru_cache` lets all concurrent callers compute it; with that of cachetools they wait."""
    wrong = [
        f"{path.relative_to(FOLDER)}: from cachetools.func import lru_cache"
        for path in sorted(FOLDER.rglob("*.py"))
        if "lru_cache" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module == "functools"
        if any(name.name == "lru_cache" for name in node.names)
    ]
    assert wrong == []
