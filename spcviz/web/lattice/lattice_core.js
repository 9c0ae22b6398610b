// Computations of the lattice view: what alpha keeps. Pure functions on typed arrays: no page, no canvas, no clock.
//
//   keep[a] = max_marginal[a] > tau (web/view/rule.js), or a lies on the best path; -inf never; all finite if no
//   spread; an arc falls at its break point
//
// Shapes: A arcs in C columns, column c holds arcs colStart[c] .. colStart[c + 1]; order n, so an arc of
// column c spells positions c .. c + n - 1; L = C + n - 1 positions, K states.
// node imports this file as it is (tests/web/lattice compares it with the engine).

import { alphaOfScore, breakPointOf, survives, thresholdOf } from "../view/rule.js";

export const STEPS = ["forward", "backward", "max-marginal", "threshold", "prune"];

/** Open a level from its part; see component.py. */
export function openLevel(part) {
  const [best, mean, truthScore] = part.facts;
  const level = {
    order: part.order, nValid: part.n_valid, hasSpread: part.has_spread, best, mean, truthScore, digest: part.digest,
    colStart: part.col_start, symbols: part.symbols, score: part.score, mapArcs: part.map_arcs, truthArcs: part.truth_arcs,
  };
  level.nArcs = level.score.length;
  level.nColumns = level.colStart.length - 1;
  level.nPositions = level.nColumns + level.order - 1;
  level.columnOf = new Int32Array(level.nArcs);
  for (let c = 0; c < level.nColumns; c++) level.columnOf.fill(c, level.colStart[c], level.colStart[c + 1]);
  level.previous = new Int32Array(level.nArcs);
  level.following = new Int32Array(level.nArcs);
  for (let a = 0; a < level.nArcs; a++) {
    const c = level.columnOf[a], before = part.previous[a], after = part.following[a];
    level.previous[a] = before ? level.colStart[c - 1] + before - 1 : -1;
    level.following[a] = after ? level.colStart[c + 1] + after - 1 : -1;
  }
  return Object.assign(level, part.max_marginal ? { forward: part.forward, backward: part.backward, maxMarginal: part.max_marginal } : messages(level));
}

/** Messages and max-marginals as sums along witness paths, in the engine's order: the same to the last bit. */
function messages({ nArcs, score, previous, following }) {
  const forward = new Float64Array(nArcs), backward = new Float64Array(nArcs), maxMarginal = new Float64Array(nArcs);
  for (let a = 0; a < nArcs; a++) forward[a] = previous[a] < 0 ? score[a] : forward[previous[a]] + score[a];
  for (let a = nArcs - 1; a >= 0; a--) {
    const next = following[a];
    backward[a] = next < 0 ? 0 : score[next] + backward[next];
    maxMarginal[a] = forward[a] + backward[a];
  }
  return { forward, backward, maxMarginal };
}

/** The values of level i that a run may change. */
export function settingsOf({ settings, was_capped: wasCapped }, i) {
  const [alpha, tunedAlpha, alphaUsed, microseconds] = settings.subarray(4 * i, 4 * i + 4);
  return { alpha, tunedAlpha, alphaUsed, microseconds, wasCapped: wasCapped[i] };
}

export function threshold(level, alpha) {
  return thresholdOf(level.best, level.mean, alpha);
}

/** 1 for each arc that survives `tau`. */
export function keepMask(level, tau, out = new Uint8Array(level.nArcs)) {
  const mm = level.maxMarginal, limit = level.hasSpread ? tau : -Infinity;
  for (let a = 0; a < mm.length; a++) out[a] = survives(mm[a], limit) ? 1 : 0;
  for (const a of level.mapArcs) out[a] = 1;
  return out;
}

/** The alpha at and above which an arc falls; Infinity for arcs that never fall. */
export function breakPoint(level, arc) {
  const mm = level.maxMarginal[arc], isBest = level.mapArcs.includes(arc);
  return breakPointOf(mm, level.best, level.mean, level.hasSpread && !isBest);
}

/** The alpha at and above which filter loss (Definition 1: truth's score <= tau) is counted. */
export function truthBreakPoint(level) {
  return level.hasSpread ? alphaOfScore(level.truthScore, level.best, level.mean) : Infinity;
}

/** The best complete path through an arc, one arc per column; empty if there is none. */
export function witness(level, arc) {
  if (level.maxMarginal[arc] === -Infinity) return [];
  const path = [arc];
  for (let a = level.previous[arc], n = 0; a >= 0 && n < level.nColumns; a = level.previous[a], n++) path.unshift(a);
  for (let a = level.following[arc], n = 0; a >= 0 && n < level.nColumns; a = level.following[a], n++) path.push(a);
  return path.length === level.nColumns ? path : [];
}

