"""Drop-in replacement for python-crfsuite: `Trainer`, `Tagger` and `ItemSequence`.

>>> import tempfile
>>> from spcviz.sequences import pycrfsuite
>>> trainer = pycrfsuite.Trainer(verbose=False)
>>> for words, tags in [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]:
...     trainer.append([{"word": word} for word in words], tags)
>>> trainer.set_params({"c1": 0.0, "c2": 0.1, "max_iterations": 50, "feature.possible_transitions": True})
>>> with tempfile.TemporaryDirectory() as folder:
...     trainer.train(folder + "/model.crfsuite")
...     tagger = pycrfsuite.Tagger()
...     tagger.open(folder + "/model.crfsuite").tag([{"word": "the"}, {"word": "cat"}])
['DT', 'NN']

A model is a folder here (`spcviz.save`), with the name that CRFsuite's file would have; CRFsuite's own files
are not read.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.sequences import crfsuite, encoding
from spcviz.sequences.feature_names import entries_of
from spcviz.sequences.input_types import Item
from spcviz.sequences.labels import flat_labels

__all__ = ["ItemSequence", "Tagger", "Trainer"]


class _Param(NamedTuple):
    """A parameter of CRFsuite: the matching argument of `CRF`, its default, its purpose."""

    argument: str
    default: Any
    help: str


_UNUSED = "Of CRFsuite's own optimiser: taken and not used."

PARAMS = {
    "feature.minfreq": _Param("min_freq", 0.0, "Features that occur less often are left out."),
    "feature.possible_states": _Param("all_possible_states", False, "Weights of features with all labels."),
    "feature.possible_transitions": _Param("all_possible_transitions", False, "Weights of all steps."),
    "c1": _Param("c1", 0.0, "Coefficient of the sum of absolute weights."),
    "c2": _Param("c2", 1.0, "Coefficient of the sum of squared weights."),
    "max_iterations": _Param("max_iterations", None, "Iterations at most; None: until it has converged."),
    "delta": _Param("delta", 1e-5, "Stop once an iteration improves the loss by less than this share of it."),
    "num_memories": _Param("num_memories", 6, _UNUSED),
    "epsilon": _Param("epsilon", 1e-5, _UNUSED),
    "period": _Param("period", 10, _UNUSED),
    "linesearch": _Param("linesearch", "MoreThuente", _UNUSED),
    "max_linesearch": _Param("max_linesearch", 20, _UNUSED),
}
"""Parameters under CRFsuite's names."""


class ItemSequence:
    """The tokens of one sequence; `items` lists the features that CRFsuite makes of them.

    >>> ItemSequence([{"word": "the", "is_title": False}, ["a", "b"]]).items()
    [{'word:the': 1.0}, {'a': 1.0, 'b': 1.0}]
    """

    def __init__(self, tokens: Item) -> None:
        self.tokens = encoding.as_items([tokens])[0]
        if not encoding.is_named([self.tokens]) and len(self.tokens):
            raise ArgumentError(f"tokens must be dicts or lists of strings, got {self.tokens!r:.60}")
        encoding.encode([self.tokens], {}, None, grow=True)  # refuses anything that is no feature

    def __len__(self) -> int:
        return len(self.tokens)

    def items(self) -> list[dict[str, float]]:
        """``{feature: value}`` for each token."""
        return [self._features(token) for token in self.tokens]

    def _features(self, token: Any) -> dict[str, float]:
        if not isinstance(token, Mapping):
            return {name.decode() if isinstance(name, bytes) else name: 1.0 for name in token}
        found = [entry for name, value in token.items() for entry in entries_of(name, value)]
        return {name.replace("\\:", ":").replace("=", ":", 1): value for name, value in found}


