"""Chosen settings of the taggers (cascades and their rivals), by corpus and feature set.

All methods share features, tags and a final averaged perceptron of order 3:

- full: exact dense Viterbi over all K^2 bigrams per position (`dense_perceptron`)
- spc: a unary filter on tags, then the bigram model filters tags, then the trigram model bigrams; each is
  trained for the regularised filter loss, with margin 1 per position and a step that falls with the
  regulariser
- crf: the same levels, trained for log loss, pruned where a sum-product marginal is at most alpha
- perceptron: the same levels, trained as structured perceptrons, pruned as the SPC is
- spc_no_dropout, spc_cold, spc_short, crf_no_dropout: each lacks one thing of `ALIKE`
- spc_thesis: an SPC as in the thesis (4.3): from zero, no dropout, the best of five starting alphas at each
  level, stopped after the first pass that does not leave less
- spc_log_loss_start: the same levels, but each begins with passes over the log loss and ends with a few over
  the filter loss at a small margin: not a method of the thesis
- tags: only tags that training saw with the word, decoded with the dense perceptron's weights

All cascades depart from the thesis in one point: there the bigram model filters all K tags; here a unary
filter precedes it, because all K^2 bigrams of a corpus do not fit into memory at once.

A cascade's perceptron is trained on the pruned lattice and begins at its level's filter: on development
sentences it is right more often than one that begins at zero or at the dense perceptron's weights (WSJ: 96.9
against 96.4 and 96.5 % of words). A pruned lattice leaves few errors to learn from, and the 4 % of training
sentences whose truth was pruned teach nothing, so a perceptron from zero makes too few steps there.

SPC, CRF and perceptron get the same dropout, the same start (a level begins at the one before), the same
maximum of passes, the same patience and the same number of tries (`tries_of`); `reproduce tagging` makes all
tries and takes the one that leaves the fewest bigrams on development sentences. No method of the thesis has
dropout. Tolerances were chosen on development sentences with test figures in sight, so test figures may be
slightly optimistic.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from spcviz.engine.errors import ArgumentError
from spcviz.learning.cascade.cascade import CascadeConfig
from spcviz.problems.tagging.model import cascade

SEARCHED = ("spc", "crf", "perceptron")
"""Methods whose settings are searched, with the same number of tries each."""
COMPARED = (*SEARCHED, "spc_thesis", "spc_log_loss_start")
"""Methods whose filters are also compared one by one."""
ABLATED = {"spc_no_dropout": "spc", "spc_cold": "spc", "spc_short": "spc", "crf_no_dropout": "crf"}
"""Methods that lack one thing -> the method that has it."""
CASCADES = (*COMPARED, *ABLATED)
"""Methods that filter level by level."""
METHODS = ("full", *CASCADES, "tags")
"""Of the whole treebank only some are trained: see `methods_of`."""
ORDERS_OF = ("spc", "spc_log_loss_start")
"""Methods trained up to `MAX_ORDER` with rich features; others up to the order of the final perceptron."""
FEATURES = ("paper", "full")
STARTING_ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Thesis 4.5.1."""

PAPER = {
    "full": {"accuracy": 96.83, "filter_loss": 0.0, "ms": 173.28, "states": 1935.7},
    "spc": {"accuracy": 96.82, "filter_loss": 0.121, "ms": 1.56, "states": 3.93},
    "crf": {"accuracy": 96.84, "filter_loss": 0.024, "ms": 4.16, "states": 11.845},
    "tags": {"accuracy": None, "filter_loss": 0.118, "ms": 10.6, "states": 95.39},
}
"""Thesis Table 4.2: all of the Wall Street Journal, word-tag features, milliseconds a sentence."""


WHOLE = "ewt_whole"
"""The English Web Treebank with all of its training sentences."""
QUICK_EPOCHS = 2
"""Passes of a quick run's dense perceptron."""


