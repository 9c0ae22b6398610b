// Computations of the Trade-off view: what a budget buys. Pure functions: no page, no canvas, no clock.
//
// A batch has W chains (words, arms), chain w owning parts (letters, frames) start[w] .. start[w + 1]. A reading
// is text, a symbol of the alphabet for each part; faults[r * K + k] has a bit for everything that is wrong if
// part r is read as state k. A method is a sequence of purchases, taken in order while they fit. Costs come in
// two kinds, "units" and "us"; everything a method spends before it buys is its base cost.

/** Tasks by name: the code of each problem's trade_task.js. */
export const TASKS = {};

/** Part offsets of the chains, length W + 1. */
export function offsets(truths) {
  const start = [0];
  for (const text of truths) start.push(start[start.length - 1] + text.length);
  return start;
}

/** Bits of what is wrong with part i of chain w if it is read as in `reading`. */
export function faultsOf(data, start, w, i, reading) {
  return data.faults[(start[w] + i) * data.alphabet.length + data.alphabet.indexOf(reading[i])];
}

/** Number of set bits. */
export function countBits(bits) {
  let n = 0;
  for (let left = bits; left; left >>= 1) n += left & 1;
  return n;
}

/** A method as sent, with the reading of every purchase filled in: one that changes nothing is sent empty. */
export function withReadings(method) {
  const now = method.start_readings.slice();
  return { ...method, readings: method.readings.map((reading, s) => (now[method.chain[s]] = reading || now[method.chain[s]])) };
}

/** Number of things wrong in a reading of chain w. */
export function wrongIn(data, start, w, reading) {
  let wrong = 0;
  for (let i = 0; i < reading.length; i++) wrong += countBits(faultsOf(data, start, w, i, reading));
  return wrong;
}

function blank(readings, start) {
  return { spent: 0, tiers: new Int8Array(start[start.length - 1]), readings: readings.slice(), steps: 0, last: -1 };
}

function countWrong(data, start, state) {
  state.wrong = 0;
  state.readings.forEach((reading, w) => { state.wrong += wrongIn(data, start, w, reading); });
  return state;
}

function buy(state, start, purchase) {
  const { chain, position, tier } = purchase;
  if (position < 0) state.tiers.fill(tier, start[chain], start[chain + 1]);
  else state.tiers[start[chain] + position] = tier;
  state.readings[chain] = purchase.reading;
}

/** State of the batch after all purchases of a method that fit into `budget` (in the kind's own unit). */
export function stateAt(data, start, method, kind, budget) {
  const state = blank(method.start_readings, start), eps = 1e-9 * Math.max(1, Math.abs(budget));
  state.spent = method.base[kind];
  const { chain, position, tier, readings } = method, cost = method[kind];
  for (let s = 0; s < chain.length && state.spent + cost[s] <= budget + eps; s++) {
    buy(state, start, { chain: chain[s], position: position[s], tier: tier[s], reading: readings[s] });
    state.spent += cost[s];
    state.steps += 1;
    state.last = s;
  }
  return countWrong(data, start, state);
}

/** Points (cost, number wrong) of a method's step curve, by rising cost. */
export function curveOf(data, start, method, kind) {
  const state = countWrong(data, start, blank(method.start_readings, start));
  let spent = method.base[kind], wrong = state.wrong;
  const curve = [[spent, wrong]];
  for (let s = 0; s < method.chain.length; s++) {
    const w = method.chain[s];
    wrong += wrongIn(data, start, w, method.readings[s]) - wrongIn(data, start, w, state.readings[w]);
    state.readings[w] = method.readings[s];
    spent += method[kind][s];
    curve.push([spent, wrong]);
  }
  return curve;
}

/** Chains chosen by hand, one tier up each time; picks that no longer fit are left out. */
export function handState(data, start, picks, kind, budget) {
  const state = blank(data.hand.readings[0], start), level = new Int8Array(data.truths.length), top = data.tier_names.length - 1;
  const eps = 1e-9 * Math.max(1, Math.abs(budget));
  state.spent = data.hand.base[kind];
  for (const chain of picks) {
    if (!(chain >= 0 && chain < level.length) || level[chain] >= top) continue;
    const tier = level[chain] + 1, cost = data.hand[kind][tier][chain];
    if (state.spent + cost > budget + eps) continue;
    level[chain] = tier;
    buy(state, start, { chain, position: -1, tier, reading: data.hand.readings[tier][chain] });
    state.spent += cost;
    state.steps += 1;
  }
  return countWrong(data, start, state);
}

/** Whether one more pick of this chain fits. */
export function canPick(data, start, picks, chain, kind, budget) {
  return handState(data, start, [...picks, chain], kind, budget).steps > handState(data, start, picks, kind, budget).steps;
}

/** Number of picks at the end of each finished round: never fewer than the round before, nor more than nPicks. */
export function roundsOf(cuts, nPicks, nRounds) {
  const kept = [];
  for (const cut of cuts.slice(0, nRounds)) {
    if (!(Number.isInteger(cut) && cut >= (kept.at(-1) ?? 0) && cut <= nPicks)) break;
    kept.push(cut);
  }
  return kept;
}

/** The fewest faults that lifting whole chains can leave within a budget of whole units: exact, over all choices of tiers. */
export function oracleAt(data, start, kind, budget) {
  const room = Math.floor(budget - data.hand.base[kind] + 1e-9), nTiers = data.tier_names.length;
  if (room < 0) return { wrong: countWrong(data, start, blank(data.hand.readings[0], start)).wrong };
  let best = new Float64Array(room + 1); // best[c]: fewest faults of the chains so far at a cost of c or less
  for (let w = 0; w < data.truths.length; w++) {
    const next = new Float64Array(room + 1).fill(Infinity);
    let cost = 0;
    for (let tier = 0; tier < nTiers; tier++) {
      cost += tier ? Math.ceil(data.hand[kind][tier][w] - 1e-9) : 0;
      const wrong = wrongIn(data, start, w, data.hand.readings[tier][w]);
      for (let c = cost; c <= room; c++) next[c] = Math.min(next[c], best[c - cost] + wrong);
    }
    best = next;
  }
  return { wrong: best[room] };
}

/** Number of parts at each tier. */
export function tierCounts(state, nTiers) {
  const counts = new Array(nTiers).fill(0);
  for (const tier of state.tiers) counts[tier] += 1;
  return counts;
}
