// The view of Scenes at any time: one picture labelled by the anytime predictor and by the inference machine.
// The former on the left, the latter on the right, at the same time; below: the time, both curves, and the regions and features chosen.

import { agreement, isSet, laidOut, meanOf, outlineRegions, overlay, rowOf, sharesOf, sizesOf, stepAt } from "./scene_core.js";
import { button, clamp, node, setText, svg, toRgb } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { View, makeMount } from "../../../web/view/view.js";

const SHOWN = { labels: "Labels", regions: "What the last step chose", entropy: "How unsure", errors: "Right or wrong", picture: "The picture" };
const STRENGTH = 0.78;
const PLAY_SECONDS = 9;
const SMALLEST_NAMED = 0.012;

class SceneView extends View {
  size = 16;

  build() {
    this.slider = this.shareSlider("spend", "Time that the predictors had");
    this.slider.addEventListener("pointerdown", () => this.startDrag());
    this.listen(window, "pointerup", () => this.endDrag());
    this.slider.addEventListener("input", (event) => this.stamp(event.timeStamp));
    this.clockText = node("output");
    const bar = node("div", { class: "bar", role: "group", "aria-label": "Time" }, button("|◀", "Start again (Home)", () => this.toStep(-1)), button("◀", "One step back (left arrow)", () => this.walk(-1)),
      this.playControl("Play (space)"), button("▶|", "One step more (right arrow)", () => this.walk(1)), this.slider, this.clockText,
      moreBox([button("Link", "Copy a link to exactly this view", () => this.copyLink()), button("CSV", "Save every step", () => this.exportCsv()),
        button("PNG", "Save the left picture", () => this.savePicture(this.left.canvas, "#000"))], { isFloating: true }).box, this.note);
    this.shows = node("div", { class: "shows", role: "group", "aria-label": "What is laid over the left picture" });
    this.left = this.panel("left");
    this.right = this.panel("right");
    this.curve = svg("svg", { class: "curve", role: "img" });
    this.curve.addEventListener("pointerdown", (event) => this.grab(event));
    this.bought = node("div", { class: "bought" });
    this.says = node("p", { class: "says", "aria-live": "polite" });
    this.legend = node("div", { class: "legend" });
    return node("div", { class: "scene" }, bar, this.shows,
      node("div", { class: "panels" }, this.left.box, this.right.box), this.legend,
      node("div", { class: "below" }, this.curve, node("div", { class: "side" }, this.bought, this.says)));
  }
  panel(name) {
    const canvas = node("canvas", { role: "img" }), title = node("h4", { role: "heading", "aria-level": "2" }), state = node("span", { class: "state" });
    return { name, canvas, title, state, box: node("figure", { class: name }, node("figcaption", {}, title, state), canvas) };
  }

  take(given, isNew) {
    const data = (this.data = { ...given, ...laidOut(given.parts.scene) });
    const [wide, tall] = data.size;
    this.sizes = sizesOf(data.atoms);
    this.n = this.sizes.length;
    this.sim = data.courses[0];
    this.him = data.courses[1];
    this.last = this.sim.ms[this.sim.ms.length - 1];
    this.end = Math.max(this.last, this.him.ms[0]) * 1.02;
    this.colours = data.colours.map(toRgb);
    this.truthOf = data.truth && this.commonest(data.truth);
    for (const panel of [this.left, this.right]) {
      panel.canvas.width = wide;
      panel.canvas.height = tall;
      panel.context = panel.canvas.getContext("2d");
      panel.image = panel.context.createImageData(wide, tall);
      panel.drawn = null;
    }
    this.flags = new Uint8Array(this.n);
    this.tints = new Float32Array(3 * this.n);
    this.strength = new Float32Array(this.n);
    this.heights = this.sim.ms.map((_, s) => this.quality(this.sim, s));
    this.himHeight = this.quality(this.him, 0);
    if (this.view.show === "errors" && !data.truth) this.view.show = "labels";
    const names = Object.keys(SHOWN).filter((name) => name !== "errors" || data.truth);
    this.shows.replaceChildren(...names.map((name, i) => button(SHOWN[name], `${SHOWN[name]} (${i + 1})`, () => this.set({ show: name }), { "data-show": name })));
    this.legend.replaceChildren(...data.classes.map((name, k) => node("span", { "data-class": k }, node("i", { style: `background:${data.colours[k]}` }), name)));
    this.bars = data.groups.map((name) => ({ name, row: node("div", { class: "row", title: data.group_words[name] }, node("span", { class: "name" }, name), node("span", { class: "track" }, node("i")), node("span", { class: "count" })) }));
    this.bought.replaceChildren(node("h4", { role: "heading", "aria-level": "2" }, "Features bought so far"), ...this.bars.map((bar) => bar.row));
    this.curveFor = null;
    if (isNew) this.endDrag();
  }
  /** The commonest true class of every atom. */
  commonest(truth) {
    const k = this.data.classes.length + 1, counts = new Uint16Array(k * this.n), out = new Uint8Array(this.n);
    truth.forEach((label, p) => { counts[this.data.atoms[p] * k + label] += 1; });
    for (let a = 0; a < this.n; a++) for (let c = 1; c < k; c++) if (counts[a * k + c] > counts[a * k + out[a]]) out[a] = c;
    return out;
  }
  /** Percent right, or of agreement with HIM's answer if the truth is unknown. */
  quality(course, s) {
    if (course.accuracy) return course.accuracy[s];
    return agreement(rowOf(course.labels, s, this.n), rowOf(this.him.labels, 0, this.n), this.sizes);
  }

