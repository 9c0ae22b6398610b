// Computations of the Tagging view: the tags left by a level's arcs, and each one's break point and neighbours.
// No page, no clock: node imports this file as it is (tests/problems/tagging).

import { breakPoint, witness } from "../../../web/lattice/lattice_core.js";

/** For each word, its tags at a level: {tag, arc, falls}, best first. `arc` is the best arc with that tag there,
 *  `falls` the alpha from which no arc keeps it: -Infinity if no tagging can have it, Infinity for the best. */
export function tagsOf(level) {
  const { order, symbols, columnOf, maxMarginal } = level, best = Array.from({ length: level.nPositions }, () => new Map());
  for (let a = 0; a < level.nArcs; a++) {
    if (maxMarginal[a] === -Infinity) continue;
    const falls = breakPoint(level, a);
    for (let j = 0; j < order; j++) {
      const at = best[columnOf[a] + j], tag = symbols[a * order + j], entry = at.get(tag);
      if (!entry || falls > entry.falls || (falls === entry.falls && maxMarginal[a] > maxMarginal[entry.arc])) at.set(tag, { tag, arc: a, falls });
    }
  }
  return best.map((at) => [...at.values()].sort((p, q) => q.falls - p.falls || maxMarginal[q.arc] - maxMarginal[p.arc] || p.tag - q.tag));
}

/** Whether a tag is left at an alpha: a tag that falls at this alpha is gone. */
export const isLeft = (entry, alpha) => entry.falls === Infinity || entry.falls > alpha;

/** The best tagging of the whole sentence through an arc: one tag per word; empty if there is none. */
export function taggingThrough(level, arc) {
  const path = witness(level, arc), { order, symbols } = level;
  if (!path.length) return [];
  const out = Array.from(symbols.subarray(path[0] * order, path[0] * order + order));
  for (const nextArc of path.slice(1)) out.push(symbols[nextArc * order + order - 1]);
  return out;
}

/** Where neighbours change the answer: words whose best tag alone is not the final one. */
export const turnedWords = (alone, answer) => alone.map((tags, i) => (tags[0].tag === answer[i] ? -1 : i)).filter((i) => i >= 0);
