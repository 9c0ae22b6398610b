"""Cached calls of Your data: the visitor's data and models, and the examples.

No visitor's data are in a shared cache: all of them belong to the visit (`spcviz.web.cached.ownership`).
"""

import os
from collections.abc import Hashable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit import runtime

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import apart, cascades, examples, files, foreign, stored
from spcviz.problems.own_data.model.examples import EXAMPLES, pixels_of
from spcviz.problems.own_data.model.files import found as found
from spcviz.problems.own_data.model.template import DEFAULT as DEFAULT
from spcviz.problems.own_data.model.template import read_template as read_template
from spcviz.problems.own_data.model.training import METHODS as METHODS
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.page import live, shelf
from spcviz.problems.own_data.page.answers import times_of
from spcviz.problems.own_data.page.live import MAX_WORDS
from spcviz.problems.own_data.page.shelf import key_of
from spcviz.problems.own_data.shown import Report, RuleChoice, Trained
from spcviz.shared.folders import CACHE, MODELS
from spcviz.shared.trace import WordTrace
from spcviz.shared.uploading.uploads import UploadError
from spcviz.shared.verdict.filter_verdict import Times
from spcviz.web.cached import ownership, visitor_files
from spcviz.web.cached.sharing import kernels_first, share

STEPS = foreign.STEPS
UNKNOWN = files.UNKNOWN
UNREADABLE = (ArgumentError, UploadError)
"""Errors of reading a visitor's file, worded for the visitor."""

DATA = "own data"
MINE = ownership.Belongings(shelf.Own.end)

OPEN_FILE = "SPCVIZ_OPEN_FILE"
"""Environment variable that names a local file to open the page with."""


def has_examples() -> bool:
    """Whether the examples exist, as in a clone; an installed package has none."""
    return CACHE.is_dir()


@share(len(EXAMPLES), kernels=False)
def example(name: str) -> files.Brought:
    """An example, as read."""
    return examples.read_example(name)


@share(1, kernels=False)
def stored_model(name: str) -> Trained | None:
    """The stored model of an example; None for the others. Raises `StoreError` if it is damaged."""
    return stored.load(MODELS) if name == stored.EXAMPLE else None


@share(64, stored=WordTrace, beside=2)
def stored_trace(name: str, number: int, alphas: tuple[float | None, ...] = ()) -> WordTrace:
    """One sentence of an example through its stored model."""
    trained = stored_model(name)
    return _trace_sentence(_stored_reader(name), trained.report, example(name), number, alphas)


@share(1, stored=Times, beside=1)
def stored_times(name: str) -> Times | None:
    """Times of an example's stored model, as measured where the first scenes were made."""
    trained = stored_model(name)
    return times_of(trained.model, trained.report, example(name).sentences)


@share(1)
def _stored_reader(name: str) -> cascades.SentenceReader:
    return _reader_of(stored_model(name))


def take_upload(name: str, data: bytes, example_name: str = "ewt") -> str:
    """Read a visitor's file; return what is wrong with it, or an empty string.

    A model joins the current data: the visitor's own, else the example named.
    """
    try:
        brought = apart.read_apart(name, data, glance=visitor_files.leave_if_left)
    except UNREADABLE as error:
        return str(error)
    if brought.kind == "model":
        visit = current(example_name)
        if visit is None or visit.brought.scores is not None:
            return f"{name}: a model joins sentences: bring those first"
        visit.end_job("a model was brought")
        visit.model = brought
        return ""
    _put(shelf.Own(brought, data), "another file was brought")
    return ""


def _put(visit: shelf.Own, why: str) -> None:
    """Replace the current data; an uploaded model then reads the new ones, if they are sentences."""
    before = MINE.get(ownership.visit(), DATA)
    if before is not None:
        visit.model = before.model if visit.brought.scores is None else None
        before.end_job(why)
        visit.note = before.note if why else ""
    MINE.put(ownership.visit(), DATA, visit)


