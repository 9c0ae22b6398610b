// Drawing of the lattice as marks. A scene is a pure function of a model; it draws on a pen (lattice_pens.js).
//
// drawScene(pen, size, model) -> geometry {font, hit(x, y), alphaAt(x, y, column), onThreshold(x, y), columnAt(x), centre(arc)}
//   model: level, keep, tau, step, heights (A,), shown (C,) 0..1, images, alphabet, truthVisible, selected,
//          hover, path, pins {A, B: Set of arc keys}, counts, allowed, allowedBefore, truthLetters,
//          colours, letter (label size in px), names
// Order 1 is a grid (letters down, positions across; a bar in each cell runs to the cell's value).
// Higher orders: one column per position, n-grams at the height of their max-marginal on one shared axis.
// Shape shows the state as well as colour: kept = solid bar, pruned = hollow and struck through.

import { arcKey, chosenStates, placeLabels, readableScore, scoreScale, spellArc, threshold } from "./lattice_core.js";
import { diamond, drawImages, drawPath, layout, lookOf, pinMarks, star, widestLabel } from "./lattice_marks.js";

export function drawScene(pen, size, model) {
  const { level } = model;
  const box = layout(size, level, model.letter, model.words.length > 0, widestLabel(pen, model));
  drawImages(pen, box, model);
  const geometry = box.isGrid ? drawGrid(pen, box, model) : drawColumns(pen, box, size, model);
  if (!box.isGrid) drawAllowed(pen, box, size, model);
  drawBars(pen, box, size, model);
  if (box.isGrid) drawPath(pen, model, geometry.centre);
  return geometry;
}

const LEAST_SHARE = 0.6;

