"""Sequence taggers with scikit-learn's interface: fit and predict on lists of arrays, strings or dicts.

========================  =====================================================================
`StructuredPerceptron`    averaged perceptron with exact Viterbi decoding; trains fastest
`StructuredSVM`           structured support vector machine: a margin for each wrong token
`ChainCRF`                conditional random field: probabilities, L1 and L2, partial labels
`CascadeTagger`           coarse-to-fine cascade of n-gram models: higher order, pruning
========================  =====================================================================

`spcviz.sequences.crfsuite.CRF` is `ChainCRF` with the arguments of sklearn-crfsuite, and
`spcviz.sequences.pycrfsuite` has python-crfsuite's `Trainer` and `Tagger`.
"""

from spcviz.sequences.cascade import CascadeTagger
from spcviz.sequences.crf import ChainCRF
from spcviz.sequences.perceptron import StructuredPerceptron
from spcviz.sequences.svm import StructuredSVM

__all__ = ["CascadeTagger", "ChainCRF", "StructuredPerceptron", "StructuredSVM"]
