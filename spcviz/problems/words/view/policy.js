// The Policy page's view: one word, several policies, one cursor (the budget).
// Each panel shows, letter by letter, the policy's predicted gain of the next purchase, the features bought, how
// far the messages rippled from the last purchase, and the word as read. The browser owns the cursor.

import { stepAt } from "./policy_core.js";
import { button, clamp, node, setText, svg, unpackInk } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { View, makeMount } from "../../../web/view/view.js";

const TIERS = ["gray", "blue", "violet"];
const FEW = 3; // policies shown at first
const COLUMN = 56, INK = 3.2, BARS = 44, TOP = 6, RIPPLE = 34;

class PolicyView extends View {
  playMs = 650;

  build() {
    this.slider = this.shareSlider("spend", "What may be spent on this word");
    this.spends = node("output");
    const bar = node("div", { class: "bar", role: "group", "aria-label": "Budget" }, button("|◀", "Start again (Home)", () => this.set({ spend: 0 })), button("◀", "One purchase back (left arrow)", () => this.step(-1)),
      this.playControl("Play (space)"), button("▶|", "One purchase on (right arrow)", () => this.step(1)), this.slider, this.spends,
      moreBox([button("Link", "Copy a link to exactly this view", () => this.copyLink()), button("CSV", "Save every step of every policy", () => this.exportCsv())], { isFloating: true }).box, this.note);
    this.legend = node("div", { class: "legend" });
    this.panels = node("div", { class: "panels" });
    this.manyButton = button("", "How many policies are drawn", () => this.set({ panels: this.isFew ? "all" : "three" }));
    this.manyButton.removeAttribute("aria-label"); // its text is its name
    return node("div", { class: "policy" }, bar, this.legend, this.panels, node("p", { class: "many" }, this.manyButton));
  }

  take(given) {
    const data = (this.data = { ...given, ...given.parts.word });
    this.ink = unpackInk(data.pixels);
    // Budgets at which any policy buys something: the step buttons move between them.
    const stops = new Set([0]);
    for (const trace of data.traces) for (const cost of trace[data.kind]) if (cost <= this.full) stops.add(Math.ceil(1000 * cost / this.full - 1e-6) / 1000);
    this.stops = [...stops].sort((a, b) => a - b);
    this.slider.max = String(Math.round(1000 * this.most));
    this.legend.replaceChildren(...data.tier_names.map((name, t) => node("span", {}, node("i", { class: "swatch", style: `background:var(--st-${TIERS[t]}-color)` }), `${name}${["", " (one line)", " (two lines)"][t]}`)),
      node("span", {}, node("i", { class: "swatch", style: "background:var(--st-green-color)" }), "bar: what the policy estimates a purchase here to be worth (grey: below zero)"),
      node("span", {}, node("i", { class: "swatch", style: "background:var(--st-orange-color)" }), "just bought, and how far its messages travelled"));
    this.buildPanels();
  }

  get isFew() { return this.view.panels === "three" && this.data.traces.length > FEW; }
  /** The share of the full cost that is in view: a question hides what comes later. */
  get most() { return this.data.most ?? 1; }
  get full() { return this.data.full[this.data.kind]; }
  money(amount) { return this.data.kind === "us" ? `${(amount / 1000).toFixed(2)} ms` : `${+amount.toFixed(1)} ${+amount.toFixed(1) === 1 ? "unit" : "units"}`; }

  get story() { return this.stops.map((spend) => ({ spend })); }
  /** Move to the next or previous budget at which a policy buys something. */
  step(by) {
    const at = this.stops.findLastIndex((s) => s <= this.view.spend + 1e-9);
    this.set({ spend: this.stops[clamp(at + by, 0, this.stops.length - 1)] });
  }
  get lastStop() { return this.stops[this.stops.length - 1]; }
  rewind() { if (this.view.spend >= this.lastStop) this.view.spend = 0; }
  advance() {
    this.step(1);
    return this.view.spend < this.lastStop;
  }
  keys() { return { Home: () => this.set({ spend: 0 }), End: () => this.set({ spend: this.most }) }; }

  buildPanels() {
    this.parts = this.data.traces.map((trace) => {
      const verdict = node("span"), picture = svg("svg", { role: "img", viewBox: `0 0 ${COLUMN * this.data.truth.length} ${TOP + BARS + 16 * INK + RIPPLE + 46}` }), says = node("p");
      return { verdict, picture, says, panel: node("section", { class: "panel" }, node("h4", { role: "heading", "aria-level": "2", title: trace.help }, trace.label, verdict), picture, says) };
    });
    this.panels.replaceChildren(...this.parts.map((p) => p.panel));
  }

  paint() {
    const budget = this.view.spend * this.full;
    this.slider.value = Math.round(1000 * this.view.spend);
    setText(this.spends, `budget: ${this.money(budget)} of ${this.money(this.full)}`);
    this.data.traces.forEach((trace, i) => {
      this.parts[i].panel.hidden = this.isFew && i >= FEW;
      this.paintPanel(trace, this.parts[i], stepAt(trace, this.data.kind, budget));
    });
    const others = this.data.traces.slice(FEW).map((trace) => trace.label);
    this.manyButton.hidden = !others.length;
    setText(this.manyButton, this.isFew ? `Compare with ${others.join(" and ")}` : `Only the first ${FEW}`);
    this.root.dataset.ready = "1";
    this.root.dataset.steps = this.data.traces.map((t) => stepAt(t, this.data.kind, budget)).join(",");
  }