  get time() { return this.view.spend * this.end; }
  get at() { return stepAt(this.sim.ms, this.time); }
  toStep(s) {
    const ms = s < 0 ? 0 : this.sim.ms[clamp(s, 0, this.sim.ms.length - 1)] + 1e-3;
    this.set({ spend: clamp(ms / this.end, 0, 1) });
  }
  step(by) { this.toStep(this.at + by); }
  get story() { return [0, ...this.sim.ms.filter((ms) => ms < this.end).map((ms) => (ms + 1e-3) / this.end), 1].map((spend) => ({ spend })); }
  rewind() { if (this.view.spend >= 1) this.view.spend = 0; }
  /** Plays by the clock: the whole trajectory in a few seconds. */
  clock() {
    const start = performance.now(), from = this.view.spend;
    const tick = (now) => {
      this.view.spend = Math.min(1, from + (now - start) / (1000 * PLAY_SECONDS));
      this.paint();
      if (this.view.spend < 1) this.onFrame("play", tick);
      else this.stopAtEnd();
    };
    this.onFrame("play", tick);
  }
  /** At the end of the trajectory. */
  stopAtEnd() {
    this.play(false);
  }
  keys() {
    const names = [...this.shows.children].map((b) => b.dataset.show);
    const chosen = Object.fromEntries(names.map((name, i) => [i + 1, () => this.set({ show: name })]));
    return { ...chosen, Home: () => this.toStep(-1), End: () => this.set({ spend: 1 }) };
  }
  viewToSend() { return { ...super.viewToSend(), spend: Math.round(this.view.spend * 10000) / 10000 }; }
  fit() {
    this.size = parseFloat(getComputedStyle(this.root).fontSize);
    this.curveFor = null;
  }

  /** Drag in the curve. */
  grab(event) {
    const move = (to) => {
      const box = this.curve.getBoundingClientRect(), { left, wide } = this.plot;
      this.stamp(to.timeStamp);
      this.set({ spend: clamp(((to.clientX - box.left) / box.width * this.plot.full - left) / wide, 0, 1) }, true);
    };
    this.play(false);
    this.startDrag();
    this.curve.setPointerCapture(event.pointerId);
    this.curve.onpointermove = move;
    this.curve.onpointerup = () => { this.curve.onpointermove = null; this.endDrag(); this.send(); };
    move(event);
  }

  // ---------------------------------------------------------------- drawing

  paint() {
    const started = performance.now(), s = this.at, isHim = this.time >= this.him.ms[0];
    this.readTheme();
    this.slider.value = 1000 * this.view.spend;
    setText(this.clockText, `${this.time.toFixed(0)} of ${this.end.toFixed(0)} ms`);
    for (const tab of this.shows.children) tab.setAttribute("aria-pressed", String(tab.dataset.show === this.view.show));
    this.paintLeft(s);
    this.paintRight(isHim);
    this.paintCurve(s, isHim);
    this.paintSide(s);
    this.notePaint(performance.now() - started);
    const { dataset } = this.root;
    dataset.ready = "1";
    dataset.step = s;
    dataset.him = isHim ? "1" : "0";
    dataset.quality = s < 0 ? "" : this.heights[s].toFixed(2);
    dataset.says = this.says.textContent;
  }

