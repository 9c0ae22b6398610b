// Pointer and keyboard input of the lattice view: dragging, the selected cell, pins.
// Methods of LatticeView (lattice.js).

import { countPaths, keepMask, keptKeys, spellArc, threshold, truthBreakPoint, truthFate } from "./lattice_core.js";
import { total } from "./lattice_words.js";
import { clamp } from "../view/elements.js";

export const KEYS = [
  ["Space", "play or pause"], ["← →", "step back, step forward"], ["↑ ↓", "alpha + 0.01, − 0.01 (hold to repeat)"],
  ["1 … 6", "level"], ["Home", "start again at level 1"], ["T", "tuned alpha"], ["Shift + arrows", "move the selected cell"],
  ["A, B", "pin A, pin B"], ["Esc", "clear the selection"], ["?", "this list"],
];

const alphaKey = (v) => String(+v.toFixed(4));

export const INPUT = {
  listenToCanvas() {
    const at = (event) => {
      const rect = this.canvas.getBoundingClientRect();
      return [event.clientX - rect.left, event.clientY - rect.top];
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = at(event);
      if (!this.geometry) return;
      if (!this.isSecret && this.geometry.onThreshold(x, y)) {
        this.canvas.setPointerCapture(event.pointerId);
        this.grab = { column: this.geometry.columnAt(x) };
        this.startDrag();
        event.preventDefault();
      } else {
        const arc = this.geometry.hit(x, y);
        this.set({ cell: arc < 0 || arc === this.selectedArc() ? "" : this.cellName(arc) });
      }
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (!this.geometry) return;
      if (this.grab) {
        const value = this.geometry.alphaAt(x, y, this.grab.column);
        this.setAlpha(this.view.level - 1, Math.round(value * 1000) / 1000, event.timeStamp);
        return;
      }
      const isLine = !this.isSecret && this.geometry.onThreshold(x, y);
      this.canvas.style.cursor = isLine ? (this.level.order === 1 ? "ew-resize" : "ns-resize") : "default";
      const arc = isLine ? -1 : this.geometry.hit(x, y);
      if (arc >= 0) this.canvas.style.cursor = "pointer";
      this.showTip(arc, isLine, x, y);
      if (arc !== this.hover) { this.hover = arc; this.draw(); }
    });
    const release = () => { if (this.grab) { this.grab = null; this.endDrag(); } };
    this.canvas.addEventListener("pointerup", release);
    this.canvas.addEventListener("pointercancel", release);
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; if (this.hover >= 0) { this.hover = -1; this.draw(); } });
  },
  keys(event) {
    const alpha = () => this.alphaOf(this.view.level - 1);
    const nudge = (by) => { this.setAlpha(this.view.level - 1, Math.round(1000 * (alpha() + by)) / 1000); this.keyDrag(); };
    const levels = Array.from({ length: 9 }, (_, i) => [i + 1, () => { if (i < this.levels.length) this.set({ level: i + 1 }); }]);
    const arrows = event.shiftKey ? {
      ArrowUp: () => this.moveSelection(0, -1), ArrowDown: () => this.moveSelection(0, 1),
      ArrowLeft: () => this.moveSelection(-1, 0), ArrowRight: () => this.moveSelection(1, 0),
    } : { ArrowUp: () => nudge(0.01), ArrowDown: () => nudge(-0.01) };
    return {
      ...Object.fromEntries(levels), ...arrows, Home: () => { this.play(false); this.goTo(0); }, Escape: () => this.escape(),
      "?": () => this.toggleKeys(), t: () => this.toTuned(), a: () => this.pin("A"), b: () => this.pin("B"),
    };
  },
  escape() {
    if (!this.keyList.hidden) this.toggleKeys();
    else if (!this.menu.hidden) this.menu.hidden = true;
    else this.set({ cell: "" });
  },
  toggleKeys() { this.keyList.hidden = !this.keyList.hidden; },
  cellName(arc) { return `${this.level.columnOf[arc] + 1}-${spellArc(this.level, arc, this.alphabet)}`; },
  selectedArc() {
    const match = /^(\d+)-(.+)$/.exec(this.view.cell || "");
    if (!match) return -1;
    const level = this.level, c = +match[1] - 1;
    if (c < 0 || c >= level.nColumns) return -1;
    for (let a = level.colStart[c]; a < level.colStart[c + 1]; a++) {
      if (spellArc(level, a, this.alphabet) === match[2]) return a;
    }
    return -1;
  },
  /** Arcs of a column from top to bottom of the picture. */
  arcsOf(column) {
    const { level } = this, first = level.colStart[column];
    const arcs = Array.from({ length: level.colStart[column + 1] - first }, (_, i) => first + i);
    return level.order > 1 ? arcs.sort((p, q) => level.maxMarginal[q] - level.maxMarginal[p]) : arcs;
  },
  moveSelection(columns, rows) {
    const { level } = this, arc = this.selectedArc();
    if (arc < 0) { this.set({ cell: this.cellName(level.mapArcs[0]) }); return; }
    const column = level.columnOf[arc], arcs = this.arcsOf(clamp(column + columns, 0, level.nColumns - 1));
    this.set({ cell: this.cellName(arcs[clamp(this.arcsOf(column).indexOf(arc) + rows, 0, arcs.length - 1)]) });
  },
  toTuned() { if (this.isSecret) return; this.view.alphas[this.view.level - 1] = null; this.set({}); },
  toEdge() {
    const edge = truthBreakPoint(this.level);
    if (Number.isFinite(edge)) this.setAlphaOnce(Math.min(Math.ceil(edge * 1e4 - 1) / 1e4, 1));
  },
  setAlphaOnce(value) { if (this.isSecret) return; this.view.alphas[this.view.level - 1] = value; this.set(this.view.step < 3 ? { step: 4 } : {}); },
  pinName() {
    return `${this.data.features}:${this.levels.map((_, i) => alphaKey(this.alphaOf(i))).join(",")}`;
  },
  usePin(name) {
    const [, alphas] = this.pinText(name).split(":");
    alphas.split(",").forEach((v, i) => { this.view.alphas[i] = +v; });
    this.set({});
  },
  pinState(name) {
    const levels = this.pinLevels[name];
    if (!this.pinText(name) || !levels) return null;
    const level = levels[Math.min(this.view.level, levels.length) - 1];
    if (!level || level.order !== this.level.order) return null;
    if (!level.pinState) {
      const tau = threshold(level, level.alpha), keep = keepMask(level, tau, level.keep);
      level.pinState = { keys: keptKeys(level, keep), tau, kept: total(keep), nArcs: level.nArcs, words: countPaths(level, keep, level.groups),
                         alpha: level.alpha, fate: truthFate(level, keep, tau) };
    }
    return level.pinState;
  },
};