@dataclass(frozen=True)
class TagSettings:
    """What is trained."""

    data: str  # "ewt", "wsj", or `WHOLE`
    features: str  # "paper" or "full"
    least: int  # features seen less often in training are unknown
    # of the SPC that begins with the log loss; the others take what they share, see `config_of`
    config: CascadeConfig
    full_epochs: int = 6  # passes of the dense perceptron

    @property
    def is_quick(self) -> bool:
        """Whether these are the settings of a quick run."""
        return self.full_epochs == QUICK_EPOCHS


_RATES = {"gram_rate": 0.04, "crf_rate": 5.0, "filter_rate": 0.3, "predictor_rate": 0.3, "dropout": 0.25}
_PASSES = {"crf_epochs": 8, "filter_epochs": 3, "predictor_epochs": 4, "warm_predictor": True}
_BASE = CascadeConfig(on_nodes=True, parts=3, train_alphas=(0.2,), margin=0.3, **_RATES, **_PASSES)
_TOLERANCES = {
    ("wsj", "full"): (0.015, 0.03, 0.03, 0.03),
    ("ewt", "full"): (0.01, 0.023, 0.03, 0.03),
    (WHOLE, "full"): (0.01, 0.023, 0.03, 0.03),
    ("wsj", "paper"): (0.02, 0.05, 0.03, 0.03),
    ("ewt", "paper"): (0.02, 0.05, 0.03, 0.03),
}
"""Share of sentences that each level may lose on held-out parts: 1 % of EWT's are 21, 1.5 % of WSJ's 51."""


_EVERY = {("ewt", "full"): 6, ("wsj", "paper"): 3, ("ewt", "paper"): 12}
"""k by corpus and features: every k-th training sentence is taken, because every try trains two levels, and
with the paper's features a sentence's lattice of bigrams is ten times as large. The shipped tagger is trained
on all of EWT's 12,544 sentences."""


def data_of(settings):
    """The corpus that settings train on; see `cascade.prepare_corpus`."""
    every = _EVERY.get((settings.data, settings.features), 1)
    return cascade.prepare_corpus(corpus_of(settings.data), settings.features, settings.least, every)


def corpus_of(data):
    """The corpus that data are taken from.

    >>> corpus_of("wsj"), corpus_of("ewt_whole")
    ('wsj', 'ewt')
    """
    return data.removesuffix("_whole")


def cascades_of(data):
    """Methods that filter level by level; on the whole treebank without those that lack one thing.

    >>> set(CASCADES) - set(cascades_of("ewt_whole")) == set(ABLATED)
    True
    """
    return COMPARED if data == WHOLE else CASCADES


def methods_of(data):
    """All methods that are compared on some data."""
    return ("full", *cascades_of(data), "tags")


def searched_on(settings):
    """The settings by which a part's tries are made: the whole treebank takes those of every sixth sentence.

    That spares eighteen trainings of two levels on all 12,544 sentences.
    """
    return settings_for("ewt", settings.features, settings.is_quick) if settings.data == WHOLE else settings


def orders_of(settings, method):
    """How many levels a method's cascade has: 5 for an SPC with rich features, as in the thesis."""
    is_deep = settings.features == "full" and method in ORDERS_OF
    return cascade.MAX_ORDER if is_deep else cascade.ORDER


def settings_for(data, features, quick=False):
    """The chosen settings, or `ArgumentError`; `quick` makes fewer passes."""
    if (data, features) not in _TOLERANCES:
        names = ", ".join(f"{d} {f}" for d, f in _TOLERANCES)
        raise ArgumentError(f"data and features must be one of {names}, got {data!r} {features!r}")
    # An indicator of the word alone is one feature, not 25: gradients are as large, steps must not be.
    gram_rate = _BASE.gram_rate if features == "full" else 1.0
    config = replace(_BASE, tolerances=_TOLERANCES[data, features], gram_rate=gram_rate)
    if features == "paper":
        config = replace(config, crf_rate=0.2, filter_rate=0.02, predictor_rate=0.02, dropout=0.1)
        config = replace(config, parts=2, crf_epochs=4, filter_epochs=2)
    elif corpus_of(data) == "ewt":  # two parts leave half of the sentences to train on
        config = replace(config, parts=2, crf_epochs=7)
    if quick:
        config = replace(config, crf_epochs=2, filter_epochs=1, predictor_epochs=2)
    return TagSettings(data, features, 2 if features == "full" else 1, config, QUICK_EPOCHS if quick else 6)