  paintPanel(trace, part, s) {
    const { truth } = this.data, length = truth.length, reading = trace.readings[s], isChance = trace.name.startsWith("uniform");
    const values = isChance ? trace.values[s].map(() => null) : trace.values[s]; // chance estimates nothing
    const isRight = reading === truth;
    const scale = Math.max(1e-9, trace.most), isLast = s === trace.tiers.length - 1 && this.most === 1;
    const inkTop = TOP + BARS + 4, ripTop = inkTop + 16 * INK + 10, base = TOP + BARS * 0.8, drawn = [];
    const changed = s > 0 ? trace.tiers[s].map((t, i) => t !== trace.tiers[s - 1][i]) : [];
    let best = -1;
    values.forEach((v, i) => { if (v !== null && (best < 0 || v > values[best])) best = i; });
    drawn.push(svg("line", { class: "axis", x1: 0, x2: COLUMN * length, y1: base, y2: base }));
    for (let i = 0; i < length; i++) {
      const x = COLUMN * i, tier = trace.tiers[s][i], left = x + (COLUMN - 8 * INK) / 2;
      if (changed[i]) drawn.push(svg("rect", { class: "bought", x: x + 2, y: inkTop - 4, width: COLUMN - 4, height: 16 * INK + 11, rx: 5 }));
      if (values[i] !== null) {
        const high = Math.abs(values[i]) / scale * BARS * (values[i] >= 0 ? 0.78 : 0.2);
        const bar = svg("rect", { class: values[i] >= 0 ? "value" : "loss", x: x + 12, width: COLUMN - 24, y: values[i] >= 0 ? base - high : base, height: Math.max(high, 1) });
        bar.append(svg("title", {}, `letter ${i + 1}: predicted gain ${values[i].toFixed(3)}`));
        drawn.push(bar);
        if (i === best && !isLast) drawn.push(svg("rect", { class: "next", x: x + 9, y: TOP - 3, width: COLUMN - 18, height: BARS, rx: 4 }));
      }
      let path = "";
      for (let b = 0; b < 128; b++) if (this.ink[i][b]) path += `M${left + (b % 8) * INK} ${inkTop + Math.floor(b / 8) * INK}h${INK}v${INK}h-${INK}z`;
      drawn.push(svg("path", { d: path, fill: `var(--st-${TIERS[tier]}-color)` }));
      for (let t = 0; t < tier; t++) drawn.push(svg("rect", { x: left, y: inkTop + 16 * INK + 1 + 4 * t, width: 8 * INK, height: 2.4, fill: `var(--st-${TIERS[tier]}-color)` }));
      drawn.push(svg("text", { class: reading[i] === truth[i] ? "" : "bad", x: x + COLUMN / 2, y: ripTop + RIPPLE + 22, "font-size": 30 }, reading[i] || "?"));
    }
    this.ripple(drawn, trace.forward[s], ripTop + 6, 1);
    this.ripple(drawn, trace.backward[s], ripTop + 20, -1);
    part.picture.replaceChildren(...drawn);
    part.picture.setAttribute("aria-label", `${trace.label}: read as ${reading} after ${s} purchases`);
    const wrong = [...truth].filter((c, i) => c !== reading[i]).length;
    setText(part.verdict, `${isRight ? "✔" : "✖"} “${reading}”, ${this.money(trace[this.data.kind][s])}`);
    part.verdict.className = isRight ? "right" : "wrong";
    const passed = trace.messages[s], all = trace.full_messages[s];
    const saved = all > 0 ? ` Messages passed: ${passed} of ${all} (${Math.round(100 * passed / all)} %).` : "";
    const last = s === 0 ? "Nothing bought yet: read from free pixels." : trace.position[s - 1] < 0 ? `Bought for ${changed.filter(Boolean).length} letters at once.` : `Bought for letter ${trace.position[s - 1] + 1}.`;
    setText(part.says, `${last}${saved} ${wrong ? `${wrong} letter${wrong > 1 ? "s" : ""} misread.` : "All letters right."}${isLast && s > 0 ? " Nothing left to buy." : ""}`);
  }

  /** An arrow over the letters whose messages changed, with a bar where they came to rest. */
  ripple(drawn, [from, to], y, direction) {
    if (from < 0 || to < 0) return;
    const a = COLUMN * (from + 0.5), b = COLUMN * (to + 0.5) + direction * 14, tip = -direction * 7;
    drawn.push(svg("path", { class: "ripple", d: `M${a} ${y}H${b}m${tip} -5l${-tip} 5l${tip} 5` }));
    drawn.push(svg("line", { class: "stop", x1: b + 3 * direction, x2: b + 3 * direction, y1: y - 6, y2: y + 6 }));
  }

  fileName(kind) { return `policy-word${this.data.word_id}.${kind}`; }
  exportCsv() {
    const rows = ["policy,step,units,microseconds,letter,reading,messages,full_messages,tiers"];
    for (const t of this.data.traces) t.readings.forEach((r, s) => rows.push([t.name, s, t.units[s], t.us[s], s ? t.position[s - 1] + 1 : "", r, t.messages[s], t.full_messages[s], t.tiers[s].join("")].join(",")));
    this.saveRows(rows);
  }
}

export default makeMount(PolicyView);
