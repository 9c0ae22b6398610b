"""The best split of rows by exhaustive search, with a price for each column."""

import numpy as np


def best_split(columns, target, weight, price, price_weight):
    """(net gain, column, threshold) of the best single split; column -1 if none is worth its price.

    columns (F, n) steps, target (n, K), weight (n,), price (F,) of each column now. Cuts lie after odd steps.
    """
    share = weight / weight.sum()

    def error(rows):
        if not rows.any():
            return 0.0
        mean = (share[rows, None] * target[rows]).sum(axis=0) / share[rows].sum()
        return (share[rows, None] * (target[rows] - mean) ** 2).sum()

    whole, best = error(np.ones(len(weight), dtype=bool)), (0.0, -1, 0)
    for f in range(len(columns)):
        for cut in range(1, 63, 2):
            left = columns[f] <= cut
            if left.any() and not left.all():
                net = whole - error(left) - error(~left) - price_weight * price[f]
                if net > best[0] + 1e-7:
                    best = (net, f, cut)
    return best