function drawGrid(pen, box, model) {
  const { level, colours, heights, alphabet } = model;
  const isText = model.words.length > 0, most = Math.floor((box.main - box.small * 1.3) / (box.letter * 1.12));
  const isFew = isText || most < LEAST_SHARE * alphabet.length; // a few letters are better than many unreadable ones
  const states = isFew ? chosenStates(level, alphabet.length, most) : Array.from(alphabet.keys());
  const rowOf = new Int32Array(alphabet.length).fill(-1);
  states.forEach((k, row) => { rowOf[k] = row; });
  const K = states.length, rest = new Set(level.symbols).size - K;
  const rowH = Math.min((box.main - (rest > 0 ? box.small * 1.3 : 0)) / K, isFew ? box.letter * 2 : Infinity);
  const font = Math.min(box.letter, rowH * 0.98), isHidden = (a) => rowOf[level.symbols[a]] < 0;
  const nameWide = isText ? Math.max(...states.map((k) => pen.measure(alphabet[k], font, true))) : font * 1.1;
  const hasPins = model.pins.A || model.pins.B;
  const pinWide = hasPins ? Math.min(rowH, 16) * (model.pins.A && model.pins.B ? 2 : 1) + 4 : 0;
  const gap = Math.max(4, Math.min(14, box.columnWidth * 0.1));
  const barX = nameWide + font * 0.4, barW = Math.max(8, box.columnWidth - gap - barX - pinWide);
  const xOf = (c) => box.left + c * box.columnWidth + gap / 2;
  const yOf = (k) => box.top + ((rowOf[k] < 0 ? K : rowOf[k]) + 0.5) * rowH;
  const barH = Math.max(3, rowH * 0.56);
  const solid = [], falling = [], hollow = [], links = [], strike = [];
  const isTruth = new Uint8Array(level.nArcs), isMap = new Uint8Array(level.nArcs);
  if (model.truthVisible) for (const a of level.truthArcs) isTruth[a] = 1;
  for (const a of level.mapArcs) isMap[a] = 1;
  const where = (a) => [xOf(level.columnOf[a]), yOf(level.symbols[a])];

  const pointer = model.step === 0 ? level.previous : model.step === 1 ? level.following : null;
  if (pointer) {
    for (let a = 0; a < level.nArcs; a++) {
      if (pointer[a] < 0 || !model.shown[level.columnOf[a]] || isHidden(a) || isHidden(pointer[a])) continue;
      const [x, y] = where(a), [px, py] = where(pointer[a]);
      if (model.step === 0) links.push(px + barX + barW * heights[pointer[a]], py, x - 2, y);
      else links.push(x + barX + barW * heights[a], y, px - 2, py);
    }
    pen.lines(links, { stroke: colours.link, width: 1 });
  }
  for (let a = 0; a < level.nArcs; a++) {
    if (isHidden(a)) continue;
    const [x, y] = where(a), c = level.columnOf[a], look = lookOf(model, a);
    if (a === model.selected || a === model.hover) {
      pen.rects([x - 3, y - rowH / 2, box.columnWidth - gap + 6, rowH],
                { fill: colours.panel, stroke: a === model.selected ? colours.text : colours.border, width: 2, radius: 4 });
    }
    if (isTruth[a]) {
      pen.rects([x - 2, y - rowH / 2 + 1, box.columnWidth - gap + 4 - pinWide, rowH - 2],
                { fill: colours.truthTint, stroke: colours.truth, width: 2, radius: 4 });
    }
    const w = Math.max(1.5, barW * heights[a] * model.shown[c]);
    (look === "solid" ? solid : look === "falling" ? falling : hollow).push(x + barX, y - barH / 2, w, barH);
    const alive = look === "solid", letter = alphabet[level.symbols[a]];
    pen.text(letter, x + (isText ? nameWide / 2 : font * 0.72), y, { size: font, bold: alive && model.step >= 3, align: "center",
      fill: look === "struck" ? colours.pruned : isTruth[a] ? colours.truthText : colours.text });
    if (look === "struck") strike.push(x + (isText ? 0 : font * 0.25), y + 1, x + (isText ? nameWide : font * 1.2), y + 1);
    if (hasPins) pinMarks(pen, model, a, x + barX + barW + 4 + Math.min(rowH, 16) * 0.45, y, Math.min(rowH, 16) * 0.4);
  }
  pen.rects(solid, { fill: colours.kept });
  pen.rects(falling, { fill: colours.keptPale, stroke: colours.threshold, width: 1, dash: [3, 2] });
  pen.rects(hollow, { stroke: colours.hollow, width: 1 });
  pen.lines(strike, { stroke: colours.pruned, width: 1.5 });
  for (let a = 0; a < level.nArcs; a++) {
    if (!isMap[a] || model.step < 2 || isHidden(a)) continue;
    const [x, y] = where(a);
    pen.poly(diamond(x + barX + barW - 6, y, Math.min(box.letter * 0.36, rowH * 0.4, barW * 0.13)),
             { fill: colours.map, stroke: colours.background, width: 1.5, close: true });
  }
  if (model.truthVisible) {
    for (const a of level.truthArcs) {
      const [x, y] = where(a);
      pen.poly(star(x + barX + 2, y, Math.min(box.letter * 0.4, rowH * 0.42, barW * 0.14)), { fill: colours.truth, stroke: colours.background, width: 1.5, close: true });
    }
  }
  if (isText && rest > 0) {
    pen.text(`and ${rest} more tags, none of which comes nearer`, box.left + gap / 2, box.top + K * rowH + box.small * 0.7,
             { size: box.small, fill: colours.muted });
  }
  const bottom = isText ? box.top + K * rowH : box.top + box.main;
  const scale = scoreScale(level);
  const tauX = level.hasSpread ? scale(model.tau) * barW : NaN;
  if (model.step >= 3 && level.hasSpread) {
    const lines = [];
    for (let c = 0; c < level.nColumns; c++) {
      const x = xOf(c) + barX + tauX;
      lines.push(x, box.top - 2, x, bottom);
      pen.rects([x - 5, box.top - 8, 10, 8], { fill: colours.threshold, radius: 2 });
    }
    pen.lines(lines, { stroke: colours.threshold, width: 2 });
  }
  return {
    font,
    centre: (a) => [where(a)[0] + barX + barW * heights[a], where(a)[1]],
    hit(x, y) {
      const c = Math.floor((x - box.left) / box.columnWidth), k = Math.floor((y - box.top) / rowH);
      if (c < 0 || c >= level.nColumns || k < 0 || k >= K) return -1;
      for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) if (level.symbols[a] === states[k]) return a;
      return -1;
    },
    onThreshold(x, y) {
      if (model.step < 3 || !level.hasSpread || y < box.top - 12 || y > box.top + box.main) return false;
      const c = Math.max(0, Math.min(level.nColumns - 1, Math.floor((x - box.left) / box.columnWidth)));
      return Math.abs(x - (xOf(c) + barX + tauX)) < 7;
    },
    alphaAt(x, y, column) {
      const h = (x - xOf(column) - barX) / barW;
      return (h - scale.below) / (1 - scale.below);
    },
    columnAt: (x) => Math.max(0, Math.min(level.nColumns - 1, Math.floor((x - box.left) / box.columnWidth))),
  };
}

