// Exports of the lattice view: PNG, SVG, an animated SVG of its story, n-grams as CSV; methods of LatticeView.

import { breakPoint, spellArc } from "./lattice_core.js";
import { drawScene } from "./lattice_draw.js";
import { canvasPen, svgPen } from "./lattice_pens.js";
import { chosenOf, durations } from "../view/moments.js";

const LOOP = { width: 960, height: 540, edge: 16, line: 24, most: 24 }; // pixels, and moments

export const EXPORTS = {
  fileName(kind) { return `lattice-word${this.data.word_id}-level${this.view.level}.${kind}`; },
  exportPng() { this.savePicture(this.canvas, this.colours.background); },
  measure() { return canvasPen(this.canvas.getContext("2d"), this.font).measure; },
  exportSvg() {
    const width = this.stage.clientWidth, height = this.stage.clientHeight;
    const pen = svgPen(width, height, this.font, this.colours.background, this.measure());
    this.drawWith(pen, width, height);
    this.saveText(pen.finish(this.summary.textContent), "svg");
  },
  drawWith(pen, width, height) {
    drawScene(pen, { width, height }, this.model(this.targetHeights(), new Float64Array(this.level.nColumns).fill(1)));
  },
  /** The story as one SVG: one group per moment, of which one is visible. `sentence` and `address` are below. */
  loopSvg(sentence, address) {
    const { width, height, edge, line, most } = LOOP, { story } = this, before = structuredClone(this.view), moments = chosenOf(story.length, most);
    const whole = { width, height: height + 5 * line + edge }, pen = svgPen(whole.width, whole.height, this.font, this.colours.background, this.measure());
    const spans = durations(moments.length), total = spans.reduce((sum, one) => sum + one, 0);
    let at = 0;
    for (const [k, moment] of moments.entries()) {
      Object.assign(this.view, story[moment]);
      this.compute();
      this.tell();
      const isLast = k === moments.length - 1, [title, text] = this.guide.children, room = whole.width - 2 * edge;
      pen.open(0, 0, isLast ? "" : "none", [at / total, (at + spans[k]) / total], total);
      this.line(pen, title.textContent, edge, line, room, { bold: true, fill: this.colours.text });
      this.line(pen, text.textContent, edge, 2 * line, room, { fill: this.colours.text });
      this.line(pen, this.fate.textContent, edge, 3 * line, room, { bold: true, fill: this.status.dataset.kind === "safe" ? this.colours.truthText : this.colours.text });
      pen.open(edge, 3.7 * line);
      this.drawWith(pen, width - 2 * edge, height);
      pen.close();
      pen.close();
      at += spans[k];
    }
    const foot = whole.height - edge, wide = pen.measure(address, 13, false);
    this.line(pen, sentence, edge, foot, whole.width - 3 * edge - wide, { fill: this.colours.text });
    this.line(pen, address, whole.width - edge - wide, foot, wide + edge, { fill: this.colours.muted }, 13);
    this.view = before;
    this.draw();
    return pen.finish(`${sentence} ${address}`);
  },
  /** A line of text, shrunk if it is wider than `room`. */
  line(pen, text, x, y, room, style, size = 16) {
    const wide = pen.measure(text, size, style.bold);
    pen.text(text, x, y, { ...style, size: wide > room ? size * room / wide : size });
  },
  exportCsv() {
    const { level, keep, tau, alpha } = this.now, truth = new Set(this.truthVisible ? level.truthArcs : []), map = new Set(level.mapArcs);
    const rows = ["position,ngram,score,forward,backward,max_marginal,alpha,tau,kept,break_point,is_best_word" + (this.truthVisible ? ",is_truth" : "")];
    for (let a = 0; a < level.nArcs; a++) {
      rows.push([level.columnOf[a] + 1, spellArc(level, a, this.alphabet), level.score[a], level.forward[a], level.backward[a], level.maxMarginal[a], alpha, tau,
        keep[a], breakPoint(level, a), +map.has(a)].concat(this.truthVisible ? [+truth.has(a)] : []).join(","));
    }
    this.saveRows(rows);
  },
};
