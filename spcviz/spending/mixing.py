r"""Mix the models of expensive tiers with those of cheaper ones, by the share best on held-out folds.

.. math:: W'_t = (1 - s_t)\, W_t + s_t\, W'_{t-1}

A model with more features has more to learn from the same sequences. With a few hundred of them it may be no
better than the cheaper tier's model, although it reads all of that model's features too. The two make
different mistakes, so their average is often better than either. The share of the cheaper model is chosen on
sequences that neither has seen: those of each fold, read by models of the other folds. 0 is among the shares,
so a model that is better alone stays as it is.

Legend: t a tier, W the weights of its model (0 for features that it does not read), s the share.
"""

import numpy as np

from spcviz.engine.chains.chain import decode_batch
from spcviz.learning.budgets.chains.tiered import Table, Tiered, tier_scores
from spcviz.spending import label_folds
from spcviz.spending.estimator import Fitted

SHARES = (0.0, 0.25, 0.5, 0.75)
"""Shares of the cheaper tier's model that are tried."""


def mix_models(fitted: Fitted) -> Fitted:
    """Mix the model of each tier but the first by the share with the fewest errors on held-out folds."""
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
    """Mix two models of one tier each; `cheap` reads the first ``cheap.edges[0]`` features of `dear`.

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
    """Number of labels that a model of one tier gets wrong."""
    scores = tier_scores(model, features[:, : model.edges[0]])[:, 0]
    labels = decode_batch(np.ascontiguousarray(scores), data.lengths, model.pairwise).labels
    return int((labels != data.labels).sum())
