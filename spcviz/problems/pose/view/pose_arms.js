// Pictures and texts of arms under a draggable budget: four models, and each frame's purchases.
// Methods of PoseView. The arms come with the clip once the server has read them (data.parts.arms).

import { drawTitle, layOut, layOutBig, looks } from "./pose_draw.js";
import { armAt, countTiers, isKnown, linesOfArm, lostBy, offBy, stepOf } from "./pose_money.js";
import { node, setText } from "../../../web/view/elements.js";

const ARM_SIDES = ["left arm", "right arm"], TIER_WIDTHS = [13, 9.5, 6, 2.6], LEAST_BAR = 0.22;
const exact = (share) => `${(100 * share).toFixed(1)} %`;

export const ARMS = {
  get arms() { return this.data.parts.arms; },
  get isArms() { return this.shown === "four" || this.shown === "bought"; },
  get bought() { return stepOf(this.arms.ms, this.view.spend); },

  buildMoney() {
    this.spend = this.shareSlider("spend", "Share of the time that may be spent");
    this.spend.classList.add("spend");
    this.spend.addEventListener("pointerdown", () => this.startDrag());
    for (const name of ["pointerup", "pointercancel", "change"]) this.spend.addEventListener(name, () => this.endDrag());
    this.spend.addEventListener("input", (event) => this.stamp(event.timeStamp));
    this.spendSays = node("output", { class: "alpha-value" });
    this.moneySays = node("p", { class: "numbers" });
    this.moneyMore = node("p", {});
    this.moneyRow = node("div", { class: "row" }, node("label", { title: "Of the time for all features of all frames." }, "Share of the time to spend"), this.spendSays);
    return node("section", { class: "money" }, this.moneyRow, this.spend, this.moneySays, this.moneyMore);
  },

  /** Computations made once for newly arrived arms. */
  takeArms() {
    const { arms } = this;
    if (!arms || this.armsTaken === arms.digest) return;
    this.armsTaken = arms.digest;
    const near = arms.near_px, n = arms.n_frames;
    this.lostArms = arms.truth.some((coordinate) => coordinate > -32768) ? { four: lostBy(arms.four, arms.truth, n, near), steps: lostBy(arms.arms, arms.truth, n, near) } : null;
  },
  get armsTruth() { return this.truthVisible && this.lostArms !== null; },

  wantedArms() {
    const { arms } = this, f = this.view.frame;
    if (this.shown === "bought") return [{ kind: "bought", title: "read with what was bought" }, { kind: "strip", title: "bought, frame by frame" }, { kind: "curve", title: this.armsTruth ? "elbows and wrists off" : "frames by what was bought" }];
    const off = (t) => [0, 1].flatMap((side) => offBy(armAt(arms.four, arms.n_frames, t, f, side), armAt(arms.truth, arms.n_frames, 0, f, side)));
    const titleOf = (name, distances) => distances.length ? `${name}: ${(distances.reduce((a, b) => a + b) / distances.length).toFixed(0)} px` : name;
    return [{ kind: "four", title: "all models, one over the other" }, ...arms.names.map((name, t) => ({ kind: "model", t, title: this.armsTruth ? titleOf(name, off(t)) : name }))];
  },

  /** The large picture on the left; next to it small ones, or strip and curve. */
  placesArms(wanted, width, height) {
    const { part } = this.data, room = this.letter * 1.5;
    if (wanted.length > 3) return layOutBig(wanted.length, width, height, room, part, 12, true);
    const [big] = layOut(1, Math.max(0.5 * width, width - 1.35 * height), height, room, part);
    const x = big.wide + 16, wide = width - x, tall = (height - 2 * room - 12) / 2, ratio = { scale: big.scale, left: 0, top: 0 };
    return [{ ...big, x: 0, left: big.left - big.x, y: room, top: big.top - big.y + room }, { ...ratio, x, y: room, wide, high: tall }, { ...ratio, x, y: 2 * room + tall + 12, wide, high: tall }];
  },

  sceneArms(pen, width, height) {
    const wanted = this.wantedArms(), places = this.placesArms(wanted, width, height), { arms } = this, f = this.view.frame, n = arms.n_frames;
    const image = this.images[f], step = this.bought;
    this.panels = wanted.map((panel, i) => ({ ...panel, ...places[i] }));
    for (const panel of this.panels) {
      const unit = Math.max(0.8, panel.scale * 0.55);
      drawTitle(pen, panel, panel.title, this.letter, this.colours.text);
      if (panel.kind === "strip") this.drawStrip(pen, panel, step);
      else if (panel.kind === "curve") this.drawCurve(pen, panel, step);
      else pen.clipTo(panel, () => {
        pen.picture(image, panel, 0.35);
        for (const side of [0, 1]) {
          const draw = (all, which, t, wide) => pen.lines(linesOfArm(armAt(all, n, which, f, side)), panel, { colour: arms.colours[t], width: wide * unit });
          if (panel.kind === "four") arms.names.forEach((_, t) => draw(arms.four, t, t, TIER_WIDTHS[t]));
          if (panel.kind === "model") draw(arms.four, panel.t, panel.t, 6);
          if (panel.kind === "bought") draw(arms.arms, step, arms.tiers[2 * n * step + 2 * f + side], 8);
          if (this.armsTruth) this.drawTrueArm(pen, panel, armAt(arms.truth, n, 0, f, side), unit);
        }
      });
    }
    const [{ x, y, high, wide }] = this.panels, size = Math.min(this.letter, wide / 16), tall = 1.25 * size * (arms.names.length + 1);
    pen.rect(x, y + high - tall - size / 2, 9.5 * size, tall + size / 2, looks.BLACK, 0.62);
    [...arms.names, this.armsTruth ? `${this.data.truth_name} (dashed)` : ""].forEach((name, t) => pen.text(name, x + size / 2, y + high - tall + 1.25 * size * (t + 1) - size / 2, { size, colour: arms.colours[t] || looks.WHITE }));
    return false;
  },

  drawTrueArm(pen, panel, arm, unit) {
    if (!isKnown(arm)) return;
    const limbs = linesOfArm(arm);
    pen.lines(limbs, panel, { colour: looks.BLACK, width: 4.5 * unit, alpha: 0.5 });
    pen.lines(limbs, panel, { colour: looks.WHITE, width: 2 * unit, dash: [6 * unit, 4.5 * unit] });
  },

  /** One row per arm: the bars' height and colour show the tier bought, crosses above mark joints that are off. */
  drawStrip(pen, { x, y, wide, high }, step) {
    const { arms } = this, n = arms.n_frames, { letter } = this, left = 2.6 * letter, each = (wide - left) / n, row = high / 2;
    ARM_SIDES.forEach((name, side) => {
      const foot = y + (side + 1) * row - 4, tall = row - 1.9 * letter;
      pen.text(name.split(" ")[0], x, foot - 0.3 * tall, { size: 0.8 * letter, colour: this.colours.muted });
      for (let f = 0; f < n; f++) {
        const tier = arms.tiers[2 * n * step + 2 * f + side], height = tall * (LEAST_BAR + (1 - LEAST_BAR) * tier / (arms.names.length - 1));
        pen.rect(x + left + f * each + 1, foot - height, Math.max(1, each - 2), height, this.tierColours[tier]);
        const off = this.armsTruth && offBy(armAt(arms.arms, n, step, f, side), armAt(arms.truth, n, 0, f, side)).filter((px) => px > arms.near_px).length;
        if (off) pen.text("✖".repeat(off), x + left + (f + 0.5) * each, foot - tall - 4, { size: Math.min(0.8 * letter, 0.6 * each), colour: this.colours.text, align: "center" });
      }
    });
    pen.frame(x + left + this.view.frame * each, y, each, high, this.colours.text, 2);
  },

  /** Share of joints off against time spent, after every purchase and for each model alone on all frames. Without truth: the tiers bought. */
  drawCurve(pen, panel, step) {
    const { arms } = this, { letter } = this, left = panel.x + 3.2 * letter, foot = panel.y + panel.high - 1.6 * letter, wide = panel.wide - 3.2 * letter - 8, tall = panel.high - 2.2 * letter;
    const all = arms.ms[arms.ms.length - 1] || 1, at = (ms) => left + wide * Math.min(1, ms / all), plain = { scale: 1, left: 0, top: 0 };
    const label = (text, x, y, align) => pen.text(text, x, y, { size: 0.85 * letter, colour: this.colours.muted, align });
    pen.lines([left, foot, left + wide, foot, left, foot, left, foot - tall], plain, { colour: this.colours.muted, width: 1 });
    label("0", left, foot + letter, "center");
    label(`${(all / 1000).toFixed(2)} s`, left + wide, foot + letter, "right");
    label("time spent", left + wide / 2, foot + letter, "center");
    if (this.armsTruth) {
      const { steps, four } = this.lostArms, most = Math.max(0.05, ...steps, ...four), up = (share) => foot - tall * share / most, ends = [];
      for (let s = 0; s + 1 < steps.length; s++) ends.push(at(arms.ms[s]), up(steps[s]), at(arms.ms[s + 1]), up(steps[s]), at(arms.ms[s + 1]), up(steps[s]), at(arms.ms[s + 1]), up(steps[s + 1]));
      pen.lines(ends, plain, { colour: this.colours.text, width: 2 });
      four.forEach((share, t) => pen.disc(at(arms.four_ms[t]), up(share), 0.38 * letter, this.tierColours[t]));
      pen.disc(at(arms.ms[step]), up(steps[step]), 0.5 * letter, this.colours.text);
      pen.disc(at(arms.ms[step]), up(steps[step]), 0.3 * letter, this.colours.background);
      label(`${Math.round(100 * most)} %`, left - 6, foot - tall + 0.8 * letter, "right");
      label("0 %", left - 6, foot, "right");
      return;
    }
    const n = arms.n_frames, columns = 80;
    for (let c = 0; c < columns; c++) {
      const counts = countTiers(arms.tiers, n, stepOf(arms.ms, (c + 0.5) / columns), arms.names.length);
      let y = foot;
      counts.forEach((count, t) => { const height = tall * count / (2 * n); y -= height; pen.rect(left + wide * c / columns, y, wide / columns + 0.5, height, this.tierColours[t]); });
    }
    pen.lines([at(arms.ms[step]), foot, at(arms.ms[step]), foot - tall], plain, { colour: this.colours.text, width: 3 });
  },

  /** CSV rows of every arm of the clip: by the models, or as bought, and the truth where it is known. */
  armRows() {
    const { arms } = this, n = arms.n_frames, step = this.bought, rows = ["frame,arm,read_with,shoulder_x,shoulder_y,elbow_x,elbow_y,wrist_x,wrist_y"];
    const row = (f, side, how, all, which) => rows.push([f + 1, ARM_SIDES[side], how, ...armAt(all, n, which, f, side).map((coordinate) => coordinate.toFixed(1))].join(","));
    for (let f = 0; f < n; f++) {
      for (const side of [0, 1]) {
        if (this.shown === "bought") row(f, side, arms.names[arms.tiers[2 * (n * step + f) + side]], arms.arms, step);
        else arms.names.forEach((name, t) => row(f, side, name, arms.four, t));
        if (arms.truth.length && isKnown(armAt(arms.truth, n, 0, f, side))) row(f, side, this.data.truth_name, arms.truth, 0);
      }
    }
    return rows;
  },

  tellMoney() {
    this.money.hidden = !this.isArms;
    this.alphaBox.hidden = this.isArms;
    this.tabs.hidden = this.isArms;
    if (!this.isArms) return;
    this.joints.hidden = true;
    const { arms } = this, n = arms.n_frames, isBought = this.shown === "bought", step = this.bought, all = arms.ms[arms.ms.length - 1];
    this.moneyRow.hidden = this.spend.hidden = !isBought;
    this.spend.value = Math.round(1000 * this.view.spend);
    setText(this.spendSays, `${Math.round(100 * this.view.spend)} %`);
    const counts = countTiers(arms.tiers, n, step, arms.names.length), each = arms.four_ms.slice(1).map((ms, t) => (ms - arms.four_ms[t]) / (2 * n));
    setText(this.moneySays, isBought ? `${(arms.ms[step] / 1000).toFixed(2)} s of ${(all / 1000).toFixed(2)} s spent: ${arms.names.map((name, t) => `${name} ${counts[t]}`).join(", ")}` : arms.names.map((name, t) => t ? `${name} ${each[t - 1].toFixed(1)} ms` : `${name} free`).join(", "));
    const lost = this.armsTruth ? this.lostArms : null;
    const flow = n === 1 ? " A single picture has no movement: flow has nothing to add." : "";
    if (isBought) setText(this.moneyMore, `Arms and frames by the last thing bought. ${lost ? `Elbows and wrists off by more than ${arms.near_px} pixels: ${exact(lost.steps[step])}; with nothing bought ${exact(lost.steps[0])}, with everything ${exact(lost.steps[lost.steps.length - 1])}. Coloured points: one model for all frames.` : ""}${flow}`);
    else setText(this.moneyMore, `A frame and arm, measured in training. ${lost ? `Off by more than ${arms.near_px} pixels over the ${this.kindName}: ${arms.names.map((name, t) => `${name} ${exact(lost.four[t])}`).join(", ")}.` : ""}${flow}`);
    this.root.dataset.step = step;
    this.root.dataset.spent = Math.round(arms.ms[step]);
  },

  tellStatusArms() {
    const { arms, data } = this, lost = this.armsTruth ? this.lostArms.four : null;
    this.status.dataset.kind = "none";
    const best = lost ? lost.indexOf(Math.min(...lost)) : -1;
    setText(this.status, lost ? `Fewest errors over this ${this.kindName}: ${arms.names[best]}, ${exact(lost[best])} of elbows and wrists more than ${arms.near_px} pixels from the ${data.truth_name}.` : `No truth is known for this ${this.kindName}: judge the arms by eye.`);
    const { states, share, time } = this.figures, n = arms.n_frames;
    setText(states.value, `${2 * n} × 32`);
    setText(states.note, "arms and frames, guesses for each");
    setText(share.value, `${(arms.four_ms[arms.four_ms.length - 1] / 1000).toFixed(2)} s`);
    setText(share.note, `for all features of the ${this.kindName}, as measured in training`);
    setText(time.value, `${arms.seconds.toFixed(1)} s`);
    setText(time.note, `all features of the ${this.kindName} took here`);
    setText(this.summary, `${data.title}, ${this.isStill ? "" : `frame ${this.view.frame + 1} of ${n}, `}arms. ${this.status.textContent} ${this.moneySays.textContent}`);
  },
};
