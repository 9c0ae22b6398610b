// Texts of the Pose page: plain words first, numbers from the clip after; methods of PoseView.

import { fallIndex, positionOf, scoreOf, threshold } from "./pose_core.js";
import { button, node, setText } from "../../../web/view/elements.js";
import { belowMean } from "../../../web/view/rule.js";

export const MEANING = {
  alpha: "α sets the threshold τ = α · best + (1 − α) · mean of all max-marginals: 0 prunes what is below the mean, 1 all but the best; below 0 it lies under the mean.",
  states: "A state of a limb: the cell of its middle and one of 24 directions.",
  share: "Of the finest grid, 80 × 80 cells and 24 directions for every limb.",
  time: "Measured here: features and detectors, then the cascade.",
  witness: "The best whole body that has this limb in this state; its score is the limb's max-marginal.",
};
const whole = (n) => Math.round(n).toLocaleString("en-US");
const score = (v) => v.toFixed(Math.abs(v) < 100 ? 2 : 1).replace("-", "−");
const percent = (share) => `${share >= 0.1 ? (100 * share).toFixed(0) : (100 * share).toFixed(share >= 0.01 ? 1 : 2)} %`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const WORDS = {
  /** Whether it is a single picture: then texts mention no frames or clips. */
  get isStill() { return this.levels[0]?.nFrames === 1; },
  get kindName() { return this.isStill ? "picture" : "clip"; },
  get frameName() { return this.isStill ? "picture" : "frame"; },
  alphaText(l) {
    const alpha = this.alphaOf(l), isTuned = this.view.alphas[l] === null || this.view.alphas[l] === undefined;
    return `${alpha.toFixed(3).replace("-", "−")}${belowMean(alpha)}${isTuned ? " (tuned)" : ""}`;
  },

  /** Text for the fate of a limb's truth here: "unknown", "coarse", "gone", "lost" or "kept". */
  fateText(fate, name) {
    return {
      unknown: "not seen", coarse: "no cell near it at this level", gone: "✖ lost at an earlier level", lost: "✖ lost here", kept: "✔ kept",
    }[fate] || name;
  },

  tell() {
    this.tellMoney();
    this.tellGuide();
    if (this.isArms) this.tellStatusArms();
    else this.tellCascade();
    this.tellWhy();
  },

  tellCascade() {
    const { data, now } = this, lost = data.names.filter((_, p) => now.fates[p] === "lost"), gone = data.names.filter((_, p) => now.fates[p] === "gone");
    const what = data.truth_name, known = now.fates.some((fate) => fate !== "unknown");
    const lostIn = now.lostFrames.filter(Boolean).length;
    let kind = "safe", said;
    if (!this.truth || !known) [kind, said] = ["none", this.truth ? `No ${what} in this ${this.frameName}.` : `No truth is known for this ${this.kindName}: judge by eye.`];
    else if (lost.length) [kind, said] = ["pruned", `✖ ${capital(what)} pruned here: ${lost.join(", ")}. No state within a quarter of the limb's length is left.`];
    else if (gone.length) [kind, said] = ["gone", `✖ ${capital(what)} lost at an earlier level: ${gone.join(", ")}.`];
    else said = `✔ Every limb keeps a state near the ${what}${what === "reference" ? " (joints found by a neural network)" : ""}.`;
    if (this.truth && lostIn && !this.isStill) said += ` ✖ marks ${lostIn} of ${now.lostFrames.length} frames.`;
    this.status.dataset.kind = kind;
    setText(this.status, said);
    const { states, share, time } = this.figures, [detect, cascade] = data.seconds, n = now.level.nFrames;
    setText(states.value, `${whole(now.kept)} of ${whole(now.given)}`);
    setText(states.note, `limb positions kept in this ${this.frameName}, of those scored`);
    setText(share.value, percent(now.kept / (data.names.length * 153600)));
    setText(share.note, `of the finest grid's ${whole(data.names.length * 153600)}, ${whole(153600)} a limb`);
    setText(time.value, `${Math.round(1000 * (detect + cascade) / n)} ms`);
    setText(time.note, this.isStill ? "features and cascade" : "a frame, features and cascade");
    this.tellAlpha();
    this.tellJoints();
    setText(this.summary, `${data.title}, ${this.isStill ? "" : `frame ${this.view.frame + 1} of ${n}, `}level ${this.view.level}: ${said} ${whole(now.kept)} of ${whole(now.given)} states are left at alpha ${now.alpha.toFixed(3)}.`);
  },

  tellGuide() {
    const { now } = this, { level } = now, [head, text] = this.guide.children, l = this.view.level;
    const waits = this.isOfArms(this.view.show) && !this.arms;
    setText(head, this.isArms ? "Which frames deserve a closer look?" : waits ? "Reading the arms ..." : `Level ${l}: ${level.columns} × ${level.rows} cells, 24 directions`);
    const how = l === 0 ? "Everywhere is possible; the cells are coarse." : "Each cell left over was halved.";
    const stale = now.isStale ? " Deeper levels follow when you let go." : "";
    setText(text, {
      wait: "Detectors and flow of every frame take a moment on the server.",
      level: `${how} Left: what stands, the likelier the brighter; grey is pruned. Right: the best guess of each limb.${stale}`,
      heat: `For each limb, every cell's best direction: bright is likely, grey is pruned.${stale}`,
      all: "All seven levels of this frame, and the best guess. Click one to go there.",
      top: "The best limb of each part thick; the next three that differ (12 pixels or 30 degrees) thin.",
      four: "Each arm has 32 guesses a frame; a chain over the frames takes one. Each model knows all that the one before knows. Where they agree, the thinner lies on the thicker.",
      bought: "Detectors are free; coarse flow and flow cost more and more. Drag what may be spent: DMS-π chooses which frame of which arm gets better features next.",
      three: "Each sub-model ties one limb from frame to frame, so each has no cycle and is solved exactly. Their sum decides what is pruned.",
    }[waits ? "wait" : this.shown]);
  },

  tellAlpha() {
    const { now, view } = this, { level } = now, f = view.frame;
    this.alpha.min = String(Math.floor(1000 * now.level.alphas[0]));
    this.alpha.value = Math.round(1000 * now.alpha);
    setText(this.alphaValue, this.alphaText(view.level));
    setText(this.formula, `τ = best − (1 − α)(best − mean) = ${score(level.best[f])} − ${(1 - now.alpha).toFixed(3)} · ${score(level.best[f] - level.mean[f])} = ${score(threshold(level, f, now.k))}`);
    this.tunedButton.hidden = view.alphas[view.level] === null || view.alphas[view.level] === undefined;
    this.edgeButton.disabled = now.edge < 0;
  },

  tellJoints() {
    const { data, now, view } = this;
    this.joints.hidden = !this.truth || !this.truthVisible;
    const rows = data.names.map((name, p) => {
      const fall = now.falls[p], { alphas } = now.level, fate = now.fates[p];
      const when = fate === "kept" || fate === "lost" ? (fall >= alphas.length ? "never falls" : `falls at α ${alphas[fall].toFixed(3)}`) : "";
      return [p, name, fate, when];
    });
    const key = JSON.stringify([rows, view.level]);
    if (this.joints.drawn === key) return;
    this.joints.drawn = key;
    this.joints.replaceChildren(node("b", { title: "A limb's truth is kept while a state stands within 25 % of its length at both ends." }, `${capital(data.truth_name)}, limb by limb`),
      ...rows.map(([p, name, fate, when]) => node("div", { class: `joint ${fate}` }, node("i", { class: "swatch", style: `background:${data.colours[p]}` }), node("span", { class: "name" }, name), node("span", { class: "fate" }, this.fateText(fate)), node("span", {}, when))));
  },

  tellWhy() {
    this.why.hidden = this.isArms;
    const { now, data, view } = this, picked = now.picked;
    const key = JSON.stringify([view.cell, picked && [picked.s, Boolean(picked.body)], view.frame, view.level, now.k, data.identity]);
    if (this.why.drawn === key) return;
    this.why.drawn = key;
    if (!view.cell) {
      this.why.replaceChildren(node("p", { class: "caption" }, "Click a limb in the picture: its max-marginal, the threshold, when it falls, and the best body through it."));
      return;
    }
    if (!picked) {
      this.why.replaceChildren(node("p", {}, `This state was not given to level ${view.level} here: an earlier level has dropped it.`), button("clear (Esc)", "Clear the selection", () => this.set({ cell: "" })));
      return;
    }
    const { level } = now, { p, s, v, limb } = picked, f = view.frame, code = level.codes[level.start[v] + s], mm = scoreOf(level, f, code), tau = threshold(level, f, now.k), fall = fallIndex(level, v, s);
    const when = fall >= level.alphas.length ? "It never falls: the best state of a limb is given back." : fall === 0 ? "It falls at every α of the slider: its max-marginal is over no threshold." : `It falls at α = ${level.alphas[fall].toFixed(3)}.`;
    const stands = s === level.first[v] || fall > now.k;
    this.why.replaceChildren(
      node("b", { title: MEANING.witness }, `${capital(data.names[p])}: ${stands ? "kept" : "pruned"}`),
      node("p", { class: "numbers" }, `max-marginal ${score(mm)} ${stands ? ">" : "≤"} τ ${score(tau)}`),
      node("p", {}, `${when} Height between mean (0) and best (1): ${positionOf(level, code).toFixed(3)}.`),
      node("p", {}, picked.body ? `Drawn: its witness, the best whole body through it, score ${score(picked.body.score)}.` : level.nEach ? "Each sub-model has a witness of its own: none is drawn." : "Its witness is on its way."),
      node("p", { class: "caption" }, `from (${limb[0].toFixed(0)}, ${limb[1].toFixed(0)}) to (${limb[2].toFixed(0)}, ${limb[3].toFixed(0)}) of 240 × 240 pixels`),
      button("to its edge", "Set alpha to just before this limb falls", () => this.setAlpha(this.view.level, level.alphas[Math.max(0, Math.min(fall, level.alphas.length) - 1)], true)),
      button("clear (Esc)", "Clear the selection", () => this.set({ cell: "" })));
  },
};
