"""Benchmark of the page Your data: 2,000 sentences with 45 tags are read, trained on and drawn.

Times are CPU seconds, of this process or of the training process alone; the additional wall-clock time until
the model arrives is counted separately. A class is 40 visitors who train on 200 sentences each at the same
moment, two at a time, timed by the wall clock. Memory is the server's cost of one more visitor with such data
and a model.
"""

import copy
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from spcviz.engine import checks
from spcviz.engine.errors import SpcvizError
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model.files import Brought, read
from spcviz.problems.own_data.model.jobs import Job
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.page import live
from spcviz.problems.own_data.page.shelf import Own
from spcviz.problems.own_data.shown import Trained
from spcviz.problems.tagging.data.corpora import read_splits
from spcviz.shared.folders import data_folder
from spcviz.shared.report import describe

N_SENTENCES = 2_000
N_CLASS, N_SHORT = 40, 200
GOALS = {
    "read": 1.0, "perceptron": 5.0, "cascade of order 3": 20.0, "class, perceptron": 60.0,
    "class, cascade of order 3": 60.0, "first lattice": 0.3, "memory": 15.0,
}  # fmt: skip
"""Seconds, and megabytes."""


def bench_data(*, scale: float = 1.0, tick: Callable = lambda text: None) -> dict:
    """Measure; where a process trains, a row has `tokens_right` on held-out sentences and `beside_s`."""
    scale = checks.number("scale", scale, 0.01, 1)
    folder = data_folder()
    if folder is None:
        raise SpcvizError("bench data needs SPCVIZ_DATA with text_ptb_sample: see python -m spcviz data")
    text = conll_of(read_splits("wsj", folder)["train"][: round(scale * N_SENTENCES)])
    rows, made = [_row("read", _time(lambda: read("wsj.txt", text))[1])], []
    brought = read("wsj.txt", text)
    methods = {"perceptron": Settings(method="perceptron"), "cascade of order 3": Settings(order=3)}
    for what, settings in methods.items():
        tick(what)
        trained, beside = _train(brought, settings)
        rows.append(_row(what, trained.report.cpu_seconds) | {"beside_s": beside})
        rows[-1] |= {"tokens_right": float((trained.report.truth == trained.report.guess).mean())}
        made.append(trained)
    for what, settings in methods.items():
        tick(f"a class, {what}")
        rows.append(_row(f"class, {what}", _class(brought, settings), "s"))
    _lattice(brought, made[-1])  # loads the compiled kernels
    rows.append(_row("first lattice", _time(lambda: _lattice(brought, made[-1]))[1]))
    rows.append(_row("memory", _memory(text, made[-1]), "MB a visitor"))
    about = {"scale": scale, "sentences": len(brought.sentences), "tokens": sum(map(len, brought.sentences))}
    about["labels"] = len({label for labels in brought.labels for label in labels})
    return describe("bench-data", "goals of the page Your data", rows, baselines=[], settings=about, data={})


def conll_of(sentences: list) -> bytes:
    r"""Sentences of (word, tag) in two columns.

    >>> conll_of([[("a", "X"), ("b", "Y")]])
    b'a\tX\nb\tY\n\n'
    """
    return "".join(
        "".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n" for sentence in sentences
    ).encode()


def _row(what: str, measured: float, unit: str = "CPU s") -> dict[str, Any]:
    return {"what": what, "goal": GOALS[what], "measured": measured, "unit": unit}


def _time(call: Callable) -> tuple[Any, float]:
    start = time.process_time()
    value = call()
    return value, time.process_time() - start


def _job(brought: Brought, settings: Settings, part: slice = slice(None)) -> Job:
    wanted = {"settings": settings._asdict()}
    wanted |= {"sentences": brought.sentences[part], "labels": brought.labels[part]}
    return Job("train", wanted, n_steps=1)


def _train(brought: Brought, settings: Settings) -> tuple[Trained, float]:
    """(result of a training process, wall-clock seconds beyond the CPU seconds of the training)."""
    start = time.perf_counter()
    (trained,) = _wait_for([_job(brought, settings)])
    return trained, time.perf_counter() - start - trained.report.cpu_seconds


def _wait_for(jobs: list[Job]) -> list[Trained]:
    for job in jobs:
        job.ended.wait()
        if job.state != "done":
            raise SpcvizError(f"training failed: {job.problem}")
    return [job.outcome for job in jobs]


def _class(brought: Brought, settings: Settings) -> float:
    """Seconds until the last of a class has a model; every student has other sentences."""
    starts = [k * N_SHORT % max(1, len(brought.sentences) - N_SHORT) for k in range(N_CLASS)]
    start = time.perf_counter()
    _wait_for([_job(brought, settings, slice(at, at + N_SHORT)) for at in starts])
    return time.perf_counter() - start


def _lattice(brought: Brought, trained: Trained) -> Any:
    """The first sentence that training has not seen, from the model's bytes to the data that is drawn."""
    reader = live.reader_in(trained.model, tuple(level.tuned_alpha for level in trained.report.levels))
    words = brought.sentences[int(trained.report.dev[0])][: live.MAX_WORDS]
    return live.trace(reader.cascade, cascades.rows_of(reader, [words]), words, reader.labels)


def _memory(text: bytes, trained: Trained) -> float:
    """Megabytes that Python and numpy allocate for one visitor: sentences, a model and its report."""
    tracemalloc.start()
    try:
        visit = Own(read("wsj.txt", text), text)
        visit.keep("train", copy.deepcopy(trained)._replace(model=bytes(bytearray(trained.model))))
        return tracemalloc.get_traced_memory()[0] / 1e6
    finally:
        tracemalloc.stop()


def as_text(result: dict) -> str:
    """The table for a terminal."""
    about = result["settings"]
    lines = [f"{about['sentences']:,} sentences, {about['tokens']:,} tokens, {about['labels']} labels"]
    for row in result["rows"]:
        beside = f", and {row['beside_s']:.1f} s beside it" if "beside_s" in row else ""
        lines.append(f"{row['what']:26} {row['measured']:8.2f} {row['unit']} (goal {row['goal']:g}){beside}")
    return "\n".join(lines)
