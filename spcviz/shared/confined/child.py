"""Main program of a confined child process: set limits, read bytes, work, write bytes.

Forked by `fork_server`, or run as ``python -P -m spcviz.shared.confined.child TASK``, a `Task` in JSON.
Standard input is a line of JSON, then bytes. So is standard output, whose line is one of:

    {"answer": {...}}        the work's result, followed by its pieces
    {"problem": "..."}       a sentence for the visitor
    {"memory": true}         the work would have exceeded its memory limit
    {"damaged": "KeyError"}  the work raised another exception: the file is not what it claims to be

Standard error is for progress bars.
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from spcviz.engine.errors import SpcvizError
from spcviz.shared.confined import limits
from spcviz.shared.confined.limits import Task


def import_function(name: str) -> Callable[..., Any]:
    """The function of a "module:function"."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


def run_task(task: Task, about: dict[str, Any], data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The output of a task: the object for the line of JSON, and the pieces after it."""
    try:
        head, pieces = import_function(task.work)(about, data)
        return {"answer": head}, pieces
    except MemoryError:
        return {"memory": True}, []
    except SpcvizError as error:
        return {"problem": str(error)}, []
    except Exception as error:  # readers may raise anything; this process is expendable
        return {"damaged": type(error).__name__}, []


def run(task: Task, *, is_ready: bool) -> None:
    """Run a task as the child; with `is_ready`, its dependencies were loaded before the fork."""
    limits.give_up(task)
    source, out = sys.stdin.buffer, sys.stdout.buffer
    about = json.loads(source.readline(task.most_in))
    import_function(task.work)  # imported while files may be opened
    if task.ready and not is_ready:
        import_function(task.ready)(about)
    data = source.read(task.most_in)
    limits.shut(task)
    head, pieces = run_task(task, about, data)
    out.write(json.dumps(head).encode() + b"\n")
    out.writelines(pieces)
    out.flush()


if __name__ == "__main__":
    run(Task(*json.loads(sys.argv[1])), is_ready=False)
