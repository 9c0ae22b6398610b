// The threshold rule of a cascade, once for all views; spcviz/engine/thresholds/rule.py is its twin in Python.
//
//   tau = best - (1 - alpha) * (best - mean)      alpha capped at MAX_ALPHA; keep iff score > tau
//
// `best` is the largest of one example's max-marginals, `mean` the mean of the finite ones. Below alpha 0 the
// threshold lies under the mean, down to where all is kept. node imports this file as it is (tests/web/view compares it with the engine, to the last bit).

export const MAX_ALPHA = 1 - 1e-9;

/** The score that a survivor must exceed. This form cannot round above the best. */
export function thresholdOf(best, mean, alpha) {
  return best - (1 - Math.min(alpha, MAX_ALPHA)) * (best - mean);
}

/** Whether a score is kept: what equals the threshold goes. */
export function survives(score, tau) {
  return score > tau;
}

/** The alpha whose threshold is this score: 0 at the mean, 1 at the best. */
export function alphaOfScore(score, best, mean) {
  return (score - mean) / (best - mean);
}

/** Where a slider begins that has to reach some alphas: at the mean, or at the next tenth under the lowest. */
export function lowestOf(...alphas) {
  return Math.min(0, Math.floor(10 * Math.min(...alphas)) / 10);
}

/** What is said of an alpha whose threshold lies under the mean. */
export const belowMean = (alpha) => (alpha < 0 ? ", below the mean" : "");

/** The alpha from which a score is pruned: -Infinity forbidden from the start, Infinity never. */
export function breakPointOf(score, best, mean, hasSpread) {
  if (score === -Infinity) return -Infinity;
  return !hasSpread || score >= best ? Infinity : alphaOfScore(score, best, mean);
}
