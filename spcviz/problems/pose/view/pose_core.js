// Computations of the Pose view: which limbs survive an alpha. Pure functions on typed arrays: no page, no clock.
//
// A clip has F frames of P limbs; a limb's states at a level are numbers (angle * R + row) * C + column of the
// level's R x C cells and 24 angles. Level 0 has all of them, a later level both children of the states that the
// level before keeps under its own alpha. A state's code (spcviz/problems/pose/page/trace.py) says how many of
// the slider's K thresholds its summed max-marginal exceeds: it survives the k-th alpha iff
// code >= ABOVE + PARTS * k. The best state of a limb never falls.
//
// node imports this file as it is (tests/problems/pose compares it with the engine).

import { thresholdOf } from "../../../web/view/rule.js";

export const N_STEPS = 1000, N_BELOW = 500, PARTS = 32, ABOVE = 16384, N_ANGLES = 24, SIDE = 240;
const NEAR = 0.25, APART_PX = 12, APART_ANGLE = Math.PI / 6 - 1e-9;

/** The alphas that a level can be shown under, ascending; below the mean in hundredths, if the tuned one lies there. */
export function sliderAlphas(tuned) {
  const n = Math.min(Math.max(-10 * Math.floor(10 * tuned), 0), N_BELOW);
  const alphas = [...Array.from({ length: n }, (_, k) => (k - n) / 100), ...Array.from({ length: N_STEPS + 1 }, (_, k) => k / N_STEPS)];
  if (!alphas.includes(tuned)) alphas.push(tuned);
  return Float64Array.from(alphas).sort();
}

/** Index of the slider's alpha that is nearest to this one. */
export function alphaIndex(level, alpha) {
  let nearest = 0;
  for (let k = 1; k < level.alphas.length; k++) if (Math.abs(level.alphas[k] - alpha) < Math.abs(level.alphas[nearest] - alpha)) nearest = k;
  return nearest;
}

/** A level of the payload, still without its states, their codes and their scores. */
export function levelOf(part, alpha, nParts) {
  const level = { ...part, alpha, nParts, nGiven: part.n_given, nEach: part.n_each, unaryRange: part.unary_range, alphas: sliderAlphas(part.tuned), nFrames: part.best.length };
  level.start = new Int32Array(level.nGiven.length + 1);
  for (let v = 0; v < level.nGiven.length; v++) level.start[v + 1] = level.start[v] + level.nGiven[v];
  return level;
}

/** 1 for every state of variable v that survives the k-th alpha. */
export function keepMask(level, v, k) {
  const keep = new Uint8Array(level.nGiven[v]), least = ABOVE + PARTS * k, at = level.start[v];
  for (let s = 0; s < keep.length; s++) keep[s] = level.codes[at + s] >= least ? 1 : 0;
  keep[level.first[v]] = 1;
  return keep;
}

/** Number of states of variable v that survive the k-th alpha. */
export function countKept(level, v, k) {
  const least = ABOVE + PARTS * k;
  let n = level.codes[level.start[v] + level.first[v]] < least ? 1 : 0;
  for (let s = level.start[v]; s < level.start[v + 1]; s++) if (level.codes[s] >= least) n++;
  return n;
}

/** States of the next level that lie in some of this one: two each, ascending. */
export function childrenOf(coarse, fine, states) {
  const down = fine.rows / coarse.rows, across = fine.columns / coarse.columns, out = new Int32Array(2 * states.length);
  let n = 0;
  for (const state of states) {
    const column = state % coarse.columns, row = Math.floor(state / coarse.columns) % coarse.rows, angle = Math.floor(state / (coarse.columns * coarse.rows));
    for (let i = 0; i < down; i++) for (let j = 0; j < across; j++) out[n++] = (angle * fine.rows + row * down + i) * fine.columns + column * across + j;
  }
  return out.sort();
}

/** 1 for each of n states that is kept, from a bit for each or from the gaps between the kept ones. */
function maskOf({ bits, gaps }, n) {
  if (bits) return Uint8Array.from({ length: n }, (_, s) => (bits[s >> 3] >> (7 - (s & 7))) & 1);
  const mask = new Uint8Array(n);
  gaps.reduce((at, gap) => { mask[at + gap] = 1; return at + gap; }, -1);
  return mask;
}

