// Core of the Trade-off page: what a budget buys. Pure functions: no page, no canvas, no clock.
//
// A batch has W words, word w owning letters start[w] .. start[w + 1]. A method is a sequence of purchases,
// taken in order while they fit. Costs come in two kinds, "units" and "us"; everything a method spends before it buys is its base cost.

/** Letter offsets of the words, length W + 1. */
export function offsets(truths) {
  const start = [0];
  for (const text of truths) start.push(start[start.length - 1] + text.length);
  return start;
}

/** Letters of a reading that are wrong; a reading of another length is wrong everywhere. */
export function wrongLetters(reading, truth) {
  if (reading.length !== truth.length) return truth.length;
  let wrong = 0;
  for (let i = 0; i < truth.length; i++) wrong += reading[i] !== truth[i];
  return wrong;
}

function blank(data, start) {
  return { spent: 0, tiers: new Int8Array(start[start.length - 1]), readings: data.start_readings.slice(), steps: 0, last: -1 };
}

function countWrong(data, state) {
  state.wrong = 0;
  state.readings.forEach((reading, w) => { state.wrong += wrongLetters(reading, data.truths[w]); });
  return state;
}

function buy(state, start, purchase) {
  const { word, position, tier } = purchase;
  if (position < 0) state.tiers.fill(tier, start[word], start[word + 1]);
  else state.tiers[start[word] + position] = tier;
  state.readings[word] = purchase.reading;
}

/** What a method has bought when `budget` (in the kind's own unit) is all it may spend. */
export function stateAt(data, start, method, kind, budget) {
  const state = blank(data, start), eps = 1e-9 * Math.max(1, Math.abs(budget));
  state.spent = method.base[kind];
  const { word, position, tier, readings } = method, cost = method[kind];
  for (let s = 0; s < word.length && state.spent + cost[s] <= budget + eps; s++) {
    buy(state, start, { word: word[s], position: position[s], tier: tier[s], reading: readings[s] });
    state.spent += cost[s];
    state.steps += 1;
    state.last = s;
  }
  return countWrong(data, state);
}

/** Points (cost, wrong letters) of a method's curve, rising in cost: stairs. */
export function curveOf(data, start, method, kind) {
  const state = countWrong(data, blank(data, start));
  let spent = method.base[kind], wrong = state.wrong;
  const curve = [[spent, wrong]];
  for (let s = 0; s < method.word.length; s++) {
    const w = method.word[s];
    wrong += wrongLetters(method.readings[s], data.truths[w]) - wrongLetters(state.readings[w], data.truths[w]);
    state.readings[w] = method.readings[s];
    spent += method[kind][s];
    curve.push([spent, wrong]);
  }
  return curve;
}

/** Words chosen by hand, one tier up each time; picks that no longer fit are left out. */
export function handState(data, start, picks, kind, budget) {
  const state = blank(data, start), level = new Int8Array(data.truths.length), top = data.tier_names.length - 1;
  const eps = 1e-9 * Math.max(1, Math.abs(budget));
  state.spent = data.hand.base[kind];
  for (const word of picks) {
    if (!(word >= 0 && word < level.length) || level[word] >= top) continue;
    const tier = level[word] + 1, cost = data.hand[kind][tier][word];
    if (state.spent + cost > budget + eps) continue;
    level[word] = tier;
    buy(state, start, { word, position: -1, tier, reading: data.hand.readings[tier][word] });
    state.spent += cost;
    state.steps += 1;
  }
  return countWrong(data, state);
}

/** Whether one more pick of this word fits. */
export function canPick(data, start, picks, word, kind, budget) {
  return handState(data, start, [...picks, word], kind, budget).steps > handState(data, start, picks, kind, budget).steps;
}

/** How many letters stand at each tier. */
export function tierCounts(state, nTiers) {
  const counts = new Array(nTiers).fill(0);
  for (const tier of state.tiers) counts[tier] += 1;
  return counts;
}
