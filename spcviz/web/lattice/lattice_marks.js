// Marks shared by the lattice's grid of order 1 and its columns of higher orders.
// Sizes, the row of pictures or words above, the path through the selected n-gram, pins, and the look of states.

import { arcKey, readableScore } from "./lattice_core.js";

function bitmapRuns(bits, x, y, w, h, out) {
  const px = w / 8, py = h / 16;
  for (let r = 0; r < 16; r++) {
    for (let c = 0; c < 8; c++) {
      if (!bits[r * 8 + c]) continue;
      let end = c + 1;
      while (end < 8 && bits[r * 8 + end]) end++;
      out.push(x + c * px, y + r * py, (end - c) * px, py + 0.4);
      c = end;
    }
  }
}

export const MARGIN = 14; // left of columns: their tick, and white space
export const diamond = (x, y, r) => [x, y - r, x + r, y, x, y + r, x - r, y];
export const star = (x, y, r) => Array.from({ length: 10 }, (_, i) => {
  const radius = (i % 2 ? 0.45 : 1.2) * r, angle = (Math.PI * i) / 5;
  return [x + radius * Math.sin(angle), y - radius * Math.cos(angle)];
}).flat();

/** The layout: sizes in px, all derived from the letter size and the available space. `widest` is the width of the
 * labels left of the picture. */
export function layout(size, level, letter, hasWords = false, widest = 0) {
  const { width, height } = size;
  const small = Math.max(11, letter * 0.8), isGrid = level.order === 1;
  const left = isGrid ? 4 : Math.max(small * 6.4, widest + MARGIN), right = isGrid ? 4 : small * 4.2;
  const columnWidth = (width - left - right) / level.nColumns;
  const strip = isGrid ? 0 : small * 5.6;
  const bars = isGrid ? small * 3.2 : Math.max(small * 4.2, Math.min(height * 0.12, small * 6));
  const picture = hasWords ? letter * 1.5 : Math.max(24, Math.min((columnWidth - 8) / level.order * 2, letter * 5, height * (isGrid ? 0.1 : 0.16)));
  const top = picture + 6 + (hasWords ? 4 : small * 1.4) + (isGrid ? 10 : 2);
  return { left, right, columnWidth, strip, bars, picture, top, small, letter, isGrid,
           main: Math.max(60, height - top - strip - bars - small * 0.6) };
}

/** Width of the widest label left of the columns: a font may be wider than the app's own. */
export function widestLabel(pen, { level, letter, tau }) {
  const small = Math.max(11, letter * 0.8), scores = [level.best, level.mean, level.truthScore, tau].filter(Number.isFinite).map(readableScore);
  return Math.max(...scores.map((score) => pen.measure(`truth ${score}`, small, true)), pen.measure("before: outline", small * 0.9), pen.measure("still allowed", small));
}

/** Draw the witness of the selected arc: the best complete path through it. */
export function drawPath(pen, model, centre) {
  if (!model.path.length) return;
  const { colours } = model, points = [];
  for (const a of model.path) points.push(...centre(a));
  pen.poly(points, { stroke: colours.background, width: 6 });
  pen.poly(points, { stroke: colours.text, width: 2.5 });
  for (let i = 0; i < points.length; i += 2) {
    pen.rects([points[i] - 4, points[i + 1] - 4, 8, 8], { fill: colours.text, stroke: colours.background, width: 1.5, radius: 4 });
  }
}

export function drawImages(pen, box, model) {
  const { level, images, colours } = model;
  if (model.words.length) {
    drawWords(pen, box, model);
    return;
  }
  const n = level.order, h = box.picture, w = h / 2;
  const ink = [];
  for (let c = 0; c < level.nColumns; c++) {
    const x0 = box.left + (c + 0.5) * box.columnWidth - (w * n) / 2;
    pen.rects([x0 - 2, 0.5, w * n + 4, h + 3], { fill: colours.panel, stroke: colours.border, radius: 3 });
    for (let j = 0; j < n; j++) bitmapRuns(images[c + j], x0 + j * w + w * 0.04, 2, w * 0.92, h, ink);
    const label = n === 1 ? `${c + 1}` : `${c + 1}–${c + n}`;
    pen.text(label, box.left + (c + 0.5) * box.columnWidth, h + 4 + box.small * 0.75,
             { size: box.small * 0.85, fill: colours.muted, align: "center" });
  }
  pen.rects(ink, { fill: colours.text });
}

/** Draw words instead of pictures: each column's own, shrunk or cut to its width. */
function drawWords(pen, box, model) {
  const { level, colours } = model, n = level.order;
  for (let c = 0; c < level.nColumns; c++) {
    const room = box.columnWidth - 6, x = box.left + (c + 0.5) * box.columnWidth;
    let text = model.words.slice(c, c + n).join(" "), size = box.letter * 1.1;
    size = Math.max(box.letter * 0.75, Math.min(size, size * room / pen.measure(text, size, true)));
    while (text.length > 2 && pen.measure(text, size, true) > room) text = text.slice(0, -2) + "…";
    pen.rects([x - room / 2, 0.5, room, box.picture + 3], { fill: colours.panel, stroke: colours.border, radius: 3 });
    pen.text(text, x, box.picture / 2 + 2, { size, bold: true, fill: colours.text, align: "center" });
  }
}

/** Look of an arc: solid (alive), falling (below tau, not yet struck) or struck (pruned). */
export function lookOf(model, a) {
  if (model.step < 3 || model.keep[a]) return model.level.maxMarginal[a] === -Infinity && model.step >= 2 ? "struck" : "solid";
  return model.step === 3 ? "falling" : "struck";
}

export function pinMarks(pen, model, a, x, y, r) {
  const key = arcKey(model.level, a);
  for (const [name, dx] of [["A", 0], ["B", r * 2 + 2]]) {
    if (!model.pins[name]) continue;
    const colour = model.colours[name === "A" ? "pinA" : "pinB"];
    const kept = model.pins[name].has(key);
    pen.rects([x + dx - r, y - r, 2 * r, 2 * r], { fill: kept ? colour : model.colours.background, stroke: kept ? colour : model.colours.border, width: 1 });
    if (kept && r >= 5) pen.text(name, x + dx, y + 0.5, { size: r * 1.7, bold: true, fill: model.colours.onColour, align: "center" });
  }
}
