"""Parse one sentence under every policy at every number of bought words, for the page Parsing."""

import contextlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.dependency import arborescence
from spcviz.learning.budgets.part_policy import Learned, rule
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.problems.budgets.compare import Batch, spell_readings, timed_course, trade_off
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.parsing.data.treebank import encode
from spcviz.problems.parsing.model import policies
from spcviz.problems.parsing.model import stored as models
from spcviz.problems.parsing.shown import (
    OFFERED,
    ONE_SHOT,
    TERMS,
    TIERS,
    TRADED,
    ParsedSentence,
    PolicyCourse,
    describe_policy,
)
from spcviz.problems.tagging.data.corpora import drawable_words
from spcviz.problems.tagging.model import stored as tagging
from spcviz.problems.tagging.shown import TAG_NAMES
from spcviz.store import StoreError

MAX_WORDS = 50
"""Longest sentence that is drawn."""
RANDOM_STATE = 6
"""Of random orders: this seed leaves 2 heads wrong in the first scene, as random orders do on average."""
FIRST_SYMBOL = 0x2800
"""First code point of the symbols that write heads 0, 1, 2 ... as text, one symbol per head."""


def read_sentence(text: str) -> tuple[str, ...]:
    """Typed text as 1 to 50 words; an `ArgumentError` is one readable sentence.

    >>> read_sentence("Birds don't sing.")
    ('Birds', 'do', "n't", 'sing', '.')
    """
    return tuple(drawable_words(text, "parse", MAX_WORDS))


def tags_of(tagger, words):
    """Penn tags of a sentence by the tagging cascade: a tuple of str."""
    model, rows = tagger.of_words(words)
    steps = list(filter_examples(model.cascade, rows, [len(words)]))
    labels = predict(model.cascade.levels[-1], steps[-1].lattice, rows).labels
    return tuple(tagger.tag_set[k] for k in labels)


def parse(
    model: models.ParseModel,
    tagger: tagging.StoredTagger,
    words: tuple[str, ...],
    truth: ArrayLike | None = None,
) -> ParsedSentence:
    """A sentence of 1 to 50 words under every policy of the page; `truth` are its heads, where known."""
    tags = tags_of(tagger, words)
    world = world_of(model, [words], [tags])
    n, fixed = len(words), policies.rules(model.policies, world, np.random.default_rng(RANDOM_STATE))
    us = [model.us[tier.key] for tier in TIERS]
    return ParsedSentence(
        words=tuple(words),
        tags=tags,
        meanings={tag: TAG_NAMES.get(tag, tag) for tag in tags},
        truth=None if truth is None else np.asarray(truth, dtype=np.int64),
        full_us=n * us[1] + timed_course(world, rule(fixed=np.zeros((n, 1))))[1],
        courses=tuple(_course(key, fixed[key], world, us) for key in OFFERED),
    )


def world_of(model, words, tags):
    """Sentences scored by the model; heads are -1."""
    return policies.world_of(model.parser, encode(words, tags, model.parser.tag_set), model.policies.scale)


def compare(
    model: models.ParseModel, tagger: tagging.StoredTagger, sentences: Sequence, seed: int = 0
) -> TradeOff:
    """What every method buys on a batch of gallery sentences; `seed` is that of the random orders."""
    words = [sentence.words for sentence in sentences]
    world = world_of(model, words, [tags_of(tagger, sentence) for sentence in words])
    heads = np.concatenate([sentence.heads for sentence in sentences])
    world, rng = world._replace(heads=heads), np.random.default_rng([seed, 7])
    fixed, n = policies.fixed_values(model.policies, world, rng), world.shape[0]
    alphabet = "".join(chr(FIRST_SYMBOL + k) for k in range(max(len(sentence) for sentence in words) + 1))
    first = world.starts[:-1]
    labels = np.array([world.read(np.full(n, tier)) for tier in range(len(TIERS))])
    dear = model.us[TIERS[1].key] - model.us[TIERS[0].key]  # what buying a word adds
    values = {"least_sure": fixed["myopic"][first], "uniform_arms": fixed["uniform_sentences"][first]}
    by_key = {key: fixed[key] for key in (*ONE_SHOT, "anytime")}
    learned = Learned(model.policies.beta, model.policies.greedy, None, fixed["uniform"], by_key)
    prices = np.full((n, 1), dear)
    return trade_off(
        Batch(world, labels, values, learned, prices, None, world.closeness, alphabet),
        TRADED,
        TERMS,
        task="parsing",
        chain_ids=np.arange(len(sentences)),
        truths=spell_readings(heads, world.starts, alphabet),
        faults=(heads[:, None] != np.arange(len(alphabet))).astype(np.uint8),
        tier_names=tuple(tier.name for tier in TIERS),
        tier_short=tuple(tier.short for tier in TIERS),
        drawn=tuple(words),
    )


def _course(key, how, world, us):
    """One policy on one sentence."""
    trajectory, base_us, step_us = timed_course(world, how)
    n = world.shape[0]
    heads = np.concatenate([trajectory.labels_before[None], trajectory.all_labels])
    values = np.concatenate([trajectory.all_values, np.full((1, n), -np.inf)])
    score, other, without = np.empty(n + 1), np.empty((n + 1, n), dtype=np.int64), np.empty((n + 1, n))
    squares = world.squares.reshape(2, n + 1, n + 1)
    state = squares[0].copy()
    for s in range(n + 1):
        if s > 0:
            state[trajectory.part[s - 1] + 1] = squares[1, trajectory.part[s - 1] + 1]
        score[s] = state[np.arange(1, n + 1), heads[s]].sum()
        best_without = arborescence.without_arcs(state, single_root=True)
        other[s], without[s] = best_without.heads, best_without.scores
    step = us[1] - us[0] + step_us  # a word that is bought keeps its tags
    spent, values = (
        base_us + n * us[0] + np.arange(n + 1) * step,
        np.where(np.isfinite(values), values, np.nan),
    )
    return PolicyCourse(
        key, *describe_policy(key), trajectory.part, heads, score, other, without, values, spent
    )


def warmup(stored):
    """Compile what the Parsing page calls, with the stored models, if there are any."""
    with contextlib.suppress(StoreError):
        parse(models.load(stored), tagging.load_tagger(stored), ("Birds", "sing", "."))
