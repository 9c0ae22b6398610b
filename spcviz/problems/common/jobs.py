"""Work in parts: on processes of this machine, or wherever an executor sends it."""

from concurrent.futures import as_completed


def run_all(executor, function, jobs, tick=None):
    """Run ``function(*job)`` for every job; whatever ends it early cancels what has not begun.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    function : callable
    jobs : list of tuple
    tick : callable, optional
        Called with a text whenever a job is done.

    Returns
    -------
    list
        Results in the order of the jobs.
    """
    futures = {executor.submit(function, *job): job for job in jobs}
    done = []
    try:
        for future in as_completed(futures):
            done.append((futures[future], future.result()))
            if tick is not None:
                tick(" ".join(str(part) for part in futures[future][:2]))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [result for _, result in sorted(done, key=lambda pair: jobs.index(pair[0]))]
