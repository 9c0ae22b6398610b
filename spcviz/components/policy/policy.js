// The Policy page: one word, several policies, one cursor (what may be spent). Each panel shows, letter by
// letter, what the policy predicts the next purchase to gain, what has been bought, how far the messages
// rippled from the last purchase, and what the word is read as. The browser owns the cursor.

import { stepAt } from "./policy_core.js";
import { SHARING, button, bytesOf, clamp, isOurKey, isProjected, mounted, node, setText, svg } from "../common/view.js";

const TIERS = ["gray", "blue", "violet"];
const COLUMN = 56, INK = 3.2, BARS = 44, TOP = 6, RIPPLE = 34;
const PLAY_MS = 650;

class PolicyView {
  constructor(parent) {
    this.view = null;
    this.slider = node("input", { type: "range", min: "0", max: "1000", step: "1", "aria-label": "What may be spent on this word",
      oninput: () => { this.play(false); this.set({ spend: +this.slider.value / 1000 }, true); }, onchange: () => this.send() });
    this.spends = node("output");
    this.playButton = button("▶", "Play (space)", () => this.play(!this.playing));
    this.note = node("span", { class: "note", "aria-live": "polite" });
    const bar = node("div", { class: "bar" }, button("|◀", "Start again (Home)", () => this.set({ spend: 0 })), button("◀", "One purchase back (left arrow)", () => this.move(-1)),
      this.playButton, button("▶|", "One purchase on (right arrow)", () => this.move(1)), this.slider, this.spends,
      button("Link", "Copy a link to exactly this view", () => this.copyLink()), button("CSV", "Save every step of every policy", () => this.exportCsv()), this.note);
    this.legend = node("div", { class: "legend" });
    this.panels = node("div", { class: "panels" });
    this.menu = node("span", { hidden: true });
    this.root = node("div", { class: "policy" }, bar, this.legend, this.panels);
    parent.append(this.root);
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
  }

  destroy() {
    document.removeEventListener("keydown", this.onKey);
    this.observer.disconnect();
    for (const timer of [this.sendTimer, this.playTimer, this.noteTimer]) clearTimeout(timer);
  }

  update(component) {
    const { data } = component, isNew = this.identity !== data.identity;
    this.component = component;
    if (!this.view || this.epoch !== data.epoch || isNew) this.view = { ...data.view };
    this.epoch = data.epoch;
    this.data = data;
    this.identity = data.identity;
    this.ink = bytesOf(data.pixels);
    // Where anything happens, over all policies: what the step buttons move between.
    const stops = new Set([0]);
    for (const trace of data.traces) for (const cost of trace[data.kind]) if (cost <= this.full) stops.add(Math.ceil(1000 * cost / this.full - 1e-6) / 1000);
    this.stops = [...stops].sort((a, b) => a - b);
    this.legend.replaceChildren(...data.tier_names.map((name, t) => node("span", {}, node("i", { class: "swatch", style: `background:var(--st-${TIERS[t]}-color)` }), `${name}${["", " (one line)", " (two lines)"][t]}`)),
      node("span", {}, node("i", { class: "swatch", style: "background:var(--st-green-color)" }), "bar: what the policy thinks buying here is worth (grey: below zero)"),
      node("span", {}, node("i", { class: "swatch", style: "background:var(--st-orange-color)" }), "just bought, and how far its messages travelled"));
    this.buildPanels();
    this.resize();
  }

  get full() { return this.data.full[this.data.kind]; }
  money(amount) { return this.data.kind === "us" ? `${(amount / 1000).toFixed(2)} ms` : `${+amount.toFixed(1)} units`; }

