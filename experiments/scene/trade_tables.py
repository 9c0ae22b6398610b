"""One budget for all test pictures: every method that buys for whole pictures, in milliseconds of features.

The selector learns from validation pictures and buys for test pictures; the machines have learned from
neither. Everything is bought once, in a method's own order; a smaller budget takes the beginning of it.
"""

import numpy as np

from experiments.scene import measure
from spcviz.learning.budgets import batch_selection, expansion, selector
from spcviz.learning.budgets.batch_selection import Looked, Variant
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import extract, train
from spcviz.problems.scene.page import trade
from spcviz.problems.scene.shown import TIERS
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute

NAME = "dms-scene"
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the cost of everything for all pictures
COMPARED = (0.25, 0.5, 0.75)
ETAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # prices of a millisecond, in percent of pixels, for imitation
N_DRAWS, N_RANDOM = 400, 5
CODE = ("spcviz.problems.scene.page.trade", "spcviz.problems.scene.model.train")


def reproduce(run: Run) -> dict:
    """One budget for all test pictures (thesis, Algorithm 3): pixels wrong against milliseconds."""
    lab = train.Lab(run.quick, run.work, run.tick)
    machines = [lab.him(tier.key) for tier in TIERS]
    new = _look_at_split(lab, "val", machines, 10 if run.quick else 1)
    test = _look_at_split(lab, "test", machines, 60 if run.quick else 1)
    costs, n = np.array(trade.feature_ms())[1:], len(test.losses)
    rng = np.random.default_rng(train.RANDOM_STATE)
    sizes = np.full(n, 100)  # losses are per hundred pixels
    per = np.tile(costs, (len(new.losses), 1)), np.tile(costs, (n, 1))
    variants = [Variant("dms", new, test, None), Variant("dms, by value per ms", new, test, per)]
    curves = batch_selection.curves(
        variants, (costs, costs), test.losses, sizes, rng, etas=ETAS, n_random=N_RANDOM
    )
    budgets, rows = costs.sum() * np.array(SHARES), []
    for row in curves:
        error = _at(row["cost"], row["error"], budgets).tolist()
        rows.append({"method": row["method"], "cost_ms": budgets.tolist(), "error": error})
    values = selector.predict_values(trade.learn(new, rng), test.meta)
    return describe(
        NAME,
        "Weiss (2013), thesis, Algorithm 3, on the machines of Grubb et al. (2013), Fig. 2 (CamVid)",
        rows,
        baselines=[row for row in rows if row["method"] in ("uniform", "myopic", "fixed")],
        settings={
            "random_state": train.RANDOM_STATE,
            "tiers": [tier.key for tier in TIERS],
            "error": "pixels wrong, % of those with a class, mean of test pictures",
            "cost_ms": "CPU milliseconds of features a picture beyond the first tier's, from scene-costs",
            "interval": f"95 %, {N_DRAWS} draws of blocks of {measure.BLOCK} successive test pictures",
        },
        data={"camvid": {"losses": test.losses}},
        fold_rows=[{"fold": "test", "rows": rows}],
        compared=_compare_spending(values, test, costs, rng),
        n_pictures=n,
        n_validation=len(new.losses),
        tier_error=test.losses.mean(axis=0).tolist(),
    )


def _look_at_split(lab, split, machines, every):
    """`trade.look` of a split, in parts, which are stored."""
    names = camvid.names_of(split)[::every]
    books = float(sum(np.abs(book.centres).sum(dtype=float) for book in lab.vocabulary.books.values()))
    weights = [
        float(sum(np.abs(t.value).sum(dtype=float) for s in stages for t in s.trees)) for stages in machines
    ]
    kept_parts = []
    for at in range(0, len(names), extract.N_PER_PART):
        chosen = names[at : at + extract.N_PER_PART]

        def make(chosen=chosen, at=at):
            looked = trade.look(extract.scenes(split, chosen, lab.vocabulary, None), machines)
            return {"meta": looked.meta, "losses": looked.losses}

        key = {"names": list(chosen), "books": books, "machines": weights}
        kept_parts.append(load_or_compute(lab.work, f"scene-trade-{split}-{at}", key, CODE, make, ARRAYS))
        lab.tick(f"{split} {at}")
    losses = np.concatenate([part["losses"] for part in kept_parts])
    group = np.arange(len(losses)) // trade.N_TOGETHER
    return Looked(np.concatenate([part["meta"] for part in kept_parts]), losses, None, group)


def _at(cost, error, budgets):
    """Error at the last point of a curve that each budget can pay for."""
    last = np.searchsorted(cost, budgets * (1 + 1e-9) + 1e-9, side="right") - 1
    return error[np.maximum(last, 0)]


def _compare_spending(values, test, costs, rng):
    """DMS minus random spending tier by tier, and minus the least certain first, at some budgets."""
    out, n_more = [], len(costs)
    budgets = costs.sum() * np.array(COMPARED)
    unsure = np.repeat(-test.meta[:, :1, 0], n_more, axis=1)
    unsure[:, 1:] = 1e6

    def error(gains, drawn):
        bought = expansion.expand(gains[drawn], costs)
        curve = expansion.curve_of(bought, test.losses[drawn])
        return _at(curve.cost / len(drawn), curve.loss / len(drawn), budgets)

    gaps = {"uniform": [], "myopic": []}
    every = np.arange(len(values))
    for drawn in (every, *measure.draws(len(values), rng)[:N_DRAWS]):
        dms = error(values, drawn)
        random = [selector.uniform_values(len(values), n_more, rng) for _ in range(N_RANDOM)]
        gaps["uniform"].append(dms - np.mean([error(gains, drawn) for gains in random], axis=0))
        gaps["myopic"].append(dms - error(unsure, drawn))
    for method, points in gaps.items():
        low, high = np.percentile(points[1:], [2.5, 97.5], axis=0)
        for k, share in enumerate(COMPARED):
            out.append({"method": method, "share": share, "points": float(points[0][k]),
                        "interval": [float(low[k]), float(high[k])]})  # fmt: skip
    return out
