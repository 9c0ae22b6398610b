// Computations of the Policy view: the step that a budget reaches. Pure functions: no page, no clock.

/** The last state that a budget reaches. */
export function stepAt(trace, kind, budget) {
  let last = 0;
  for (let s = 0; s < trace[kind].length; s++) if (trace[kind][s] <= budget + 1e-9 * Math.max(1, budget)) last = s;
  return last;
}
