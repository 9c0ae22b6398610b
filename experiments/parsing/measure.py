"""Measure parsing policies on one corpus: accuracy and time for every share of words bought, with depths."""

import contextlib
from itertools import product
from typing import NamedTuple

import numpy as np

from experiments.parsing import times
from experiments.parsing.times import buy_share
from experiments.tagging.equal_loss import draws, interval
from spcviz.engine.dependency import arborescence, projective
from spcviz.engine.errors import InfeasibleError
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import policies as chosen

SHARES = np.round(np.linspace(0.0, 1.0, 11), 2)
"""Of words with the full template."""
COMPARED = (0.5, 0.7)
"""Shares at which policies are compared."""
LOSSES = (0.0, 0.5, 1.0)
"""Points of development heads that a policy may be below everything for all words."""
DEEPEST = 7
"""Largest depth in a tree that is counted separately; deeper words count as this deep."""
NEAR = 3
"""Depths below it are near the root."""
N_DRAWS = 500


class Parts(NamedTuple):
    """Parsers, policies and sentences of one corpus."""

    # parser, with_lengths: the second has a length dictionary
    parser: parsers.Parser
    with_lengths: parsers.Parser
    policies: chosen.Policies
    dev: object
    test: object

    def parsers(self):
        """The parsers by whether they have a length dictionary."""
        return {False: self.parser, True: self.with_lengths}


def measure(parts, rng) -> dict:
    """All figures of one corpus; `depth` and `compared` are without a length dictionary."""
    dev, test = (_measure_parsers(parts, sentences, rng) for sentences in (parts.dev, parts.test))
    best = _best(dev.found[False], dev.worlds[False])
    rows = []
    for (name, key), us in test.us.items():
        wrong, wrong_dev = (split.found[name].wrong[key] for split in (test, dev))
        for i, share in enumerate(SHARES):
            row = {"policy": key, "features_share": float(share), "dictionary": name}
            row |= {"shared_weights": True, "uas": _uas(wrong[i], test.worlds[name])} | us[i]
            row |= {"uas_dev": _uas(wrong_dev[i], dev.worlds[name])}
            rows.append(row | {"us_per_word_dev": dev.us[name, key][i]["us_per_word"]})
    alone = _without_policy(parts, test, dev)
    return {
        "rows": rows,
        "chosen": _choose_fastest(rows, alone["without_policy"]),
        "depth": _depths(test.found[False].orders, test.worlds[False]),
        "compared": _compare_policies(test.found[False].wrong, test.worlds[False], best),
        "best": best,
        "templates": test.clock.templates(),
        **alone,
    }


class Measured(NamedTuple):
    """Measurements on a part of a corpus, by whether there is a length dictionary."""

    sentences: object
    worlds: dict
    found: dict  # `Curves`
    clock: times.Clock
    us: dict  # by dictionary and policy: a row of times for each of `SHARES`
    alone: dict  # a row of times for each template


def _measure_parsers(parts, sentences, rng):
    made, scale = parts.parsers(), parts.policies.scale
    worlds = {name: chosen.world_of(parser, sentences, scale) for name, parser in made.items()}
    curves = {name: _curves(parts.policies, world, rng) for name, world in worlds.items()}
    given = {name: (parser, worlds[name]) for name, parser in made.items()}
    clock = times.Clock(parts.policies, sentences, given)
    return Measured(sentences, worlds, curves, clock, *clock.run(curves, SHARES))


def _choose_fastest(rows, alone):
    """The fastest policy and share within each of `LOSSES`, with and without a length dictionary."""
    full = next(row for row in alone if row["template"] == "full")
    out = []
    for loss, name in product(LOSSES, (False, True)):
        within = (
            row for row in rows if row["dictionary"] == name and row["uas_dev"] >= full["uas_dev"] - loss
        )
        if row := min(within, key=lambda row: row["us_per_word_dev"], default=None):
            faster = full["us_per_word"] / row["us_per_word"]
            turns = np.divide(full["us_per_word_turns"], row["us_per_word_turns"]).tolist()
            row = row | {"uas_full": full["uas_arborescence"], "times_faster": faster}
            out.append({"loss": loss} | row | {"times_faster_turns": turns})
    return out


class Curves(NamedTuple):
    """Rules, orders (R,), and wrong heads of each sentence at each of `SHARES` (G, W), by policy."""

    rules: dict
    orders: dict
    wrong: dict


def _curves(policies, world, rng):
    rules = chosen.rules(policies, world, rng)
    orders, wrong = chosen.orders(rules, world), {}
    for key, order in orders.items():
        wrong[key] = np.array([world.wrong(world.read(buy_share(order, share))) for share in SHARES])
    return Curves(rules, orders, wrong)