  paintLeft(s) {
    const { left, data } = this, key = `${s}|${this.view.show}`;
    if (left.drawn === key) return;
    left.drawn = key;
    const early = s < 0, right = data.truth ? "right" : "agreement with HIM";
    setText(left.title, this.sim.label);
    setText(left.state, early ? "cutting the picture into regions ..." : `step ${s + 1} of ${this.sim.ms.length}, ${this.heights[s].toFixed(1)} % ${right}`);
    this.lay(left, this.sim, s, early ? "picture" : this.view.show);
  }
  paintRight(isHim) {
    const { right, data } = this, show = ["regions", "picture"].includes(this.view.show) ? (this.view.show === "picture" ? "picture" : "labels") : this.view.show, key = `${isHim}|${show}`;
    if (right.drawn === key) return;
    right.drawn = key;
    setText(right.title, this.him.label);
    setText(right.state, isHim ? `done after ${this.him.ms[0].toFixed(0)} ms${data.truth ? `, ${this.himHeight.toFixed(1)} % right` : ""}` : "no answer yet");
    this.lay(right, this.him, isHim ? 0 : -1, show);
  }

  /** One picture with its overlay. */
  lay(panel, course, s, show) {
    const { data, tints, strength, n } = this, { image, context } = panel;
    const labels = s < 0 ? null : rowOf(course.labels, s, n);
    strength.fill(s < 0 || show === "picture" ? (show === "picture" ? -1 : 0) : STRENGTH);
    if (labels && show !== "picture") {
      const unsure = rowOf(course.entropy, s, n);
      for (let a = 0; a < n; a++) {
        let tint = this.colours[labels[a]];
        if (show === "entropy") { tint = [255, 170, 20]; strength[a] = 0.9 * unsure[a] / 255; }
        if (show === "errors") {
          const isRight = labels[a] === this.truthOf[a], isKnown = this.truthOf[a] < data.classes.length;
          tint = isRight ? [58, 199, 139] : [255, 90, 20];
          strength[a] = isKnown ? 0.6 : 0;
        }
        if (show === "regions") {
          this.flags[a] = isSet(data.updated, s, a, data.updated.length / this.sim.ms.length);
          strength[a] = this.flags[a] ? STRENGTH : 0.12;
        }
        tints.set(tint, 3 * a);
      }
    }
    overlay(image.data, data.picture, data.atoms, tints, strength);
    if (labels && show === "regions") outlineRegions(image.data, data.atoms, data.size[0], this.flags, [255, 255, 255]);
    context.putImageData(image, 0, 0);
    const said = labels ? this.describeShares(labels) : "not labelled yet";
    panel.canvas.setAttribute("aria-label", `${data.title}, ${course.label}: ${said}`);
  }
  describeShares(labels) {
    const shares = sharesOf(labels, this.sizes, this.data.classes.length);
    return this.data.classes.map((name, k) => [shares[k], name]).filter(([share]) => share >= 0.01).sort((a, b) => b[0] - a[0]).map(([share, name]) => `${name} ${(100 * share).toFixed(0)} %`).join(", ");
  }

