"""Microseconds a word of everything that a policy does: features and scores, choosing, parsing.

Each piece is run by itself on the same sentences, for every policy at every share: what is scored (tags for
all words if the policy looks at the first parse, else only for words that are not bought; everything for
words bought), what it takes to choose, and the parse that gives the answer (of sentences that changed, where
a first parse was there already). The fastest of several runs counts: other programs only slow them down.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from spcviz.engine.dependency import projective
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import policies as chosen
from spcviz.problems.parsing.model.features import N_FEATURES, TEMPLATES, codes_of_row
from spcviz.problems.parsing.model.parser import best_tree
from spcviz.problems.parsing.page.shown import METHOD_OF, ONE_SHOT

EVERY = 8
"""Each so many-th test sentence is timed."""
N_TURNS = 5
PIECES = ("us_features", "us_policy", "us_decoding")


def least_us(calls: list[Callable], n_turns: int = N_TURNS) -> np.ndarray:
    """Microseconds of each call, in turns, the fastest of its runs; the first run is not counted."""
    for call in calls:
        call()
    taken = np.full((n_turns, len(calls)), np.inf)
    for turn in range(n_turns):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            taken[turn, k] = 1e6 * (time.perf_counter() - start)
    return taken.min(axis=0)


class Clock:
    """Times on some sentences of a test part; `world` is of the whole test part."""

    def __init__(self, parts, world):
        some = np.arange(0, len(world.starts) - 1, EVERY)
        self.parts = parts
        self.sentences = parts.test.some(some)
        self.world, self.rows = world.some(some)
        self.n_words = len(self.rows)
        self.scored = parsers.score(parts.parser, self.sentences)

    def policies(self, rules, orders, shares) -> dict[str, list[dict]]:
        """What every policy takes at every share; all of them in turns.

        ``us_features``, ``us_policy``, ``us_decoding`` and their sum, ``us_per_word``.
        """
        calls = [
            call
            for key, order in orders.items()
            for share in shares
            for call in self._pieces(key, rules[key], order, share)
        ]
        us = least_us(calls).reshape(len(orders), len(shares), len(PIECES)) / self.n_words
        return {
            key: [dict(zip(PIECES, own.tolist())) | {"us_per_word": float(own.sum())} for own in us[k]]
            for k, key in enumerate(orders)
        }

    def _pieces(self, key, rule, order, share):
        """Calls of `PIECES`."""
        tiers = np.zeros(len(order), dtype=np.int64)
        tiers[order[: round(share * len(order))]] = 1
        tiers, both = tiers[self.rows], is_looking(key)
        score = partial(
            parsers.score_states, self.parts.parser, self.sentences, tiers, self.scored, both=both
        )
        return score, self._choosing(key, rule, share), self._answering(key, tiers)

    def _choosing(self, key, rule, share):
        """What chooses the words; it parses where the policy looks at parses."""
        world, policies = self.world, self.parts.policies
        if key in ONE_SHOT and not is_looking(key):
            return lambda: chosen.quick_odds(policies.one_shot[key], world) > 0
        if key in ONE_SHOT:
            weights, constant = chosen.first_weights(policies.one_shot[key])
            labels = np.empty(world.shape[0], dtype=np.int64)
            return lambda: world.first_odds(weights, constant, labels) > 0
        if key == "myopic":
            return lambda: np.add.reduceat(world.closeness(), world.starts[:-1]) > 0
        if key == "anytime":
            # Its values are worked out by parsing after every step of all sentences.
            steps = part_policy.rule(policies.anytime.weights[-1:])
            return lambda: part_policy.spend(world, steps, share * self.n_words)
        if METHODS[METHOD_OF[key]].rule.by in ("policy", "one step"):
            return lambda: part_policy.spend(world, rule, share * self.n_words)
        return lambda: None

    def _answering(self, key, tiers):
        """The parse that counts; who spends step by step has made it."""
        world, labels = self.world, np.zeros(self.n_words, dtype=np.int64)
        if key in ("anytime", "dms_pi", "greedy"):
            return lambda: None
        if key in ONE_SHOT and is_looking(key):
            return lambda: world.read_again(tiers, labels)
        return lambda: world.read(tiers)

    def templates(self) -> list[dict]:
        """Features and scores of each template, and both ways of decoding, by themselves: ``what`` and
        ``us_per_word``.

        Features are also timed without scores.
        """
        sentences, parser = self.sentences, self.parts.parser
        n = len(sentences.words) - len(sentences.starts) + 1
        everything = [np.full(n, t) for t in range(len(TEMPLATES))]
        squares, at, starts = self.scored.squares, self.scored.at, self.world.starts
        parsers.score_states(parser, sentences, everything[1], self.scored, both=True)
        labels = np.empty(n, dtype=np.int64)
        names = [f"{name}: {what}" for what in ("features", "features and scores") for name in TEMPLATES]
        names += ["decoding: arborescence", "decoding: Eisner"]
        text = sentences.codes, sentences.starts
        calls = [partial(_features_alone, *text, t, parser.longest) for t in range(len(TEMPLATES))]
        score = partial(parsers.score_states, parser, sentences)
        calls += [partial(score, own, self.scored, both=False) for own in everything]
        calls += [partial(_decode_all, squares[1], at, starts, how, labels) for how in (False, True)]
        return [{"what": what, "us_per_word": us / n} for what, us in zip(names, least_us(calls).tolist())]

    def alone(self, parser, name):
        """A parser with one template for all words: features, scores and decoding."""
        sentences, starts = self.sentences, self.world.starts
        scored = parsers.score(parser, sentences)
        n, out = self.n_words, []
        labels = np.empty(n, dtype=np.int64)
        for tier, template in enumerate(TEMPLATES):
            own = np.full(n, tier)
            calls = [
                partial(parsers.score_states, parser, sentences, own, scored, both=False),
                partial(_decode_all, scored.squares[tier], scored.at, starts, False, labels),
            ]
            features, decoding = (least_us(calls) / n).tolist()
            row = {"arcs": name, "template": template, "us_features": features, "us_decoding": decoding}
            out.append(row | {"us_per_word": features + decoding})
        return out


def is_looking(key):
    """Whether a policy has all words scored by tags before it chooses."""
    if key in ONE_SHOT:
        return METHODS[key].rule.inputs == "complex"
    return not key.startswith("uniform")


@kernel
def _features_alone(codes, starts, template, longest):
    """Features of all arcs of all words, thrown away; how many there are."""
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
