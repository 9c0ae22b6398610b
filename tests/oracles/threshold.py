"""Max-mean-max filtering as printed (thesis (4.3), Definitions 1 and 2). Imports nothing from spcviz."""

import math


def spread(values):
    """(max, mean) of the values that are not -inf."""
    valid = [v for v in values if v > -math.inf]
    return max(valid), math.fsum(valid) / len(valid)


def tau(values, alpha):
    best, mean = spread(values)
    return alpha * best + (1 - alpha) * mean


def kept(values, alpha):
    limit = tau(values, alpha)
    return [v > limit for v in values]
