r"""Softened maxima on chains: forward-backward at any temperature, down to Viterbi at temperature zero.

.. math:: M_\epsilon = \epsilon \ln \sum_y \exp(\psi(x, y) / \epsilon)

At epsilon = 1 this is the log partition function, at 0 the best score; between the two it only falls, and
:math:`M_0 \le M_\epsilon \le M_0 + \epsilon \ln K^L`. Its gradient with respect to the scores is the weights
:math:`p(y) \propto \exp(\psi / \epsilon)`, summed at states and transitions.

``left[e, i, k]``: the softened best over all prefixes that continue into state k at i (own unary not
included). Dividing scores by a small epsilon and adding left to right would amplify their rounding by
1 / epsilon. Here every exponent is a difference from the largest of its own K terms, and weights come from
*soft back-pointers*, ``back[e, i, j, k]`` = p(y_i = j given y_{i+1} = k): each sums to 1 on its own. So there
is no smallest epsilon, and at 0 they are Viterbi's back-pointers.

Plain numpy over all epsilons at once: a curve over epsilon costs as much as about ten decodings.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.inputs import checked_chain
from spcviz.engine.errors import ArgumentError, InfeasibleError


class SoftBest(NamedTuple):
    """One row per epsilon.

    - `value` (E,): the softened best score
    - ``unary[e, i, k]`` (E, L, K): total weight of the labellings with y_i = k, in 0 .. 1; d value / d unary
    - ``pairwise[e, i, j, k]`` (E, L - 1, K, K): of those with y_i = j, y_{i+1} = k; d value / d pairwise
    - `entropy` (E,): of the weights of whole labellings, in nats; exp of it is their effective number
    """

    value: np.ndarray
    unary: np.ndarray
    pairwise: np.ndarray
    entropy: np.ndarray


def soft_best(unary: ArrayLike, pairwise: ArrayLike, epsilons: ArrayLike) -> SoftBest:
    """The softened best score of a chain and the weights behind it, in O(E L K^2).

    `epsilons` (E,) are finite and at least 0, or `ArgumentError`; at 0 all the weight is on the labelling
    that `decode` returns. Other arguments and errors as in `spcviz.engine.chains.chain.decode`. Schwing, ECE
    544NA lecture 12, equation (1).

    >>> soft = soft_best([[0.0, 1.0], [2.0, 0.0]], np.zeros((2, 2)), [1.0, 0.0])
    >>> soft.value.round(3).tolist(), soft.unary[1].tolist()
    ([3.44, 3.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    unary, pairwise = checked_chain(unary, pairwise)
    epsilons = checks.scores("epsilons", epsilons, 1)
    if len(epsilons) and epsilons.min() < 0:
        raise ArgumentError(f"epsilons[{epsilons.argmin()}] must be at least 0, got {epsilons.min()}")
    length, n = unary.shape
    left = np.zeros((len(epsilons), n))
    back = np.empty((len(epsilons), length - 1, n, n))
    for i in range(length - 1):
        ways = (left + unary[i])[:, :, None] + pairwise[i % len(pairwise)]
        left, back[:, i] = _soften(ways, epsilons[:, None])
    value, last = _soften((left + unary[-1])[:, :, None], epsilons[:, None])
    if np.isneginf(value).any():
        raise InfeasibleError("every labelling has score -inf")
    node = np.empty((len(epsilons), length, n))
    node[:, -1] = last[..., 0]
    entropy = _entropy(last)[:, 0]
    for i in range(length - 2, -1, -1):
        entropy += (node[:, i + 1] * _entropy(back[:, i])).sum(axis=1)
        back[:, i] *= node[:, i + 1, None, :]  # from p(y_i given y_{i+1}) to p(y_i, y_{i+1})
        node[:, i] = back[:, i].sum(axis=2)
    return SoftBest(value[:, 0], node, back, entropy)


def _soften(ways: np.ndarray, epsilons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(softened best over axis 1, weights that sum to 1 over it); ways (E, J, K), epsilons (E, 1)."""
    top = ways.max(axis=1)
    is_first = np.arange(ways.shape[1])[:, None] == ways.argmax(axis=1)[:, None]
    is_dead = np.isneginf(top)
    is_hard = (epsilons == 0) | is_dead  # where no way is alive, any weights do: they are never used
    with np.errstate(over="ignore"):  # far below the top: exp(-inf) = 0 is right
        gap = (ways - np.where(is_dead, 0.0, top)[:, None]) / np.where(epsilons == 0, 1.0, epsilons)[:, None]
    shares = np.where(is_hard[:, None], is_first, np.exp(np.where(is_dead[:, None], 0.0, gap)))
    total = shares.sum(axis=1)
    return top + epsilons * np.log(total), shares / total[:, None]


def _entropy(weights: np.ndarray) -> np.ndarray:
    """Entropy over axis 1 in nats, (E, J, K) to (E, K)."""
    logs = np.log(np.where(weights > 0, weights, 1.0))
    return -(weights * logs).sum(axis=1)