/** Give every level its `states`, from those that each level but the last keeps. */
export function fillStates(levels, kept) {
  levels.forEach((level, l) => {
    level.states = new Int32Array(level.start[level.nGiven.length]);
    const before = levels[l - 1], mask = l && maskOf(kept[l - 1], before.states.length);
    for (let v = 0; v < level.nGiven.length; v++) {
      let states;
      if (l === 0) states = Int32Array.from({ length: level.nGiven[v] }, (_, s) => s);
      else {
        const at = before.start[v];
        states = childrenOf(before, level, before.states.subarray(at, before.start[v + 1]).filter((_, s) => mask[at + s]));
      }
      if (states.length !== level.nGiven[v]) throw new Error(`level ${l} has ${level.nGiven[v]} states, its parents have ${states.length} children`);
      level.states.set(states, level.start[v]);
    }
  });
  return levels;
}

/** [x, y, angle in radians] of a state. */
export function placeOf(level, state) {
  const column = state % level.columns, row = Math.floor(state / level.columns) % level.rows, angle = Math.floor(state / (level.columns * level.rows));
  return [(column + 0.5) * SIDE / level.columns, (row + 0.5) * SIDE / level.rows, angle * 2 * Math.PI / N_ANGLES];
}

/** Both ends [x, y, x, y] of a limb in a state. */
export function limbOf(level, state, length) {
  const [x, y, angle] = placeOf(level, state), dx = length / 2 * Math.cos(angle), dy = length / 2 * Math.sin(angle);
  return [x - dx, y - dy, x + dx, y + dy];
}

/** The threshold at the k-th alpha, in frame f. */
export function threshold(level, f, k) {
  return thresholdOf(level.best[f], level.mean[f], level.alphas[k]);
}

/** The max-marginal behind a code, as precisely as it is known. */
export function scoreOf(level, f, code) {
  if (code < ABOVE) return level.low[f] + (threshold(level, f, 0) - level.low[f]) * (code + 0.5) / ABOVE;
  return level.mean[f] + positionOf(level, code) * (level.best[f] - level.mean[f]);
}

/** Position of a code between mean (0) and best (1); below the slider's first threshold, up to 1 less than that. */
export function positionOf(level, code) {
  if (code < ABOVE) return level.alphas[0] - 1 + (code + 0.5) / ABOVE;
  const step = Math.floor((code - ABOVE) / PARTS), share = (code - ABOVE) % PARTS / PARTS, { alphas } = level;
  if (step + 1 >= alphas.length) return 1;
  return alphas[step] + share * (alphas[step + 1] - alphas[step]);
}

/** Index of the first alpha at which a state falls; K if it never does, 0 if it falls at all. */
export function fallIndex(level, v, s) {
  if (s === level.first[v]) return level.alphas.length;
  return Math.max(0, Math.floor((level.codes[level.start[v] + s] - ABOVE) / PARTS) + 1);
}

/** Whether both ends of a limb lie within a share of the true length of the true ends. */
export function isNear(limb, truth, share = NEAR) {
  const allowed = share * Math.hypot(truth[2] - truth[0], truth[3] - truth[1]);
  return Math.hypot(limb[0] - truth[0], limb[1] - truth[1]) <= allowed && Math.hypot(limb[2] - truth[2], limb[3] - truth[3]) <= allowed;
}

/** Index of the first alpha at which no state near the truth is left: 0: none exceeds the first threshold, -1: none was given. */
export function truthFall(level, v, length, truth) {
  let fall = -1;
  for (let s = 0; s < level.nGiven[v]; s++) {
    if (isNear(limbOf(level, level.states[level.start[v] + s], length), truth)) fall = Math.max(fall, fallIndex(level, v, s));
  }
  return fall;
}

/** Indices of variable v's states by decreasing max-marginal, its best first. */
export function ranking(level, v) {
  const codes = level.codes.subarray(level.start[v], level.start[v + 1]), order = Uint32Array.from(codes, (_, s) => s);
  order.sort((a, b) => codes[b] - codes[a] || (b === level.first[v]) - (a === level.first[v]) || a - b);
  return order;
}

/** A fixed sample of a ranking to draw: the strongest, and evenly spaced ones of the rest. */
export function sample(order, most) {
  if (order.length <= most) return order;
  const sure = most >> 1, rest = order.length - sure, n = most - sure;
  return Uint32Array.from({ length: most }, (_, i) => order[i < sure ? i : sure + Math.floor((i - sure) * rest / n)]);
}

/** The best limbs of a variable that differ in place or angle, best first, as indices among its states. */
export function topLimbs(level, v, k, order, n = 4) {
  const chosen = [], least = ABOVE + PARTS * k;
  for (const s of order) {
    if (chosen.length === n) break;
    if (level.codes[level.start[v] + s] < least && s !== level.first[v]) continue;
    const [x, y, angle] = placeOf(level, level.states[level.start[v] + s]);
    const isNew = chosen.every((other) => {
      const [x2, y2, angle2] = placeOf(level, level.states[level.start[v] + other]);
      const turn = Math.abs(((angle - angle2) % (2 * Math.PI) + 3 * Math.PI) % (2 * Math.PI) - Math.PI);
      return Math.hypot(x - x2, y - y2) >= APART_PX || turn >= APART_ANGLE;
    });
    if (isNew) chosen.push(s);
  }
  return chosen;
}

