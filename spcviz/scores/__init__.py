"""Exact inference on the scores of any model: decode, marginals, k best, witnesses, pruning, lattices.

======================  =======================================================================
`from_emissions`        scores of labels at the positions of sequences -> `Sequences`
`from_hf`               logits of a token classifier, sub-words and special tokens left out
`bio_transitions`       which label may follow which, as scores
`Sequences`             decode, marginals, k_best, witness, break_points, curves, tune, prune
`Lattices`              the survivors of pruning: extend, rescore, prune, decode, export
======================  =======================================================================

Nothing here trains. Scores are in the log domain, larger is better, -inf forbids; their unit does not matter
except in marginals, where a labelling's probability is proportional to exp(score).
"""

from spcviz.scores.lattices import Lattices
from spcviz.scores.making import from_emissions, from_hf
from spcviz.scores.queries import Curves, Ranked, Witness
from spcviz.scores.schemes import Rules, bio_transitions, scheme_of
from spcviz.scores.sequences import Sequences

__all__ = [
    "Curves",
    "Lattices",
    "Ranked",
    "Rules",
    "Sequences",
    "Witness",
    "bio_transitions",
    "from_emissions",
    "from_hf",
    "scheme_of",
]