function drawColumns(pen, box, size, model) {
  const { level, colours, heights } = model;
  const yOf = (h) => box.top + (1 - h) * (box.main - box.letter) + box.letter * 0.5;
  const x0 = (c) => box.left + c * box.columnWidth;
  const tick = Math.min(box.columnWidth * 0.3, box.letter * 3);
  const tickX = (c) => x0(c) + box.columnWidth * 0.08;
  const edge = size.width - box.right;
  const isTruth = new Uint8Array(level.nArcs), isMap = new Uint8Array(level.nArcs);
  if (model.truthVisible) for (const a of level.truthArcs) isTruth[a] = 1;
  for (const a of level.mapArcs) isMap[a] = 1;
  const isMessage = model.step < 2;
  const scale = scoreScale(level);

  for (let c = 0; c < level.nColumns; c++) {
    pen.rects([x0(c) + 2, box.top, box.columnWidth - 4, box.main], { fill: c % 2 ? colours.panelFaint : colours.panel, radius: 4 });
  }
  const pointer = model.step === 0 ? level.previous : model.step === 1 ? level.following : null;
  if (pointer) {
    const links = [];
    for (let a = 0; a < level.nArcs; a++) {
      const p = pointer[a];
      if (p < 0 || !model.shown[level.columnOf[a]]) continue;
      if (model.step === 0) links.push(tickX(level.columnOf[p]) + tick, yOf(heights[p]), tickX(level.columnOf[a]), yOf(heights[a]));
      else links.push(tickX(level.columnOf[a]) + tick, yOf(heights[a]), tickX(level.columnOf[p]), yOf(heights[p]));
    }
    pen.lines(links, { stroke: colours.link, width: 1 });
  }
  if (!isMessage) drawAxes(pen, box, size, model, scale, yOf, edge);

  const hasPins = model.pins.A || model.pins.B;
  const centre = (a) => [tickX(level.columnOf[a]) + tick / 2, yOf(heights[a])];
  drawPath(pen, model, centre);
  let smallest = box.letter;
  const solid = [], falling = [], hollow = [];
  for (let c = 0; c < level.nColumns; c++) {
    if (!model.shown[c]) continue;
    const wanted = [];
    for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
      const y = yOf(heights[a]), look = lookOf(model, a);
      if (look === "solid") solid.push(tickX(c), y - 2, tick, 4);
      else if (look === "falling") falling.push(tickX(c), y - 2, tick, 4);
      else hollow.push(tickX(c), y - 1, tick * 0.55, 2);
      const must = a === model.selected || a === model.hover || isTruth[a] || isMap[a];
      wanted.push({ at: y, item: a, rank: (must ? 1e9 : 0) + (a === model.selected ? 4e9 : 0) + (isTruth[a] ? 2e9 : 0) + heights[a], must });
    }
    wanted.sort((p, q) => q.rank - p.rank);
    const placed = placeLabels(nudge(wanted.filter((w) => w.must), box.letter * 1.22, box.top + box.letter * 0.5, box.top + box.main)
      .concat(wanted.filter((w) => !w.must)), box.letter * 1.08);
    const labelX = tickX(c) + tick + box.letter * 0.9 + (hasPins ? box.letter * 1.3 : 0);
    const room = x0(c) + box.columnWidth - labelX;
    const widest = model.words.length ? Math.max(...wanted.map((w) => pen.measure(spellArc(level, w.item, model.alphabet), box.letter, true))) : 0;
    const font = Math.min(box.letter, widest ? box.letter * room / widest : room / (level.order * 0.56));
    smallest = Math.min(smallest, font);
    for (const { at, item: a } of placed) {
      const look = lookOf(model, a), text = spellArc(level, a, model.alphabet);
      const y = yOf(heights[a]);
      if (Math.abs(at - y) > 1) pen.lines([tickX(c) + tick, y, labelX - 2, at], { stroke: colours.muted, width: 1 });
      const wide = pen.measure(text, font, look === "solid");
      if (a === model.selected || a === model.hover) {
        pen.rects([labelX - 4, at - font * 0.6, wide + 8, font * 1.2],
                  { fill: colours.background, stroke: a === model.selected ? colours.text : colours.border, width: 2, radius: 4 });
      } else if (isTruth[a]) {
        pen.rects([labelX - 4, at - font * 0.58, wide + 8, font * 1.16], { fill: colours.truthTint, stroke: colours.truth, width: 2, radius: 4 });
      }
      pen.text(text, labelX, at, { size: font, bold: look === "solid", halo: isTruth[a] || a === model.selected || a === model.hover
        ? undefined : c % 2 ? colours.panelFaint : colours.panel,
        fill: look === "struck" ? colours.pruned : isTruth[a] ? colours.truthText : colours.text });
      if (look === "struck") pen.lines([labelX - 1, at + 1, labelX + wide + 1, at + 1], { stroke: colours.pruned, width: 1.5 });
    }
    for (const [i, name] of ["A", "B"].entries()) {
      if (!model.pins[name]) continue;
      const marks = [], wide = box.letter * 0.5;
      for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
        if (model.pins[name].has(arcKey(level, a))) marks.push(tickX(c) + tick + box.letter * 0.75 + i * (wide + 3), yOf(heights[a]) - 2.5, wide, 5);
      }
      pen.rects(marks, { fill: colours[i ? "pinB" : "pinA"] });
    }
  }
  pen.rects(hollow, { stroke: colours.hollow, width: 1 });
  pen.rects(falling, { fill: colours.keptPale });
  const edges = [];
  for (let i = 0; i < falling.length; i += 4) edges.push(falling[i] - 4, falling[i + 1], 3, falling[i + 3]);
  pen.rects(edges, { fill: colours.threshold });
  pen.rects(solid, { fill: colours.kept });
  const r = Math.max(4.5, box.letter * 0.32);
  for (let a = 0; a < level.nArcs; a++) {
    const c = level.columnOf[a];
    if (!model.shown[c]) continue;
    if (isMap[a] && !isMessage) {
      pen.poly(diamond(tickX(c) + r * 0.5, yOf(heights[a]), r), { fill: colours.map, stroke: colours.background, width: 1.5, close: true });
    }
    if (isTruth[a]) {
      pen.poly(star(tickX(c) + tick + r * 0.4, yOf(heights[a]), r), { fill: colours.truth, stroke: colours.background, width: 1.5, close: true });
    }
  }
  return {
    font: smallest,
    centre,
    hit(x, y) {
      const c = Math.floor((x - box.left) / box.columnWidth);
      if (c < 0 || c >= level.nColumns || y < box.top - 4 || y > box.top + box.main) return -1;
      let best = -1, distance = box.letter * 1.2;
      for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
        const d = Math.abs(yOf(heights[a]) - y);
        if (d < distance) { distance = d; best = a; }
      }
      return best;
    },
    onThreshold(x, y) {
      return model.step >= 3 && level.hasSpread && Math.abs(y - yOf(scale(model.tau))) < 6;
    },
    alphaAt(x, y) {
      const h = 1 - (y - box.top - box.letter * 0.5) / (box.main - box.letter);
      return (h - scale.below) / (1 - scale.below);
    },
    columnAt: () => 0,
  };
}