def current(name: str) -> shelf.Own | None:
    """The visitor's current data: their own, else the example named; None where there are no examples."""
    visit = MINE.get(ownership.visit(), DATA)
    if visit is None and (path := os.environ.get(OPEN_FILE)) and "own_data_opened" not in st.session_state:
        st.session_state["own_data_opened"] = True
        try:
            st.session_state["own_data_problem"] = take_upload(Path(path).name, Path(path).read_bytes(), name)
        except OSError as error:
            st.session_state["own_data_problem"] = f"{path}: cannot be read: {error.strerror}"
        visit = MINE.get(ownership.visit(), DATA)
    if visit is None and not has_examples():
        return None
    if visit is None or (visit.example and visit.example != name):
        visit = shelf.Own(example(name), example=name)
        visit.columns = EXAMPLES[name].columns
        _put(visit, "another example was chosen")
    return visit


def wake() -> None:
    """Start a process ahead of time to read the first file."""
    if runtime.exists():
        apart.wake()


def take_example(name: str) -> shelf.Own:
    """Replace uploaded data by an example; an uploaded model reads it."""
    _put(shelf.Own(example(name), example=name), "an example was chosen")
    visit = MINE.get(ownership.visit(), DATA)
    visit.columns = EXAMPLES[name].columns
    return visit


def read_as(visit: shelf.Own, columns: files.Columns | None, how: files.How) -> None:
    """Read the same text in another way; raises `UNREADABLE`."""
    if (columns, how) == (visit.columns, visit.how) or visit.brought.kind == "model":
        return
    data = examples.data_of(visit.example) if visit.example else visit.data
    brought = apart.read_apart(visit.brought.name, data, columns, how, glance=visitor_files.leave_if_left)
    visit.read_anew(brought, columns, how)


def is_ink(visit: shelf.Own) -> bool:
    """Whether the tokens are pictures of letters, as those of an example are."""
    return bool(visit.example) and EXAMPLES[visit.example].is_ink


def title(visit: shelf.Own, number: int) -> str:
    """A sentence, or what handwritten letters spell."""
    return (
        "".join(visit.brought.labels[number]) if is_ink(visit) else " ".join(visit.brought.sentences[number])
    )


def origin(name: str) -> str:
    """The origin of the current data, if they are an example."""
    visit = current(name)
    return EXAMPLES[visit.example].origin if visit is not None and visit.example else ""


def remove_model(name: str) -> None:
    """Remove the uploaded model."""
    visit = current(name)
    if visit is not None:
        visit.end_job("the model was put away")
        visit.model = None


def _reader_of(trained: Trained) -> cascades.SentenceReader:
    return live.reader_in(trained.model, tuple(level.tuned_alpha for level in trained.report.levels))


class ViewSource(NamedTuple):
    """The source of a view: a visitor's sentences under one model, or under uploaded scores."""

    own: shelf.Own
    key: Hashable  # the key that the model, or the measured scores, are stored by
    report: Report
    model: bytes  # empty where scores were uploaded
    scored: foreign.MeasuredScores | None
    is_stored: bool = False
    is_brought: bool = False  # whether the model was uploaded

    @property
    def n_levels(self) -> int:
        """Levels of the cascade."""
        return len(self.report.levels)

    @property
    def has_gold(self) -> bool:
        """Whether there is a truth to be lost."""
        is_known = not self.is_brought or bool((self.report.truth >= 0).any())
        return bool(self.own.brought.labels) and is_known

    def sentences(self) -> tuple[np.ndarray, np.ndarray]:
        """(indices of the held-out sentences, whether each is read without a mistake)."""
        report = self.report
        right = np.logical_and.reduceat(report.truth == report.guess, report.starts[:-1])
        return np.concatenate([report.dev, report.test]), right

    def trace(self, number: int, alphas: tuple[float | None, ...]) -> WordTrace:
        """One sentence through the model."""
        visit, report = self.own, self.report
        if self.is_stored:
            return stored_trace(visit.example, number, alphas)
        kernels_first(__name__)

        def make() -> WordTrace:
            if self.scored is None:
                reader = visit.once(("reader", self.key), lambda: _reader_of(Trained(self.model, report)))
                trace = _trace_sentence(reader, report, visit.brought, number, alphas)
                return trace._replace(pixels=pixels_of(trace.words), words=()) if is_ink(visit) else trace
            cascade, rows = foreign.of_sequence(self.scored, number, MAX_WORDS)
            words, truth = _sentence(visit.brought, number, report.labels)
            return live.trace(cascade, rows, words, report.labels, truth=truth, alphas=alphas)

        return visit.once(("trace", self.key, number, alphas), make)

    def times(self) -> Times | None:
        """Times of the cascade and of a dense search on test sentences; only for a source with a model."""
        if self.is_stored:
            return stored_times(self.own.example)
        kernels_first(__name__)
        key, sentences = ("times", self.key), self.own.brought.sentences
        return self.own.once(key, lambda: [times_of(self.model, self.report, sentences)])[0]

    def sweep(self, level: int, tolerance: float, by: str, alpha: float | None) -> Any:
        """(curves, choice) of a level over all thresholds."""
        of = (level, tolerance, by == "definition", alpha)
        return self.own.once(("swept", self.key, *of), lambda: live.sweep_level(self.report, *of))

    def compare(self, tolerance: float) -> tuple[list[dict], list[RuleChoice]]:
        """Max-marginals compared with marginals, on the first level."""
        key = ("compared", self.key, tolerance)
        return self.own.once(key, lambda: live.compare_rules(self.report, tolerance))


