r"""Semirings as types: one recursion, several readings.

===========  ============================  ==================================================
semiring     plus, times                   what a dynamic program over it returns
===========  ============================  ==================================================
MaxPlus      max, +                        max-marginals, decoding
LogPlus      log-sum-exp, +                log marginals, log partition function
SumTimes     +, x  (rescaled each step)    the same as LogPlus, faster, for tame scores only
===========  ============================  ==================================================

A semiring is a NamedTuple *type*: numba specialises a kernel for each at compile time and still
caches it on disk (closures over ``plus`` do not cache). To add one: a class and a branch in each
of the operations.

The operations, on vectors over states:

- ``combine(sr, vector, matrix, out)``: out[j] = plus over i of vector[i] times matrix[i, j]
- ``multiply(sr, vector, other, out)``: out[j] = vector[j] times other[j]
- ``settle(sr, vector)``: rescale in place to avoid underflow; returns the log of the factor
- ``total(sr, vector)``: plus over the vector, as a log-domain score
- ``gather(sr, source, target, score, start, stop, message, first, last)``: along sparse arcs a,
  message[target[a]] = plus over arcs of message[source[a]] times score[a], for all targets in
  first .. last - 1 (log-domain semirings only)
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload


class MaxPlus(NamedTuple):
    """Best score. `one` is the score of doing nothing."""

    one: float = 0.0


class LogPlus(NamedTuple):
    """Log of a sum of exponentials; safe at any scale, one exp per term."""

    one: float = 0.0


class SumTimes(NamedTuple):
    """Sums of products of exponentials already taken; rescaled at each step."""

    one: float = 1.0


MAX_PLUS, LOG_PLUS, SUM_TIMES = MaxPlus(), LogPlus(), SumTimes()


def _combine_max(sr, vector, matrix, out):
    # Four rows at a time: four independent maxima in registers for each load and store of `out`.
    n, m = matrix.shape
    for j in range(m):
        out[j] = -np.inf
    whole = n - n % 4
    for i in range(0, whole, 4):
        v0, v1, v2, v3 = vector[i], vector[i + 1], vector[i + 2], vector[i + 3]
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for j in range(m):
            a, b, c, d = v0 + r0[j], v1 + r1[j], v2 + r2[j], v3 + r3[j]
            a = b if b > a else a
            c = d if d > c else c
            a = c if c > a else a
            o = out[j]
            out[j] = a if a > o else o
    for i in range(whole, n):
        v, row = vector[i], matrix[i]
        for j in range(m):
            a = v + row[j]
            o = out[j]
            out[j] = a if a > o else o


def _combine_log(sr, vector, matrix, out):
    n, m = matrix.shape
    for j in range(m):
        top = -np.inf
        for i in range(n):
            v = vector[i] + matrix[i, j]
            top = v if v > top else top
        if top == -np.inf:  # nothing reaches j: exp(-inf - -inf) would be NaN
            out[j] = top
            continue
        acc = 0.0
        for i in range(n):
            acc += np.exp(vector[i] + matrix[i, j] - top)
        out[j] = top + np.log(acc)


def _combine_sum(sr, vector, matrix, out):
    n, m = matrix.shape
    for j in range(m):
        out[j] = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        v0, v1, v2, v3 = vector[i], vector[i + 1], vector[i + 2], vector[i + 3]
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for j in range(m):
            out[j] += (v0 * r0[j] + v1 * r1[j]) + (v2 * r2[j] + v3 * r3[j])
    for i in range(whole, n):
        v, row = vector[i], matrix[i]
        for j in range(m):
            out[j] += v * row[j]


def _multiply_add(sr, vector, other, out):
    for j in range(len(out)):
        out[j] = vector[j] + other[j]


def _multiply_times(sr, vector, other, out):
    for j in range(len(out)):
        out[j] = vector[j] * other[j]


def _settle_never(sr, vector):
    return 0.0


def _settle_sum(sr, vector):
    top = 0.0
    for v in vector:
        top = v if v > top else top
    if top == 0.0:
        return 0.0
    for j in range(len(vector)):
        vector[j] /= top
    return np.log(top)


def _total_max(sr, vector):
    best = -np.inf
    for v in vector:
        best = v if v > best else best
    return best


def _total_log(sr, vector):
    top = -np.inf
    for v in vector:
        top = v if v > top else top
    if top == -np.inf:
        return top
    acc = 0.0
    for v in vector:
        acc += np.exp(v - top)
    return top + np.log(acc)


def _total_sum(sr, vector):
    acc = 0.0
    for v in vector:
        acc += v
    return np.log(acc)


def _gather_max(sr, source, target, score, start, stop, message, first, last):
    for v in range(first, last):
        message[v] = -np.inf
    # Arcs of one target often lie together: their maximum stays in a register until the target changes.
    a = start
    while a < stop:
        t, best = target[a], message[source[a]] + score[a]
        a += 1
        while a < stop and target[a] == t:
            s = message[source[a]] + score[a]
            best = s if s > best else best
            a += 1
        if best > message[t]:
            message[t] = best


def _gather_log(sr, source, target, score, start, stop, message, first, last):
    top, acc = np.full(last - first, -np.inf), np.zeros(last - first)
    for a in range(start, stop):
        s, v = message[source[a]] + score[a], target[a] - first
        top[v] = s if s > top[v] else top[v]
    for a in range(start, stop):
        s, v = message[source[a]] + score[a], target[a] - first
        if s > -np.inf:
            acc[v] += np.exp(s - top[v])
    for v in range(last - first):
        message[first + v] = top[v] + np.log(acc[v]) if top[v] > -np.inf else -np.inf


_TABLE = {
    "combine": {MaxPlus: _combine_max, LogPlus: _combine_log, SumTimes: _combine_sum},
    "multiply": {MaxPlus: _multiply_add, LogPlus: _multiply_add, SumTimes: _multiply_times},
    "settle": {MaxPlus: _settle_never, LogPlus: _settle_never, SumTimes: _settle_sum},
    "total": {MaxPlus: _total_max, LogPlus: _total_log, SumTimes: _total_sum},
    "gather": {MaxPlus: _gather_max, LogPlus: _gather_log},
}


def combine(sr, vector, matrix, out):
    """out[j] = plus over i of vector[i] times matrix[i, j]; shapes (K,), (K, M), (M,)."""
    _TABLE["combine"][type(sr)](sr, vector, matrix, out)


def multiply(sr, vector, other, out):
    """out[j] = vector[j] times other[j]; all of shape (K,)."""
    _TABLE["multiply"][type(sr)](sr, vector, other, out)


def settle(sr, vector):
    """Rescale a column in place where the semiring needs it; the log of the factor taken out."""
    return _TABLE["settle"][type(sr)](sr, vector)


def total(sr, vector):
    """Plus over a vector, as a log-domain score."""
    return _TABLE["total"][type(sr)](sr, vector)


def gather(sr, source, target, score, start, stop, message, first, last):
    """One column of a sparse lattice: messages at targets first .. last - 1 from arcs start .. stop - 1."""
    _TABLE["gather"][type(sr)](sr, source, target, score, start, stop, message, first, last)


@overload(combine)
def _combine_jit(sr, vector, matrix, out):
    return _TABLE["combine"][sr.instance_class]


@overload(multiply)
def _multiply_jit(sr, vector, other, out):
    return _TABLE["multiply"][sr.instance_class]


@overload(settle)
def _settle_jit(sr, vector):
    return _TABLE["settle"][sr.instance_class]


@overload(total)
def _total_jit(sr, vector):
    return _TABLE["total"][sr.instance_class]


@overload(gather)
def _gather_jit(sr, source, target, score, start, stop, message, first, last):
    return _TABLE["gather"][sr.instance_class]
