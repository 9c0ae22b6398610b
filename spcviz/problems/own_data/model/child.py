"""The process that trains on a visitor's sentences: bytes in, progress and bytes out, and limits around it.

Forked by `nursery`, or run as ``python -P -m spcviz.problems.own_data.model.child WORK``. A line of JSON
says what is wanted; the answer is a line of JSON, and behind it the arrays of a record. Progress is what the
estimators write to standard error. Nothing is written to a disk but kernels that were not compiled yet.
"""

import json
import sys

from spcviz.shared.uploading.decoder import give_up

MEMORY = 3 << 29
"""Of addresses: numba and LLVM reserve half of them before anything is trained."""

CPU_SECONDS = 60
SECONDS = 300
"""By the clock: others may want the cores, too."""

MAX_BYTES = 48 << 20


def answer(work: str, wanted: dict) -> bytes:
    """The record that some work makes, as bytes."""
    from spcviz.problems.own_data.model.works import WORKS
    from spcviz.store.archive import pack
    from spcviz.store.manifest import check_arrays
    from spcviz.store.tree import packed

    function, kind = WORKS[work]
    return pack(check_arrays(packed(function(wanted), kind)))


def run(work: str) -> None:
    """The child: what is wanted on standard input, what came of it on standard output."""
    give_up(MEMORY, CPU_SECONDS, SECONDS, may_write=True)
    from spcviz.engine.errors import SpcvizError

    out = sys.stdout.buffer
    data = sys.stdin.buffer.read(MAX_BYTES)
    try:
        head, body = {"problem": ""}, answer(work, json.loads(data))
    except (SpcvizError, ValueError) as error:
        head, body = {"problem": str(error)}, b""
    except MemoryError:
        problem = "Training needs more memory than it may use here: take fewer sentences."
        head, body = {"problem": problem}, b""
    out.write(json.dumps(head).encode() + b"\n" + body)
    out.flush()


if __name__ == "__main__":
    run(sys.argv[1])
