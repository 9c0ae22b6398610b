"""A word whose positions have individual orders and tiers, by listing all labellings that survive."""

import itertools

import numpy as np


class EveryWord:
    """All labellings that survive, scored one by one.

    Parameters
    ----------
    unary : ndarray, shape (L, T, K)
    grams : dict of tuple to float
        What each n-gram adds on its own; the end mark is K.
    weights : dict of str to ndarray
        ``ink``, ``text``, ``letter`` (T, N), ``single``, ``first``, ``frequency`` (K,).
    """

    def __init__(self, unary, grams, weights):
        self.unary, self.grams, self.weights = unary, grams, weights
        self.length, _, self.n_states = unary.shape
        self.order, self.tier = [1] + [2] * (self.length - 1), [0] * self.length
        self.gap = 0.0
        self.left = list(itertools.product(range(self.n_states), repeat=self.length))

    def first_gap(self):
        """How far letters lie below the best word through them, on average over all positions."""
        self.gap = -np.mean([v for i in range(self.length) for v in self.values(i, i).values()])
        return self.gap

    def gram(self, word, i):
        order, last = self.order[i], word[i]
        total = self.weights["first" if i == 0 else "single"][last]
        for n in range(2, order + 1):
            total += self.grams.get(word[i - n + 1 : i + 1], 0.0)
        if i == self.length - 1:
            for n in range(1, order + 1):
                total += self.grams.get((*word[i - n + 1 : i + 1], self.n_states), 0.0)
        return total

    def local(self, word, i):
        t, n = self.tier[i], self.order[i] - 1
        value = self.weights["ink"][t, n] * self.unary[i, t, word[i]]
        value += self.weights["letter"][t, n] * self.weights["frequency"][word[i]]
        text = self.weights["text"][t, n] * self.gram(word, i)
        return (np.round(value * 2**20) + np.round(text * 2**20)) / 2**20

    def score(self, word):
        return sum(self.local(word, i) for i in range(self.length))

    def values(self, first, last):
        """{assignment of positions first .. last: max-marginal less the best}."""
        out, best = {}, -np.inf
        for word in self.left:
            score = self.score(word)
            letters = word[first : last + 1]
            out[letters] = max(out.get(letters, -np.inf), score)
            best = max(best, score)
        return {letters: value - best for letters, value in out.items()}

    def factor(self, i):
        return self.values(i - self.order[i] + 1, i)

    def begin(self, alpha):
        """The first filter: every pair of neighbours (a single letter as it is) by one threshold."""
        self.first_gap()
        return self.filter(dict.fromkeys(range(min(1, self.length - 1), self.length), alpha))

    def act(self, kind, i, alpha):
        """Kind 0 raises the order, 1 the tier; returns what the factor held and what is kept of it."""
        ((held, kept),) = self.act_together([(kind, i)], {i: alpha}).values()
        return held, kept

    def act_together(self, actions, alphas):
        """Several actions, then the filters of all factors that have changed: {i: (held, kept)}."""
        for kind, i in actions:
            (self.order, self.tier)[kind][i] += 1
        return self.filter(alphas)

    def filter(self, alphas):
        """Filter factors i, each by its own alpha, by max-marginals of what is left now."""
        out = {}
        for i, alpha in alphas.items():
            values, limit = self.factor(i), -(1 - alpha) * self.gap
            out[i] = values, {letters for letters, value in values.items() if value > limit or value == 0.0}
        for i, (_, kept) in out.items():
            first = i - self.order[i] + 1
            self.left = [word for word in self.left if word[first : i + 1] in kept]
        return out
