"""What a problem says of itself: the contract between a problem's folder and everything that serves them all.

``spcviz/problems/<name>/__init__.py`` holds ``PROBLEM = Problem(...)`` and imports nothing but this module:
what is behind it is named, ``"module:name"``, and loaded when it is wanted (`spcviz.problems.registry`).
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spcviz.problems.common.folders import MODELS, WORK


class DataSet(NamedTuple):
    """A data set that a problem learns from or is measured on.

    Attributes
    ----------
    name : str
    what : str
    origin : str
        Where anyone can get it (an address), and on what terms.
    folder : str
        Below SPCVIZ_DATA; empty if it ships with the project: then the next two are needed.
    shipped : Path, optional
        The file that ships, below ``cache/data``.
    sha256 : str
        Of that file.
    licence : str
        What its makers allow, said before anything is downloaded.
    weights : str
        What that asks of models which learned from it: a key of `spcviz.problems.licences.WEIGHTS`; empty
        if no stored model did.
    sources : str
        ``"module:NAME"`` of a tuple of `spcviz.problems.common.bring.source.Source`: the files of the
        original that ``data get`` downloads.
    prepare : str
        ``"module:function"`` that ``data prepare`` runs: it takes the folder of the original and an empty
        folder, writes into that what the loaders read, and yields lines for a person.
    """

    name: str
    what: str
    origin: str
    folder: str = ""
    shipped: Path | None = None
    sha256: str = ""
    licence: str = ""
    sources: str = ""
    prepare: str = ""
    weights: str = ""


class Model(NamedTuple):
    """A stored model, or several of one kind, and what it owes to others' data.

    Attributes
    ----------
    name : str
        In the store, or what the names of several begin with; the longest that fits counts.
    what : str
        What the file holds.
    data : tuple of str
        Names of the data sets that it, or a model which it was made with, learned from.
    """

    name: str
    what: str
    data: tuple[str, ...]


class Training(NamedTuple):
    """Something ``python -m spcviz train NAME`` does; rows of one name, of several problems, in turn.

    Attributes
    ----------
    name : str
        Names of the models it stores begin with it: so a store's error knows what repairs them.
    make : str
        ``"module:function"``; the function takes a `Run` and yields a line for each model it has stored.
    """

    name: str
    make: str


class Result(NamedTuple):
    """A table or figure that ``python -m spcviz reproduce NAME`` repeats.

    Attributes
    ----------
    name : str
    title : str
        On the Paper tables page.
    make : str
        ``"module:function"``; the function takes a `Run` and returns the result, a dict (see
        `spcviz.problems.common.report.describe`).
    show : str
        ``"module:NAME"`` of a `spcviz.web.figures.blocks.Shown`.
    in_parts : bool
        Whether ``--features`` makes a part of it, to be put beside the parts that stand in the file.
    models : tuple of str
        Names of the stored models that it reads; their digests are written.
    folds : int
        How many test folds, or random partitions, it has in full; 0 if it has none. With fewer it is a
        look, or a check, and goes to the work folder.
    """

    name: str
    title: str
    make: str
    show: str
    in_parts: bool = False
    models: tuple[str, ...] = ()
    folds: int = 0


class Page(NamedTuple):
    """A page of the app.

    Attributes
    ----------
    section : str
        Of the side bar.
    path : str
        Of its file, from the project's root.
    title : str
        In the side bar.
    icon : str
        A Material icon.
    invitation : str
        What the home page's link says; no link if empty.
    """

    section: str
    path: str
    title: str
    icon: str
    invitation: str = ""


class Problem(NamedTuple):
    """One problem.

    Attributes
    ----------
    name : str
        Of its folder.
    title : str
    pages : tuple of Page
    data : str
        ``"module:NAME"`` of a tuple of `DataSet`; empty without any.
    trains : tuple of Training
    models : tuple of Model
        Everything that the trainings store in ``cache/models``.
    results : tuple of Result
    warmup : str
        ``"module:function"`` that takes the folder of stored models and runs every kernel that the pages
        call, once, on something small; empty if there is none.
    family : str
        Whose kernels these share: one process compiles a family, see `spcviz.problems.warmup`.
    serves : tuple of str
        Other problems whose pages call these kernels too.
    """

    name: str
    title: str
    pages: tuple[Page, ...] = ()
    data: str = ""
    trains: tuple[Training, ...] = ()
    models: tuple[Model, ...] = ()
    results: tuple[Result, ...] = ()
    warmup: str = ""
    family: str = "chains"
    serves: tuple[str, ...] = ()


def _say_nothing(_label: str) -> None:
    """What a run calls after each part when nobody watches."""


@dataclass(frozen=True)
class Run:
    """What was asked for on the command line, as every training and every result takes it.

    Attributes
    ----------
    name : str
        Of the training or result.
    quick : bool
        Few passes: for trying things out.
    folds : int, optional
        How many test folds, or random partitions; what the result thinks right if None.
    features : tuple of str
        Some sets of features; all that the result knows if empty.
    work : Path
        Keeps finished parts for the next run.
    models : Path
        Folder of stored models.
    executor : concurrent.futures.Executor, optional
        Runs independent parts.
    tick : callable
        Called with a few words after every part; `spcviz.problems.common.work.jobs.expect` tells it how many
        there will be.
    earlier : dict, optional
        The result that stands where this one will: for results in parts.
    """

    name: str
    quick: bool = False
    folds: int | None = None
    features: tuple[str, ...] = ()
    work: Path = WORK
    models: Path = MODELS
    executor: Executor | None = None
    tick: Callable[[str], Any] = _say_nothing
    earlier: dict[str, Any] | None = None
