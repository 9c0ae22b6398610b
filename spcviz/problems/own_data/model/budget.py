"""One budget over a visitor's sentences: features in three tiers, and what every policy buys with it.

The template's features form three tiers: words (free), their endings, beginnings and shapes, and their
neighbours. Each tier is hashed into `N_COLUMNS` columns. A unit buys a token's next tier.
"""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine.chains.chain import decode_batch
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets.chains.tiered import tier_scores
from spcviz.learning.budgets.part_policy import Learned
from spcviz.problems.budgets.compare import Batch, spell_readings, trade_off
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.training import Settings, deal
from spcviz.problems.own_data.shown import TERMS
from spcviz.shared.clock import fastest_us
from spcviz.spending import BudgetedTagger, FeatureTiers
from spcviz.spending.policies import rule_of, world_of

N_COLUMNS = 256
MOST_TOKENS = 4_000
"""Most tokens that policies are learned from, and most that they are tried on."""

MOST_SENTENCES, MOST_DRAWN = 60, 900
"""Most sentences, and most tokens in them, that the view draws."""

FIRST_SYMBOL = 0x2800
"""First code point of the symbols that write labels as text, one symbol per label."""

OF_THEIR_OWN = ("one_shot", "anytime", "myopic")
"""Policies whose values are computed before anything is bought."""

POLICIES = ("dms_pi", "greedy", "one_shot", "anytime", "myopic", "uniform", "random")
SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
TIERS = ("words", "endings", "context")


class PolicyCurve(NamedTuple):
    """Results of one policy at several budgets."""

    key: str  # of `spcviz.learning.budgets.methods.METHODS`
    spent: np.ndarray  # (B,): share of the cost of everything
    right: np.ndarray  # (B,): share of the tokens


class Bought(NamedTuple):
    """Features bought for held-out sentences, policy by policy."""

    tiers: tuple[str, ...]  # the first is free; each of the others costs a token one unit
    curves: tuple[PolicyCurve, ...]
    n_train: int  # sentences that the model and the policies learned from
    n_tokens: int  # held-out tokens that the curves are measured on
    batch: TradeOff  # some of the sentences under every policy; ``drawn`` is None, `chain_ids` are indices


def tier_of(entry: tuple[templates.Part, ...]) -> int:
    """The tier of a template's entry.

    >>> [tier_of(entry) for entry in templates.read_template("bias word[0] shape[0] word[-1]+word[0]")]
    [0, 0, 1, 2]
    """
    if any(place for _, place in entry):
        return 2
    return int(any(what not in ("word", "lower") for what, _ in entry))


def spend(settings: Settings, sentences: Sequence[list[str]], labels: Sequence[list[str]]) -> Bought:
    """Train on one part of the sentences, and buy features for the held-out ones with every policy."""
    template = templates.read_template(settings.template)
    tiers = [tuple(entry for entry in template if tier_of(entry) == t) for t in range(len(TIERS))]
    if sum(map(bool, tiers)) < 2:
        raise ArgumentError(
            "A budget needs features of at least two kinds in the template: words, endings (or shapes), and "
            "neighbours (places other than [0])."
        )
    dealt = deal([len(words) for words in sentences], settings)
    lengths = np.array([len(words) for words in sentences])
    train, test = _some(dealt.train, lengths, MOST_TOKENS), np.concatenate([dealt.dev, dealt.test])
    test = _some(test, lengths, MOST_TOKENS)
    used = [tier for tier in tiers if tier]
    X = {i: _rows(sentences[i], used) for i in (*train.tolist(), *test.tolist())}
    columns = [np.arange(n * N_COLUMNS, (n + 1) * N_COLUMNS) for n in range(len(used))]
    names = tuple(name for name, tier in zip(TIERS, tiers) if tier)
    costs = (0.0, *(1.0,) * (len(used) - 1))
    tagger = BudgetedTagger(FeatureTiers(names, columns, costs), cv=3, random_state=settings.seed)

    def of(chosen):
        return [X[i] for i in chosen.tolist()], [list(labels[i]) for i in chosen.tolist()]

    every = tagger.fit_each(*of(train), POLICIES)
    held, gold = of(test)
    everything = every[POLICIES[0]].cost_of_everything(held)
    curves = []
    for key, fitted in every.items():
        curve = fitted.curve(held, gold, [share * everything for share in SHARES])
        curves.append(PolicyCurve(key, curve.cost / everything, 1.0 - curve.error))
    drawn = _some(test, lengths, MOST_DRAWN)[:MOST_SENTENCES]
    us = [_us([sentences[i] for i in drawn.tolist()], tier) for tier in used[1:]]
    batch = _batch(every, *of(drawn), us)
    batch = batch._replace(chain_ids=drawn, tier_names=(names[0], *(f"+ {name}" for name in names[1:])))
    return Bought(names, tuple(curves), len(train), int(lengths[test].sum()), batch)


