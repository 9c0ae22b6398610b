"""Result types of taggers: lists of labels, as other libraries' metrics accept them, and the k best."""

from typing import Any, NamedTuple

import numpy as np


class TagPaths(NamedTuple):
    """The best labellings (m, L) of a sequence, best first; scores (m,), a `ChainCRF`'s log-probabilities."""

    scores: np.ndarray
    labels: np.ndarray


class Labellings(list[list[Any]]):
    """A list of labels for each sequence, in a list.

    `seqeval`, `sklearn_crfsuite.metrics` and the like accept it as it is. Converted to an array, as
    `sklearn.model_selection.cross_val_predict` does, it has one entry per sequence.

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
    """Split the concatenated labels of all sequences into one list per sequence.

    >>> split_list(["DT", "NN", "VB"], np.array([2, 0, 1]))
    [['DT', 'NN'], [], ['VB']]
    """
    ends = np.cumsum(lengths).tolist()
    return Labellings(flat[a:b] for a, b in zip([0, *ends[:-1]], ends))