/** Best position over all angles in every cell of the level, NaN where nothing was given: rows x columns. */
export function heatOf(level, v) {
  const n = level.rows * level.columns, heat = new Float64Array(n).fill(NaN);
  for (let s = level.start[v]; s < level.start[v + 1]; s++) {
    const cell = level.states[s] % n, position = positionOf(level, level.codes[s]);
    if (!(heat[cell] >= position)) heat[cell] = position;
  }
  return heat;
}

const unaryOf = (level, f, s) => level.unaryRange[2 * f] + level.unary[s] / 65535 * (level.unaryRange[2 * f + 1] - level.unaryRange[2 * f]);

/** Score of joint `kind` with its first limb (the torso) and its second in two given states. */
export function jointScore(level, kind, first, second) {
  const [x, y, a] = placeOf(level, first), [x2, y2, b] = placeOf(level, second), reach = level.reach[kind], gap = level.gap[kind], weight = level.weight[kind];
  const dx = x2 + reach[1] * Math.cos(b) - x - reach[0] * Math.cos(a), dy = y2 + reach[1] * Math.sin(b) - y - reach[0] * Math.sin(a);
  const along = Math.cos(a) * dx + Math.sin(a) * dy - gap[0], across = Math.cos(a) * dy - Math.sin(a) * dx - gap[1];
  const turn = (Math.round((b - a) * N_ANGLES / (2 * Math.PI)) % N_ANGLES + N_ANGLES) % N_ANGLES;
  return level.turn[kind][turn] - weight[0] * along * along - weight[1] * across * across;
}

/** Score of every state of limb `to` together with the best state of limb `from`, and which that is. The torso
 *  is limb 0, the first of every joint; joint p - 1 ties limb p to it. */
function messageTo(level, f, to, from, scores) {
  const P = level.nParts, kind = Math.max(to, from) - 1, vTo = f * P + to, vFrom = f * P + from, n = level.nGiven[vTo], m = level.nGiven[vFrom];
  const best = new Float64Array(n).fill(-Infinity), arg = new Int32Array(n), turns = level.turn[kind], highest = Math.max(...turns);
  const order = Uint32Array.from({ length: m }, (_, i) => i).sort((a, b) => scores[b] - scores[a]);
  for (let t = 0; t < n; t++) {
    const state = level.states[level.start[vTo] + t];
    for (const s of order) {
      if (scores[s] + highest <= best[t]) break; // the rest cannot be better: gaps only cost
      const other = level.states[level.start[vFrom] + s];
      const got = scores[s] + (to === 0 ? jointScore(level, kind, state, other) : jointScore(level, kind, other, state));
      if (got > best[t]) { best[t] = got; arg[t] = s; }
    }
  }
  return { best, arg };
}

const scoresOf = (level, f, p) => {
  const v = f * level.nParts + p;
  return Float64Array.from({ length: level.nGiven[v] }, (_, s) => unaryOf(level, f, level.start[v] + s));
};

/** The best whole body through state s of limb p in frame f: state indices of all limbs, and its score. Null with
 *  several sub-models, each of which has its own witness. Messages to the torso are computed once per frame and level. */
export function witness(level, f, p, s) {
  if (!level.unary?.length) return null;
  const cache = level.messages || (level.messages = new Map());
  if (!cache.has(f)) {
    const torso = scoresOf(level, f, 0), fromArms = [null];
    for (let arm = 1; arm < level.nParts; arm++) fromArms.push(messageTo(level, f, 0, arm, scoresOf(level, f, arm)));
    cache.set(f, { torso, fromArms });
  }
  const { torso, fromArms } = cache.get(f), arms = Array.from({ length: level.nParts - 1 }, (_, i) => i + 1);
  let root = s, score = 0;
  if (p > 0) {
    const state = level.states[level.start[f * level.nParts + p] + s];
    let best = -Infinity;
    for (let t = 0; t < torso.length; t++) {
      let got = torso[t] + jointScore(level, p - 1, level.states[level.start[f * level.nParts] + t], state);
      for (const arm of arms) if (arm !== p) got += fromArms[arm].best[t];
      if (got > best) { best = got; root = t; }
    }
    score = best + unaryOf(level, f, level.start[f * level.nParts + p] + s);
  } else score = torso[s] + arms.reduce((sum, arm) => sum + fromArms[arm].best[s], 0);
  const places = [root, ...arms.map((arm) => fromArms[arm].arg[root])];
  places[p] = s;
  return { places, score };
}
