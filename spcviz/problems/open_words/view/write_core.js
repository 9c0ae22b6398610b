// Converts strokes to the short text of the address, and back, as spcviz/problems/open_words/data/drawings.py does.

const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
export const BOX = 64;
export const MOST = 20;
const STRAIGHT = 0.4; // of a box's 64: lines are straightened by at most this much
const GAP = 3; // least white between two letters of a strip

const whole = (v, high) => Math.min(high, Math.max(0, Math.round(v)));
const values = (text) => [...text].map((sign) => SIGNS.indexOf(sign));

/** The drawing of a text: { isStrip, letters } or { isStrip, strokes, cuts }; points are [x, y]. */
export function parse(text) {
  if (text.startsWith("s")) {
    const [head, body = ""] = text.slice(1).split("~"), at = values(head), cuts = [];
    for (let i = 0; i + 1 < at.length; i += 2) cuts.push(BOX * at[i] + at[i + 1]);
    const strokes = body.split(".").filter(Boolean).map((stroke) => {
      const v = values(stroke);
      return Array.from({ length: Math.floor(v.length / 3) }, (_, i) => [BOX * v[3 * i] + v[3 * i + 1], v[3 * i + 2]]);
    });
    return { isStrip: true, strokes, cuts };
  }
  const letters = text.slice(1).split("~").map((letter) => letter.split(".").filter(Boolean).map((stroke) => {
    const v = values(stroke);
    return Array.from({ length: Math.floor(v.length / 2) }, (_, i) => [v[2 * i], v[2 * i + 1]]);
  }));
  return { isStrip: false, letters };
}

/** The text of strokes in boxes. */
export const boxesText = (letters) => `b${letters.map((letter) =>
  letter.map((stroke) => stroke.map(([x, y]) => SIGNS[whole(x, BOX - 1)] + SIGNS[whole(y, BOX - 1)]).join("")).join(".")).join("~")}`;

/** The text of strokes in one strip. */
export function stripText(strokes, cuts) {
  const wide = (x) => { const v = whole(x, BOX * MOST - 1); return SIGNS[Math.floor(v / BOX)] + SIGNS[v % BOX]; };
  const body = strokes.map((stroke) => stroke.map(([x, y]) => wide(x) + SIGNS[whole(y, BOX - 1)]).join("")).join(".");
  return `s${cuts.map(wide).join("")}~${body}`;
}

/** A line with fewer points that is nowhere further away than `most` (Douglas and Peucker 1973). */
export function straighten(points, most = STRAIGHT) {
  if (points.length < 3) return points;
  const [a, b] = [points[0], points[points.length - 1]], along = [b[0] - a[0], b[1] - a[1]];
  const square = along[0] ** 2 + along[1] ** 2 || 1e-9;
  let worst = 0, at = 0;
  points.forEach(([x, y], i) => {
    const share = Math.min(1, Math.max(0, ((x - a[0]) * along[0] + (y - a[1]) * along[1]) / square));
    const apart = Math.hypot(x - a[0] - share * along[0], y - a[1] - share * along[1]);
    if (apart > worst) [worst, at] = [apart, i];
  });
  if (worst <= most) return [a, b];
  return [...straighten(points.slice(0, at + 1), most), ...straighten(points.slice(at), most).slice(1)];
}

/** Cuts in the middle of every gap between strokes that do not overlap horizontally. */
export function cutsAtGaps(strokes) {
  const spans = strokes.map((stroke) => [Math.min(...stroke.map((p) => p[0])), Math.max(...stroke.map((p) => p[0]))]).sort((a, b) => a[0] - b[0]);
  const cuts = [];
  let end = null;
  for (const [low, high] of spans) {
    if (end !== null && low - end >= GAP) cuts.push(Math.round((low + end) / 2));
    end = end === null ? high : Math.max(end, high);
  }
  return cuts.slice(0, MOST - 1);
}

/** A drawing in boxes as one in a strip, with cuts between the boxes. */
export const toStrip = (letters) => {
  const strokes = letters.flatMap((letter, i) => letter.map((stroke) => stroke.map(([x, y]) => [x + BOX * i, y])));
  return { strokes, cuts: letters.slice(1).map((_, i) => BOX * (i + 1)) };
};
