"""Run independent jobs on an executor (processes here, or a cluster) and report progress."""

from collections.abc import Callable
from concurrent.futures import Executor, as_completed

from spcviz.shared.work import ledger


class Progress:
    """What work calls after each part; the total of its progress bar grows as parts are announced."""

    def __init__(self, bar):
        self.bar = bar

    def __call__(self, label=""):
        """One part is done; ``label`` says which."""
        self.bar.set_postfix_str(label, refresh=False)
        self.bar.update()

    def expect(self, n_parts):
        """So many parts more will be done."""
        self.bar.total = (self.bar.total or 0) + n_parts
        self.bar.refresh()


def expect(tick, n_parts):
    """Tell whoever watches that so many parts will be done; a plain function, or None, is told nothing."""
    if isinstance(tick, Progress):
        tick.expect(n_parts)


def labelled(tick: Callable, what: str) -> Callable:
    """A `tick` whose texts begin with what is being worked on."""
    return lambda label: tick(f"{what}, {label}")


def run_all(executor: Executor, function: Callable, jobs: list[tuple], tick: Callable | None = None) -> list:
    """Results of ``function(*job)`` in order; whatever ends it early cancels what has not begun."""
    expect(tick, len(jobs))
    labels = [" ".join(str(part) for part in job[:2]) for job in jobs]
    futures = {
        executor.submit(ledger.counted, f"{function.__name__} {labels[i]}", function, *job): i
        for i, job in enumerate(jobs)
    }
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