  set(change, isDrag = false) {
    Object.assign(this.view, change);
    this.paint();
    if (!isDrag) this.send();
  }
  send() {
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => this.component.setStateValue("view", { ...this.view }), 120);
  }
  move(by) {
    const at = this.stops.findLastIndex((s) => s <= this.view.spend + 1e-9);
    const next = clamp(at + by, 0, this.stops.length - 1);
    this.set({ spend: this.stops[next] });
    return next < this.stops.length - 1;
  }
  play(on) {
    if (Boolean(on) === Boolean(this.playing)) return;
    this.playing = on;
    clearTimeout(this.playTimer);
    if (on && this.view.spend >= this.stops[this.stops.length - 1]) this.view.spend = 0;
    const next = () => { this.playTimer = setTimeout(() => { if (this.move(1)) next(); else this.play(false); }, PLAY_MS); };
    if (on) next();
    this.playButton.replaceChildren(on ? "❚❚" : "▶");
    this.paint();
  }

  key(event) {
    if (!this.view || !isOurKey(event, this.root)) return;
    const step = (by) => { this.play(false); this.move(by); };
    const actions = { " ": () => this.play(!this.playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => this.set({ spend: 0 }), End: () => this.set({ spend: 1 }) };
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
  }

  resize() {
    if (!this.view) return;
    const embed = isProjected();
    this.root.classList.toggle("big", embed && window.innerWidth >= 1500);
    this.paint();
  }

  buildPanels() {
    this.parts = this.data.traces.map((trace) => {
      const verdict = node("span"), picture = svg("svg", { role: "img", viewBox: `0 0 ${COLUMN * this.data.truth.length} ${TOP + BARS + 16 * INK + RIPPLE + 40}` }), says = node("p");
      return { verdict, picture, says, panel: node("section", { class: "panel" }, node("h4", { title: trace.help }, trace.label, verdict), picture, says) };
    });
    this.panels.replaceChildren(...this.parts.map((p) => p.panel));
  }

  paint() {
    if (!this.view || !this.root.isConnected) return;
    const budget = this.view.spend * this.full;
    this.slider.value = Math.round(1000 * this.view.spend);
    setText(this.spends, `may spend ${this.money(budget)} of ${this.money(this.full)}`);
    this.data.traces.forEach((trace, i) => this.paintPanel(trace, this.parts[i], stepAt(trace, this.data.kind, budget)));
    this.root.dataset.ready = "1";
    this.root.dataset.steps = this.data.traces.map((t) => stepAt(t, this.data.kind, budget)).join(",");
  }

  paintPanel(trace, part, s) {
    const { truth } = this.data, length = truth.length, reading = trace.readings[s], values = trace.values[s], isRight = reading === truth;
    const scale = Math.max(1e-9, ...trace.values.flat().filter((v) => v !== null).map(Math.abs));
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
        if (i === best && s < trace.tiers.length - 1) drawn.push(svg("rect", { class: "next", x: x + 9, y: TOP - 3, width: COLUMN - 18, height: BARS, rx: 4 }));
      }
      let path = "";
      for (let b = 0; b < 128; b++) if ((this.ink[16 * i + (b >> 3)] >> (7 - (b & 7))) & 1) path += `M${left + (b % 8) * INK} ${inkTop + Math.floor(b / 8) * INK}h${INK}v${INK}h-${INK}z`;
      drawn.push(svg("path", { d: path, fill: `var(--st-${TIERS[tier]}-color)` }));
      for (let t = 0; t < tier; t++) drawn.push(svg("rect", { x: left, y: inkTop + 16 * INK + 1 + 4 * t, width: 8 * INK, height: 2.4, fill: `var(--st-${TIERS[tier]}-color)` }));
      drawn.push(svg("text", { class: reading[i] === truth[i] ? "" : "bad", x: x + COLUMN / 2, y: ripTop + RIPPLE + 18, "font-size": 22 }, reading[i] || "?"));
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
    setText(part.says, `${last}${saved} ${wrong ? `${wrong} letter${wrong > 1 ? "s" : ""} misread.` : "All letters right."}${s === trace.tiers.length - 1 && s > 0 ? " Nothing left to buy." : ""}`);
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
    this.save(new Blob([rows.join("\n") + "\n"], { type: "text/csv" }), "csv");
  }
}

Object.assign(PolicyView.prototype, SHARING);

export default mounted(PolicyView);
