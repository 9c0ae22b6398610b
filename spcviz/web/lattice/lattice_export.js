// Export: the picture as PNG or SVG, the level's n-grams as CSV, methods of LatticeView.

import { breakPoint, spellArc } from "./lattice_core.js";
import { canvasPen, drawScene, svgPen } from "./lattice_draw.js";

export const EXPORTS = {
  fileName(kind) { return `lattice-word${this.data.word_id}-level${this.view.level}.${kind}`; },
  exportPng() { this.savePicture(this.canvas, this.colours.background); },
  exportSvg() {
    const width = this.stage.clientWidth, height = this.stage.clientHeight, measure = canvasPen(this.canvas.getContext("2d"), this.font).measure;
    const pen = svgPen(width, height, this.font, this.colours.background, measure);
    drawScene(pen, { width, height }, this.model(this.targetHeights(), new Float64Array(this.level.nColumns).fill(1)));
    this.saveText(pen.finish(this.summary.textContent), "svg");
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
