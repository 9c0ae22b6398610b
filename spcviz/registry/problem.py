"""`Problem`, the contract between a problem's folder and the code that serves all problems.

``spcviz/problems/<name>/__init__.py`` holds ``PROBLEM = Problem(...)`` and imports nothing but this module:
its functions are given as ``"module:name"`` and loaded when they are needed (`spcviz.registry`).
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.shared.folders import MODELS, WORK


class DataSet(NamedTuple):
    """A data set for training or evaluating a problem's models."""

    name: str
    what: str
    origin: str  # where anyone can get it (an address), and on what terms
    folder: str = ""  # below SPCVIZ_DATA; empty if it ships with the project: then the next two are needed
    shipped: Path | None = None  # the file that ships, below cache/data
    sha256: str = ""  # of that file
    licence: str = ""  # what its makers allow, printed before anything is downloaded
    sources: str = ""
    """``"module:NAME"`` of a tuple of `spcviz.shared.bring.original.Source`: the files of the original
    that ``data get`` downloads."""
    prepare: str = ""
    """``"module:function"`` that ``data prepare`` runs: it takes the folder of the original and an empty
    folder, writes into the latter the files that the loaders read, and yields lines for the user."""
    weights: str = ""
    """What the licence requires of models trained on the set: a key of `spcviz.registry.licences.WEIGHTS`;
    empty if no stored model was."""


class ShippedModel(NamedTuple):
    """A stored model, or several of one kind, and the data sets that it learned from."""

    name: str  # in the store, or the common prefix of several names; the longest match counts
    what: str  # content of the file
    data: tuple[str, ...]  # names of the data sets that it, or a model used to make it, learned from


class Training(NamedTuple):
    """A step of ``python -m spcviz train NAME``; rows of one name, of several problems, run in turn."""

    name: str  # prefix of the stored models' names: a store's error derives the repair command from it
    make: str  # "module:function", which takes a `Run` and yields a line for each model it has stored


class Result(NamedTuple):
    """A table or figure that ``python -m spcviz reproduce NAME`` repeats."""

    name: str
    title: str  # on the Paper tables page
    make: str  # "module:function" that takes a `Run` and returns the dict of `spcviz.shared.report.describe`
    show: str  # "module:NAME" of a `spcviz.web.figures.stored_results.Shown`
    in_parts: bool = False  # whether --features makes a part of it, merged with the parts in the file
    models: tuple[str, ...] = ()  # names of the stored models that it reads; their digests are written
    folds: int = 0
    """Number of test folds, or random partitions, of the full result; 0 if it has none. With fewer it is a
    trial or a check, and goes to the work folder."""


class Page(NamedTuple):
    """A page of the app."""

    section: str  # of the side bar
    path: str  # of its file, from the project's root
    title: str  # in the side bar
    icon: str  # a Material icon
    invitation: str = ""  # text of the link on the home page; no link if empty


class Problem(NamedTuple):
    """One problem: its pages, data, trainings, models, results and kernels."""

    name: str  # of its folder
    title: str
    pages: tuple[Page, ...] = ()
    data: str = ""  # "module:NAME" of a tuple of `DataSet`; empty without any
    trains: tuple[Training, ...] = ()
    models: tuple[ShippedModel, ...] = ()  # everything that the trainings store in cache/models
    results: tuple[Result, ...] = ()
    warmup: str = ""
    """``"module:function"`` that takes the folder of stored models and runs every kernel that the pages call,
    once, on a small input; empty if there is none."""
    family: str = "chains"  # shares its kernels: one process compiles a family, see `registry.warmup`
    answers: str = ""
    """``"name=module"``: the name under which a view of this problem queries the server without a rerun of
    its page, and the module whose ``answer(question) -> bytes`` replies (`spcviz.web.ui.requests`); empty if
    there is none."""
    cards: tuple[str, ...] = ()
    """Names in addresses of the pages that have a card, then the module whose ``card(page, query)`` returns
    its content (`spcviz.web.serving.cards`); its `WITHOUT_KERNELS` lists those that compile nothing."""
    scenes: tuple[str, ...] = ()
    """``"name=module:function"`` of a function of `spcviz.scenes` by that name: a plain function that returns
    a page's numbers, called by that page's Python. Its module imports next to nothing before the call."""
    opened: tuple[str, ...] = ()
    """Addresses whose values are stored in addition to those of pages and tours, because one of them takes
    seconds and its first visitor would wait (`spcviz.web.first_scenes`)."""
    serves: tuple[str, ...] = ()  # other problems whose pages call these kernels too


def _say_nothing(_label: str) -> None:
    """The default `Run.tick`: ignores the label."""


@dataclass(frozen=True)
class Run:
    """The options of the command line, as every training and every result takes them."""

    name: str  # of the training or result
    quick: bool = False  # few passes: for trying things out
    folds: int | None = None  # number of test folds, or random partitions; None: the result's default
    features: tuple[str, ...] = ()  # names of feature sets; all that the result knows if empty
    work: Path = WORK  # keeps finished parts for the next run
    models: Path = MODELS
    executor: Executor | None = None  # runs independent parts
    tick: Callable[[str], Any] = _say_nothing
    """Called with a short label after every part; `spcviz.shared.work.jobs.expect` announces their number."""
    earlier: dict[str, Any] | None = None  # the stored result that this one replaces: for results in parts