class Trainer:
    """Collect sequences, then train `spcviz.sequences.crfsuite.CRF` on them.

    Parameters
    ----------
    algorithm : {"lbfgs"}
    params : dict
        As in `set_params`.
    verbose : bool

    Attributes
    ----------
    crf_ : CRF
        The model trained last.
    """

    def __init__(
        self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: bool = True
    ) -> None:
        self.verbose = verbose
        self._params = {name: param.default for name, param in PARAMS.items()}
        self.clear()
        self.select(algorithm or "lbfgs")
        if params is not None:
            self.set_params(params)

    def clear(self) -> None:
        """Forget all sequences."""
        self._x: list[Any] = []
        self._y: list[Any] = []
        self._groups: list[int] = []

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Select the algorithm and the type of graph; only lbfgs and crf1d are supported."""
        if algorithm != "lbfgs":
            raise ArgumentError(
                f"algorithm must be lbfgs, got {algorithm!r:.60}; for ap there is StructuredPerceptron"
            )
        if type not in ("crf1d", "1d"):
            raise ArgumentError(f"type must be crf1d, got {type!r:.60}")

    def append(self, xseq: Item | ItemSequence, yseq: Sequence[Any], group: int = 0) -> None:
        """Add a sequence and its labels; `group` is the part of the data that it belongs to."""
        tokens = encoding.as_items([xseq])[0]
        if isinstance(tokens, str | bytes | Mapping):
            raise ArgumentError(f"xseq must be a list of tokens, got {tokens!r:.60}")
        if isinstance(yseq, str | bytes | Mapping | Set) or not isinstance(yseq, Iterable):
            raise ArgumentError(f"yseq must be a list of labels, got {yseq!r:.60}")
        labels = list(yseq)
        if len(labels) != len(tokens):
            raise ShapeError(f"yseq has {len(labels)} labels; xseq has {len(tokens)} tokens")
        try:
            flat_labels([labels], np.array([len(labels)]))
        except ArgumentError as error:
            raise type(error)(str(error).replace("y[0]", "yseq")) from None
        self._x.append(tokens)
        self._y.append(labels)
        self._groups.append(checks.integer("group", group, 0, 2**31 - 1))

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Set parameters under CRFsuite's names (`PARAMS`)."""
        if not isinstance(params, Mapping):
            raise ArgumentError(f"params must be a dict, got {params!r:.60}")
        for name, value in params.items():
            self.set(name, value)

    def set(self, name: str, value: Any) -> None:
        """Set one parameter."""
        self._params[_check_param(name)] = value

    def get_params(self) -> dict[str, Any]:
        """All parameters with their values."""
        return dict(self._params)

    def get(self, name: str) -> Any:
        """The value of one parameter."""
        return self._params[_check_param(name)]

    def params(self) -> list[str]:
        """Names of all parameters."""
        return list(self._params)

    def help(self, name: str) -> str:
        """Describe a parameter."""
        return PARAMS[_check_param(name)].help

    def train(self, model: str | Path, holdout: int = -1) -> None:
        """Train, and store the model in the folder `model`; the group `holdout` decides when to stop."""
        if not self._x:
            raise ArgumentError("there must be a sequence to train on: call append(xseq, yseq) first")
        holdout = checks.integer("holdout", holdout, -1, 2**31 - 1)
        is_held = [group == holdout for group in self._groups]
        if holdout >= 0 and len(set(is_held)) == 1:
            raise ArgumentError(
                f"holdout must be one of several groups, got {holdout} of {sorted(set(self._groups))!r:.60}"
            )
        about = {PARAMS[name].argument: value for name, value in self._params.items()}
        if about["max_iterations"] is not None:  # CRFsuite uses its largest number for no limit
            about["max_iterations"] = min(about["max_iterations"], 1_000_000)
        crf = crfsuite.CRF(**about, verbose=self.verbose)
        (X, y), (X_dev, y_dev) = (
            [[one for one, held in zip(all_, is_held) if held == which] for all_ in (self._x, self._y)]
            for which in (False, True)
        )
        self.crf_ = crf.fit(X, y, *((X_dev, y_dev) if X_dev else ()))
        from spcviz.io import save

        save(self.crf_, model)

    def __getattr__(self, name: str) -> NoReturn:
        what = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "logparser":
            what += ": trainer.crf_.n_iter_ and trainer.crf_.has_converged_ say how training ended"
        if name == "crf_":
            what += ": call train(model) first"
        raise AttributeError(what, name=name, obj=self)


class Tagger(crfsuite.Tagger):
    """Label sequences with a `CRF` that was stored by `Trainer.train` or `spcviz.save`."""

    def __init__(self) -> None:
        self._crf: crfsuite.CRF | None = None
        self._xseq: Any = None

    @property
    def crf(self) -> crfsuite.CRF:  # type: ignore[override]
        """The open model."""
        if self._crf is None:
            raise ArgumentError("a model must be open: call open(name) first")
        return self._crf

    def open(self, name: str | Path) -> Self:
        """Read a model from the folder `name`."""
        from spcviz.io import load

        path = Path(name)
        if path.is_file() and path.open("rb").read(4) == b"lCRF":
            raise ArgumentError(
                f"name must be a folder that Trainer.train made, got CRFsuite's own file {path.name!r}: "
                "train anew with spcviz.sequences.pycrfsuite"
            )
        crf = load(path)
        if not isinstance(crf, crfsuite.CRF):
            raise ArgumentError(f"name must be a folder with a CRF, got one with a {type(crf).__name__}")
        self._crf, self._xseq = crf, None
        return self

    def __enter__(self) -> Self:
        """Support ``with tagger.open(name):``, which closes the model at the end."""
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the model."""
        self._crf = self._xseq = None


def _check_param(name: str) -> str:
    if name not in PARAMS:
        near: Iterable[str] = (known for known in PARAMS if str(name) == known.rpartition(".")[2])
        hint = next((f"; {known}?" for known in near), "")
        raise ArgumentError(f"params must be among {', '.join(PARAMS)}, got {name!r:.60}{hint}")
    return name
