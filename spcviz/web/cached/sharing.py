"""The cache of all visitors' calls, and the only one of the pages: each value is computed once per process.

Streamlit's own cache hashes every argument again on each call, 0.1 to 0.2 ms that a page pays eight times per
run; here the arguments themselves are the key.
"""

import contextlib
import functools
import inspect
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.web.cached import first, memory, ownership, threads

GATE: dict[str, Callable[[str, bool], bool]] = {}
"""``GATE["of"](module, has_other)`` is called before a page computes: it tells whether the kernels that
cached calls of this module need are compiled. If not, it says so on the page, and ends the run unless the
page has something else to show. Empty where nothing compiles ahead."""

ASKED = {"at": 0.0}
"""When a visitor's run last requested a value, by `time.monotonic`: nothing else of ours notices a fragment
that reruns alone."""

WAITING = {"n": 0}
"""How many visitors' runs wait for a value that another thread computes: if that thread otherwise lets
visitors go first, it must not do so now."""

_INSIDE, _COUNTING = threading.local(), threading.Lock()


def share(
    most: int,
    spinner: str = "",
    *,
    stored: type | tuple[type, ...] | None = None,
    kernels: bool = True,
    beside: int | None = None,
    seconds: float | None = None,
    stamp: Callable[[], Any] | None = None,
    own: bool | Callable[..., bool] = False,
) -> Callable[..., Any]:
    """Decorate a function of hashable arguments: it is called once for each, for all visitors together; the
    decorated function has a ``clear()``.

    At most `most` values are kept: beyond that the least recently used is evicted, and of all calls' values
    the least valuable when they take too many bytes (`spcviz.web.cached.memory`). Errors are not cached.
    Arguments whose names begin with an underscore are not part of the key. A value is kept for `seconds`, and
    longer while `stamp` returns what it returned when the value was made. A page shows `spinner` while it
    waits; calls that have one are computed one at a time.

    With `own`, values are made from what a visitor uploaded or drew: each visit has its own, and they are
    deleted with it (`spcviz.web.cached.ownership`); `own` may be a function of the key if only some are.

    With `stored`, the records that values consist of (``()`` if there are none), the values that pages and
    tours open with are read and not computed (`spcviz.web.cached.first`). With `kernels`, a page that makes
    the call waits until they are compiled; meanwhile a visitor keeps the last value whose first `beside`
    arguments are the same.

    >>> @share(2)
    ... def square(n):
    ...     print("squared")
    ...     return n * n
    >>> square(3), square(3)
    squared
    (9, 9)
    """

    def decorate(function: Callable[..., Any]) -> Any:
        answers = None if stored is None else first.Answers(function, stored)
        how = _How(most, spinner, kernels, beside, seconds or float("inf"), stamp or object)
        shared_function = _Shared(function, how, answers, own)
        return functools.wraps(function)(shared_function)

    return decorate


