"""Hashed features of an arc by two templates: cheap (tags nearby) and full (a first-order parser's).

An arc from head h to dependent d is a set of features, each a number below `N_WEIGHTS`, and its score is the
sum of their weights. The template belongs to the dependent: it serves all arcs into it.

- CHEAP: tags of head and dependent, with the tags next to them, direction and distance
- FULL: all that, and the words, all pairs of neighbours, and the tags between

A word with the full template is scored by both tables of weights, so its scores by tags stay valid when it is
bought: only the additional features are paid for.

Codes of a sentence: row 0 is the root; columns are TAG, WORD (lower-cased), ENDING (its last three letters).
"""

import numpy as np

from spcviz.engine.kernels.jit import inlined_kernel, kernel
from spcviz.problems.parsing.data.treebank import UNKNOWN_TAG

TAG, WORD, ENDING = 0, 1, 2
CHEAP, FULL = 0, 1
BEYOND = UNKNOWN_TAG + 1
"""Tag code before and after a sentence."""

TEMPLATES = ("tags", "full")
N_FEATURES = (8, 85)
"""Most features of an arc by tags, and most that the full template adds."""

BITS = 22
N_WEIGHTS = 1 << BITS
_BEFORE, _BEHIND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(32)
_DOWN = np.uint64(64 - BITS)


@inlined_kernel
def _join(a, b):
    """Two codes to one; the order counts."""
    mixed = (a ^ (b + _BEFORE + (a << np.uint64(6)) + (a >> np.uint64(2)))) * _MIX
    return mixed ^ (mixed >> _SHIFT)


@inlined_kernel
def _index(code):
    return np.int64((code * _BEHIND) >> _DOWN)


@inlined_kernel
def _span(h, d):
    """Code of direction and distance: 1, 2, 3, 4, 5 to 6, 7 to 10, more."""
    length = h - d if h > d else d - h
    if length > 10:
        length = 7
    elif length > 6:
        length = 6
    elif length > 4:
        length = 5
    return np.uint64(2 * length + (1 if h > d else 0))


@kernel
def codes_of_row(
    codes: np.ndarray, d: int, template: int, longest: np.ndarray, out: np.ndarray, counts: np.ndarray
):
    """Write features of all arcs into word d to ``out[h, :counts[h]]``; none for arcs longer than `longest`.

    `codes` (N + 1, 3): see above; `template` is `CHEAP`, or `FULL` for what it adds; `longest` (64, 64, 2) is
    by tag of d, tag of h and whether h > d.
    """
    counts[d] = 0
    for step in (-1, 1):
        between = np.uint64(0)
        h = d + step
        while 0 <= h < len(codes):
            most = longest[codes[d, TAG], codes[h, TAG], np.int64(step > 0)]
            counts[h] = 0
            if abs(h - d) <= most:
                counts[h] = _codes_of_arc(codes, h, d, between, template, out[h])
            between |= np.uint64(1) << codes[h, TAG]
            h += step


@kernel
def _codes_of_arc(codes, h, d, between, template, out):
    """Write the features of one arc to out; return their number."""
    n, edge = len(codes), np.uint64(BEYOND)
    span = _span(h, d)
    ht, dt = codes[h, TAG], codes[d, TAG]
    hp = codes[h - 1, TAG] if h > 0 else edge
    hn = codes[h + 1, TAG] if h + 1 < n else edge
    dp = codes[d - 1, TAG]
    dn = codes[d + 1, TAG] if d + 1 < n else edge
    pair = _join(ht, dt)
    placed = _join(pair, span)
    hs, ds = _join(ht, span), _join(dt, span)
    first = np.uint64(template * 100)
    if template == CHEAP:
        out[0] = _index(_join(first, pair))
        out[1] = _index(_join(first + np.uint64(1), placed))
        out[2] = _index(_join(first + np.uint64(2), hs))
        out[3] = _index(_join(first + np.uint64(3), ds))
        out[4] = _index(_join(first + np.uint64(4), _join(placed, _join(hn, dp))))
        out[5] = _index(_join(first + np.uint64(5), _join(placed, _join(hp, dn))))
        out[6] = _index(_join(first + np.uint64(6), _join(placed, _join(hn, dn))))
        out[7] = _index(_join(first + np.uint64(7), _join(placed, _join(hp, dp))))
        return 8
    out[0] = _index(_join(first + np.uint64(8), _join(pair, dp)))
    out[1] = _index(_join(first + np.uint64(9), _join(pair, dn)))
    out[2] = _index(_join(first + np.uint64(10), _join(pair, hn)))
    out[3] = _index(_join(first + np.uint64(11), _join(pair, hp)))
    hw, dw, he, de = codes[h, WORD], codes[d, WORD], codes[h, ENDING], codes[d, ENDING]
    both = _join(hw, dw)
    out[4] = _index(_join(first + np.uint64(12), _join(hw, span)))
    out[5] = _index(_join(first + np.uint64(13), _join(dw, span)))
    out[6] = _index(_join(first + np.uint64(14), _join(hs, hw)))
    out[7] = _index(_join(first + np.uint64(15), _join(ds, dw)))
    out[8] = _index(_join(first + np.uint64(16), _join(placed, both)))
    out[9] = _index(_join(first + np.uint64(17), _join(pair, both)))
    out[10] = _index(_join(first + np.uint64(18), _join(placed, dw)))
    out[11] = _index(_join(first + np.uint64(19), _join(placed, hw)))
    out[12] = _index(_join(first + np.uint64(20), _join(pair, dw)))
    out[13] = _index(_join(first + np.uint64(21), _join(pair, hw)))
    out[14] = _index(_join(first + np.uint64(22), _join(both, span)))
    out[15] = _index(_join(first + np.uint64(23), both))
    out[16] = _index(_join(first + np.uint64(24), _join(hs, dw)))
    out[17] = _index(_join(first + np.uint64(25), _join(ds, hw)))
    out[18] = _index(_join(first + np.uint64(26), _join(placed, he)))
    out[19] = _index(_join(first + np.uint64(27), _join(placed, de)))
    out[20] = _index(_join(first + np.uint64(28), _join(placed, _join(he, de))))
    count, tag = 21, np.uint64(0)
    between_pair = _join(first + np.uint64(29), _join(pair, np.uint64(h > d)))
    while between:
        if between & np.uint64(1):
            out[count] = _index(_join(between_pair, tag))
            count += 1
        between >>= np.uint64(1)
        tag += np.uint64(1)
    return count
