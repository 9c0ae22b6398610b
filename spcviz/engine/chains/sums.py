"""Kernels of a chain's marginals: rescaled sums of exponentials, or log-sum-exp at any scale."""

import numpy as np

from spcviz.engine.chains.inputs import BACK, align_rows, is_wrong, table_rows, there_and_back
from spcviz.engine.kernels.jit import bare_kernel, kernel, spliced_kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS, SUM_TIMES, combine, multiply, total
from spcviz.engine.kernels.vectors import (
    ARE_COMPILED,
    add,
    copy,
    exponentials,
    largest,
    load,
    mul,
    smallest,
    splat,
    store,
    stretch,
    sum_of,
)
from spcviz.engine.kernels.vectors import total as total_of_lanes

# exp(-600) is far above the smallest double, so products of a column and a transition whose
# ranges stay below it lose nothing when summed unscaled.
TAME_RANGE = 600.0

BOTH_WAYS_FROM = 64
"""Number of states from which a table does not fit into the first-level cache: each of its rows then serves a
message from either side. At 100 states messages take 0.6 of the time, `marginals` 0.7."""
_LANES = (0,) * 8


def exponentials_of(table: np.ndarray) -> tuple[float, float, np.ndarray]:
    """(high, spread, exp(table - high) by `there_and_back`) of one (K, K) table of all steps."""
    high, low = float(table.max()), float(table.min())
    spread = high - low if np.isfinite(low) else np.inf  # infinite: always in logs
    with np.errstate(invalid="ignore"):
        return high, spread, there_and_back(np.exp(table - high, dtype=np.float64), 0.0)


@spliced_kernel
def is_tame(unary: np.ndarray, spread: float) -> bool:
    """True if exponentials can be summed directly: no -inf, and columns cannot underflow.

    spread : largest minus smallest score of a transition.
    """
    widest = 0.0
    for i in range(len(unary)):
        span = largest(unary[i]) - smallest(unary[i])
        if not span < TAME_RANGE:  # also NaN, from a row that is all -inf
            return False
        widest = span if span > widest else widest
    # One column's products span its own range plus the transitions' on either side; an edge's pass three
    # transition tables, and the largest entry may be in none of them.
    return widest + 3 * spread < TAME_RANGE


@kernel
def spread_of(pairwise: np.ndarray) -> float:
    """Largest minus smallest score of transitions; 0 if there are none."""
    flat = pairwise.reshape(-1)
    return largest(flat) - smallest(flat) if len(flat) else 0.0