/** Place labels that must be shown: each at its own height or at the nearest free place within [low, high]. */
function nudge(wanted, gap, low = -Infinity, high = Infinity) {
  const out = [];
  const isFree = (at) => at >= low - 1 && at <= high + 1 && out.every((o) => Math.abs(o.at - at) >= gap - 1e-6);
  for (const w of wanted) {
    const places = [w.at, ...out.flatMap((o) => [o.at - gap, o.at + gap])].filter(isFree);
    places.sort((p, q) => Math.abs(p - w.at) - Math.abs(q - w.at));
    out.push({ ...w, at: places.length ? places[0] : w.at });
  }
  return out;
}

function drawAxes(pen, box, size, model, scale, yOf, edge) {
  const { level, colours, names } = model;
  const s = box.small, from = box.left - 4;
  const marks = [];
  if (model.step >= 3 && level.hasSpread) {
    marks.push({ v: model.tau, text: `${names.tau} ${readableScore(model.tau)}`, fill: colours.thresholdText, bold: true });
  }
  if (model.truthVisible && Number.isFinite(level.truthScore) && level.truthScore >= scale.low) {
    marks.push({ v: level.truthScore, text: `truth ${readableScore(level.truthScore)}`, fill: colours.truthText, bold: true });
  }
  marks.push({ v: level.best, text: `best ${readableScore(level.best)}`, fill: colours.text });
  if (level.hasSpread) {
    marks.push({ v: level.mean, text: `mean ${readableScore(level.mean)}`, fill: colours.muted });
    marks.push({ v: scale.low, text: `low ${readableScore(scale.low)}`, fill: colours.muted });
  }
  pen.lines([from, yOf(scale(level.best)), edge, yOf(scale(level.best))], { stroke: colours.text, width: 1.2, dash: [7, 4] });
  if (level.hasSpread) pen.lines([from, yOf(scale(level.mean)), edge, yOf(scale(level.mean))], { stroke: colours.muted, width: 1, dash: [1, 4] });
  for (const m of marks) {
    if (m.text.startsWith("truth")) pen.lines([from, yOf(scale(m.v)), edge, yOf(scale(m.v))], { stroke: colours.truth, width: 2, dash: [7, 4] });
  }
  let y0 = -Infinity;
  for (const m of marks.sort((p, q) => q.v - p.v)) {
    y0 = Math.max(yOf(scale(m.v)), y0 + s * 1.12);
    pen.text(m.text, from - 4, y0, { size: s, fill: m.fill, bold: m.bold, align: "right" });
  }
  if (!level.hasSpread) return;
  for (const alpha of [0, 0.25, 0.5, 0.75, 1]) {
    const y = yOf(scale(threshold(level, alpha)));
    pen.lines([edge, y, edge + 5, y], { stroke: colours.muted, width: 1 });
    if (model.step < 3 || Math.abs(y - yOf(scale(model.tau))) > s * 1.1) {
      pen.text(`α ${alpha}`, edge + 8, y, { size: s * 0.9, fill: colours.muted });
    }
  }
  if (model.step >= 3) {
    const y = yOf(scale(model.tau));
    pen.lines([from, y, edge, y], { stroke: colours.threshold, width: 2.5 });
    pen.rects([edge, y - s * 0.75, box.right - 2, s * 1.5], { fill: colours.threshold, radius: 4 });
    pen.text(`α ${model.alpha.toFixed(2)}`, edge + (box.right - 2) / 2, y + 0.5, { size: s, bold: true, fill: colours.onColour, align: "center" });
  }
}

