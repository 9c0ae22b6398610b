"""Work in parts: on processes of this machine, or wherever an executor sends it."""

from concurrent.futures import as_completed

from spcviz.problems.common.work import ledger


class Progress:
    """What work calls after each part, with a bar before somebody's eyes.

    Parameters
    ----------
    bar : tqdm.tqdm
        Its total grows as work says how much there is to do.
    """

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


def run_all(executor, function, jobs, tick=None):
    """Run ``function(*job)`` for every job; whatever ends it early cancels what has not begun.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    function : callable
    jobs : list of tuple
    tick : callable, optional
        Called with a text whenever a job is done; told before how many there are, if it is a `Progress`.

    Returns
    -------
    list
        Results in the order of the jobs.
    """
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