/** States of an arc as text, separated by `alphabet.joint` (default: nothing). */
export function spellArc(level, arc, alphabet) {
  const names = [];
  for (let j = 0; j < level.order; j++) names.push(alphabet[level.symbols[arc * level.order + j]]);
  return names.join(alphabet.joint || "");
}

/** The word a path spells: all letters of its first arc, then the last letter of each other. */
export function spellPath(level, path, alphabet) {
  if (!path.length) return "";
  let text = spellArc(level, path[0], alphabet);
  for (let c = 1; c < path.length; c++) {
    text += (alphabet.joint || "") + alphabet[level.symbols[path[c] * level.order + level.order - 1]];
  }
  return text;
}

/** Number of a key: the same for the same key, the next one for a new key. */
function numberOf(key, numbers) {
  let number = numbers.get(key);
  if (number === undefined) numbers.set(key, (number = numbers.size));
  return number;
}

/** For each arc, the group of its last n - 1 letters (tail) and of its first n - 1 letters (head):
 *  arc a of column c is followed by arc b of column c + 1 iff tail[a] === head[b].
 *
 *  A group's key is its column and its letters as one whole number in base K. Where one more letter could take
 *  it to 2^53, from which on not every whole number is a double, the key so far is replaced by its number. */
export function linkGroups(level) {
  const { order: n, nArcs, symbols } = level, head = new Int32Array(nArcs), tail = new Int32Array(nArcs);
  let nStates = 1;
  for (const state of symbols) if (state >= nStates) nStates = state + 1;
  const groups = new Map(), shorter = [];
  for (let j = 0, room = level.nColumns + 1; j < n - 1; j++, room *= nStates) {
    shorter.push(room * nStates > Number.MAX_SAFE_INTEGER ? new Map() : null);
    if (shorter[j]) room = 2 * nArcs;
  }
  const group = (first, column) => {
    let key = column;
    for (let j = 0; j < n - 1; j++) {
      if (shorter[j] !== null) key = numberOf(key, shorter[j]);
      key = key * nStates + symbols[first + j];
    }
    return numberOf(key, groups);
  };
  for (let a = 0; a < nArcs; a++) {
    head[a] = group(a * n, level.columnOf[a]);
    tail[a] = group(a * n + 1, level.columnOf[a] + 1);
  }
  return { head, tail, size: groups.size };
}

/** Number of complete words that use kept arcs only. */
export function countPaths(level, keep, groups) {
  if (!level.nArcs) return 0;
  const arriving = new Float64Array(groups.size);
  let total = 0;
  for (let c = 0; c < level.nColumns; c++) {
    const last = c === level.nColumns - 1;
    for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
      if (!keep[a]) continue;
      const n = c === 0 ? 1 : arriving[groups.head[a]];
      if (last) total += n;
      else arriving[groups.tail[a]] += n;
    }
  }
  return total;
}

/** Number of kept arcs in each column. */
export function columnCounts(level, keep) {
  const counts = new Int32Array(level.nColumns);
  for (let a = 0; a < level.nArcs; a++) counts[level.columnOf[a]] += keep[a];
  return counts;
}

/** allowed[i * K + k] = 1 iff a kept arc puts letter k at position i. */
export function allowedLetters(level, keep, nStates) {
  const allowed = new Uint8Array(level.nPositions * nStates);
  const n = level.order;
  for (let a = 0; a < level.nArcs; a++) {
    if (!keep || keep[a]) {
      for (let j = 0; j < n; j++) allowed[(level.columnOf[a] + j) * nStates + level.symbols[a * n + j]] = 1;
    }
  }
  return allowed;
}

/** Fate of the true word: "unknown", "gone" (fell at an earlier level), "pruned" (a piece of it falls here),
 *  "loss" (Definition 1 counts a loss, yet every piece is kept) or "safe"; `column`: first break. */
export function truthFate(level, keep, tau) {
  if (Number.isNaN(level.truthScore)) return { state: "unknown", column: -1 };
  if (!level.truthArcs.length) return { state: "gone", column: -1 };
  for (let c = 0; c < level.truthArcs.length; c++) {
    if (!keep[level.truthArcs[c]]) return { state: "pruned", column: c };
  }
  return { state: level.hasSpread && level.truthScore <= tau ? "loss" : "safe", column: -1 };
}

