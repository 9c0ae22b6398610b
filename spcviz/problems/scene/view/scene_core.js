// Computations of the view of Scenes: the step of a trajectory at a time, and the colours of its pixels.

import { unrollRuns } from "../../../web/view/elements.js";

/** A picture as it was sent, with its runs expanded: an atom per pixel, a row of labels per step. */
export function laidOut(scene) {
  const courses = scene.courses.map((course) => ({ ...course, labels: transpose(unrollRuns(course.labels), course.ms.length) }));
  return { ...scene, atoms: unrollRuns(scene.atoms), courses };
}

/** A table of S columns, transposed: S rows. */
function transpose(table, s) {
  const n = table.length / s;
  return table.map((_, i) => table[(i % n) * s + Math.floor(i / n)]);
}

/** The last step that is done at a time in milliseconds; -1 before the first. */
export function stepAt(ms, time) {
  let low = 0, high = ms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Row s of a table of S rows. */
export const rowOf = (table, s, n) => table.subarray(s * n, (s + 1) * n);

/** Whether atom a is set in row s of packed bits, `wide` bytes a row, lowest bit first. */
export const isSet = (bits, s, a, wide) => (bits[s * wide + (a >> 3)] >> (a & 7)) & 1;

/** Share of all pixels, by class. */
export function sharesOf(labels, sizes, n) {
  const out = new Float64Array(n);
  let all = 0;
  labels.forEach((k, a) => { out[k] += sizes[a]; all += sizes[a]; });
  return out.map((count) => count / all);
}

/** Number of pixels of every atom. */
export function sizesOf(atoms) {
  let n = 0;
  for (const a of atoms) n = Math.max(n, a + 1);
  const out = new Float64Array(n);
  for (const a of atoms) out[a] += 1;
  return out;
}

/** Mean of one byte per atom, weighted by pixels. */
export function meanOf(values, sizes) {
  let sum = 0, all = 0;
  for (let a = 0; a < sizes.length; a++) { sum += values[a] * sizes[a]; all += sizes[a]; }
  return sum / all;
}

/** Percent of pixels on which two labellings agree. */
export function agreement(a, b, sizes) {
  let same = 0, all = 0;
  for (let i = 0; i < sizes.length; i++) { all += sizes[i]; if (a[i] === b[i]) same += sizes[i]; }
  return 100 * same / all;
}

/** Paint into `out` (RGBA) the picture in grey with one colour per atom over it; `strength` 0 .. 1 by atom. */
export function overlay(out, picture, atoms, colours, strength) {
  for (let p = 0; p < atoms.length; p++) {
    const a = atoms[p], r = picture[3 * p], g = picture[3 * p + 1], b = picture[3 * p + 2], s = strength[a];
    const grey = 0.3 * r + 0.59 * g + 0.11 * b, base = 0.45 * grey + 50;
    out[4 * p] = s < 0 ? r : (1 - s) * base + s * colours[3 * a] * (0.55 + 0.45 * grey / 255);
    out[4 * p + 1] = s < 0 ? g : (1 - s) * base + s * colours[3 * a + 1] * (0.55 + 0.45 * grey / 255);
    out[4 * p + 2] = s < 0 ? b : (1 - s) * base + s * colours[3 * a + 2] * (0.55 + 0.45 * grey / 255);
    out[4 * p + 3] = 255;
  }
}

/** Mark pixels at a border between a set and an unset atom. */
export function outlineRegions(out, atoms, wide, flags, colour) {
  for (let p = 0; p < atoms.length; p++) {
    const right = (p + 1) % wide ? p + 1 : p, below = p + wide < atoms.length ? p + wide : p;
    if (flags[atoms[p]] === flags[atoms[right]] && flags[atoms[p]] === flags[atoms[below]]) continue;
    out[4 * p] = colour[0];
    out[4 * p + 1] = colour[1];
    out[4 * p + 2] = colour[2];
  }
}
