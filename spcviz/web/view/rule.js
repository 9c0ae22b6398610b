// The threshold rule of a cascade, once for all views; spcviz/engine/thresholds/rule.py is its twin in Python.
//
//   tau = best - (1 - alpha) * (best - mean)      alpha capped at MAX_ALPHA; keep iff score > tau
//   tau = best - margin                           the same for every example: rule "margin"
//
// A view has one number for how hard to prune, its setting: alpha, or minus the margin, so that more is pruned as
// it rises.
//
// `best` is the largest of one example's max-marginals, `mean` the mean of the finite ones. Below alpha 0 the
// threshold is below the mean, down to where all is kept. node imports this file as it is (tests/web/view compares
// it with the engine, to the last bit).

export const MAX_ALPHA = 1 - 1e-9;

/** The score that a survivor must exceed. This form cannot round above the best. */
export function thresholdOf(best, mean, alpha) {
  return best - (1 - Math.min(alpha, MAX_ALPHA)) * (best - mean);
}

/** The least distance of a margin below the best, relative to it: the size of rounding errors. */
const NO_SPREAD = 1e-12;

/** The scale of 1 - alpha: best - mean, or another yardstick if one is given (not below 0). */
export function yardstickOf(best, mean, given) {
  return given < 0 ? best - mean : Math.max(given, NO_SPREAD * Math.abs(best));
}

/** The threshold of a rule at a setting: see above. */
export function thresholdBy(rule, best, mean, setting) {
  return rule === "margin" ? best - yardstickOf(best, mean, -setting) : thresholdOf(best, mean, setting);
}

/** The setting of a rule from which on a score is pruned, as in `breakPointOf`. */
export function breakPointBy(rule, score, best, mean, hasSpread) {
  if (rule !== "margin") return breakPointOf(score, best, mean, hasSpread);
  if (score === -Infinity) return -Infinity;
  return !hasSpread || score >= best ? Infinity : score - best;
}

/** The setting whose threshold is this score. */
export function settingOfScore(rule, score, best, mean) {
  return rule === "margin" ? score - best : alphaOfScore(score, best, mean);
}

/** Whether a score is kept: one equal to the threshold is pruned. */
export function survives(score, tau) {
  return score > tau;
}

/** The alpha whose threshold is this score: 0 at the mean, 1 at the best. */
export function alphaOfScore(score, best, mean) {
  return (score - mean) / (best - mean);
}

/** Lower end of a slider that must reach some alphas: the mean, or the next tenth below the lowest. */
export function lowestOf(...alphas) {
  return Math.min(0, Math.floor(10 * Math.min(...alphas)) / 10);
}

/** The note on an alpha whose threshold is below the mean. */
export const belowMean = (alpha) => (alpha < 0 ? ", below the mean" : "");

/** The alpha from which on a score is pruned: -Infinity if it is forbidden from the start, Infinity if never. */
export function breakPointOf(score, best, mean, hasSpread) {
  if (score === -Infinity) return -Infinity;
  return !hasSpread || score >= best ? Infinity : alphaOfScore(score, best, mean);
}
