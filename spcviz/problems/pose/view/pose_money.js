// Computations on arms under a budget: purchases for every frame, costs, errors of elbows and wrists.
//
// Arms are flat: [model or step][frame][side][shoulder, elbow, wrist][x, y], tenths of a pixel of 240 x 240.
// Step s is the state after s purchases. Pure functions: node imports this file as it is (tests/problems/pose).

const ARM = 6, FRAME = 2 * ARM;

/** Joints of one arm in pixels: [x, y] of shoulder, elbow, wrist one after the other. */
export function armAt(all, nFrames, which, f, side) {
  return Array.from(all.subarray((which * nFrames + f) * FRAME + side * ARM).subarray(0, ARM), (tenths) => tenths / 10);
}

/** An arm as two lines, [x1, y1, x2, y2] each. */
export const linesOfArm = ([x1, y1, x2, y2, x3, y3]) => [x1, y1, x2, y2, x2, y2, x3, y3];

/** Number of purchases that a share of the time for everything pays for. */
export function stepOf(ms, share) {
  const budget = share * ms[ms.length - 1] * (1 + 1e-9) + 1e-9;
  let step = 0;
  while (step + 1 < ms.length && ms[step + 1] <= budget) step++;
  return step;
}

/** Whether all joints of a true arm are known. */
export const isKnown = (arm) => arm.every((coordinate) => coordinate > -3000);

/** Pixels by which [elbow, wrist] of an arm are off; empty if the truth is unknown. */
export function offBy(arm, truth) {
  return isKnown(truth) ? [2, 4].map((i) => Math.hypot(arm[i] - truth[i], arm[i + 1] - truth[i + 1])) : [];
}

/** Share of known elbows and wrists that are off by more than `near` pixels, for every model or step. */
export function lostBy(all, truth, nFrames, near) {
  const n = all.length / (nFrames * FRAME), out = new Float64Array(n);
  for (let which = 0; which < n; which++) {
    let known = 0;
    for (let f = 0; f < nFrames; f++) {
      for (let side = 0; side < 2; side++) {
        const off = offBy(armAt(all, nFrames, which, f, side), armAt(truth, nFrames, 0, f, side));
        known += off.length;
        out[which] += off.filter((px) => px > near).length;
      }
    }
    out[which] /= known || 1;
  }
  return out;
}

/** Number of arms of the clip at each tier after a step. */
export function countTiers(tiers, nFrames, step, nTiers) {
  const out = new Array(nTiers).fill(0);
  for (const tier of tiers.subarray(2 * nFrames * step, 2 * nFrames * (step + 1))) out[tier]++;
  return out;
}
