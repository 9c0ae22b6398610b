"""`Problem`, the contract between a problem's folder and the code that serves all problems.

``spcviz/problems/<name>/__init__.py`` holds ``PROBLEM = Problem(...)`` and imports nothing but this module:
what is behind it is named, ``"module:name"``, and loaded when it is wanted (`spcviz.registry`).
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.shared.folders import MODELS, WORK


class DataSet(NamedTuple):
    """A data set that a problem learns from or is measured on."""

    name: str
    what: str
    origin: str  # where anyone can get it (an address), and on what terms
    folder: str = ""  # below SPCVIZ_DATA; empty if it ships with the project: then the next two are needed
    shipped: Path | None = None  # the file that ships, below cache/data
    sha256: str = ""  # of that file
    licence: str = ""  # what its makers allow, said before anything is downloaded
    sources: str = ""
    """``"module:NAME"`` of a tuple of `spcviz.shared.bring.original.Source`: the files of the original
    that ``data get`` downloads."""
    prepare: str = ""
    """``"module:function"`` that ``data prepare`` runs: it takes the folder of the original and an empty
    folder, writes into that what the loaders read, and yields lines for a person."""
    weights: str = ""
    """What the licence asks of models which learned from it: a key of `spcviz.registry.licences.WEIGHTS`;
    empty if no stored model did."""


class Model(NamedTuple):
    """A stored model, or several of one kind, and what it owes to others' data."""

    name: str  # in the store, or what the names of several begin with; the longest that fits counts
    what: str  # the file holds
    data: tuple[str, ...]  # names of the data sets that it, or a model which it was made with, learned from


class Training(NamedTuple):
    """Something ``python -m spcviz train NAME`` does; rows of one name, of several problems, in turn."""

    name: str  # names of the models it stores begin with it: so a store's error knows what repairs them
    make: str  # "module:function", which takes a `Run` and yields a line for each model it has stored


class Result(NamedTuple):
    """A table or figure that ``python -m spcviz reproduce NAME`` repeats."""

    name: str
    title: str  # on the Paper tables page
    make: str  # "module:function", which takes a `Run` and returns what `common.report.describe` returns
    show: str  # "module:NAME" of a `spcviz.web.figures.blocks.Shown`
    in_parts: bool = False  # whether --features makes a part of it, put beside the parts in the file
    models: tuple[str, ...] = ()  # names of the stored models that it reads; their digests are written
    folds: int = 0
    """How many test folds, or random partitions, it has in full; 0 if it has none. With fewer it is a look,
    or a check, and goes to the work folder."""


class Page(NamedTuple):
    """A page of the app."""

    section: str  # of the side bar
    path: str  # of its file, from the project's root
    title: str  # in the side bar
    icon: str  # a Material icon
    invitation: str = ""  # what the home page's link says; no link if empty


class Problem(NamedTuple):
    """One problem."""

    name: str  # of its folder
    title: str
    pages: tuple[Page, ...] = ()
    data: str = ""  # "module:NAME" of a tuple of `DataSet`; empty without any
    trains: tuple[Training, ...] = ()
    models: tuple[Model, ...] = ()  # everything that the trainings store in cache/models
    results: tuple[Result, ...] = ()
    warmup: str = ""
    """``"module:function"`` that takes the folder of stored models and runs every kernel that the pages call,
    once, on something small; empty if there is none."""
    family: str = "chains"  # whose kernels these share: one process compiles a family, see `registry.warmup`
    answers: str = ""
    """``"name=module"``: what a view of this problem asks the server for without a rerun of its page, and the
    module whose ``answer(question) -> bytes`` says it (`spcviz.web.ui.requests`); empty if nothing."""
    cards: tuple[str, ...] = ()
    """Names in addresses of the pages that have a card, and last the module whose ``card(page, query)`` says
    what is on it (`spcviz.web.serving.cards`), its `WITHOUT_KERNELS` those that compile nothing."""
    scenes: tuple[str, ...] = ()
    """``"name=module:function"`` of what `spcviz.scenes` offers by that name: a plain function with a page's
    numbers, which that page's Python calls. The module imports next to nothing before it is called."""
    serves: tuple[str, ...] = ()  # other problems whose pages call these kernels too


def _say_nothing(_label: str) -> None:
    """What a run calls after each part when nobody watches."""


@dataclass(frozen=True)
class Run:
    """What was asked for on the command line, as every training and every result takes it."""

    name: str  # of the training or result
    quick: bool = False  # few passes: for trying things out
    folds: int | None = None  # test folds, or random partitions; None: what the result thinks right
    features: tuple[str, ...] = ()  # some sets of features; all that the result knows if empty
    work: Path = WORK  # keeps finished parts for the next run
    models: Path = MODELS
    executor: Executor | None = None  # runs independent parts
    tick: Callable[[str], Any] = _say_nothing
    """Called with a few words after every part; `common.work.jobs.expect` tells it how many there will be."""
    earlier: dict[str, Any] | None = None  # the result that stands where this one will: for results in parts
