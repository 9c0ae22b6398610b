"""What the page about a visitor's own data asks for: his data on the shelf, his models, cached examples.

Nothing of a visitor's is in a cache that others share: it lies on the shelf under his session alone.
"""

import os
from base64 import b64encode
from collections.abc import Callable, Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.data import examples, files
from spcviz.problems.own_data.data.derived import pixels_of
from spcviz.problems.own_data.data.examples import EXAMPLES
from spcviz.problems.own_data.data.files import found as found
from spcviz.problems.own_data.model import cascades, scored, stored
from spcviz.problems.own_data.model import script as scripts
from spcviz.problems.own_data.model.budget import Bought
from spcviz.problems.own_data.model.jobs import Job
from spcviz.problems.own_data.model.settings import METHODS as METHODS
from spcviz.problems.own_data.model.settings import Settings, rules_of
from spcviz.problems.own_data.model.template import DEFAULT as DEFAULT
from spcviz.problems.own_data.model.template import read_template as read_template
from spcviz.problems.own_data.page import live, runs, shelf, tables
from spcviz.problems.own_data.page.live import MAX_WORDS
from spcviz.problems.own_data.page.shown import Choice, Report, Trained
from spcviz.shared.folders import CACHE, MODELS
from spcviz.shared.shown import WordTrace
from spcviz.web.cached.shared import kernels_first, shared

STEPS = scored.STEPS
UNKNOWN = files.UNKNOWN

OPEN_FILE = "SPCVIZ_OPEN_FILE"
"""Name of the environment's variable that names a file of this computer to open with."""


def has_examples() -> bool:
    """Whether the examples are there, as in a clone; an installed package brings none."""
    return CACHE.is_dir()


@shared(len(EXAMPLES), kernels=False)
def example(name: str) -> files.Brought:
    """An example as it was read."""
    return examples.read_example(name)


@shared(1, kernels=False)
def stored_model(name: str) -> Trained | None:
    """The model that is stored of an example; None of the others. Raises `StoreError` if it is damaged."""
    return stored.load(MODELS) if name == stored.EXAMPLE else None


@shared(64, stored=WordTrace, beside=2)
def stored_trace(name: str, number: int, alphas: tuple[float | None, ...] = ()) -> WordTrace:
    """One sentence of an example through the model that is stored of it."""
    trained, brought = stored_model(name), example(name)
    return _traced(trained.model, trained.report, brought, number, alphas)


def session() -> str:
    """The visitor's session; one name where there is no server."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def _is_there(name: str) -> Callable[[], bool]:
    return lambda: not runtime.exists() or runtime.get_instance().is_active_session(name)


def give(name: str, data: bytes) -> str:
    """Read a visitor's file; what is wrong with it, or nothing. A model joins the data that are there."""
    try:
        brought = files.read(name, data)
    except ArgumentError as error:
        return str(error)
    if brought.kind == "model":
        visit = current("ewt")
        if visit is None or visit.brought.scores is not None:
            return f"{name}: a model joins sentences: bring those first"
        visit.end_job()
        visit.model = brought
        return ""
    before = shelf.of(session())
    visit = shelf.Own(brought, data)
    visit.model = before.model if before and brought.scores is None else None
    shelf.put(session(), visit, _is_there(session()))
    return ""


def current(name: str) -> shelf.Own | None:
    """What this visitor looks at: his own data, else the example of a name, None where there are none."""
    visit = shelf.of(session())
    if visit is None and (path := os.environ.get(OPEN_FILE)) and "own_data_opened" not in st.session_state:
        st.session_state["own_data_opened"] = True
        try:
            st.session_state["own_data_problem"] = give(Path(path).name, Path(path).read_bytes())
        except OSError as error:
            st.session_state["own_data_problem"] = f"{path}: cannot be read: {error.strerror}"
        visit = shelf.of(session())
    if visit is None and not has_examples():
        return None
    if visit is None or (visit.example and visit.example != name):
        visit = shelf.Own(example(name), example=name)
        visit.columns = EXAMPLES[name].columns
        shelf.put(session(), visit, _is_there(session()))
    return visit


def is_ink(visit: shelf.Own) -> bool:
    """Whether the tokens are pictures of letters, as those of an example are."""
    return bool(visit.example) and EXAMPLES[visit.example].is_ink


def title(visit: shelf.Own, number: int) -> str:
    """A sentence, or what handwritten letters spell."""
    return (
        "".join(visit.brought.labels[number]) if is_ink(visit) else " ".join(visit.brought.sentences[number])
    )


