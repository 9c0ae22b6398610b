// Computations of the Orders and features view: actions as text, errors in a reading. Pure functions.

const KEYS = ["r", "b"];

/** Positions, from 0, that the factor ending at letter i covers. */
export const scopeOf = (order, i) => ({ first: i - order + 1, last: i });

/** Actions by hand, as the URL holds them, once `action` is done at step s of a trajectory. */
export function handAfter(course, takenAt, s, action) {
  const begin = takenAt < 0 ? s : Math.min(takenAt, s);
  const actions = course.slice(begin + 1, s + 1).map((step) => step.action);
  return `${begin}:${[...actions, action].map(([kind, i]) => `${KEYS[kind]}${i + 1}`).join(".")}`;
}

/** The action that the controller values most: [kind, letter], or null. */
export function bestAction(values) {
  let best = null;
  values.forEach((row, i) => row.forEach((v, kind) => {
    if (v !== null && (best === null || v > values[best[1]][best[0]])) best = [kind, i];
  }));
  return best;
}

/** Number of wrong letters in a reading. */
export const wrongIn = (reading, truth) => [...truth].filter((c, i) => c !== reading[i]).length;

/** The step from which a trajectory reads the word right to its end; -1 if it ends wrong. */
export function rightFrom(course, truth) {
  let s = course.length;
  while (s > 0 && course[s - 1].reading === truth) s--;
  return s < course.length ? s : -1;
}

/** An action in words. */
export const actionText = ([kind, i], step, tiers) => kind === 0 ? `order ${step.order[i]} at letter ${i + 1}` : `${tiers[step.tier[i]]} of letter ${i + 1}`;
