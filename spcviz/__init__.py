"""Structured prediction on sequences: taggers, cascades that prune, policies that spend a budget.

===========================  ==================================================================
`StructuredPerceptron`       averaged perceptron on sequences: trains fastest
`StructuredSVM`              structured support vector machine: wins by a margin
`ChainCRF`                   conditional random field: probabilities, L1 and L2, partial labels
`CascadeTagger`              coarse-to-fine cascade of n-gram models
`BudgetedTagger`             buys features at the positions where they pay off (DMS-pi and others)
`ModelSelector`              chooses a model for each sequence under a budget (DMS)
`EnvelopeTagger`             the best of these and of the fixed tiers at a budget, on held-out data
`from_emissions`             decode, prune and query the scores of any other model
`from_hf`                    the same for the logits of a transformer's token classifier
`read_conll`                 sentences from CoNLL files
`save`, `load`               write a fitted estimator to a folder and read it back, without pickle
`show`                       an estimator at work, a lattice or curves, in a notebook
===========================  ==================================================================

Each is imported on first access. The layers below are `spcviz.engine` (inference on plain arrays) and
`spcviz.learning`.
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers treat it as True; the module typing is slow to import
if TYPE_CHECKING:
    from spcviz.io import load as load
    from spcviz.io import read_conll as read_conll
    from spcviz.io import save as save
    from spcviz.notebook import show as show
    from spcviz.scores import from_emissions as from_emissions
    from spcviz.scores import from_hf as from_hf
    from spcviz.sequences import CascadeTagger as CascadeTagger
    from spcviz.sequences import ChainCRF as ChainCRF
    from spcviz.sequences import StructuredPerceptron as StructuredPerceptron
    from spcviz.sequences import StructuredSVM as StructuredSVM
    from spcviz.spending import BudgetedTagger as BudgetedTagger
    from spcviz.spending import EnvelopeTagger as EnvelopeTagger
    from spcviz.spending import ModelSelector as ModelSelector

__version__ = "0.2.0"

_HOME = {
    "StructuredPerceptron": "spcviz.sequences",
    "StructuredSVM": "spcviz.sequences",
    "ChainCRF": "spcviz.sequences",
    "CascadeTagger": "spcviz.sequences",
    "BudgetedTagger": "spcviz.spending",
    "EnvelopeTagger": "spcviz.spending",
    "ModelSelector": "spcviz.spending",
    "from_emissions": "spcviz.scores",
    "from_hf": "spcviz.scores",
    "read_conll": "spcviz.io",
    "save": "spcviz.io",
    "load": "spcviz.io",
    "show": "spcviz.notebook",
}

_COMPUTING = {name for name, home in _HOME.items() if home != "spcviz.io"}  # the first call compiles

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    """One of the public names above, imported on first access."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    door = getattr(import_module(_HOME[name]), name)
    if name in _COMPUTING:
        import_module("spcviz.engine.kernels.announcing").announce()
    globals()[name] = door
    return door


def __dir__() -> list[str]:
    return sorted(__all__)
