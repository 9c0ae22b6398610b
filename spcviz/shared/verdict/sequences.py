"""Measure the verdict on a model's scores: what a threshold would keep, at what loss, in what time.

The sequences are split into two halves by a seed. The threshold is chosen on the first half; everything is
checked and timed on the second. The timed search is over triples of labels, with the sequences' own scores:
once over the triples that the filter leaves, once over all K^3.
"""

import contextlib
import hashlib
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

import spcviz
from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.extras import MissingPackageError
from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.engine.ngrams.table import ngram_table
from spcviz.engine.thresholds import rules
from spcviz.learning.chains.cascade import model_of
from spcviz.learning.chains.crf import Weights
from spcviz.scores.sequences import Sequences
from spcviz.shared.verdict import filter_verdict
from spcviz.shared.verdict.filter_verdict import Times

ORDER = 3
"""Order of the timed search: one that uses more context than the model's own pairs of labels."""
TERMS = filter_verdict.VerdictTerms(
    "sequences", "position", "set of sequences", "a labelling that the scores forbid"
)
HERE = "on this computer"


class Judgement(NamedTuple):
    """A verdict with the command that repeats it; `print` shows it as text, notebooks draw it."""

    verdict: filter_verdict.Verdict
    rule: str
    setting: float  # alpha, margin or probability, as `Sequences.prune` takes it
    command: str
    about: str  # the input's sizes, a fingerprint of the scores, the version

    def __str__(self) -> str:
        text = filter_verdict.describe_verdict(self.verdict).replace("**", "")
        return f"{text}\n\n{self.command}\n{self.about}"

    def __repr__(self) -> str:
        return str(self)

    def show(self) -> Any:
        """The verdict as a figure for a notebook and as one HTML file; see `spcviz.show`."""
        return import_module("spcviz").show(self)

    def _repr_html_(self) -> str | None:
        with contextlib.suppress(MissingPackageError):  # without the drawing packages: the text
            return self.show()._repr_html_()
        return None

    def _repr_png_(self) -> bytes | None:
        with contextlib.suppress(MissingPackageError):
            return self.show()._repr_png_()
        return None


def of_sequences(
    sequences: Sequences, y: Any, tolerance: float = 0.05, *, rule: str = "mean_max", seed: int = 0
) -> Judgement:
    """The `Judgement` that `Sequences.verdict` returns."""
    tolerance, seed = checks.fraction("tolerance", tolerance), checks.integer("seed", seed, 0, 2**63 - 1)
    rule = rules.at_first(rule)
    sequences.score(y)  # raises unless y is a labelling of these sequences
    dev, test = filter_verdict.deal_halves(sequences.lengths, seed)
    if not len(dev):
        raise ArgumentError(
            "y must be of at least 2 sequences that have positions, one to choose a threshold on and one to "
            f"check it, got {len(test)}"
        )
    n_places, n_labels = int(sequences.lengths[test].sum()), sequences.n_labels
    setting, event, points = _measure(sequences, y, rule, dev, test, tolerance)
    other, _, shares = _measure(sequences, y, "probability", dev, test, tolerance)
    kept, kept_by_crf = (float((p > at).sum() / n_places) for p, at in ((points, setting), (shares, other)))
    n_lost = int((event[test] <= setting).sum())
    low, high = filter_verdict.exact_interval(n_lost, len(test))
    promises = filter_verdict.check_guarantees(event[dev], event[test], points, n_places, tolerance, rule)
    told = -setting if rule == "margin" else setting
    how = {"alpha" if rule == "mean_max" else rule: told}
    left = sequences.take(test).prune(**how).extend().n_arcs / n_places
    verdict = filter_verdict.Verdict(
        filter_verdict.is_worth(kept, n_labels, low, tolerance), n_labels, kept, kept_by_crf, n_lost,
        len(test), (low, high), tolerance, left, ORDER, _time(sequences, test, how), HERE, promises,
        len(dev) - promises[0].n, TERMS,
    )  # fmt: skip
    more = "" if rule == "mean_max" else f', rule="{rule}"'
    command = f"sequences.verdict(y, tolerance={tolerance:g}{more}, seed={seed})"
    return Judgement(verdict, rule, float(told), command, _about(sequences))