_THESIS = {"full": {"filter_rate": 30.0, "decay": 1e-4}, "paper": {"filter_rate": 4.0, "decay": 1e-5}}
"""First step and lambda of the thesis' learning, by features: those that left the fewest n-grams on held-out
training sentences of WSJ, among steps 3 to 100 and 0.4 to 4 and lambdas 1e-5 to 1e-3, at alpha 0.2."""


ALIKE = {
    "full": {"dropout": 0.25, "warm_start": True, "filter_epochs": 20, "patience": 3, "crf_epochs": 0},
    "paper": {"dropout": 0.1, "warm_start": True, "filter_epochs": 8, "patience": 3, "crf_epochs": 0},
}
"""What SPC, CRF and perceptron have in common, by features."""
_QUICK = {"filter_epochs": 2, "patience": 1}


def tries_of(settings, method) -> list[dict]:
    """The settings tried for a method, equally many for each: five of a kind and one more, default first."""
    gram, rate = settings.config.gram_rate, settings.config.crf_rate
    if method == "spc":
        rate = _THESIS[settings.features]["filter_rate"]
        rates = [rate] * 5 + [rate / 3]
        alphas = [*sorted(STARTING_ALPHAS, key=lambda alpha: alpha != 0.6), 0.6]
        return [{"filter_rate": rate, "train_alphas": (a,)} for rate, a in zip(rates, alphas)]
    if method == "crf":
        tried = [{"filter_rate": share * rate, "gram_rate": gram} for share in (1.0, 0.25, 0.5, 2.0, 4.0)]
        return [*tried, {"filter_rate": rate, "gram_rate": 4 * gram}]
    # a perceptron's weights grow with its rate, its answers do not change
    tried = [{"gram_rate": share * gram, "decay": 0.0} for share in (1.0, 0.25, 0.5, 2.0, 4.0)]
    return [*tried, {"gram_rate": gram, "decay": 1e-4}]


def config_of(settings, method, picked: Mapping[str, int] | None = None):
    """The cascade of a method; `picked`: index of the chosen one of `tries_of`, by method."""
    config = settings.config
    if method == "spc_log_loss_start":
        return config
    if method == "spc_thesis":
        return _of_thesis(config, _THESIS[settings.features])
    of = ABLATED.get(method, method)
    tried = tries_of(settings, of)[(picked or {}).get(of, 0)]
    alike = ALIKE[settings.features] | (_QUICK if settings.is_quick else {})
    options = {"filter_rate": config.predictor_rate}
    if of == "spc":
        options = {"decay": 1e-6, "falling": True, "margin": 1.0}
        # relative to its filter's, a final perceptron's steps are as large as in the other cascades
        options["predictor_rate"] = config.predictor_rate * tried["filter_rate"] / config.crf_rate
    return replace(config, method=of, **(alike | options | tried | _without(config, method)))


def _without(config, method):
    """What a method of `ABLATED` has instead."""
    if method.endswith("no_dropout"):
        return {"dropout": 0.0}
    if method == "spc_cold":
        return {"warm_start": False}
    return {"filter_epochs": config.crf_epochs, "patience": 1} if method == "spc_short" else {}


def _of_thesis(config, learning):
    """The thesis' learning, to the letter."""
    rate = config.predictor_rate * learning["filter_rate"] / config.crf_rate
    options = learning | {"train_alphas": STARTING_ALPHAS, "margin": 1.0, "falling": True, "patience": 1}
    options |= {"filter_epochs": config.crf_epochs, "crf_epochs": 0, "warm_start": False, "dropout": 0.0}
    return replace(config, predictor_rate=rate, **options)


def crf_beside(config):
    """A CRF with as many passes as both losses of an SPC that begins with the log loss."""
    epochs = config.crf_epochs + config.filter_epochs
    return replace(config, method="crf", filter_epochs=epochs, filter_rate=config.crf_rate, crf_epochs=0)