@kernel
def scaled_marginals(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Log partition; fills the tables as `fill_max_marginals` does, by rescaled sums.

    -inf if anything is wrong with the scores, or sums of exponentials might not hold them.
    """
    if is_wrong(unary, pairwise) or not is_tame(unary, spread_of(pairwise)):
        return -np.inf
    return scaled_tables(unary, pairwise, node, edge)


@kernel
def scaled_tables(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """As `scaled_marginals`, for scores that are tame."""
    high = largest(pairwise.reshape(-1))
    table = _exponential_rows(pairwise, high)
    back = table if goes_both_ways(table, edge) else table_rows(table, 0.0, BACK)
    log_partition = sum_tables(unary, table, back, scratch(unary), node, edge)
    return log_partition + (len(unary) - 1) * high if len(unary) > 1 else log_partition  # 0 times -inf: NaN


@kernel
def _exponential_rows(pairwise: np.ndarray, high: float) -> np.ndarray:
    """exp(pairwise - high) in `align_rows` rows, padded with 0."""
    t, n, _ = pairwise.shape
    rows = align_rows((t * n, n), pairwise.reshape((t * n, n)))
    for p in range(t):
        for i in range(n):
            exponentials(pairwise[p, i], high, 1.0, rows[p * n + i])
            for j in range(n, rows.shape[1]):
                rows[p * n + i, j] = 0.0
    return rows.reshape((t, n, rows.shape[1]))


@bare_kernel
def sum_tables(
    unary: np.ndarray,
    table: np.ndarray,
    back: np.ndarray,
    work: np.ndarray,
    node: np.ndarray,
    edge: np.ndarray,
) -> float:
    """As `scaled_tables`, from exponentials of transitions in `align_rows` rows, and their transposes.

    work : from `scratch`. Here a message, a row's exponentials and their product. During the forward pass the
    node table holds products of messages from the left. A product is rescaled in the next one.
    """
    length, n = unary.shape
    if goes_both_ways(table, edge):
        return _from_both_ends(unary, table[0], work, node)
    message, weight, product = work[0], work[1, :n], work[2, :n]
    message[:] = 1.0
    log_partition, scale, taken = 0.0, 1.0, 1.0
    for i in range(length):
        if i > 0:
            combine(SUM_TIMES, node[i - 1], table[i - 1 if i < len(table) else len(table) - 1], message)
        top = largest(unary[i])
        exponentials(unary[i], top, 1.0 / scale, weight)
        multiply(SUM_TIMES, message, weight, node[i])
        scale = largest(node[i])
        taken *= scale
        log_partition += top
        if not 1e-100 < taken < 1e100:  # scale lies between exp(-TAME_RANGE / 3) and K
            log_partition += np.log(taken)
            taken = 1.0
    log_partition += np.log(taken) + np.log(sum_of(node[length - 1]) / scale)
    message[:] = 1.0
    scale = 1.0
    for i in range(length - 1, -1, -1):
        if i < length - 1:
            exponentials(unary[i + 1], largest(unary[i + 1]), 1.0 / scale, weight)
            multiply(SUM_TIMES, message, weight, product)
            scale = largest(product)
            combine(SUM_TIMES, product, back[i if i < len(back) else len(back) - 1], message)
        multiply(SUM_TIMES, node[i], message, weight)
        factor = 1.0 / sum_of(weight)
        if i < len(edge):  # a message sums such products, so a node's normaliser is also its edges'
            for j in range(n):
                share = node[i, j] * factor
                row, out = table[i if i < len(table) else len(table) - 1, j], edge[i, j]
                for k in range(n):
                    out[k] = share * row[k] * product[k]
        stretch(weight, factor)
        copy(weight, node[i])
    return log_partition


@spliced_kernel
def goes_both_ways(table: np.ndarray, edge: np.ndarray) -> bool:
    """Whether `sum_tables` needs no backward pass: states only, one large table for all steps."""
    return ARE_COMPILED and len(edge) == 0 and len(table) == 1 and table.shape[1] >= BOTH_WAYS_FROM


@spliced_kernel
def scratch(unary: np.ndarray) -> np.ndarray:
    """Memory for `sum_tables`."""
    n = unary.shape[1]
    return align_rows((np.int64(3 if n < BOTH_WAYS_FROM else 6 + len(_LANES)), n), unary)


@bare_kernel
def _from_both_ends(unary: np.ndarray, table: np.ndarray, work: np.ndarray, node: np.ndarray) -> float:
    """`sum_tables` of states: a message is passed from each end at the same time.

    Until they meet, the node table holds products of messages from the left in its first half and messages
    from the right in its second; from then on it holds what the message from the other end needs.
    """
    length, n = unary.shape
    ahead, behind, weight, forth, back = work[0], work[1], work[2, :n], work[3], work[4]
    product = work[5, :n]
    sums = work[6:].reshape(-1)[: n * len(_LANES)].reshape((n, len(_LANES)))
    for k in range(len(ahead)):
        ahead[k] = behind[k] = 1.0
        forth[k] = back[k] = 0.0  # tables are padded with 0, and these entries stay 0
    log_partition, taken, scale_forth, scale_back = 0.0, 1.0, 1.0, 1.0
    for i in range(length):
        j = length - 1 - i
        if i > 0:
            _both_ways(forth, back, table, n, ahead, behind, sums)
        top = largest(unary[i])
        exponentials(unary[i], top, 1.0 / scale_forth, weight)
        multiply(SUM_TIMES, ahead[:n], weight, forth[:n])
        scale_forth = largest(forth[:n])
        taken *= scale_forth
        log_partition += top
        if not 1e-100 < taken < 1e100:
            log_partition += np.log(taken)
            taken = 1.0
        if i < j:
            copy(forth, node[i])
            copy(behind, node[j])
        elif i == j:
            _normalise_product(forth[:n], behind[:n], product, node[i])
        else:
            _normalise_product(forth[:n], node[i], product, node[i])
            _normalise_product(behind[:n], node[j], product, node[j])
        exponentials(unary[j], largest(unary[j]), 1.0 / scale_back, weight)
        multiply(SUM_TIMES, behind[:n], weight, back[:n])
        scale_back = largest(back[:n])
    return log_partition + np.log(taken) + np.log(sum_of(forth[:n]) / scale_forth)


@spliced_kernel
def _normalise_product(one: np.ndarray, other: np.ndarray, product: np.ndarray, out: np.ndarray) -> None:
    multiply(SUM_TIMES, one, other, product)
    stretch(product, 1.0 / sum_of(product))
    copy(product, out)


@spliced_kernel
def _both_ways(
    forth: np.ndarray,
    back: np.ndarray,
    table: np.ndarray,
    n: int,
    ahead: np.ndarray,
    behind: np.ndarray,
    sums: np.ndarray,
) -> None:
    """ahead = forth times table and behind = table times back: three vectors of columns at a time.

    sums : (K, lanes): for each row, over the columns done.
    """
    zero = splat(_LANES, 0.0)
    for k in range(n):
        store(sums, (k, 0), zero)
    c, columns, w = 0, table.shape[1], len(_LANES)
    while c < columns:
        # Three sums that do not wait for one another, and each share is broadcast once for all of them.
        if columns - c >= 3 * w:
            x, y, z = zero, zero, zero
            u = load(_LANES, back, (c,))
            v, t = load(_LANES, back, (c + w,)), load(_LANES, back, (c + 2 * w,))
            for k in range(n):
                share = splat(_LANES, forth[k])
                p, q = load(_LANES, table, (k, c)), load(_LANES, table, (k, c + w))
                r = load(_LANES, table, (k, c + 2 * w))
                x, y, z = add(mul(share, p), x), add(mul(share, q), y), add(mul(share, r), z)
                met = add(mul(q, v), add(mul(p, u), load(_LANES, sums, (k, 0))))
                store(sums, (k, 0), add(mul(r, t), met))
            store(ahead, (c + w,), y)
            store(ahead, (c + 2 * w,), z)
            store(ahead, (c,), x)
            c += 3 * w
        else:
            x, u = zero, load(_LANES, back, (c,))
            for k in range(n):
                p = load(_LANES, table, (k, c))
                x = add(mul(splat(_LANES, forth[k]), p), x)
                store(sums, (k, 0), add(mul(p, u), load(_LANES, sums, (k, 0))))
            store(ahead, (c,), x)
            c += w
    for k in range(n):
        behind[k] = total_of_lanes(load(_LANES, sums, (k, 0)))


@kernel
def log_tables(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Log partition; fills the tables as `fill_max_marginals` does, by log-sum-exp: any scale, -inf allowed.

    From left to right the node table gets logs of sums, with each row's largest at 0. From right to left
    p(y_i | y_{i+1}) times the marginal of y_{i+1} gives the pairs: every one of these conditionals sums to 1
    on its own, so pairs and nodes do too, and agree, however small a difference of scores a float can hold.
    """
    length, n = unary.shape
    log_partition = 0.0
    for i in range(length):
        if i > 0:
            combine(
                LOG_PLUS, node[i - 1], pairwise[i - 1 if i < len(pairwise) else len(pairwise) - 1], node[i]
            )
            multiply(MAX_PLUS, node[i], unary[i], node[i])  # both multiply by adding: one kernel fewer
        else:
            copy(unary[0], node[0])
        top = largest(node[i])
        if top == -np.inf:
            node[i:] = -np.inf
            return top
        for k in range(n):
            node[i, k] -= top
        log_partition += top
    last = node[length - 1]
    log_partition += total(LOG_PLUS, last)
    _exponentials_below(last)
    stretch(last, 1.0 / sum_of(last))
    spare = np.empty(n * n, np.float64).reshape((n, n))
    for i in range(length - 2, -1, -1):
        pair = edge[i] if len(edge) else spare
        t = i if i < len(pairwise) else len(pairwise) - 1
        _pairs_before(node[i], pairwise[t], node[i + 1], pair)
        for j in range(n):
            node[i, j] = sum_of(pair[j])
    return log_partition


@spliced_kernel
def _exponentials_below(values: np.ndarray) -> None:
    """values[k] = exp(values[k]) for numbers up to 0, also for those that `exponentials` cannot take."""
    for k in range(len(values)):
        values[k] = np.exp(values[k])


@kernel
def _pairs_before(before: np.ndarray, step: np.ndarray, after: np.ndarray, pair: np.ndarray) -> None:
    """pair[j, k] = p(y_i = j | y_{i+1} = k) after[k], from the log sums up to state j."""
    n = len(after)
    top, whole = fill_new(n, np.float64, -np.inf), fill_new(n, np.float64, 0.0)
    for j in range(n):
        for k in range(n):
            way = before[j] + step[j, k]
            pair[j, k] = way
            top[k] = way if way > top[k] else top[k]
    for j in range(n):
        for k in range(n):
            pair[j, k] = np.exp(pair[j, k] - top[k]) if top[k] > -np.inf else 0.0
            whole[k] += pair[j, k]
    for k in range(n):
        whole[k] = after[k] / whole[k] if whole[k] > 0.0 else 0.0
    for j in range(n):
        for k in range(n):
            pair[j, k] *= whole[k]
