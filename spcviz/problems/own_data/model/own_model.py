"""Check a model that a visitor uploads, and run it on the visitor's sentences.

Anybody may have written it. `spcviz.io.zipped` reads only numbers and texts; here their values are checked
before any kernel runs on them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.io.zipped import of_zip, to_zip
from spcviz.learning.cascade.config import Cascade
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model.training import MOST_HELD, MOST_LABELS, Dealt, features_in, report_on
from spcviz.problems.own_data.shown import LEVEL_NAMES, Trained
from spcviz.sequences import CascadeTagger, ChainCRF, StructuredPerceptron, StructuredSVM
from spcviz.shared.verdict.filter_verdict import deal_halves

KINDS = {
    StructuredPerceptron: "perceptron",
    StructuredSVM: "SVM",
    ChainCRF: "CRF",
    CascadeTagger: "cascade",
}


def model_of(data: bytes, name: str) -> Any:
    """The tagger in a zip file that reads this page's features; else an `ArgumentError` that says why."""
    tagger = of_zip(data, name)
    if type(tagger) not in KINDS:
        known = ", ".join(kind.__name__ for kind in KINDS)
        raise ArgumentError(f"{name}: holds a {type(tagger).__name__}; this page takes {known}")
    n_labels = np.size(getattr(tagger, "classes_", ()))
    if not 2 <= n_labels <= MOST_LABELS:  # before a table of all pairs of them is made
        raise ArgumentError(f"{name}: must have from 2 to {MOST_LABELS} different labels, got {n_labels}")
    try:
        reader = cascades.reader_of(tagger)
    except ValueError as error:
        why = f"so it can tag nothing here. {error}"
        raise ArgumentError(f"{name}: reads other features than this page makes of words, {why}") from None
    _check(name, reader)
    if isinstance(tagger, CascadeTagger):
        if tagger.cascade_.rule != "mean_max":
            raise ArgumentError(
                f"{name}: prunes by the rule {tagger.cascade_.rule}; this page draws thresholds between mean "
                'and best: fit it with rule="mean_max"'
            )
        most = min(tagger.cascade_.max_arcs, cascades.MAX_ARCS)
        tagger.cascade_ = tagger.cascade_._replace(max_arcs=most)
    return tagger


def _check(name: str, reader: cascades.Reader) -> None:
    """Raise `ArgumentError` unless all parts of a model are consistent and small enough to draw."""
    n, cascade, labels = len(reader.vocabulary), reader.cascade, reader.labels
    if not 2 <= len(labels) <= MOST_LABELS or len(set(labels)) < len(labels):
        raise ArgumentError(f"{name}: must have from 2 to {MOST_LABELS} different labels, got {len(labels)}")
    if not 2 <= len(cascade.levels) <= (most := len(LEVEL_NAMES)):
        raise ArgumentError(f"{name}: must have from 2 to {most} levels, got {len(cascade.levels)}")
    try:
        _check_cascade(cascade, n, len(labels))
    except ArgumentError as error:
        raise ArgumentError(f"{name}: is damaged: {error}; write it again with spcviz.save") from None


def _check_cascade(cascade: Cascade, n_features: int, n_labels: int) -> None:
    kinds = cascade.n_states, cascade.on_nodes, cascade.by_marginals, cascade.first_order
    if kinds != (n_labels, False, False, 2):
        raise ArgumentError(f"a tagger's cascade is no {kinds}")
    checks.integer("max_arcs", cascade.max_arcs, 1, 2**40)
    for t, level in enumerate(cascade.levels):
        checks.alpha("alpha", level.alpha)
        for model in (level.filter, level.predictor):
            weights = checks.scores("weights", model.weights, 2)
            if weights.shape != (n_features, n_labels) or not np.isfinite(weights).all():
                raise ArgumentError(f"weights of level {t + 1} have shape {weights.shape}, or are not finite")
            if model.table.has_begin or model.table.has_end:
                raise ArgumentError(f"level {t + 1} has weights of beginnings or ends")


def read_with(
    data: bytes, sentences: Sequence[list[str]], labels: Sequence[list[str]], *, seed: int, tolerance: float
) -> Trained:
    """Read at most `MOST_HELD` tokens of some sentences with an uploaded model, in two halves.

    If the model knows none of the gold labels, they count as missing.
    """
    tagger = model_of(data, "model")
    template = cascades.reader_of(tagger).template
    dev, test = deal_halves([len(words) for words in sentences], seed, MOST_HELD)
    if not len(test):
        raise ArgumentError(f"No sentence has from 1 to {MOST_HELD:,} words: the model has nothing to read.")
    dealt = Dealt(np.zeros(0, dtype=np.int64), dev, test)
    features = features_in(sentences, dealt, template)
    # Written again, so that outside this process only what the library wrote is opened.
    return Trained(to_zip(tagger), report_on(tagger, dealt, features, labels, tolerance))


def describe_tagger(tagger: Any) -> str:
    """A tagger in a few words.

    >>> from spcviz.sequences import StructuredPerceptron
    >>> X, y = [[["lower[0]=a"], ["lower[0]=b"]]], [["X", "Y"]]
    >>> describe_tagger(StructuredPerceptron(max_iter=1, random_state=0).fit(X, y))
    'a perceptron, 2 labels, 2 features of lower[0]'
    """
    kind = KINDS[type(tagger)]
    if isinstance(tagger, CascadeTagger):
        kind += f" of order {len(tagger.cascade_.levels)}"
    names = " ".join(dict.fromkeys(name.partition("=")[0] for name in tagger.vocabulary_))
    return f"a {kind}, {len(tagger.classes_)} labels, {len(tagger.vocabulary_):,} features of {names}"
