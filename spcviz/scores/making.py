"""`from_emissions`: build `Sequences` from arrays of label scores in any form."""

from collections.abc import Hashable, Iterable
from typing import Any

from numpy.typing import ArrayLike

from spcviz.scores.names import Names, names_of
from spcviz.scores.packing import pack
from spcviz.scores.sequences import Sequences


def from_emissions(
    emissions: Any,
    transitions: Any = None,
    *,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
    labels: Iterable[Hashable] | None = None,
    mask: Any = None,
    lengths: ArrayLike | None = None,
    allowed: Any = None,
) -> Sequences:
    """Build `Sequences` from the scores of any model.

    `ShapeError`, `ScoreError`, `ArgumentError` if arrays disagree or hold NaN or +inf: the message names the
    sequence and the place in it.

    Parameters
    ----------
    emissions : list of array_like (L_i, K), or array_like (B, L, K), or (N, K)
        Score of each label at each position (logits, log probabilities, ...): one array per sequence, padded
        arrays with `mask` or `lengths`, or all sequences concatenated, with `lengths`. -inf forbids.
    transitions : array_like (K, K), optional
        Score of label k after label j at ``[j, k]``. Or a table for each step: a list of (L_i - 1, K, K),
        padded (B, L - 1, K, K), or (N, K, K) with the step into each position. None: all 0.
    start, end : array_like (K,), optional
        Scores of the first and of the last label.
    labels : sequence of K names, optional
    mask : array_like of bool (B, L), optional
        Which positions of padded arrays are real; the content of the others is ignored.
    lengths : array_like of int, optional
        Length of each sequence; 0 is allowed.
    allowed : as `emissions`, of bool, optional
        Which labels each position may have.

    Examples
    --------
    >>> tags = from_emissions([[[0.0, 1.0], [2.0, 0.0]], [[0.0, 3.0]]], [[0, 0], [-3, 0]], labels=["N", "V"])
    >>> [list(map(str, labels)) for labels in tags.decode()]
    [['N', 'N'], ['V']]
    """
    names = None if labels is None else names_of(labels)
    n_labels = None if names is None else len(names)
    form = {"mask": mask, "lengths": lengths, "allowed": allowed, "n_labels": n_labels}
    packed = pack(emissions, transitions, start=start, end=end, **form)
    return Sequences(packed, Names(names, packed.unary.shape[1]))
