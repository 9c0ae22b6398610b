// Computations of the Parsing view: trees, levels of arcs, depths. Pure functions: no page, no clock.
//
// A sentence has N words, numbered from 1; 0 is the root. A trajectory (`course`) is what one policy does: row s of its tables
// holds the state after s purchases.

/** Tables of a trajectory as rows of N. */
export function unpackCourse(course, n) {
  const rows = (all) => Array.from({ length: all.length / n }, (_, s) => all.subarray(s * n, (s + 1) * n));
  return { ...course, heads: rows(course.heads), other: rows(course.other), without: rows(course.without), values: rows(course.values) };
}

/** How many words a share of them buys; addresses store shares with few decimals. */
export function stepOf(share, n) { return Math.min(n, Math.max(0, Math.floor(share * n + 0.01))); }

/** For each word its place in the order of purchases: it is bought if that is below their number. */
export function rankOf(order) {
  const rank = new Array(order.length);
  order.forEach((word, s) => { rank[word] = s; });
  return rank;
}

/** How high each arc is drawn, from 1: above every shorter arc that lies under it. */
export function levelsOf(heads) {
  const arcs = Array.from(heads, (h, i) => ({ i, from: Math.min(h, i + 1), to: Math.max(h, i + 1) })).filter((a) => heads[a.i] > 0);
  arcs.sort((a, b) => (a.to - a.from) - (b.to - b.from) || a.from - b.from);
  const levels = new Array(heads.length).fill(0);
  arcs.forEach((arc, k) => {
    let level = 0;
    for (let j = 0; j < k; j++) if (arcs[j].from < arc.to && arcs[j].to > arc.from) level = Math.max(level, levels[arcs[j].i]);
    levels[arc.i] = level + 1;
  });
  return levels;
}

/** The number of words above each word, 0 for the one below the root, at most `deepest`. */
export function depthsOf(heads, deepest = 7) {
  return Array.from(heads, (_, i) => {
    let depth = 0;
    for (let above = heads[i]; above > 0 && depth < deepest; above = heads[above - 1]) depth += 1;
    return depth;
  });
}

/** For each depth the number of words, and of those that are bought. */
export function depthCounts(heads, rank, s, deepest = 7) {
  const counts = Array.from({ length: deepest + 1 }, () => ({ words: 0, bought: 0 }));
  depthsOf(heads, deepest).forEach((depth, i) => {
    counts[depth].words += 1;
    if (rank[i] < s) counts[depth].bought += 1;
  });
  return counts;
}

/** The number of heads that are right. */
export function rightOf(heads, truth) { return truth.reduce((sum, h, i) => sum + (heads[i] === h ? 1 : 0), 0); }