def _uas(wrong, world):
    return float(100 - 100 * wrong.sum() / world.shape[0])


def _best(dev, world):
    """The most accurate one-shot policy on development sentences, over the shares compared."""
    at = [int(np.flatnonzero(share == SHARES)[0]) for share in COMPARED]
    n_wrong = {key: dev.wrong[key][at].sum() for key in chosen.ONE_SHOT}
    return min(n_wrong, key=n_wrong.get)


def _compare_policies(wrong, world, best):
    """Policies against uniform, everything and the best one shot, at equal shares: UAS and intervals."""
    weights = draws(len(world.starts) - 1, N_DRAWS)
    words = weights @ np.diff(world.starts)
    full = next(iter(wrong.values()))[-1]
    out = []
    for share in COMPARED:
        at = int(np.flatnonzero(share == SHARES)[0])
        for key, by_share in wrong.items():
            row = {"policy": key, "features_share": share, "is_chosen": key == best}
            rivals = {"uniform": wrong["uniform"][at], "full": full, "one_shot": wrong[best][at]}
            for name, other in rivals.items():
                gap = 100 * (weights @ (other - by_share[at]).astype(float)) / words
                row |= {f"minus_{name}": float(gap[0]), f"minus_{name}_interval": list(interval(gap))}
            out.append(row)
    return out


def depths_of(heads: np.ndarray, starts: np.ndarray):
    """The number of words above each in its tree (0: directly below the root), at most `DEEPEST`.

    >>> depths_of(np.array([2, 0, 2, 3]), np.array([0, 4]))
    array([1, 0, 1, 2])
    """
    first = np.repeat(starts[:-1], np.diff(starts))
    above, depth = heads.copy(), np.zeros(len(heads), dtype=np.int64)
    while (above > 0).any():
        depth += above > 0
        above = np.where(above > 0, heads[np.maximum(first + above - 1, 0)], 0)
        if depth.max() > len(heads):
            break  # a cycle: only if the heads are not a tree
    return np.minimum(depth, DEEPEST)


def _depths(orders, world):
    """Share of the words of each true depth that are bought, as the budget grows."""
    depth = depths_of(world.heads, world.starts)
    count = np.bincount(depth, minlength=DEEPEST + 1)
    weights, out = draws(len(world.starts) - 1, N_DRAWS), []
    near = np.stack([depth < NEAR, depth >= NEAR]).astype(np.float64)
    words = weights @ np.add.reduceat(near, world.starts[:-1], axis=1).T  # (draws, near or far)
    for key, order in orders.items():
        for share in SHARES:
            is_bought = buy_share(order, share) > 0
            n_bought = np.bincount(depth[is_bought], minlength=DEEPEST + 1)
            row = {"policy": key, "features_share": float(share), "words": n_bought.tolist()}
            of = weights @ np.add.reduceat(near * is_bought, world.starts[:-1], axis=1).T
            gap = 100 * (of / words) @ [1.0, -1.0]
            row |= {"near_minus_far": float(gap[0]), "near_minus_far_interval": list(interval(gap))}
            out.append(row | {"bought": (n_bought / np.maximum(count, 1)).tolist()})
    return out


def _without_policy(parts, test, dev):
    """Templates alone: UAS by both decoders, microseconds; also with the length dictionary."""
    out = {"without_policy": [], "lengths": []}
    for has_lengths, parser in parts.parsers().items():
        scored = [parsers.score(parser, split.sentences) for split in (test, dev)]
        for tier, template in enumerate(times.TEMPLATES):
            row = {"arcs": "length dictionary" if has_lengths else "all arcs", "template": template}
            for how, decode in DECODERS.items():
                row[f"uas_{how}"] = uas_by(decode, scored[0], test.sentences, tier)
            row["uas_dev"] = uas_by(DECODERS["arborescence"], scored[1], dev.sentences, tier)
            row |= {"dictionary": has_lengths, "shared_weights": True} | test.alone[has_lengths][tier]
            out["lengths" if has_lengths else "without_policy"].append(row)
    return out


DECODERS = {"arborescence": arborescence.decode, "eisner": projective.decode}


def uas_by(decode, scored, sentences, tier):
    """Heads right, percent, with one template for all words."""
    right = words = 0
    for w in range(len(sentences.starts) - 1):
        a, b = sentences.starts[w : w + 2]
        square = scored.squares[tier, scored.at[w] : scored.at[w + 1]].reshape(b - a, b - a)
        with contextlib.suppress(InfeasibleError):  # no projective tree is left: all its words are wrong
            right += int((decode(square, single_root=True).heads == sentences.heads[a + 1 : b]).sum())
        words += int(b - a - 1)
    return 100 * right / words
