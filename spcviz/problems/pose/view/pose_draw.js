// Draws pictures with limbs, heat and bodies over them, with a pen for a canvas or for an SVG file.

import { ABOVE, PARTS, SIDE, heatOf, limbOf, positionOf } from "./pose_core.js";
import { clamp } from "../../../web/view/elements.js";

const SHADES = 5, MOST = 420;
const GREY = "#C8D0DA", WHITE = "#FFFFFF", BLACK = "#000000", ALARM = "#FF7525";
const FALLEN = 0.22;

/** A pen for a canvas's context. `brush` (pose_brush.js) draws what is too much for a canvas's own strokes. */
export function canvasPen(context, font, brush = null) {
  return {
    /** Draw a frame and all limbs over it; returns whether any is still falling. */
    limbs(slot, panel, picture, limbs) { return brush.limbs(context, slot, panel, picture, limbs); },
    /** A frame in its panel, darkened by a veil; `clipTo` cuts off what the panel does not show. */
    picture(image, { x, y, wide, high, left, top, scale }, veil) {
      if (brush) return brush.backdrop(context, image, { x, y, wide, high, left, top, scale }, veil);
      this.rect(x, y, wide, high, BLACK);
      if (image && image.complete && image.naturalWidth) context.drawImage(image, left, top, scale * SIDE, scale * SIDE);
      if (veil) this.rect(x, y, wide, high, BLACK, veil);
    },
    rect(x, y, wide, high, colour, alpha = 1) {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(x, y, wide, high);
      context.globalAlpha = 1;
    },
    frame(x, y, wide, high, colour, width) {
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.strokeRect(x, y, wide, high);
    },
    bitmap(canvas, { left, top, scale }, alpha) {
      context.globalAlpha = alpha;
      context.imageSmoothingEnabled = false;
      context.drawImage(canvas, left, top, scale * SIDE, scale * SIDE);
      context.imageSmoothingEnabled = true;
      context.globalAlpha = 1;
    },
    /** Many lines of one style: [x, y, x, y] times n, converted from pixels of the picture to the panel's. */
    lines(ends, panel, { colour, width, alpha = 1, dash = [], drop = 0 }) {
      if (!ends.length) return;
      const { left, top, scale } = panel;
      context.globalAlpha = alpha;
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.beginPath();
      for (let i = 0; i < ends.length; i += 4) {
        context.moveTo(left + scale * ends[i], top + scale * (ends[i + 1] + drop));
        context.lineTo(left + scale * ends[i + 2], top + scale * (ends[i + 3] + drop));
      }
      context.stroke();
      context.setLineDash([]);
      context.globalAlpha = 1;
    },
    disc(x, y, r, colour) {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      context.fill();
    },
    text(said, x, y, { size, colour, align = "left", bold = false }) {
      context.font = `${bold ? "bold " : ""}${size}px ${font}`;
      context.fillStyle = colour;
      context.textAlign = align;
      context.textBaseline = "alphabetic";
      context.fillText(said, x, y);
    },
    measure(said, size, bold) {
      context.font = `${bold ? "bold " : ""}${size}px ${font}`;
      return context.measureText(said).width;
    },
    clipTo({ x, y, wide, high }, draw) {
      context.save();
      context.beginPath();
      context.rect(x, y, wide, high);
      context.clip();
      draw();
      context.restore();
    },
  };
}

const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const short = (v) => +v.toFixed(1);