def origin(name: str) -> str:
    """Where what is looked at comes from, if it is an example."""
    visit = current(name)
    return EXAMPLES[visit.example].origin if visit is not None and visit.example else ""


def example_file(visit: shelf.Own) -> tuple[str, bytes]:
    """Name and bytes of an example's file."""
    return EXAMPLES[visit.example].name, examples.data_of(visit.example)


def forget() -> None:
    """Drop what this visitor has brought."""
    shelf.drop(session())


def start(visit: shelf.Own | None, settings: Settings, work: str = "train") -> None:
    """Begin to train, or to buy features, on a visitor's sentences, in a process of its own."""
    if visit is None:  # gone, after half an hour without use
        return
    visit.end_job()
    brought, (kind, steps) = visit.brought, _WORKS[work]
    wanted = {"settings": settings._asdict(), "sentences": brought.sentences, "labels": brought.labels}
    if work == "read":
        wanted["model"] = b64encode(visit.model.model).decode()
    elif work == "train":
        visit.model = None
    visit.asked = _key(visit, settings, work)
    visit.job = Job(work, wanted, kind, n_steps=steps(settings), is_wanted=_is_there(session()))


def _key(visit: shelf.Own, settings: Settings, work: str) -> tuple[Hashable, ...]:
    """What the outcome of some work is kept under: the settings that it depends on, and the model."""
    if work == "read":
        return work, visit.model.digest, Settings(seed=settings.seed, tolerance=settings.tolerance)
    if work == "budget":
        return work, Settings(template=settings.template, held=settings.held, seed=settings.seed)
    return work, settings


def bought(visit: shelf.Own, settings: Settings) -> Bought | None:
    """What a budget buys on these sentences, if that has been worked out."""
    return visit.kept(_key(visit, settings, "budget"))


def spent_on(visit: shelf.Own, settings: Settings) -> str:
    """What tells one batch that features were bought for from another."""
    return f"{visit.brought.digest}|{_key(visit, settings, 'budget')}"


def read_with_model(visit: shelf.Own, settings: Settings) -> None:
    """Let the model that was brought read the sentences, unless it has, or is about to."""
    if visit.model is None or visit.job is not None:
        return
    key = _key(visit, settings, "read")
    if visit.kept(key) is None and visit.asked != key:  # what has failed is not begun again by itself
        start(visit, settings, "read")


def put_away(name: str) -> None:
    """Go on without the model that was brought."""
    visit = current(name)
    if visit is not None:
        visit.end_job()
        visit.model = None


def _steps(settings: Settings) -> int:
    """About how many steps the estimators' bars of progress count."""
    if settings.method == "perceptron":
        return settings.passes
    return 50 if settings.method == "crf" else 120 + 4 * settings.passes * (settings.order - 2)


_WORKS = {"train": (Trained, _steps), "read": (Trained, lambda _: 1), "budget": (Bought, lambda _: 1)}


def collect(visit: shelf.Own) -> str:
    """Take what a job has brought, if it has ended; what went wrong, or nothing."""
    job = visit.job
    if job is None or not job.ended.is_set():
        return ""
    visit.job = None
    if job.state == "done":
        visit.keep(visit.asked, job.outcome)
        if job.work == "train":
            runs.add(visit, visit.asked, visit.asked[-1], job.outcome)
    return job.problem


@lru_cache(maxsize=6)
def _reader(model: bytes, alphas: tuple[float, ...]) -> cascades.Reader:
    return live.reader_in(model, alphas)


class Source(NamedTuple):
    """What is looked at: a visitor's sentences under one model, or under the scores that he brought."""

    own: shelf.Own
    report: Report
    model: bytes  # empty where scores were brought
    scored: scored.Scored | None
    is_stored: bool = False
    is_brought: bool = False  # whether the model came in a file

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
        """(numbers of the sentences that training has not seen, whether each is read without a mistake)."""
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
                trace = _traced(self.model, report, visit.brought, number, alphas)
                return trace._replace(pixels=pixels_of(trace.words), words=()) if is_ink(visit) else trace
            cascade, rows = scored.of_sequence(self.scored, number, MAX_WORDS)
            words, truth = _sentence(visit.brought, number, report.labels)
            return live.trace(cascade, rows, words, report.labels, truth=truth, alphas=alphas)

        return visit.once(("trace", id(report), number, alphas), make)

    def swept(self, level: int, tolerance: float, by: str, alpha: float | None) -> Any:
        """(curves, choice) of a level over all thresholds."""
        of = (level, tolerance, by == "definition", alpha)
        return self.own.once(("swept", id(self.report), *of), lambda: live.swept(self.report, *of))

    def compared(self, tolerance: float) -> tuple[list[dict], list[Choice]]:
        """Max-marginals beside marginals, on the first level."""
        key = ("compared", id(self.report), tolerance)
        return self.own.once(key, lambda: live.compared(self.report, tolerance))


