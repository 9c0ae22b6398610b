"""The online learner in plain numpy, weight by weight, output by output. Imports nothing from spcviz.

An example is (features (L, F), truth tuple, outputs): outputs are the labellings of its space. Gram
weights live in a dictionary {tuple of states: weight}; n-grams that end in the end mark end in K.
"""

from collections import Counter

import numpy as np


def grams_of(y, order, n_states, has_end):
    """Counts of the n-grams that a labelling completes, n = 2 .. order, with the end mark as state K."""
    order = min(order, len(y))
    counts = Counter(
        y[i - j + 1 : i + 1] for i in range(len(y)) for j in range(2, order + 1) if i - j + 1 >= 0
    )
    if has_end:
        counts.update((*y[len(y) - j :], n_states) for j in range(1, order + 1))
    return counts


def assignments_of(y, order, on_nodes):
    """(column, n-gram)s of a labelling, or (column, (n-1)-gram)s."""
    n = max(min(order, len(y)) - on_nodes, 1)  # single states have nothing smaller
    return [(c, y[c : c + n]) for c in range(len(y) - n + 1)]


def direction(loss, example, score, order):
    """(loss, {labelling: amount}): the step along each labelling's features."""
    _, truth, outputs = example
    values = {y: score(y) for y in outputs}
    best = max(outputs, key=values.get)
    if loss["name"] == "perceptron":
        return values[best] - values[truth], {truth: 1.0, best: -1.0} if best != truth else {}
    if loss["name"] == "log":
        top = values[best]
        mass = {y: np.exp(v - top) for y, v in values.items()}
        total = sum(mass.values())
        step = {y: -m / total for y, m in mass.items()}
        step[truth] += 1.0
        return top + np.log(total) - values[truth], step
    witness = {}
    for y in outputs:
        for at in assignments_of(y, order, loss["on_nodes"]):
            if at not in witness or values[y] > values[witness[at]]:
                witness[at] = y
    m = len(witness)
    mean = sum(values[y] for y in witness.values()) / m
    hinge = (
        loss["margin"] * len(truth)
        + loss["alpha"] * values[best]
        + (1 - loss["alpha"]) * mean
        - values[truth]
    )
    if hinge <= 0:
        return 0.0, {}
    step = Counter({truth: 1.0})
    step[best] -= loss["alpha"]
    for y in witness.values():
        step[y] -= (1 - loss["alpha"]) / m
    return hinge, step


def fit(examples, orders, loss, weights, grams, *, n_states, order, rate, gram_rate, decay, falling, has_end):
    """Averaged weights, averaged gram weights, mean loss of each pass.

    `orders` lists the examples of each pass. (4.9): first the old weights shrink, then comes the step; the
    average is over the weights after every example, including those without loss. If falling, step t,
    counted from 0 over all passes, is rate / (1 + rate * decay * t).
    """
    first = rate
    weights, grams = weights.copy(), dict(grams)
    weight_sum, gram_sum, steps, means = np.zeros_like(weights), Counter(), 0, []
    for chosen in orders:
        seen = []
        for e in chosen:
            x, _, _ = examples[e]

            def score(y, x=x, weights=weights, grams=grams):
                unary = sum(x[i] @ weights[:, s] for i, s in enumerate(y))
                counts = grams_of(y, order, n_states, has_end)
                return unary + sum(n * grams.get(g, 0.0) for g, n in counts.items())

            if falling:
                rate = first / (1 + first * decay * steps)
            value, step = direction(loss, examples[e], score, order)
            weights *= 1 - rate * decay
            grams = {g: w * (1 - rate * decay) for g, w in grams.items()}
            for y, amount in step.items():
                for i, s in enumerate(y):
                    weights[:, s] += rate * amount * x[i]
                for g, n in grams_of(y, order, n_states, has_end).items():
                    grams[g] = grams.get(g, 0.0) + rate * gram_rate * amount * n
            weight_sum += weights
            for g, w in grams.items():
                gram_sum[g] += w
            steps += 1
            seen.append(value)
        means.append(np.mean(seen))
    return weight_sum / steps, {g: w / steps for g, w in gram_sum.items()}, means
