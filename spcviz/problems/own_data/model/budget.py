"""One budget over a visitor's sentences: features in three tiers, and what every policy buys with it.

Features of the template are words (free), their endings, beginnings and shapes, and their neighbours; each
tier is hashed into as many columns. Costs are in units: a feature of a token costs one.
"""

import zlib
from collections.abc import Sequence

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.settings import Settings, deal
from spcviz.problems.own_data.page.shown import Bought, PolicyCurve
from spcviz.spending import BudgetedTagger, FeatureTiers

N_COLUMNS = 256
MOST_TOKENS = 4_000
"""That policies are learned from, and that they are tried on."""

POLICIES = ("dms_pi", "greedy", "one_shot", "anytime", "myopic", "uniform", "random")
SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
TIERS = ("words", "endings", "context")


def tier_of(entry: tuple[templates.Part, ...]) -> int:
    """Which tier an entry of a template belongs to.

    >>> [tier_of(own) for own in templates.read_template("bias word[0] shape[0] word[-1]+word[0]")]
    [0, 0, 1, 2]
    """
    if any(place for _, place in entry):
        return 2
    return int(any(what not in ("word", "lower") for what, _ in entry))


def spend(settings: Settings, sentences: Sequence[list[str]], labels: Sequence[list[str]]) -> Bought:
    """Train on one part of the sentences, and buy features for the held-out ones by every policy."""
    template = templates.read_template(settings.template)
    tiers = [tuple(own for own in template if tier_of(own) == t) for t in range(len(TIERS))]
    used = [t for t, own in enumerate(tiers) if own]
    if len(used) < 2:
        raise ArgumentError(
            "A budget needs features of at least two kinds in the template: words, endings (or shapes), and "
            "neighbours (places other than [0])."
        )
    dealt = deal([len(words) for words in sentences], settings)
    lengths = np.array([len(words) for words in sentences])
    train = dealt.train[np.cumsum(lengths[dealt.train]) <= MOST_TOKENS]
    test = np.concatenate([dealt.dev, dealt.test])
    test = test[np.cumsum(lengths[test]) <= MOST_TOKENS]
    X = {int(i): _rows(sentences[i], [tiers[t] for t in used]) for i in (*train.tolist(), *test.tolist())}
    costs = (0.0, *(float(len(tiers[t])) for t in used[1:]))
    columns = [np.arange(n * N_COLUMNS, (n + 1) * N_COLUMNS) for n in range(len(used))]
    names = [TIERS[t] for t in used]
    tagger = BudgetedTagger(FeatureTiers(names, columns, costs), folds=3, random_state=settings.seed)
    every = tagger.fit_each(
        [X[i] for i in train.tolist()], [list(labels[i]) for i in train.tolist()], POLICIES
    )
    held, gold = [X[i] for i in test.tolist()], [list(labels[i]) for i in test.tolist()]
    everything = every[POLICIES[0]].cost_of_everything(held)
    curves = []
    for key, own in every.items():
        curve = own.curve(held, gold, [share * everything for share in SHARES])
        curves.append(PolicyCurve(key, curve.cost / everything, 1.0 - curve.error))
    return Bought(tuple(names), costs, tuple(curves), len(train), int(lengths[test].sum()))


def _rows(words: list[str], tiers: list[templates.Template]) -> np.ndarray:
    """Hashed features of a sentence's words, the tiers side by side, (L, T N) float32."""
    out = np.zeros((len(words), len(tiers) * N_COLUMNS), dtype=np.float32)
    for t, template in enumerate(tiers):
        for i, names in enumerate(templates.features_of(list(words), template)):
            for name in names:
                code = zlib.crc32(name.encode())
                out[i, t * N_COLUMNS + code % N_COLUMNS] += 1 - 2 * (code >> 31)
    return out