  /** Both curves are drawn once; only the marker moves. */
  paintCurve(s, isHim) {
    const key = `${this.size}|${this.theme}|${this.curve.clientWidth}`;
    if (this.curveFor !== key) this.drawCurve(key);
    const { x, y, top, low } = this.plot, now = x(this.time);
    this.marker.setAttribute("d", `M${now} ${top}V${low}`);
    this.dot.setAttribute("cx", x(s < 0 ? 0 : Math.min(this.time, this.last)));
    this.dot.setAttribute("cy", s < 0 ? low : y(this.heights[s]));
    this.himMark.classList.toggle("done", isHim);
    this.curve.setAttribute("aria-label", `After ${this.time.toFixed(0)} ms: ${s < 0 ? "nothing yet" : `${this.heights[s].toFixed(1)} %`}; HIM ${isHim ? `${this.himHeight.toFixed(1)} %` : "has no answer yet"}`);
  }
  drawCurve(key) {
    this.curveFor = key;
    const { size } = this, full = this.curve.clientWidth || 600, tall = 12.5 * size, left = 3.6 * size, wide = full - left - size, top = 2 * size, low = tall - 3.4 * size;
    const floor = Math.floor(Math.min(...this.heights, this.himHeight) / 10) * 10, ceiling = Math.max(floor + 10, Math.ceil(Math.max(...this.heights, this.himHeight) / 10) * 10);
    const x = (ms) => left + wide * ms / this.end, y = (v) => low - (low - top) * (v - floor) / (ceiling - floor);
    this.plot = { full, left, wide, top, low, x, y };
    const drawn = [], step = 10 ** Math.floor(Math.log10(this.end / 2)), every = this.end / step > 8 ? 2 * step : step;
    for (let v = floor; v <= ceiling; v += (ceiling - floor) / 2) drawn.push(svg("path", { class: "grid", d: `M${left} ${y(v)}h${wide}` }), svg("text", { class: "tick end", x: left - 0.4 * size, y: y(v) + 0.35 * size }, v.toFixed(0)));
    for (let ms = 0; ms <= this.end; ms += every) drawn.push(svg("text", { class: "tick", x: x(ms), y: low + 1.3 * size }, ms.toFixed(0)));
    drawn.push(svg("text", { class: "axis", x: left + wide / 2, y: low + 2.9 * size }, "milliseconds from the pixels on, as measured"));
    drawn.push(svg("text", { class: "axis start", x: 0, y: 1.1 * size }, this.data.truth ? "pixels right, %" : "agrees with HIM on, %"));
    let path = "";
    this.heights.forEach((v, s) => { path += s ? `H${x(this.sim.ms[s])}V${y(v)}` : `M${x(this.sim.ms[0])} ${y(v)}`; });
    drawn.push(svg("path", { class: "line sim", d: `${path}H${x(this.end)}` }));
    this.himMark = svg("path", { class: "line him", d: `M${x(this.him.ms[0])} ${low}V${y(this.himHeight)}H${x(this.end)}` });
    drawn.push(this.himMark, svg("text", { class: "name him end", x: x(this.end), y: y(this.himHeight) - 0.4 * size }, "HIM is done"));
    this.marker = svg("path", { class: "marker" });
    this.dot = svg("circle", { class: "dot", r: 0.42 * size });
    drawn.push(this.marker, this.dot);
    this.curve.replaceChildren(...drawn);
    this.curve.setAttribute("viewBox", `0 0 ${full} ${tall}`);
    this.curve.setAttribute("height", tall);
  }

  paintSide(s) {
    const { data } = this, shares = s < 0 ? null : sharesOf(rowOf(this.sim.labels, s, this.n), this.sizes, data.classes.length);
    for (const entry of this.legend.children) entry.classList.toggle("absent", !shares || shares[+entry.dataset.class] < SMALLEST_NAMED);
    this.bars.forEach(({ row }, g) => {
      const most = data.bought[data.bought.length - 1][g], count = s < 0 ? 0 : data.bought[s][g], [, track, text] = row.children;
      row.classList.toggle("begun", s >= 0 && Boolean(data.begun[s][g]));
      track.firstChild.style.width = `${most ? 100 * count / Math.max(...data.bought[data.bought.length - 1]) : 0}%`;
      setText(text, count ? `${count} ${g ? (count === 1 ? "centre" : "centres") : "numbers"}` : "not begun");
    });
    setText(this.says, this.sentence(s));
  }
  sentence(s) {
    const { data } = this;
    if (s < 0) return `The first ${data.regions_ms.toFixed(0)} ms cut the picture into ${this.n} small regions and six coarser levels; no label yet.`;
    const [updated, regions] = data.counts[s], before = s ? data.bought[s - 1] : data.groups.map(() => 0);
    const fresh = data.groups.map((name, g) => [data.bought[s][g] - before[g], name]).filter(([n]) => n > 0).map(([n, name]) => `${n} of ${name}`);
    const unsure = meanOf(rowOf(this.sim.entropy, s, this.n), this.sizes) / 255 * data.most_entropy;
    const spent = this.sim.ms[s] - (s ? this.sim.ms[s - 1] : data.regions_ms);
    return `Step ${s + 1}: ${updated} of ${regions} regions of level ${data.level[s] + 1} of 7 were unsure enough (mean entropy above ${data.theta[s].toFixed(1)}) and were updated. ` +
      `${fresh.length ? `New features: ${fresh.join(", ")}` : "No new feature"}; ${spent.toFixed(1)} ms. Mean entropy of all pixels now ${unsure.toFixed(2)} of ${data.most_entropy.toFixed(2)}.`;
  }

  // ---------------------------------------------------------------- export

  fileName(kind) { return `scene.${kind}`; }
  exportCsv() {
    const { data } = this, rows = [`step,milliseconds,percent,level,regions updated,${data.groups.join(",")}`];
    this.sim.ms.forEach((ms, s) => rows.push([s + 1, ms, this.heights[s].toFixed(3), data.level[s] + 1, data.counts[s][0], ...data.bought[s]].join(",")));
    rows.push(["HIM", this.him.ms[0], this.himHeight.toFixed(3)].join(","));
    this.saveRows(rows);
  }
}

export default makeMount(SceneView);
