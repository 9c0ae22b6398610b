"""Lattices as plain arrays, by walking every path. Imports nothing from spcviz.

An example is (tail, head, column): three lists over its arcs. A path takes one arc of each column,
each beginning at the node where the one before ended.
"""

import math


def all_paths(tail, head, column):
    """Every complete path as a tuple of arc indices."""
    by_column = {}
    for a, c in enumerate(column):
        by_column.setdefault(c, []).append(a)
    paths = [(a,) for a in by_column.get(0, [])]
    for c in range(1, max(column, default=0) + 1):
        leaving = {}
        for a in by_column.get(c, []):
            leaving.setdefault(tail[a], []).append(a)
        paths = [(*p, a) for p in paths for a in leaving.get(head[p[-1]], [])]
    return paths


def nodes_of(path, tail, head):
    return [tail[path[0]], *(head[a] for a in path)]


def through(paths, score, tail, head, on_nodes):
    """{assignment: (best score, the path that attains it)} over arcs, or over nodes; no dead ones."""
    best = {}
    for p in paths:
        s = sum(score[a] for a in p)
        if s == -math.inf:
            continue
        for at in nodes_of(p, tail, head) if on_nodes else p:
            if at not in best or s > best[at][0]:
                best[at] = s, p
    return best


def witness_counts(best, n_arcs):
    """How many of the assignments' best paths use each arc."""
    counts = [0.0] * n_arcs
    for _, p in best.values():
        for a in p:
            counts[a] += 1
    return counts


def hinge(paths, score, tail, head, on_nodes, truth, alpha, margin):
    """max(0, margin + threshold - truth): thesis (4.8)."""
    best = [s for s, _ in through(paths, score, tail, head, on_nodes).values()]
    threshold = alpha * max(best) + (1 - alpha) * math.fsum(best) / len(best)
    return max(0.0, margin + threshold - sum(score[a] for a in truth))


def perceptron(paths, score, truth):
    return max(sum(score[a] for a in p) for p in paths) - sum(score[a] for a in truth)


def log_loss(paths, score, truth):
    sums = [sum(score[a] for a in p) for p in paths]
    top = max(sums)
    return top + math.log(math.fsum(math.exp(s - top) for s in sums)) - sum(score[a] for a in truth)


def joined(columns, keep):
    """Whether kept arcs form a complete path; columns: per column a list of (arc, tail, head)."""
    reached = {t for _, t, _ in columns[0]} if columns else set()
    for arcs in columns:
        reached = {h for a, t, h in arcs if keep[a] and t in reached}
    return bool(reached)
