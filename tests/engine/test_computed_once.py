"""Properties computed once: the value is kept, and instances share no lock."""

import ast
import threading
from pathlib import Path

import spcviz
from spcviz.engine.computed_once import computed_once


class Slow:
    """Its property waits until it is released."""

    def __init__(self):
        self.begun, self.go, self.n_computed = threading.Event(), threading.Event(), 0

    @computed_once
    def value(self):
        """What it waits for."""
        self.n_computed += 1
        self.begun.set()
        assert self.go.wait(30)
        return object()


def test_is_computed_once_and_keeps_its_docstring():
    slow = Slow()
    slow.go.set()
    assert slow.value is slow.value
    assert slow.n_computed == 1
    assert Slow.value.__doc__ == "What it waits for."


def test_no_instance_waits_for_another():
    first, second = Slow(), Slow()
    thread = threading.Thread(target=lambda: first.value, daemon=True)
    thread.start()
    assert first.begun.wait(30)
    second.go.set()
    read = threading.Thread(target=lambda: second.value, daemon=True)
    read.start()
    read.join(10)
    assert not read.is_alive()
    first.go.set()
    thread.join(30)


def test_threads_that_read_one_instance_at_once_get_one_value():
    slow, seen = Slow(), []
    threads = [threading.Thread(target=lambda: seen.append(slow.value), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert slow.begun.wait(30)
    slow.go.set()
    for thread in threads:
        thread.join(30)
    assert len(seen) == 4
    assert len(set(map(id, seen))) == 1


def test_nothing_here_shares_the_lock_of_functools():
    """On Python 3.11 a `functools.cached_property` has one lock for all instances of its class."""
    for path in Path(spcviz.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        names = {
            alias.name
            for node in (ast.walk(ast.parse(text)) if "cached_property" in text else ())
            if isinstance(node, ast.ImportFrom) and node.module == "functools"
            for alias in node.names
        }
        assert "cached_property" not in names, path