def _traced(
    model: bytes, report: Report, brought: files.Brought, number: int, alphas: tuple[float | None, ...]
) -> WordTrace:
    """One sentence through a trained model."""
    reader = _reader(model, tuple(level.tuned_alpha for level in report.levels))
    words, truth = _sentence(brought, number, report.labels)
    rows = cascades.rows_of(reader, [words])
    return live.trace(reader.cascade, rows, words, report.labels, truth=truth, alphas=alphas)


def _sentence(brought: files.Brought, number: int, labels: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """(words that are drawn, numbers of their gold labels, none where one is unknown)."""
    gold = brought.labels[number][:MAX_WORDS] if brought.labels else []
    truth = [labels.index(label) for label in gold] if set(gold) <= set(labels) else []
    return brought.sentences[number][:MAX_WORDS], truth


def source_of(visit: shelf.Own | None, settings: Settings, steps: str = "") -> Source | None:
    """What is looked at: a model that was trained with these settings, or scores; None before training.

    Raises `ArgumentError` where scores cannot be looked at.
    """
    if visit is None:
        return None
    if visit.brought.scores is not None:
        kernels_first(__name__)
        scores, how = visit.brought.scores, steps_of(visit, steps)
        key = ("scored", how, settings.seed, settings.tolerance)
        look = visit.once(key, lambda: scored.look_at(scores, how, settings.seed, settings.tolerance))
        return Source(visit, look.report, b"", look)
    if visit.model is not None:
        read = visit.kept(_key(visit, settings, "read"))
        return None if read is None else Source(visit, read.report, read.model, None, is_brought=True)
    key = _key(visit, settings, "train")
    done, is_stored = visit.kept(key) or runs.find(visit, key), False
    if done is None and visit.example and settings == Settings():
        done, is_stored = stored_model(visit.example), True
    return None if done is None else Source(visit, done.report, done.model, None, is_stored)


def steps_offered(visit: shelf.Own) -> list[str]:
    """Where transitions between labels may come from; empty where there are no scores."""
    brought = visit.brought
    return [] if brought.scores is None else scored.steps_of(brought.scores, bool(brought.labels))


def steps_of(visit: shelf.Own, asked: str) -> str:
    """The source of transitions that is asked for, or the first one."""
    offered = steps_offered(visit)
    return asked if asked in offered else offered[0]


def let_go(file: Any) -> None:
    """Let Streamlit drop its own copy of an uploaded file: what is needed of it has been read."""
    if runtime.exists():
        runtime.get_instance().uploaded_file_mgr.remove_file(session(), file.file_id)


def script(source: Source, settings: Settings, steps: str, number: int) -> str:
    """The Python that repeats what is shown."""
    visit = source.own
    name = visit.brought.name if visit.brought.name != "pasted text" else "pasted.txt"
    if source.scored is not None:
        how = steps_of(visit, steps)
        return scripts.of_scores(name, how, settings.seed, settings.tolerance, scored.MOST_ARCS)
    if source.is_brought:
        file = (name, visit.brought.corpus.columns, _how(visit))
        return scripts.of_model(*file, visit.model.name, settings.seed, number)
    rules = rules_of(visit.brought.labels)
    return scripts.of_training(name, visit.brought.corpus.columns, settings, number, _how(visit), rules)


def _how(visit: shelf.Own) -> str:
    """What `read_conll` is told beyond the columns, to read a file as it is read here; as Python."""
    told = {
        key: value for key, value in visit.how._asdict().items() if value != getattr(files.FOUND_OUT, key)
    }
    if visit.brought.cut:
        told["max_tokens"] = visit.brought.cut
    return "".join(f", {key}={value!r}" for key, value in told.items())


def tables_of(source: Source) -> list[str]:
    """Names of the tables that there are."""
    return list(tables.TABLES) if source.has_gold else ["tokens"]


def table(source: Source, name: str) -> bytes:
    """One table as CSV."""
    if name == "tokens":
        return tables.tokens(source.report, source.own.brought.sentences)
    return tables.TABLES[name](source.report)
