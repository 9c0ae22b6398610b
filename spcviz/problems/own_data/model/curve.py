"""Learning curve: the model of Your data trained on growing parts, measured on the same held-out sentences.

Parts are nested: a larger one contains all sentences of a smaller one. The last is the whole, so its point is
the model that the page trains. A paired test on the last doubling shows whether more data would help.
"""

from collections.abc import Sequence

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import evaluation
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.settings import Settings, deal, estimator_of, rules_of
from spcviz.problems.own_data.model.training import MOST_LABELS, features_in
from spcviz.problems.own_data.shown import LearningCurve, Point

PARTS = (0.125, 0.25, 0.5, 1.0)
"""Shares of the training sentences."""


def learn_curve(
    settings: Settings, sentences: Sequence[list[str]], labels: Sequence[list[str]], *, verbose: int = 0
) -> LearningCurve:
    """Train on each part and judge it; `ArgumentError` where there is too little or too much to learn."""
    n_labels = len({label for row in labels for label in row})
    if not 2 <= n_labels <= MOST_LABELS:
        raise ArgumentError(
            f"Training needs from 2 to {MOST_LABELS} different labels; the file has {n_labels}."
        )
    dealt = deal([len(words) for words in sentences], settings)
    features = features_in(sentences, dealt, templates.read_template(settings.template))
    held = [*dealt.dev.tolist(), *dealt.test.tolist()]
    X, gold = [features[i] for i in held], [list(labels[i]) for i in held]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in gold])])
    rules, order = rules_of(labels), np.random.default_rng(settings.seed).permutation(dealt.train)
    points, said = [], []
    for part in PARTS:
        chosen = np.sort(order[: max(2, round(part * len(order)))]).tolist()
        tagger = estimator_of(settings, rules).set_params(verbose=verbose)
        tagger.fit([features[i] for i in chosen], [list(labels[i]) for i in chosen])
        said.append([[str(label) for label in row] for row in tagger.predict(X)])
        flat = np.array([a == b for row, other in zip(gold, said[-1]) for a, b in zip(row, other)])
        whole = evaluation.scores_of(evaluation.counts_of(gold, said[-1]))[0]
        points.append(
            Point(
                len(chosen),
                sum(len(labels[i]) for i in chosen),
                int(tagger.n_features_in_),
                evaluation.share_interval(flat, starts),
                (whole.f1, whole.low, whole.high),
            )
        )
    doubled = tuple(evaluation.compare(gold, said[-2], said[-1]))
    return LearningCurve(tuple(points), doubled, int(starts[-1]))