/** Draw the letters that still occur at each position, those lost at this level struck through. */
function drawAllowed(pen, box, size, model) {
  const { level, alphabet, colours } = model;
  const K = alphabet.length, L = level.nPositions, s = box.small;
  const y0 = box.top + box.main + s * 0.4, wide = (size.width - box.left - box.right) / L;
  const showPruned = model.step >= 3;
  const spread = model.words.length ? 2.9 : 0.78;
  pen.text(model.words.length ? "tags" : "letters", box.left - 8, y0 + s * 1.2, { size: s, fill: colours.muted, align: "right" });
  pen.text("still allowed", box.left - 8, y0 + s * 2.3, { size: s, fill: colours.muted, align: "right" });
  for (let i = 0; i < L; i++) {
    pen.rects([box.left + i * wide + 2, y0 + 2, wide - 4, box.strip - s * 0.9], { stroke: colours.border, radius: 4 });
    const letters = [];
    for (let k = 0; k < K; k++) {
      if (model.allowedBefore[i * K + k]) letters.push([alphabet[k], !showPruned || model.allowed[i * K + k], model.truthVisible && model.truthLetters[i] === k]);
    }
    letters.sort((p, q) => q[1] - p[1]);
    let size1 = Math.max(s, box.letter);
    let perRow = Math.max(1, Math.floor((wide - 8) / (size1 * spread)));
    while (size1 > 7 && Math.ceil(letters.length / perRow) * size1 * 1.15 > box.strip - s * 1.1) {
      size1 *= 0.92;
      perRow = Math.max(1, Math.floor((wide - 8) / (size1 * spread)));
    }
    const rows = Math.ceil(letters.length / perRow);
    letters.forEach(([text, isKept, isTrue], j) => {
      const inRow = Math.min(perRow, letters.length - Math.floor(j / perRow) * perRow);
      const x = box.left + (i + 0.5) * wide + ((j % perRow) - (inRow - 1) / 2) * size1 * spread;
      const y = y0 + 2 + (box.strip - s * 0.9) / 2 + (Math.floor(j / perRow) - (rows - 1) / 2) * size1 * 1.15;
      pen.text(text, x, y, { size: size1, bold: isKept, align: "center",
        fill: !isKept ? colours.pruned : isTrue ? colours.truthText : colours.text });
      if (isTrue && isKept) pen.lines([x - size1 * 0.3, y + size1 * 0.55, x + size1 * 0.3, y + size1 * 0.55], { stroke: colours.truth, width: 2 });
      if (!isKept) pen.lines([x - size1 * 0.35, y + 1, x + size1 * 0.35, y + 1], { stroke: colours.pruned, width: 1 });
    });
  }
}