def _measure(
    sequences: Sequences, y: Any, rule: str, dev: np.ndarray, test: np.ndarray, tolerance: float
) -> tuple[float, np.ndarray, np.ndarray]:
    """(setting tuned on dev, settings from which on each truth (S,) and each label of test (A,) is lost)."""
    sign = -1.0 if rule == "margin" else 1.0  # of margins, less prunes more
    points = [sign * table for table in sequences.break_points(rule)]
    number = {label: k for k, label in enumerate(sequences.labels or range(sequences.n_labels))}
    event = np.full(len(points), np.inf)
    for i in np.flatnonzero(sequences.lengths).tolist():
        states = [number[label] for label in np.asarray(y[i]).tolist()]
        event[i] = points[i][np.arange(len(states)), states].min()
    alive = event[dev][event[dev] > -np.inf]
    setting = rules.tune_setting(rule, alive, tolerance) if len(alive) else 0.0
    return setting, event, np.concatenate([points[i].reshape(-1) for i in test.tolist()])


def _time(sequences: Sequences, test: np.ndarray, how: dict[str, float]) -> filter_verdict.Times | None:
    """Times of both searches over triples of labels; None if dense tables would be too large or do not exist.

    Forbidden entries are finite in the dense tables, because the time does not depend on the scores.
    """
    unary, lengths, transitions = sequences.arrays()
    n = sequences.n_labels
    if transitions.ndim != 2 or float(n) ** ORDER > MOST_DENSE:
        return None
    finite = [np.where(np.isneginf(table), -1e9, table) for table in (unary, transitions)]
    model = model_of(Weights(*finite))
    dense = dense_model(ngram_table(n, model.keys, model.values), ORDER)
    each = np.split(finite[0], np.cumsum(lengths)[:-1])
    numbers = test[:N_TIMED].tolist()
    parts = [numbers[at : at + GROUP] for at in range(0, len(numbers), GROUP)]
    groups = [(sequences.take(part), [each[i] for i in part]) for part in parts]

    def by_cascade(some: Sequences, _: list[np.ndarray]) -> None:
        some.prune(**how).extend().decode()

    def by_dense(_: Sequences, tables: list[np.ndarray]) -> None:
        for table in tables:
            dense_decode(dense, table)

    by_cascade(*groups[0])  # loads the kernels
    by_dense(*groups[0])
    return timed_groups(by_cascade, by_dense, groups, ORDER, len(numbers))


def _about(sequences: Sequences) -> str:
    """Sizes and a fingerprint of the scores, to compare when a verdict is repeated."""
    digest = hashlib.sha256()
    for table in sequences.arrays():
        digest.update(np.ascontiguousarray(table).tobytes())
    n, n_places = len(sequences), int(sequences.lengths.sum())
    sizes = f"{n:,} sequences, {n_places:,} positions, {sequences.n_labels} labels"
    return f"spcviz {spcviz.__version__}; {sizes}; scores {digest.hexdigest()[:12]}"


N_TIMED, GROUP, _TURNS = 60, 6, 3
"""Number of timed test examples, size of their groups, and repeats; the best time of each group counts."""
MOST_DENSE = 3_000_000
"""Entries of the dense tables, K to the order, beyond which no dense search is run."""


def timed_groups(
    cascade: Callable[..., None],
    dense: Callable[..., None],
    groups: Sequence[tuple[Any, ...]],
    order: int,
    n: int,
) -> Times:
    """Time two searches alternately on the same groups (the arguments of both); `n` examples in all."""
    turns = [[[_us(run, group) for run in (cascade, dense)] for _ in range(_TURNS)] for group in groups]
    best = np.array(turns).min(axis=1)
    return Times(best[:, 0], best[:, 1], order, n)


def _us(run: Callable[..., None], group: tuple[Any, ...]) -> float:
    """Microseconds of a run by the wall clock, or by this thread's CPU time if known and shorter."""
    start = time.perf_counter(), time.thread_time()
    run(*group)
    wall, cpu = time.perf_counter() - start[0], time.thread_time() - start[1]
    return 1e6 * (min(wall, cpu) if cpu > 0 else wall)