/** A pen that writes an SVG file; pictures are embedded as they are. */
export function svgPen(width, height, font, background, measure) {
  const parts = [`<rect width="${width}" height="${height}" fill="${background}"/>`];
  let clips = 0;
  return {
    measure,
    limbs(_, panel, { image, veil }, limbs) {
      this.picture(image, panel, veil);
      drawLimbs(this, panel, limbs);
    },
    picture(image, { x, y, wide, high, left, top, scale }, veil) {
      parts.push(`<image x="${short(left)}" y="${short(top)}" width="${short(scale * SIDE)}" height="${short(scale * SIDE)}" href="${escapeText(image.src)}"/>`);
      if (veil) this.rect(x, y, wide, high, BLACK, veil);
    },
    rect(x, y, wide, high, colour, alpha = 1) {
      parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(wide)}" height="${short(high)}" fill="${colour}" fill-opacity="${alpha}"/>`);
    },
    frame(x, y, wide, high, colour, line) {
      parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(wide)}" height="${short(high)}" fill="none" stroke="${colour}" stroke-width="${line}"/>`);
    },
    bitmap(canvas, { left, top, scale }, alpha) {
      parts.push(`<image x="${short(left)}" y="${short(top)}" width="${short(scale * SIDE)}" height="${short(scale * SIDE)}" opacity="${alpha}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`);
    },
    lines(ends, panel, { colour, width: line, alpha = 1, dash = [], drop = 0 }) {
      if (!ends.length) return;
      const { left, top, scale } = panel, path = [];
      for (let i = 0; i < ends.length; i += 4) path.push(`M${short(left + scale * ends[i])} ${short(top + scale * (ends[i + 1] + drop))}L${short(left + scale * ends[i + 2])} ${short(top + scale * (ends[i + 3] + drop))}`);
      parts.push(`<path d="${path.join("")}" fill="none" stroke="${colour}" stroke-width="${short(line)}" stroke-opacity="${short(100 * alpha) / 100}" stroke-dasharray="${dash.join(" ")}" stroke-linecap="round"/>`);
    },
    disc(x, y, r, colour) { parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(r)}" fill="${colour}"/>`); },
    text(said, x, y, { size, colour, align = "left", bold = false }) {
      const anchor = { left: "start", center: "middle", right: "end" }[align];
      parts.push(`<text x="${short(x)}" y="${short(y)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}" font-weight="${bold ? 700 : 400}">${escapeText(said)}</text>`);
    },
    clipTo({ x, y, wide, high }, draw) {
      const id = `clip${clips++}`;
      parts.push(`<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" width="${short(wide)}" height="${short(high)}"/></clipPath><g clip-path="url(#${id})">`);
      draw();
      parts.push("</g>");
    },
    finish(title) {
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escapeText(font)}"><title>${escapeText(title)}</title>${parts.join("\n")}</svg>`;
    },
  };
}

/** A panel that shows the part [x1, y1, x2, y2] of a frame: `left` and `top` are where the frame itself begins. */
function panelAt(x, y, scale, [x1, y1, x2, y2]) {
  return { x, y, scale, wide: scale * (x2 - x1), high: scale * (y2 - y1), left: x - scale * x1, top: y - scale * y1 };
}

/** The layout in which n titled panels are largest; `room` is a title's height, `part` the part of a frame they show. */
export function layOut(n, width, height, room, part, gap = 10) {
  const [x1, y1, x2, y2] = part, ratio = (x2 - x1) / (y2 - y1);
  let best = { wide: 0, columns: n, rows: 1 };
  for (let columns = 1; columns <= n; columns++) {
    const rows = Math.ceil(n / columns), wide = Math.min((width - gap * (columns - 1)) / columns, ratio * ((height - gap * (rows - 1)) / rows - room));
    if (wide > best.wide) best = { columns, rows, wide };
  }
  const wide = Math.max(1, Math.floor(best.wide)), high = wide / ratio, { columns, rows } = best;
  const left = Math.max(0, (width - columns * wide - gap * (columns - 1)) / 2), top = Math.max(0, (height - rows * (high + room) - gap * (rows - 1)) / 2);
  return Array.from({ length: n }, (_, i) => panelAt(left + (i % columns) * (wide + gap), top + room + Math.floor(i / columns) * (high + room + gap), wide / (x2 - x1), part));
}

/** One large panel on the left, the other n - 1 stacked (or, if `isGrid`, in two columns) to its right. */
export function layOutBig(n, width, height, room, part, gap = 12, isGrid = false) {
  const [x1, y1, x2, y2] = part, ratio = (x2 - x1) / (y2 - y1), rows = isGrid ? Math.ceil((n - 1) / 2) : n - 1, small = (isGrid ? 2 : 1) * ratio * ((height - gap * (rows - 1)) / rows - room);
  const wide = Math.min(ratio * (height - room), Math.max(width - gap - small, (isGrid ? 0.54 : 0.76) * width)), big = panelAt(0, room, wide / (x2 - x1), part);
  const rest = layOut(n - 1, width - wide - gap, height, room, part);
  return [big, ...rest.map((panel) => ({ ...panel, x: panel.x + wide + gap, left: panel.left + wide + gap }))];
}

/** Lines of a variable to draw, made once: ends, codes and shades of a sample, strongest last. */
export function linesOf(level, v, length, places) {
  const reversed = Array.from(places).reverse(), ends = new Float32Array(4 * reversed.length), codes = new Uint16Array(reversed.length), shades = new Uint8Array(reversed.length);
  let least = Infinity, most = -Infinity;
  const heights = reversed.map((s) => positionOf(level, level.codes[level.start[v] + s]));
  for (const h of heights) if (h >= level.alphas[0]) { least = Math.min(least, h); most = Math.max(most, h); }
  reversed.forEach((s, i) => {
    ends.set(limbOf(level, level.states[level.start[v] + s], length), 4 * i);
    codes[i] = s === level.first[v] ? 65535 : level.codes[level.start[v] + s];
    shades[i] = clamp(Math.floor(SHADES * (heights[i] - least) / ((most - least) || 1)), 0, SHADES - 1);
  });
  return { places: Uint32Array.from(reversed), ends, codes, shades };
}