/** Thesis Fig. 4.5: outline = what came in at this column, filled = what stays. */
function drawBars(pen, box, size, model) {
  const { level, colours, counts } = model;
  const y1 = size.height - 2, room = box.bars - box.small * 1.7;
  let most = 1;
  for (let c = 0; c < level.nColumns; c++) most = Math.max(most, level.colStart[c + 1] - level.colStart[c]);
  const outline = [], filled = [];
  const pruned = model.step >= 4;
  for (let c = 0; c < level.nColumns; c++) {
    const before = level.colStart[c + 1] - level.colStart[c], after = pruned ? counts[c] : before;
    const w = Math.min(box.columnWidth * 0.7, box.small * 6), x = box.left + (c + 0.5) * box.columnWidth - w / 2;
    outline.push(x, y1 - room * before / most, w, room * before / most);
    filled.push(x, y1 - room * after / most, w, room * after / most);
    const label = pruned ? `${after} of ${before}` : `${before}`;
    const font = Math.min(box.small, (box.columnWidth - 2) / (label.length * 0.52));
    pen.text(label, box.left + (c + 0.5) * box.columnWidth, y1 - room * before / most - box.small * 0.8,
             { size: font, bold: true, fill: colours.text, align: "center" });
  }
  pen.rects(filled, { fill: pruned ? colours.kept : colours.keptPale });
  pen.rects(outline, { stroke: colours.muted, width: 1.2 });
  if (!box.isGrid) {
    pen.text("before: outline", box.left - 8, y1 - box.small * 2.1, { size: box.small * 0.9, fill: colours.muted, align: "right" });
    pen.text("kept: filled", box.left - 8, y1 - box.small * 0.8, { size: box.small * 0.9, fill: colours.muted, align: "right" });
  }
}
