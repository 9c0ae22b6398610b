"""One corpus: what every policy gets right for every share of words, where its words stand, what it takes.

A share is of the words of the whole test part, bought in the policy's own order. Intervals are of a bootstrap
over test sentences, in which all policies meet the same draws.
"""

import contextlib
from typing import NamedTuple

import numpy as np

from spcviz.engine.dependency import arborescence, projective
from spcviz.engine.errors import InfeasibleError
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import policies as chosen
from spcviz.problems.parsing.paper import times
from spcviz.problems.tagging.paper.equal_loss import draws, interval

SHARES = np.round(np.linspace(0.0, 1.0, 11), 2)
"""Of words with the full template."""
COMPARED = (0.5, 0.7)
"""Shares at which policies are compared."""
DEEPEST = 7
"""Depths of a tree that are counted separately; deeper words count as this deep."""
N_DRAWS = 500


class Parts(NamedTuple):
    """What a corpus is measured with."""

    # parser, with_lengths: the second has a length dictionary
    parser: parsers.Parser
    with_lengths: parsers.Parser
    policies: chosen.Policies
    dev: object
    test: object


def measure(parts, rng) -> dict:
    """All figures of one corpus; JSON values only.

    ``rows`` of curves, ``depth``, ``compared``, ``templates``, ``lengths``, ``without_policy``, ``best``.
    """
    worlds = {name: chosen.world_of(parts.parser, own, parts.policies.scale)
              for name, own in (("dev", parts.dev), ("test", parts.test))}  # fmt: skip
    found = {name: _curves(parts.policies, world, rng) for name, world in worlds.items()}
    best = _best(found["dev"], worlds["dev"])
    test, rules = worlds["test"], found["test"].rules
    clock = times.Clock(parts, test)
    us = clock.policies(rules, found["test"].orders, SHARES)
    rows = []
    for key, wrong in found["test"].wrong.items():
        for i, share in enumerate(SHARES):
            row = {"policy": key, "features_share": float(share), "uas": _uas(wrong[i], test)}
            rows.append(row | us[key][i] | {"uas_dev": _uas(found["dev"].wrong[key][i], worlds["dev"])})
    return {
        "rows": rows,
        "depth": _depths(found["test"].orders, test),
        "compared": _compared(found["test"].wrong, test, best),
        "best": best,
        **_without_policy(parts, test, clock),
    }


class Curves(NamedTuple):
    """Rules, orders (R,), and wrong heads of each sentence at each of `SHARES` (G, W), by policy."""

    rules: dict
    orders: dict
    wrong: dict


def _curves(policies, world, rng):
    rules = chosen.rules(policies, world, rng)
    orders = chosen.orders(rules, world)
    wrong = {
        key: np.array([world.wrong(world.read(bought(order, share))) for share in SHARES])
        for key, order in orders.items()
    }
    return Curves(rules, orders, wrong)


def bought(order, share):
    """Tiers of all words, shape (R,), with a share of them bought in an order.

    >>> bought(np.array([2, 0, 1, 3]), 0.5)
    array([1, 0, 1, 0])
    """
    tiers = np.zeros(len(order), dtype=np.int64)
    tiers[order[: round(share * len(order))]] = 1
    return tiers


def _uas(wrong, world):
    return float(100 - 100 * wrong.sum() / world.shape[0])


def _best(dev, world):
    """The one-shot policy that is right most often on development sentences, at the shares compared."""
    at = [int(np.flatnonzero(share == SHARES)[0]) for share in COMPARED]
    own = {key: dev.wrong[key][at].sum() for key in chosen.ONE_SHOT}
    return min(own, key=own.get)


def _compared(wrong, world, best):
    """Policies against uniform and against everything, at equal shares: points of UAS and intervals."""
    weights = draws(len(world.starts) - 1, N_DRAWS)
    words = weights @ np.diff(world.starts)
    full = next(iter(wrong.values()))[-1]
    out = []
    for share in COMPARED:
        at = int(np.flatnonzero(share == SHARES)[0])
        for key, own in wrong.items():
            row = {"policy": key, "features_share": share, "is_chosen": key == best}
            for name, other in (("uniform", wrong["uniform"][at]), ("full", full)):
                gap = 100 * (weights @ (other - own[at]).astype(float)) / words
                row |= {f"minus_{name}": float(gap[0]), f"minus_{name}_interval": list(interval(gap))}
            out.append(row)
    return out


def depths_of(heads: np.ndarray, starts: np.ndarray):
    """How many words stand above each, shape (R,): 0 for the word below the root, at most `DEEPEST`.

    `heads` (R,) are places in the sentence, 0 the root; `starts` is (W + 1,).

    >>> depths_of(np.array([2, 0, 2, 3]), np.array([0, 4]))
    array([1, 0, 1, 2])
    """
    first = np.repeat(starts[:-1], np.diff(starts))
    above, depth = heads.copy(), np.zeros(len(heads), dtype=np.int64)
    while (above > 0).any():
        depth += above > 0
        above = np.where(above > 0, heads[np.maximum(first + above - 1, 0)], 0)
        if depth.max() > len(heads):
            break  # a cycle: only of heads that are no tree
    return np.minimum(depth, DEEPEST)


def _depths(orders, world):
    """Share of the words of each true depth that are bought, as the budget grows."""
    depth = depths_of(world.heads, world.starts)
    count = np.bincount(depth, minlength=DEEPEST + 1)
    out = []
    for key, order in orders.items():
        for share in SHARES:
            own = np.bincount(depth[bought(order, share) > 0], minlength=DEEPEST + 1)
            row = {"policy": key, "features_share": float(share), "words": own.tolist()}
            out.append(row | {"bought": (own / np.maximum(count, 1)).tolist()})
    return out


def _without_policy(parts, test, clock):
    """Templates by themselves: UAS by both decoders, microseconds; and with the length dictionary."""
    out = {"without_policy": [], "templates": clock.templates(), "lengths": []}
    for name, parser in (("all arcs", parts.parser), ("length dictionary", parts.with_lengths)):
        scored = parsers.score(parser, parts.test)
        timed = {(row["arcs"], row["template"]): row for row in clock.alone(parser, name)}
        for tier, template in enumerate(times.TEMPLATES):
            row = {"arcs": name, "template": template}
            row |= {
                f"uas_{how}": uas_by(decode, scored, parts.test, tier) for how, decode in DECODERS.items()
            }
            out["without_policy" if parser is parts.parser else "lengths"].append(row | timed[name, template])
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
