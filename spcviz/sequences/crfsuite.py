"""Drop-in replacement for sklearn-crfsuite: the same class name and arguments.

>>> from spcviz.sequences.crfsuite import CRF
>>> crf = CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
>>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "a"}, {"word": "cat"}]]
>>> crf.fit(X, [["DT", "NN"], ["DT", "NN"]]).predict(X)
[['DT', 'NN'], ['DT', 'NN']]
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.sequences.crf import ChainCRF
from spcviz.sequences.input_types import Inputs, Item, Targets

_UNLIMITED = 100_000
_TOL = 1e-5

_ELSEWHERE = {
    "modelfile": "spcviz.save(crf, folder) stores the model, and spcviz.load(folder) reads it again",
    "size_": "it has no file; crf.num_attributes_ says how many features it has",
    "training_log_": "verbose=True shows its course; n_iter_ and has_converged_ say how it ended",
    "tag": "crf.predict_single(xseq) and crf.tagger_.tag(xseq) label one sequence",
    "open": "spcviz.load(folder) reads what spcviz.save(crf, folder) stored; CRFsuite's files are not read",
    "dump": "crf.state_features_ and crf.transition_features_ have all weights",
}
"""Attributes that programs for CRFsuite use, and where to find the same here."""


class Info(NamedTuple):
    """The result of `pycrfsuite.Tagger.info`."""

    transitions: dict[tuple[Any, Any], float]
    state_features: dict[tuple[Any, Any], float]
    labels: list[Any]
    attributes: list[str]


class Tagger:
    """A fitted `CRF` with the methods of `pycrfsuite.Tagger`: one sequence at a time.

    >>> crf = CRF(c2=0.1).fit([[{"w": "the"}, {"w": "dog"}]] * 2, [["DT", "NN"]] * 2)
    >>> crf.tagger_.tag([{"w": "the"}, {"w": "cat"}]), crf.tagger_.labels()
    (['DT', 'NN'], ['DT', 'NN'])
    """

    def __init__(self, crf: "CRF") -> None:
        self.crf = crf
        self._xseq: Any = None

    def set(self, xseq: Item) -> None:
        """Set the sequence that `tag`, `probability` and `marginal` are about."""
        self._xseq = xseq

    def tag(self, xseq: Item | None = None) -> list[Any]:
        """The best labels of `xseq`, or of the sequence that was set."""
        if xseq is not None:
            self.set(xseq)
        return self.crf.predict_single(self._item())

    def probability(self, yseq: Sequence[Any]) -> float:
        """Probability of a labelling of the sequence that was set."""
        return float(np.exp(self.crf.log_probability([self._item()], [yseq])[0]))

    def marginal(self, y: Any, pos: int) -> float:
        """Probability of label `y` at position `pos` of the sequence that was set."""
        shares = self.crf.predict_marginals_single(self._item())
        if y not in self.labels():
            raise ArgumentError(f"y must be one of the labels {self.labels()!r:.60}, got {y!r:.60}")
        return shares[checks.integer("pos", pos, 0, len(shares) - 1)][y]

    def labels(self) -> list[Any]:
        """All labels, sorted."""
        return self.crf.classes_.tolist()

    def info(self) -> Info:
        """The weights, with the labels and features that they belong to."""
        crf = self.crf
        return Info(crf.transition_features_, crf.state_features_, self.labels(), crf.attributes_)

    def _item(self) -> Any:
        if self._xseq is None:
            raise ArgumentError("xseq must be set before it is asked about: call set(xseq) or tag(xseq)")
        return self._xseq

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(self, name)


def _refuse(of: Any, name: str) -> NoReturn:
    what = f"{type(of).__name__!r} object has no attribute {name!r}"
    raise AttributeError(f"{what}: {_ELSEWHERE[name]}" if name in _ELSEWHERE else what, name=name, obj=of)


class CRF(ChainCRF):
    """`ChainCRF` with the arguments of `sklearn_crfsuite.CRF`: it minimises the same function.

    Parameters
    ----------
    algorithm : {"lbfgs"}
        For "ap", use `StructuredPerceptron` instead; all others are refused.
    min_freq : float
        Features that occur less often, counted over all labels, are left out. CRFsuite counts the sum of a
        feature's values with each label.
    all_possible_states, all_possible_transitions : bool
        Also give weights to feature-label pairs, and to transitions, that do not occur in training data.
    c1, c2 : float
        As in `ChainCRF`.
    max_iterations : int or None
        None: until convergence.
    delta : float
        Stop once an iteration improves the loss by less than this share of it.
    num_memories, epsilon, period, linesearch, max_linesearch, keep_tempfiles
        For CRFsuite's own optimiser and files; accepted and ignored.
    calibration_eta, calibration_rate, calibration_samples, calibration_candidates, calibration_max_trials
        For the algorithm l2sgd; accepted and ignored, as by CRFsuite's lbfgs.
    pa_type, c, error_sensitive, averaging, variance, gamma
        For the algorithms ap, pa and arow; accepted and ignored likewise.
    verbose : bool
    model_filename, trainer_cls : None
        There is no CRFsuite file and no trainer: `fit` refuses other values and says what to do.

    Attributes
    ----------
    classes_, state_features_, transition_features_, attributes_, num_attributes_
        As in sklearn-crfsuite, except that labels are sorted; also those of `ChainCRF`.
    tagger_ : Tagger
        The methods of `pycrfsuite.Tagger`.

    `pickle` and `joblib` work within one version; `spcviz.save` writes models that later versions can read,
    and that can be read without running code from the file.
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float = 0.0,
        c2: float = 1.0,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        n_jobs: int | None = None,
        keep_tempfiles: bool | None = None,
        model_filename: str | None = None,
        trainer_cls: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.keep_tempfiles = keep_tempfiles
        self.model_filename = model_filename
        self.trainer_cls = trainer_cls

    # Parameters that `ChainCRF` reads, under its own names.
    warm_start, constraints, class_weight, random_state, learning_rate = False, None, None, None, 0.1
    fit_intercept = False  # CRFsuite uses only the features that it is given

    @property
    def max_iter(self) -> int:  # type: ignore[override]
        """Maximum number of iterations."""
        return _UNLIMITED if self.max_iterations is None else self.max_iterations

    @property
    def tol(self) -> float:  # type: ignore[override]
        """Smallest improvement that counts, as a share of the loss."""
        return _TOL if self.delta is None else self.delta

    @property
    def min_count(self) -> int:  # type: ignore[override]
        """Occurrences that a feature needs to be kept."""
        return max(math.ceil(self.min_freq or 0), 1)

    def fit(self, X: Inputs, y: Targets, X_dev: Inputs | None = None, y_dev: Targets | None = None) -> Self:  # type: ignore[override]
        """As `ChainCRF.fit`; with `X_dev` and `y_dev`, training stops early, at the weights best on them."""
        is_known = self.algorithm is None or (isinstance(self.algorithm, str) and self.algorithm == "lbfgs")
        if not is_known:
            raise ArgumentError(
                f"algorithm must be lbfgs, got {self.algorithm!r:.60}; for ap there is StructuredPerceptron"
            )
        if self.model_filename is not None:
            raise ArgumentError(
                f"model_filename must be None, got {self.model_filename!r:.60}: call "
                "spcviz.save(crf, folder) after fit"
            )
        if self.trainer_cls is not None:
            raise ArgumentError(
                f"trainer_cls must be None, got {self.trainer_cls!r:.60}: there is no trainer here"
            )
        # Checked here, so that errors use this class's argument names and not those of `ChainCRF`.
        if self.min_freq is not None:
            checks.number("min_freq", self.min_freq, 0, 2**31 - 1)
        if self.max_iterations is not None:
            checks.integer("max_iterations", self.max_iterations, 1, 1_000_000)
        if self.delta is not None:
            checks.strength("delta", self.delta)
        return super().fit(X, y, X_dev=X_dev, y_dev=y_dev)

    @property
    def tagger_(self) -> Tagger:
        """This model with the methods of `pycrfsuite.Tagger`; a sequence that was set stays set."""
        self._check_is_fitted()
        if getattr(self.__dict__.get("_tagger"), "crf", None) is not self:
            self._tagger = Tagger(self)
        return self._tagger

    def __getattr__(self, name: str) -> Any:
        found = getattr(type(self), name, None)
        if isinstance(found, property):  # it raised AttributeError: raise its own message again
            return found.__get__(self)
        _refuse(self, name)

    @property
    def num_attributes_(self) -> int:
        """Number of named features."""
        return len(self.attributes_)

    @property
    def attributes_(self) -> list[str]:
        """Names of the features."""
        self._check_is_fitted()
        return self.feature_names_in_.tolist()

    def predict_marginals(self, X: Inputs, *, allowed: Any = None, as_dicts: bool = True) -> list[Any]:
        """``{label: probability}`` for each token of each sequence."""
        return super().predict_marginals(X, allowed=allowed, as_dicts=as_dicts)
