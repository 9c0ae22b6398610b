"""Microseconds per word of everything that a policy does: features and scores, choosing, parsing.

All pieces of all policies and parsers alternate on the same sentences; the fastest of several runs counts.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.engine.dependency import projective
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import policies as chosen
from spcviz.problems.parsing.model import world as worlds
from spcviz.problems.parsing.model.features import N_FEATURES, TEMPLATES, codes_of_row
from spcviz.problems.parsing.model.parser import best_tree
from spcviz.problems.parsing.shown import METHOD_OF, ONE_SHOT
from spcviz.shared.clock import least_us, rounds_us

EVERY = 8
"""Every `EVERY`-th test sentence is timed."""
N_TURNS = 5
PIECES = ("us_features", "us_policy", "us_decoding")


class Timed(NamedTuple):
    """A parser on the timed sentences."""

    parser: parsers.Parser
    world: worlds.Sentences
    rows: np.ndarray  # indices of these words among all
    scored: parsers.Scored


class Clock:
    """Times several parsers, `given` with their worlds, on some `sentences`, alternating between them."""

    def __init__(self, policies, sentences, given):
        some = np.arange(0, len(sentences.starts) - 1, EVERY)
        self.policies = policies
        self.sentences = sentences.some(some)
        self.timed = {
            name: Timed(parser, *world.some(some), parsers.score(parser, self.sentences))
            for name, (parser, world) in given.items()
        }
        self.n_words = len(self.sentences.words) - len(self.sentences.starts) + 1

    def run(self, curves, shares) -> tuple[dict, dict]:
        """(rows of every policy at every share, of one template for all words), by name of the parser."""
        names = [(name, key) for name, of_parser in curves.items() for key in of_parser.orders]
        pieces = [self._pieces(self.timed[name], key, curves[name], s) for name, key in names for s in shares]
        calls = [call for piece in pieces for call in piece]
        tiers = range(len(TEMPLATES))
        alone = [call for timed in self.timed.values() for tier in tiers for call in self._alone(timed, tier)]
        us = rounds_us([*calls, *alone], N_TURNS) / self.n_words  # (calls, turns)
        by_policy = us[: len(calls)].reshape(len(names), len(shares), len(PIECES), N_TURNS)
        rows = {at: [_row(PIECES, one) for one in by_share] for at, by_share in zip(names, by_policy)}
        by_template = us[len(calls) :].reshape(len(self.timed), len(TEMPLATES), 2, N_TURNS)
        kinds = PIECES[0], PIECES[2]
        rows_alone = [[_row(kinds, one) for one in by_tier] for by_tier in by_template]
        return rows, {
            name: [{"template": template} | row for template, row in zip(TEMPLATES, of_parser)]
            for name, of_parser in zip(self.timed, rows_alone)
        }

    def _pieces(self, timed, key, curves, share):
        """Calls of `PIECES`."""
        tiers, both = buy_share(curves.orders[key], share)[timed.rows], is_looking(key)
        score = partial(parsers.score_states, timed.parser, self.sentences, tiers, timed.scored, both=both)
        choosing = self._choosing(timed.world, key, curves.rules[key], share)
        return score, choosing, self._answering(timed.world, key, tiers)

    def _alone(self, timed, tier):
        """Calls that score all words with one template, and parse."""
        labels, tiers = np.empty(self.n_words, dtype=np.int64), np.full(self.n_words, tier)
        squares, at, starts = timed.scored.squares, timed.scored.at, timed.world.starts
        return (
            partial(parsers.score_states, timed.parser, self.sentences, tiers, timed.scored, both=False),
            partial(_decode_all, squares[tier], at, starts, False, labels),
        )

    def _choosing(self, world, key, rule, share):
        """A call that chooses the words; it includes parsing where the policy uses parses."""
        policies = self.policies
        if key in ONE_SHOT and not is_looking(key):
            return lambda: chosen.quick_odds(policies.one_shot[key], world) > 0
        if key in ONE_SHOT:
            weights, constant = chosen.first_weights(policies.one_shot[key])
            labels = np.empty(world.shape[0], dtype=np.int64)
            return lambda: world.first_odds(weights, constant, labels) > 0
        if key == "myopic":
            return lambda: np.add.reduceat(world.closeness(), world.starts[:-1]) > 0
        if key == "anytime":
            # Its values are computed by parsing all sentences after every step.
            steps = part_policy.rule(policies.anytime.weights[-1:])
            return lambda: part_policy.spend(world, steps, share * self.n_words)
        if METHODS[METHOD_OF[key]].rule.by in ("policy", "one step"):
            return lambda: part_policy.spend(world, rule, share * self.n_words)
        return lambda: None

    def _answering(self, world, key, tiers):
        """A call for the final parse; policies that spend step by step have made it already."""
        labels = np.zeros(self.n_words, dtype=np.int64)
        if key in ("anytime", "dms_pi", "greedy"):
            return lambda: None
        if key in ONE_SHOT and is_looking(key):
            return lambda: world.read_again(tiers, labels)
        return lambda: world.read(tiers)

    def templates(self) -> list[dict]:
        """Features ("full": what it adds to tags), scores and both decoders of the first parser alone."""
        sentences, n = self.sentences, self.n_words
        parser, world, _, scored = next(iter(self.timed.values()))
        everything = [np.full(n, t) for t in range(len(TEMPLATES))]
        squares, at, starts = scored.squares, scored.at, world.starts
        parsers.score_states(parser, sentences, everything[1], scored, both=True)
        labels = np.empty(n, dtype=np.int64)
        names = [f"{name}: {what}" for what in ("features", "features and scores") for name in TEMPLATES]
        names += ["decoding: arborescence", "decoding: Eisner"]
        text = sentences.codes, sentences.starts
        calls = [partial(_features_alone, *text, t, parser.longest) for t in range(len(TEMPLATES))]
        score = partial(parsers.score_states, parser, sentences)
        calls += [partial(score, tiers, scored, both=False) for tiers in everything]
        calls += [partial(_decode_all, squares[1], at, starts, how, labels) for how in (False, True)]
        return [{"what": what, "us_per_word": us / n} for what, us in zip(names, least_us(calls, N_TURNS))]


def _row(names, us):
    """Microseconds of pieces (pieces, rounds): the least of each, their sum, and the sums of every round."""
    least = us.min(axis=1)
    row = dict(zip(names, least.tolist())) | {"us_per_word": float(least.sum())}
    return row | {"us_per_word_turns": us.sum(axis=0).tolist()}


def buy_share(order, share):
    """Tiers of all words, shape (R,), with a share of them bought in an order.

    >>> buy_share(np.array([2, 0, 1, 3]), 0.5)
    array([1, 0, 1, 0])
    """
    tiers = np.zeros(len(order), dtype=np.int64)
    tiers[order[: round(share * len(order))]] = 1
    return tiers


def is_looking(key):
    """Whether a policy needs all words scored by tags before it chooses."""
    if key in ONE_SHOT:
        return METHODS[key].rule.inputs == "complex"
    return not key.startswith("uniform")


@kernel
def _features_alone(codes, starts, template, longest):
    """Compute and discard the features of all arcs of all words; returns their number."""
    total = 0
    for w in range(len(starts) - 1):
        a, b = starts[w], starts[w + 1]
        features, counts = np.empty((b - a, N_FEATURES[1]), dtype=np.int32), np.zeros(b - a, dtype=np.int64)
        for d in range(1, b - a):
            codes_of_row(codes[a:b], d, template, longest, features, counts)
            total += np.sum(counts)
    return total


@kernel
def _decode_all(squares, at, starts, is_projective, labels):
    """Heads of all words by one of the two algorithms."""
    for w in range(len(starts) - 1):
        i, j = starts[w], starts[w + 1]
        n = j - i + 1
        scores = squares[at[w] : at[w + 1]].reshape(n, n)
        if is_projective:
            projective._decode(scores, True, labels[i:j])
        else:
            best_tree(scores, labels[i:j])