/** Kept arcs as keys "column:letters", to overlay one pruning on another's lattice. */
export function keptKeys(level, keep) {
  const keys = new Set();
  for (let a = 0; a < level.nArcs; a++) if (keep[a]) keys.add(arcKey(level, a));
  return keys;
}
export function arcKey(level, arc) {
  const n = level.order;
  return level.columnOf[arc] + ":" + level.symbols.subarray(arc * n, arc * n + n).join(",");
}

/** Score -> height in [0, 1]: [low, mean] takes the lower `below` of the axis, [mean, best] the rest. */
export function scoreScale(level, below = 0.3) {
  let low = level.mean;
  for (const v of level.maxMarginal) if (v > -Infinity && v < low) low = v;
  const up = level.best - level.mean || 1, down = level.mean - low || 1;
  const scale = (v) => {
    if (v === -Infinity) return 0;
    if (!level.hasSpread) return 0.9;
    return v >= level.mean ? below + (1 - below) * (v - level.mean) / up : Math.max(0, below * (v - low) / down);
  };
  scale.inverse = (h) => (h >= below ? level.mean + up * (h - below) / (1 - below) : low + down * h / below);
  scale.low = low;
  scale.below = below;
  return scale;
}

/** Values of each column stretched to [0, 1] (best of the column = 1); -inf gives 0. */
export function columnScale(level, values) {
  const out = new Float64Array(level.nArcs);
  for (let c = 0; c < level.nColumns; c++) {
    let low = Infinity, high = -Infinity;
    for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
      if (values[a] === -Infinity) continue;
      low = Math.min(low, values[a]);
      high = Math.max(high, values[a]);
    }
    for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
      out[a] = values[a] === -Infinity ? 0 : 0.06 + 0.94 * (high > low ? (values[a] - low) / (high - low) : 1);
    }
  }
  return out;
}

/** The states that get a row of the grid: at most `most`, those with the highest max-marginals, in their order. */
export function chosenStates(level, nStates, most) {
  const top = new Float64Array(nStates).fill(-Infinity);
  for (let a = 0; a < level.nArcs; a++) top[level.symbols[a]] = Math.max(top[level.symbols[a]], level.maxMarginal[a]);
  const states = Array.from(top.keys()).filter((k) => top[k] > -Infinity);
  return states.sort((p, q) => top[q] - top[p]).slice(0, Math.max(1, most)).sort((p, q) => p - q);
}

/** Greedy label placement: `wanted` = [{at, item}] by decreasing importance; no two closer than `gap`. */
export function placeLabels(wanted, gap) {
  const placed = [];
  for (const w of wanted) {
    let lo = 0, hi = placed.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (placed[mid].at < w.at) lo = mid + 1;
      else hi = mid;
    }
    if (lo > 0 && w.at - placed[lo - 1].at < gap) continue;
    if (lo < placed.length && placed[lo].at - w.at < gap) continue;
    placed.splice(lo, 0, w);
  }
  return placed;
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const superscript = (n) => String(n).replace(/\d/g, (d) => SUPERSCRIPT[d]).replace("-", "⁻");

/** 1234567 -> "1,234,567"; 2.09e11 -> "209 billion"; 6.45e19 -> "6.45 × 10¹⁹". */
export function readableCount(n) {
  if (!Number.isFinite(n)) return "∞";
  if (n < 1e6) return Math.round(n).toLocaleString("en-US");
  for (const [size, name] of [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]]) {
    if (n >= size && n < size * 999.5) return `${+(n / size).toPrecision(3)} ${name}`;
  }
  const exponent = Math.floor(Math.log10(n));
  return `${(n / 10 ** exponent).toFixed(2)} × 10${superscript(exponent)}`;
}

/** A share of the whole in percent, with enough digits to tell small ones apart. */
export function readablePercent(part, whole) {
  const p = (100 * part) / whole;
  if (!(p > 0)) return "0 %";
  if (p >= 99.95) return part === whole ? "100 %" : "> 99.9 %";
  if (p >= 0.1) return `${p.toFixed(1)} %`;
  return p >= 1e-4 ? `${p.toPrecision(2)} %` : "< 0.0001 %";
}

export function readableScore(v) {
  if (v === -Infinity) return "−∞";
  if (Number.isNaN(v)) return "?";
  const digits = Math.abs(v) >= 1000 ? 0 : Math.abs(v) >= 100 ? 1 : 2;
  return v.toFixed(digits).replace("-", "−");
}