class _Own(str):
    """The name of a visit in front of a key: never equal to the first part of a key shared by all visits."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is _Own and str.__eq__(self, other)

    __hash__ = str.__hash__


class _How(NamedTuple):
    """The arguments of `share` other than `stored` and `own`."""

    most: int
    spinner: str
    kernels: bool
    beside: int | None
    seconds: float
    stamp: Callable[[], Any]  # `object` where none was given: no two stamps are equal


class _Shared:
    """A function with its cached values; `most`, `spinner` and the like are those of `share`."""

    def __init__(
        self,
        function: Callable[..., Any],
        how: _How,
        answers: first.Answers | None,
        own: bool | Callable[..., bool],
    ) -> None:
        self.function, self.answers = function, answers
        self.most, self.spinner, self.kernels, self.beside, self.seconds, self.stamp = how
        self._signature = inspect.signature(function)
        self._tells = [not name.startswith("_") for name in self._signature.parameters]
        self._shown_key = f"{function.__module__}.{function.__name__} shown"
        self.known: OrderedDict[tuple[Any, ...], tuple[Any, float, Any]] = (
            OrderedDict()
        )  # value, until, its stamp
        self.asked: dict[tuple[Any, ...], threading.Lock] = {}
        self.lock = threading.Lock()
        self.own: Callable[..., bool] = own if callable(own) else (lambda *key: own)
        self._used: dict[tuple[Any, ...], tuple[str, float]] = {}
        self._forget = self._forget_one  # one bound method for all entries
        if own:
            ownership.hold(self._forget_over)

    def __call__(self, *given: Any, **named: Any) -> Any:
        if _has_page():
            ASKED["at"] = time.monotonic()
        if named:
            given = self._signature.bind(*given, **named).args
        tells = self._tells + [True] * (len(given) - len(self._tells))  # of *arguments, too
        key = tuple(value for value, does in zip(given, tells) if does)
        visit = ownership.visit() if self.own(*key) else None
        value = self._value(key, given, key if visit is None else (_Own(visit), *key), visit)
        if first.RECORDS.is_set() and self.answers is not None and not _is_inside():
            first.record(self.answers, key, value)
        return value

    def _value(
        self, key: tuple[Any, ...], given: tuple[Any, ...], name: tuple[Any, ...], visit: str | None
    ) -> Any:
        """The value of a key, kept under a name: the key, preceded by the visit that owns it, if any."""
        with self.lock:
            if is_known := self._is_known(name):
                self.known.move_to_end(name)
                value = self.known[name][0]
                self._note(name, visit)
            else:
                turn = self.asked.setdefault(name, threading.Lock())
        if is_known:  # it may evict a value of ours: the lock is not held
            memory.MEMORY.touch((id(self), name), value)
            return self._remember_shown(key, value)
        with _turn_of(turn):
            with self.lock:
                if self._is_known(name):
                    return self._remember_shown(key, self.known[name][0])
            begun = time.monotonic()
            try:
                stamp = self.stamp()  # before the value: a change meanwhile is noticed later
                value = first.MISSING if self.answers is None else self.answers.get(key)
                if value is first.MISSING:
                    other = self._wait_or_other(key)
                    if other is not first.MISSING:
                        return other
                    with self._announce_work(), _inside():
                        value = self.function(*given)
                with self.lock:
                    self.known[name] = value, time.monotonic() + self.seconds, stamp
                    self._note(name, visit)
                    while len(self.known) > self.most:
                        self._drop(next(iter(self.known)))
                memory.MEMORY.add((id(self), name), self._forget, value, time.monotonic() - begun)
            finally:
                with self.lock:
                    self.asked.pop(name, None)
        return self._remember_shown(key, value)

    def _note(self, name: tuple[Any, ...], visit: str | None) -> None:
        """Note that a visit's value is in use. The lock is held."""
        if visit is not None:
            self._used[name] = visit, ownership.CLOCK.now()

    def _forget_over(self, is_over: ownership.IsOver) -> None:
        """Drop the values of visits that are over: see `ownership.Holder`."""
        with self.lock:
            for name in [name for name, used in self._used.items() if is_over(*used)]:
                self._drop(name)

    def _is_known(self, key: tuple[Any, ...]) -> bool:
        """Whether a value is cached; expired values with another stamp are dropped. The lock is held."""
        now = time.monotonic()
        if self.seconds < float("inf") and any(until < now for _, until, _ in self.known.values()):
            stamp = self.stamp()
            for old, (value, until, its_stamp) in list(self.known.items()):
                # Its sources have not changed: it is kept longer, without being computed again.
                if until < now and its_stamp == stamp:
                    self.known[old] = value, now + self.seconds, stamp
                elif until < now:
                    self._drop(old)
        return key in self.known

    def _drop(self, key: tuple[Any, ...]) -> None:
        """Drop a value. The lock is held."""
        self.known.pop(key, None)
        self._used.pop(key, None)
        memory.MEMORY.remove((id(self), key))

    def _forget_one(self, name: tuple[int, tuple[Any, ...]]) -> None:
        """Forget a value that the cache budget has evicted."""
        with self.lock:
            self.known.pop(name[1], None)
            self._used.pop(name[1], None)

    def _remember_shown(self, key: tuple[Any, ...], value: Any) -> Any:
        """`value`, remembered as what this visitor saw last."""
        if self.beside is not None and _has_page():
            st.session_state[self._shown_key] = key[: self.beside], value
        return value

    def _wait_or_other(self, key: tuple[Any, ...]) -> Any:
        """Before a page computes: `first.MISSING` once it may, or another value to show meanwhile."""
        if not self.kernels or "of" not in GATE or _is_inside() or not _has_page():
            return first.MISSING
        seen, value = st.session_state.get(self._shown_key, (None, None))
        has_other = self.beside is not None and seen == key[: self.beside]
        may_compute = GATE["of"](self.function.__module__, has_other)
        return first.MISSING if may_compute else value

    @contextlib.contextmanager
    def _announce_work(self) -> Iterator[None]:
        """Wrap a computation: a long one says so on its page, and waits for its slot."""
        if self.spinner and _has_page():
            with st.spinner(self.spinner), threads.LONG_SLOT.acquire():
                yield
        else:
            yield

    def clear(self) -> None:
        """Forget every value."""
        with self.lock:
            for key in list(self.known):
                self._drop(key)


@contextlib.contextmanager
def _turn_of(turn: threading.Lock) -> Iterator[None]:
    """Wrap a computation of one thread for which others wait."""
    if not turn.acquire(blocking=False):
        waits = int(_has_page())
        with _COUNTING:
            WAITING["n"] += waits
        turn.acquire()
        with _COUNTING:
            WAITING["n"] -= waits
    try:
        yield
    finally:
        turn.release()


def kernels_first(module: str) -> None:
    """End a page's run while its kernels compile: for calls of a `module` cached in another way."""
    if "of" in GATE and not _is_inside() and _has_page():
        GATE["of"](module, False)


def _has_page() -> bool:
    return get_script_run_ctx(suppress_warning=True) is not None


def _is_inside() -> bool:
    return getattr(_INSIDE, "depth", 0) > 0


@contextlib.contextmanager
def _inside() -> Iterator[None]:
    """Mark that a value is being computed: calls made now are a part of it."""
    _INSIDE.depth = getattr(_INSIDE, "depth", 0) + 1
    try:
        yield
    finally:
        _INSIDE.depth -= 1