function chooseLines(lines, test) {
  const out = [];
  for (let i = 0; i < lines.codes.length; i++) if (test(i)) out.push(lines.ends[4 * i], lines.ends[4 * i + 1], lines.ends[4 * i + 2], lines.ends[4 * i + 3]);
  return out;
}

/** Width and opacity of a limb's lines by shade: the likelier, the stronger. */
export const widthOf = (shade) => 0.8 + 0.35 * shade;
export const strengthOf = (shade) => 0.13 + 0.75 * (shade / (SHADES - 1)) ** 2;

/** All limbs of a level, in an SVG: kept ones in colour, fallen ones grey, if wanted. */
function drawLimbs(pen, panel, { lines, shades, least, colours, unit, withFallen }) {
  if (withFallen) for (const limb of lines) pen.lines(chooseLines(limb, (i) => limb.codes[i] < least), panel, { colour: GREY, width: widthOf(0) * unit, alpha: FALLEN });
  lines.forEach((limb, p) => {
    for (let shade = 0; shade < SHADES; shade++) {
      const ends = chooseLines(limb, (i) => limb.codes[i] >= least && shades[p][i] === shade);
      pen.lines(ends, panel, { colour: colours[p], width: widthOf(shade) * unit, alpha: strengthOf(shade) });
    }
  });
}

/** One thick line per limb, with a round inner end. */
export function drawBody(pen, panel, limbs, colours, unit, { width = 5, alpha = 1, dash = [] } = {}) {
  limbs.forEach((limb, p) => {
    if (!limb) return;
    pen.lines(limb, panel, { colour: BLACK, width: (width + 2) * unit, alpha: 0.5 * alpha, dash });
    pen.lines(limb, panel, { colour: colours[p], width: width * unit, alpha, dash });
    if (!dash.length) pen.disc(panel.left + panel.scale * limb[0], panel.top + panel.scale * limb[1], width * unit, colours[p]);
  });
}

/** The known true limbs, dashed and white; a lost one in the alarm colour with a cross at either end. */
export function drawTruth(pen, panel, truth, isLost, unit) {
  truth.forEach((limb, p) => {
    if (!limb) return;
    const colour = isLost[p] ? ALARM : WHITE;
    pen.lines(limb, panel, { colour: BLACK, width: 4.5 * unit, alpha: 0.6 });
    pen.lines(limb, panel, { colour, width: (isLost[p] ? 3.4 : 2.2) * unit, dash: [6 * unit, 4.5 * unit] });
    if (!isLost[p]) return;
    for (const e of [0, 2]) {
      const r = 6, [x, y] = [limb[e], limb[e + 1]];
      pen.lines([x - r, y - r, x + r, y + r, x - r, y + r, x + r, y - r], panel, { colour: ALARM, width: 3 * unit });
    }
  });
}

/** Summed max-marginals of a limb, the best angle of every cell: bright is likely, black is pruned. */
export function heatPicture(level, v, k, colour) {
  const heat = heatOf(level, v), canvas = document.createElement("canvas"), least = k < 0 ? -Infinity : level.alphas[k];
  canvas.width = level.columns;
  canvas.height = level.rows;
  const context = canvas.getContext("2d"), image = context.createImageData(level.columns, level.rows);
  for (let c = 0; c < heat.length; c++) {
    const height = heat[c];
    if (Number.isNaN(height)) continue;
    const stands = height > least, strength = clamp((height + 1) / 2, 0, 1) ** 2;
    for (let i = 0; i < 3; i++) image.data[4 * c + i] = stands ? Math.round(colour[i] * (0.25 + 0.75 * strength)) : 90;
    image.data[4 * c + 3] = stands ? Math.round(70 + 185 * strength) : 70;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** A title over its panel, shortened if it is too long. */
export function drawTitle(pen, panel, title, size, colour) {
  let said = title;
  while (said.length > 3 && pen.measure(said, size, true) > panel.wide) said = `${said.slice(0, -2)}…`;
  pen.text(said, panel.x + panel.wide / 2, panel.y - size * 0.4, { size, colour, align: "center", bold: true });
}

/** Names of the limbs in their colours, at the foot of a panel. */
export function drawNames(pen, panel, names, colours, size) {
  const high = 1.25 * size * names.length + 0.6 * size, wide = Math.max(...names.map((name) => pen.measure(name, size, false))) + size;
  pen.rect(panel.x, panel.y + panel.high - high, wide, high, BLACK, 0.62);
  names.forEach((name, i) => pen.text(name, panel.x + 0.5 * size, panel.y + panel.high - high + 1.25 * size * (i + 1), { size, colour: colours[i] }));
}

export const looks = { SHADES, MOST, GREY, WHITE, ALARM, BLACK, FALLEN, ABOVE, PARTS };
