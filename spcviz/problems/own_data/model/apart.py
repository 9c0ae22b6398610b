"""Read a visitor's file in a child process with limits: a text, scores, or a model."""

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.io.estimators import ESTIMATORS
from spcviz.problems.own_data.model import files
from spcviz.problems.own_data.model.files import FOUND_OUT, MOST_BYTES, Brought, Columns, How, read
from spcviz.shared.confined import fork_server
from spcviz.shared.confined.limits import Task
from spcviz.shared.uploading.uploads import in_turn
from spcviz.store.errors import DamagedError
from spcviz.store.raw import pieces_of, value_of

READ = Task(
    work=f"{__name__}:read_here", ready=f"{__name__}:load", memory=768 << 20, cpu_seconds=8,
    descriptors=32, most_in=MOST_BYTES + (1 << 16), most_out=96 << 20, server="reading",
)  # fmt: skip
"""Enough memory for 64 MB as Python objects; a reader may open a table of characters, and nothing else."""

_SAYS = {
    "long": f"takes longer than {READ.cpu_seconds} s to read; bring a part of it",
    "memory": "needs more memory than a file may use here; bring a part of it",
    "large": "holds more than can be kept here; bring a part of it",
    "damaged": "is damaged: it is not what it begins like",
    "ended": "could not be read: whatever read it gave up; bring it in another of the formats",
}


def read_apart(
    name: str,
    data: bytes,
    columns: Columns | None = None,
    how: How = FOUND_OUT,
    *,
    glance: Callable[[], None] = lambda: None,
) -> Brought:
    """`files.read` in a separate process; any failure there is an `ArgumentError` with a readable message.

    Raises `UploadBusyError` if nothing can be read just now.
    """
    name = name[:80]
    if len(data) > MOST_BYTES:
        raise ArgumentError(f"{name}: has {len(data) / 1e6:.0f} MB; at most {MOST_BYTES >> 20} MB are read")
    answer = in_turn(READ, {"name": name, "columns": columns, "how": how._asdict()}, data, glance)
    if answer.problem:
        raise ArgumentError(answer.problem)
    if answer.fault:
        raise ArgumentError(f"{name}: {_SAYS[answer.fault]}")
    try:
        brought = value_of(answer.body, Brought)
    except DamagedError:
        raise ArgumentError(f"{name}: {_SAYS['damaged']}") from None
    return brought._replace(model=data) if brought.kind == "model" else brought


def wake() -> None:
    """Start a process that is ready to read before the first file arrives."""
    fork_server.wake(fork_server.Request(READ))


def read_here(about: dict[str, Any], data: bytes) -> tuple[dict, list[bytes]]:
    """In the child: the contents of a file; a model's own bytes need not be sent back."""
    columns = tuple(about["columns"]) if about["columns"] else None
    return {}, pieces_of(read(about["name"], data, columns, How(**about["how"]))._replace(model=b""), Brought)


def load(*_: Any) -> None:
    """Read a sample of each kind, so that what readers import late is loaded."""
    for module in set(ESTIMATORS.values()):
        import_module(module)
    scores, logits = io.BytesIO(), io.BytesIO()
    np.savez(scores, emissions=np.zeros((2, 2)), lengths=[2], label_names=["O", "B-X"], tokens=["a", "b"])
    np.savez(logits, logits=np.zeros((1, 2, 2)), word_ids=[[0, 1]])
    text = "a O\nb B-X\n\n"
    samples = [scores.getvalue(), logits.getvalue(), b"sequence,token,N,V\n1,a,0,1\n", b"\xe9 X\n"]
    samples += [text.encode(code) for code in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1")]
    for data in samples:
        try:
            pieces_of(files.read("sample", data), Brought)
        except ArgumentError:
            continue
