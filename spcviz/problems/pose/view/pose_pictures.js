// The picture of a clip: panels side by side, limbs in them, the limb under the pointer, the film strip.
// Methods of PoseView.

import { ABOVE, PARTS, alphaIndex, limbOf, positionOf, topLimbs } from "./pose_core.js";
import { canvasPen, drawBody, drawNames, drawTitle, drawTruth, heatPicture, layOut, layOutBig, looks } from "./pose_draw.js";
import { clamp, toRgb } from "../../../web/view/elements.js";

const REACH_PX = 9, MOST_FALLING = 500;

/** Distance of a point from the line from ends[i], ends[i + 1] to ends[i + 2], ends[i + 3]. */
function distance(x, y, ends, i) {
  const dx = ends[i + 2] - ends[i], dy = ends[i + 3] - ends[i + 1], t = clamp(((x - ends[i]) * dx + (y - ends[i + 1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(x - ends[i] - t * dx, y - ends[i + 1] - t * dy);
}

export const PICTURES = {
  /** The target under the pointer: a limb of the shown level, or a level to go to. */
  limbAt(x, y) {
    const panel = (this.panels || []).find((box) => x >= box.x && x <= box.x + box.wide && y >= box.y && y <= box.y + box.high);
    if (!panel || !this.now || this.isArms) return null;
    if (panel.kind === "limbs" && panel.l !== this.view.level) return { goTo: panel.l };
    if (panel.kind === "plain") return null;
    const { level, f, k } = this.now, px = (x - panel.left) / panel.scale, py = (y - panel.top) / panel.scale, least = ABOVE + PARTS * k, reach = REACH_PX / Math.min(panel.scale, 2);
    let best = reach, target = null;
    for (let p = 0; p < level.nParts; p++) {
      if (panel.kind === "heat" && panel.p !== p) continue;
      const lines = this.lines(level, f, p);
      for (let i = 0; i < lines.places.length; i++) {
        const only = panel.kind === "best" || panel.kind === "top";
        if (only && lines.places[i] !== level.first[this.variable(level, f, p)]) continue;
        const away = distance(px, py, lines.ends, 4 * i) + (lines.codes[i] < least ? reach / 2 : 0) - 0.15 * lines.shades[i];
        if (away < best) { best = away; target = { p, state: level.states[level.start[this.variable(level, f, p)] + lines.places[i]] }; }
      }
    }
    return target;
  },

  /** The panels shown side by side. */
  panelsToDraw() {
    const { level, l } = this.now, size = (grid) => `${grid.columns} × ${grid.rows}`;
    if (this.shown === "heat") return [...this.data.names.map((name, p) => ({ kind: "heat", p, title: name })), { kind: "best", title: "best guess" }];
    if (this.shown === "all") return [...this.levels.map((grid, i) => ({ kind: "limbs", l: i, title: `${i}: ${size(grid)}` })), { kind: "best", title: "best guess" }];
    if (this.shown === "top") return [{ kind: "top", title: "best guess and the next three" }, { kind: "plain", title: "the frame" }];
    if (this.shown === "three") return [...["ties the torso", "ties the left arm", "ties the right arm"].map((title, sub) => ({ kind: "sub", sub, l, title })), { kind: "limbs", l, title: "their sum" }];
    return [{ kind: "limbs", l, title: `level ${l}, ${size(level)} cells` }, { kind: "best", title: "best guess" }, { kind: "heat", p: this.now.picked ? this.now.picked.p : 1, title: `heat: ${this.data.names[this.now.picked ? this.now.picked.p : 1]}` }];
  },

  /** Their positions: one large with the others next to it, or all of one size. */
  places(wanted, width, height) {
    const lay = this.shown === "level" && width > 1.15 * height ? layOutBig : layOut;
    return lay(wanted.length, width, height, this.letter * 1.5, this.data.part);
  },

  scene(pen, width, height) {
    if (this.isArms) return this.sceneArms(pen, width, height);
    const { level, f, k, fates, picked } = this.now, { data } = this, wanted = this.panelsToDraw(), places = this.places(wanted, width, height);
    const image = this.images[f], isLost = fates.map((fate) => fate === "lost" || fate === "gone"), parts = data.names.map((_, p) => p);
    const bodies = [picked, this.hover && this.hover.goTo === undefined && this.pickedIn(level, f, `${this.hover.p}-${this.hover.state}`)];
    const panels = wanted.map((panel, i) => ({ ...panel, ...places[i] }));
    let isMoving = false;
    panels.forEach((panel, i) => {
      const unit = Math.max(0.8, panel.scale * 0.55), { kind } = panel, drawn = kind === "limbs" || kind === "sub" ? this.levels[panel.l] : level;
      drawTitle(pen, panel, panel.title, this.letter, this.colours.text);
      pen.clipTo(panel, () => {
        const veil = { limbs: 0.42, sub: 0.42, heat: 0.55, best: 0.12, top: 0.3, plain: 0 }[kind];
        if (kind === "limbs" || kind === "sub") {
          const at = panel.l === this.view.level ? k : alphaIndex(drawn, this.alphaOf(panel.l)), lines = parts.map((p) => this.lines(drawn, f, p));
          const shades = kind === "sub" ? parts.map((p) => this.subShades(drawn, f, p, panel.sub)) : lines.map((limb) => limb.shades);
          const limbs = { key: `${drawn.digest} ${f} ${kind} ${panel.sub}`, lines, shades, least: ABOVE + PARTS * at, colours: data.colours, unit, withFallen: this.shown === "level" };
          const falling = panel.l === this.view.level && kind === "limbs" ? this.falling : [];
          isMoving = pen.limbs(i, panel, { image, veil }, { ...limbs, falling }) || isMoving;
        } else pen.picture(image, panel, veil);
        if (kind === "heat") pen.bitmap(this.heat(level, f, panel.p, k), panel, 0.85);
        if (kind === "best") drawBody(pen, panel, parts.map((p) => this.bestLimb(this.shown === "all" ? this.levels[this.levels.length - 1] : level, f, p)), data.colours, unit);
        if (kind === "top") this.drawTop(pen, panel, unit);
        for (const body of bodies) if (body && kind !== "plain" && (kind !== "limbs" || panel.l === this.view.level)) this.drawPicked(pen, panel, body, unit);
        if (this.truthVisible && kind !== "plain") drawTruth(pen, panel, this.truthOf(f), isLost, unit);
      });
      if (i === 0 && kind !== "heat" && panel.wide > 22 * this.letter) drawNames(pen, panel, [...data.names, ...(this.truthVisible ? [`${data.truth_name} (dashed)`] : [])], [...data.colours, looks.WHITE], Math.min(this.letter, panel.wide / 14));
    });
    this.panels = panels;
    return isMoving;
  },

  drawTop(pen, panel, unit) {
    const { level, f, k } = this.now;
    this.data.names.forEach((_, p) => {
      const v = this.variable(level, f, p), top = topLimbs(level, v, k, this.order(level, v)).map((s) => limbOf(level, level.states[level.start[v] + s], this.data.lengths[p]));
      for (const limb of top.slice(1)) pen.lines(limb, panel, { colour: this.data.colours[p], width: 2 * unit, alpha: 0.8 });
      drawBody(pen, panel, [top[0]], [this.data.colours[p]], unit);
    });
  },

  /** A picked limb with the best body through it: white under its own colour. */
  drawPicked(pen, panel, { p, limb, body }, unit) {
    if (body) drawBody(pen, panel, body.limbs.map((other, q) => (q === p ? null : other)), this.data.colours, unit, { width: 3, alpha: 0.95 });
    pen.lines(limb, panel, { colour: looks.WHITE, width: 8 * unit });
    pen.lines(limb, panel, { colour: this.data.colours[p], width: 4.5 * unit });
  },

  /** Shades of a limb's lines by one sub-model; the last one's come from the sum minus the others. */
  subShades(level, f, p, sub) {
    const v = this.variable(level, f, p);
    return this.computeOnce(level, `shades ${v} ${sub}`, () => {
      const { places } = this.lines(level, f, p), at = level.start[v], { each } = level;
      const values = Array.from(places, (s) => sub < each.length ? each[sub][at + s] : 3 * 128 * (1 + positionOf(level, level.codes[at + s])) - each.reduce((sum, scores) => sum + scores[at + s], 0));
      const low = Math.min(...values), high = Math.max(...values);
      return Uint8Array.from(values, (value) => clamp(Math.floor(looks.SHADES * (value - low) / ((high - low) || 1)), 0, looks.SHADES - 1));
    });
  },

  heat(level, f, p, k) {
    const key = `${level.digest} ${f} ${p} ${k}`, slot = (this.heats = this.heats || new Map());
    if (!slot.has(key)) {
      if (slot.size > 24) slot.clear();
      slot.set(key, heatPicture(level, this.variable(level, f, p), k, toRgb(this.data.colours[p])));
    }
    return slot.get(key);
  },

  /** Note the limbs that were pruned since the last painting. */
  noteFallen() {
    const { level, f, k } = this.now, key = `${f} ${this.view.level} ${level.digest}`, now = performance.now();
    if (this.last.key === key && k > this.last.k && !this.calm.matches) {
      const before = ABOVE + PARTS * this.last.k, least = ABOVE + PARTS * k;
      for (let p = 0; p < level.nParts; p++) {
        const { codes, ends } = this.lines(level, f, p);
        for (let i = 0; i < codes.length; i++) if (codes[i] >= before && codes[i] < least) this.falling.push({ at: now, part: p, ends: ends.subarray(4 * i, 4 * i + 4) });
      }
      if (this.falling.length > MOST_FALLING) this.falling.splice(0, this.falling.length - MOST_FALLING);
    }
    if (this.last.key !== key) this.falling = [];
    this.last = { key, k };
  },

  paintFilm() {
    const { level, f, lostFrames, k } = this.now, n = level.nFrames, { part } = this.data, ratio = (part[2] - part[0]) / (part[3] - part[1]), { dots } = this;
    const wide = Math.floor(Math.min(this.film.parentElement.clientWidth / n, ratio * (this.isBig ? 84 : 66))), high = Math.round(wide / ratio);
    this.root.dataset.lost = lostFrames.map(Number).join("");
    const key = [f, this.view.level, n, wide, this.root.dataset.lost, level.digest, this.view.truth, this.theme, dots].join("|");
    if (n < 2 || this.filmDrawn === key) return;
    this.filmDrawn = key;
    this.filmWide = wide;
    this.film.width = Math.round(wide * n * dots);
    this.film.height = Math.round(high * dots);
    this.film.style.width = `${wide * n}px`;
    this.film.style.height = `${high}px`;
    const context = this.film.getContext("2d"), pen = canvasPen(context, this.font);
    context.scale(dots, dots);
    for (let g = 0; g < n; g++) {
      const [panel] = layOut(1, wide - 2, high, 0, part), x = g * wide;
      Object.assign(panel, { x: panel.x + x, left: panel.left + x });
      pen.clipTo(panel, () => {
        pen.picture(this.images[g], panel, 0.15);
        drawBody(pen, panel, this.data.names.map((_, p) => this.bestLimb(level, g, p)), this.data.colours, 0.5);
      });
      if (lostFrames[g] && this.truthVisible) pen.text("✖", x + wide - 6, high - 5, { size: Math.max(14, high / 3), colour: looks.ALARM, align: "right", bold: true });
      if (g === f) pen.frame(x + 2, 2, wide - 4, high - 4, looks.WHITE, 4);
    }
    this.root.dataset.k = k;
  },
};