def _trace_sentence(
    reader: cascades.SentenceReader,
    report: Report,
    brought: files.Brought,
    number: int,
    alphas: tuple[float | None, ...],
) -> WordTrace:
    """One sentence through a trained model."""
    words, truth = _sentence(brought, number, report.labels)
    rows = cascades.rows_of(reader, [words])
    return live.trace(reader.cascade, rows, words, report.labels, truth=truth, alphas=alphas)


def _sentence(brought: files.Brought, number: int, labels: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """(words that are drawn, indices of their gold labels: empty if one is unknown)."""
    gold = brought.labels[number][:MAX_WORDS] if brought.labels else []
    truth = [labels.index(label) for label in gold] if set(gold) <= set(labels) else []
    return brought.sentences[number][:MAX_WORDS], truth


def source_of(visit: shelf.Own | None, settings: Settings, steps: str = "") -> ViewSource | None:
    """The source of all views: a model trained with these settings, or scores; None before training.

    Raises `ArgumentError` if scores cannot be measured.
    """
    if visit is None:
        return None
    if visit.brought.scores is not None:
        kernels_first(__name__)
        scores, how = visit.brought.scores, steps_of(visit, steps)
        key = visit.of("scored", how, settings.seed, settings.tolerance)
        look = visit.once(key, lambda: foreign.look_at(scores, how, settings.seed, settings.tolerance))
        return ViewSource(visit, key, look.report, b"", look)
    if visit.model is not None:
        key = key_of(visit, settings, "read")
        read = visit.find(key)
        return (
            None if read is None else ViewSource(visit, key, read.report, read.model, None, is_brought=True)
        )
    key = key_of(visit, settings, "train")
    done, is_stored = visit.find(key) or shelf.find_run(visit, key), False
    if done is None and _is_stored(visit) and settings == Settings():
        done, is_stored = stored_model(visit.example), True
    return None if done is None else ViewSource(visit, key, done.report, done.model, None, is_stored)


def _is_stored(visit: shelf.Own) -> bool:
    """Whether the data are an example with its first columns: other columns hold other labels."""
    return bool(visit.example) and visit.columns == EXAMPLES[visit.example].columns


def steps_offered(visit: shelf.Own) -> list[str]:
    """Where transitions between labels may come from; empty without scores."""
    brought = visit.brought
    return [] if brought.scores is None else foreign.steps_of(brought.scores, bool(brought.labels))


def steps_of(visit: shelf.Own, asked: str) -> str:
    """The requested source of transitions if it is offered, else the first one."""
    offered = steps_offered(visit)
    return asked if asked in offered else offered[0]


def delete_upload(file: Any) -> None:
    """Let Streamlit drop its own copy of an uploaded file, which has been read."""
    if runtime.exists():
        runtime.get_instance().uploaded_file_mgr.remove_file(ownership.visit(), file.file_id)
