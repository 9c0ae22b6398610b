"""Run independent jobs on an executor (processes here, or a cluster) and report progress."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, as_completed
from typing import Any

from spcviz.shared.work import ledger


class Progress:
    """A callback after each part of some work; its progress bar's total grows as parts are announced.

    >>> progress = Progress(None)
    >>> progress.waited_for()
    []
    """

    def __init__(self, bar: Any) -> None:
        self.bar = bar
        self._futures: dict[Future[Any], str] = {}

    def __call__(self, label: str = "") -> None:
        """One part is done; ``label`` says which."""
        self.bar.set_postfix_str(label, refresh=False)
        self.bar.update()

    def expect(self, n_parts: int) -> None:
        """Announce `n_parts` more parts."""
        self.bar.total = (self.bar.total or 0) + n_parts
        self.bar.refresh()

    def watch(self, futures: dict[Future[Any], str]) -> None:
        """Set the futures of the parts that are worked on from now on, with their labels."""
        self._futures = futures

    def waited_for(self) -> list[str]:
        """Labels of the parts that workers are running."""
        return [label for future, label in list(self._futures.items()) if future.running()]


def expect(tick: Callable[..., Any] | None, n_parts: int) -> None:
    """Announce `n_parts` more parts to a `Progress`; a plain function, or None, is not notified."""
    if isinstance(tick, Progress):
        tick.expect(n_parts)


def label_ticks(tick: Callable[..., Any], what: str) -> Callable[..., Any]:
    """A `tick` whose labels begin with `what`, the work in progress."""
    return lambda label: tick(f"{what}, {label}")


def run_all(
    executor: Executor,
    function: Callable[..., Any],
    jobs: list[tuple[Any, ...]],
    tick: Callable[..., Any] | None = None,
) -> list[Any]:
    """Results of ``function(*job)`` in order; an exception cancels the jobs that have not begun."""
    expect(tick, len(jobs))
    labels = [" ".join(str(part) for part in job[:2]) for job in jobs]
    futures = {
        executor.submit(ledger.count_costs, f"{function.__name__} {labels[i]}", function, *job): i
        for i, job in enumerate(jobs)
    }
    if isinstance(tick, Progress):
        tick.watch({future: labels[i] for future, i in futures.items()})
    done = {}
    try:
        for future in as_completed(futures):
            i = futures[future]
            done[i], costs = future.result()
            ledger.add(costs)
            if tick is not None:
                tick(labels[i])
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [done[i] for i in range(len(jobs))]
