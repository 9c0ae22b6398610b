// Exports of the Pose view: the picture as PNG or SVG, the frame's states of a level as CSV; methods of PoseView.

import { fallIndex, keepMask, limbOf, scoreOf } from "./pose_core.js";
import { canvasPen, svgPen } from "./pose_draw.js";

export const EXPORTS = {
  fileName(kind) { return `pose-frame${this.view.frame + 1}-${this.isArms ? this.shown : `level${this.view.level}`}.${kind}`; },
  exportPng() { this.savePicture(this.canvas, this.colours.background); },
  exportSvg() {
    const width = this.stage.clientWidth, height = this.stage.clientHeight, { measure } = canvasPen(this.canvas.getContext("2d"), this.font);
    const pen = svgPen(width, height, this.font, this.colours.background, measure);
    this.scene(pen, width, height);
    this.saveText(pen.finish(this.summary.textContent), "svg");
  },
  exportCsv() {
    if (this.isArms) return this.saveRows(this.armRows());
    const { level, alpha, k } = this.now, f = this.view.frame, rows = ["limb,x1,y1,x2,y2,max_marginal,alpha,falls_at,kept"];
    this.data.names.forEach((name, p) => {
      const v = f * level.nParts + p, keep = keepMask(level, v, k);
      for (let s = 0; s < keep.length; s++) {
        const fall = fallIndex(level, v, s), at = level.start[v] + s, limb = limbOf(level, level.states[at], this.data.lengths[p]);
        rows.push([name, ...limb.map((x) => x.toFixed(1)), scoreOf(level, f, level.codes[at]).toFixed(3), alpha, fall >= level.alphas.length ? "never" : level.alphas[fall], keep[s]].join(","));
      }
    });
    return this.saveRows(rows);
  },
};
