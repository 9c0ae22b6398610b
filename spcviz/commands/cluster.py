"""Connect to a Dask cluster and check its workers before a long command begins."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.engine import extras
from spcviz.engine.errors import SpcvizError
from spcviz.engine.kernels import sources
from spcviz.shared import folders
from spcviz.shared.folders import CACHE, data_folder

MEMORY = 2_500_000_000
"""Bytes that a worker needs: the most that a part of any result has been seen to take, plus a quarter."""


class ClusterPlace(NamedTuple):
    """The code, files and memory of a worker or the client, compared before work begins."""

    code: str
    has_cache: bool
    has_data: bool
    sees_work: bool
    memory: int  # bytes; 0: no limit


def place(mark: str, dask_worker: Any = None) -> ClusterPlace:
    """This process as a `ClusterPlace`; `mark` is the client's file in the work folder."""
    if folders.is_clone():
        folders.require("a worker")  # it may have been started in another folder
    memory = 0 if dask_worker is None else dask_worker.memory_manager.memory_limit or 0
    code = sources.code_digest(sources.files())
    return ClusterPlace(code, CACHE.is_dir(), data_folder() is not None, os.path.exists(mark), memory)


@contextlib.contextmanager
def executor(address: str, work: Path) -> Iterator[Executor]:
    """The cluster's executor; `SpcvizError` if it does not answer, lacks something, or its workers die."""
    with extras.name_extra("--scheduler"):
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise SpcvizError(f"--scheduler {address!r} does not answer: {error}") from error
    with client:
        look_over(client, address, work)
        try:
            yield client.get_executor()
        except KilledWorker as error:
            raise SpcvizError(
                "workers died again and again at the same part (out of memory?); finished parts have been "
                f"kept: start the workers with more, as dask worker {address} --memory-limit 6GB, and try "
                f"again ({error.task})"
            ) from error
        except (CommClosedError, CancelledError) as error:
            kept = "finished parts have been kept: try again"
            raise SpcvizError(f"--scheduler {address!r} went away; {kept}") from error


def look_over(client: Any, address: str, work: Path) -> None:
    """Refuse a cluster whose workers lack something, naming the first that does."""
    if not client.ncores():
        how = f"start one with: dask worker {address} --memory-limit 3GB"
        raise SpcvizError(f"--scheduler {address!r} has no worker; {how}")
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=work, prefix="cluster-", suffix=".mark") as mark:
        client_place = place(mark.name)
        places = client.run(place, mark.name, on_error="return")
    for worker, other in places.items():
        if (lack := lacking(client_place, other)) is not None:
            raise SpcvizError(f"worker {worker} {lack}")
    blind = [worker for worker, other in places.items() if not other.sees_work]
    if blind:
        print(
            f"spcviz: worker {blind[0]} does not see {work}: a part that an interruption stops begins anew "
            "there (a folder that all share: --work DIR)",
            file=sys.stderr,
        )


def lacking(client: ClusterPlace, other: ClusterPlace | Exception) -> str | None:
    """What a worker lacks that the client has, as the end of a sentence.

    >>> client = ClusterPlace("1", True, True, True, 0)
    >>> lacking(client, client._replace(has_data=False))
    'has no SPCVIZ_DATA: name the folder before dask worker is started there'
    """
    if isinstance(other, Exception):
        how = "start it in a clone of the same commit, with PYTHONPATH=. dask worker ..."
        return f"cannot import spcviz ({other}): {how}"
    if other.code != client.code:
        return "has another version of the code: start it in a clone of the same commit"
    if client.has_cache and not other.has_cache:
        return "has no folder cache: start it in a clone, not where the package is installed by pip"
    if client.has_data and not other.has_data:
        return "has no SPCVIZ_DATA: name the folder before dask worker is started there"
    if 0 < other.memory < MEMORY:
        return f"has {other.memory / 1e9:.1f} GB of memory and needs {MEMORY / 1e9:.1f}: --memory-limit 3GB"
    return None