def _some(chosen: np.ndarray, lengths: np.ndarray, most: int) -> np.ndarray:
    """The first of some sentences, with at most `most` tokens in all."""
    return chosen[np.cumsum(lengths[chosen]) <= most]


def _us(sentences: list[list[str]], template: templates.Template) -> float:
    """Microseconds per token that a tier's features take."""
    _, us = fastest_us(lambda: [_rows(words, [template]) for words in sentences])
    return us / sum(map(len, sentences))


def _batch(
    every: dict[str, BudgetedTagger], X: list[np.ndarray], labels: list[list[str]], us: list[float]
) -> TradeOff:
    """Sentences as the Trade-off view replays them: what every policy buys, purchase by purchase."""
    first = every[POLICIES[0]]
    names = [str(label) for label in first.classes_.tolist()]
    number = {name: k for k, name in enumerate(names)}
    truth = np.array([number.get(label, len(names)) for row in labels for label in row])
    starts = np.concatenate([[0], np.cumsum([len(row) for row in labels])])
    scores = tier_scores(first.model_, first.reader_.features(X))
    step, model = first.model_.pairwise, np.zeros(len(truth), dtype=np.int64)
    world = world_of(scores, step[None], model, truth, starts, first.seen_, first.margin_)
    n_tiers = scores.shape[1]

    def read(tier=0):
        return decode_batch(np.ascontiguousarray(scores[:, tier]), np.diff(starts), step)

    alphabet = "".join(chr(FIRST_SYMBOL + k) for k in range(len(names) + 1))  # the last: any other label
    batch = Batch(
        world=world,
        labels=np.array([read(tier).labels for tier in range(n_tiers)]),
        values={},
        learned=Learned(
            policy=first.policy_.beta,
            one_step=every["greedy"].policy_.beta,
            imitation=None,
            noise=np.random.default_rng(first.policy_.seed).random((len(truth), n_tiers - 1)),
            fixed={key: rule_of(every[key].policy_, world, 0.0).fixed for key in OF_THEIR_OWN},
        ),
        feature_us=np.tile(us, (len(truth), 1)),
        costs=None,
        read=read,
        alphabet=alphabet,
    )
    return trade_off(
        batch,
        ("fixed", *POLICIES),
        TERMS,
        task="own_data",
        chain_ids=np.arange(len(labels)),
        truths=spell_readings(truth, starts, alphabet),
        faults=(truth[:, None] != np.arange(len(names) + 1)).astype(np.uint8),
        tier_names=(),
        tier_short=TIERS[:n_tiers],
    )


def _rows(words: list[str], tiers: list[templates.Template]) -> np.ndarray:
    """Hashed features of a sentence's words, the tiers side by side, (L, T N) float32."""
    out = np.zeros((len(words), len(tiers) * N_COLUMNS), dtype=np.float32)
    for t, template in enumerate(tiers):
        for i, names in enumerate(templates.features_of(list(words), template)):
            for name in names:
                code = zlib.crc32(name.encode())
                out[i, t * N_COLUMNS + code % N_COLUMNS] += 1 - 2 * (code >> 31)
    return out
