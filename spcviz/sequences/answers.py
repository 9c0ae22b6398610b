"""Result types of taggers: lists of labels, as other libraries' metrics take them, and the k best."""

from typing import Any, NamedTuple

import numpy as np


class TagPaths(NamedTuple):
    """The best labellings (m, L) of a sequence, best first; scores (m,), a `ChainCRF`'s log-probabilities."""

    scores: np.ndarray
    labels: np.ndarray


class Labellings(list[list[Any]]):
    """A list of labels for each sequence, in a list.

    `seqeval`, `sklearn_crfsuite.metrics` and the like take it as it is. As an array, which is what
    `sklearn.model_selection.cross_val_predict` makes of it, it has one entry a sequence.

    >>> np.asarray(Labellings([["DT", "NN"], ["VB"]]))
    array([list(['DT', 'NN']), list(['VB'])], dtype=object)
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if dtype not in (None, object):
            raise TypeError(f"labels of sequences must be an array of objects, not of {np.dtype(dtype)}")
        out = np.empty(len(self), dtype=object)
        for i, labels in enumerate(self):
            out[i] = labels
        return out


def split_list(flat: list[Any], lengths: np.ndarray) -> Labellings:
    """One list a sequence, of all labels one after the other.

    >>> split_list(["DT", "NN", "VB"], np.array([2, 0, 1]))
    [['DT', 'NN'], [], ['VB']]
    """
    ends = np.cumsum(lengths).tolist()
    return Labellings(flat[a:b] for a, b in zip([0, *ends[:-1]], ends))
