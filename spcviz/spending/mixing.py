r"""Mix the models of expensive tiers with those of cheaper ones, by what reads held-out folds best.

.. math:: W'_t = (1 - s_t)\, W_t + s_t\, W'_{t-1}

A model of more features has more to learn from the same sequences, and of a few hundred it may come out no
better than that of the cheaper tier, though it reads all of that one's features, too. The two are wrong at
other places: their mean is often better than either. How much of the cheaper one is taken, sequences say that
neither has seen: those of each fold, by models of the other folds. 0 is among the shares, so that a model
that is better by itself stays as it is.

Legend: t a tier, W the weights of its model (0 for features that it does not read), s the share.
"""

import numpy as np

from spcviz.engine.chains.chain import decode_batch
from spcviz.learning.budgets.chains.tiered import Table, Tiered, tier_scores
from spcviz.spending import label_folds
from spcviz.spending.estimator import Fitted

SHARES = (0.0, 0.25, 0.5, 0.75)
"""Of the cheaper tier's model: those that are tried."""


def mix_models(fitted: Fitted) -> Fitted:
    """With the models of each tier but the first mixed by the share that reads best on the folds."""
    held = []
    for p in range(len(fitted.without)):
        mask = fitted.fold == p
        held.append(
            (fitted.features[np.repeat(mask, fitted.data.lengths)], label_folds.some(fitted.data, mask))
        )
    models, without = list(fitted.models), [list(each) for each in fitted.without]
    for t in range(1, len(models)):
        wrong = []
        for share in SHARES:
            each = [(mix_pair(own[t], own[t - 1], share), *part) for own, part in zip(without, held)]
            wrong.append(sum(_n_wrong(*one) for one in each))
        share = SHARES[int(np.argmin(wrong))]
        for own in (models, *without):
            own[t] = mix_pair(own[t], own[t - 1], share)
    return fitted._replace(models=tuple(models), without=[tuple(each) for each in without])


def mix_pair(dear: Tiered, cheap: Tiered, share: float) -> Tiered:
    """Models of one tier each, the second of the first so many features of the first.

    >>> one = Tiered(np.array([2]), np.full((2, 2), 4.0), np.zeros((2, 2)))
    >>> mix_pair(one, Tiered(np.array([1]), np.zeros((1, 2)), np.ones((2, 2))), 0.25).weights.tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    if not share:
        return dear
    weights = (1 - share) * dear.weights
    weights[: cheap.edges[0]] += share * cheap.weights
    return dear._replace(weights=weights, pairwise=(1 - share) * dear.pairwise + share * cheap.pairwise)


def _n_wrong(model: Tiered, features: Table, data: label_folds.Labelled) -> int:
    """Labels that a model of one tier has wrong."""
    scores = tier_scores(model, features[:, : model.edges[0]])[:, 0]
    labels = decode_batch(np.ascontiguousarray(scores), data.lengths, model.pairwise).labels
    return int((labels != data.labels).sum())
