// The Parsing page's view: one sentence with its arcs by tags alone, and again while a budget buys words.
// Below it are rows of policies, aligned with the words, and a curve of heads right, all with the same cursor. The browser has every tree and owns the cursor.

import { depthCounts, levelsOf, rankOf, rightOf, stepOf, unpackCourse } from "./parsing_core.js";
import { button, clamp, node, setText, svg } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { View, makeMount } from "../../../web/view/view.js";

const NOTHING = 255;
const LEAST_LEVEL = 10;
const ROOM_OF_ARCS = 5.5; // lines of text that the arcs of one tree may take, so that everything stays in sight
const TALLEST = 15;

class ParsingView extends View {
  playMs = 350;
  size = 16;

  build() {
    this.slider = this.shareSlider("spend", "Words that get the expensive template");
    this.spends = node("output");
    this.more = button("More policies", "Which policies have a row", () => this.set({ rows: this.view.rows === "all" ? "main" : "all" }));
    const bar = node("div", { class: "bar", role: "group", "aria-label": "Budget" }, button("|◀", "Start again (Home)", () => this.to(0)), button("◀", "One word back (left arrow)", () => this.walk(-1)),
      this.playControl("Play (space)"), button("▶|", "One word more (right arrow)", () => this.walk(1)), this.slider, this.spends,
      this.more, moreBox([button("Link", "Copy a link to exactly this view", () => this.copyLink()), button("CSV", "Save every tree of every policy", () => this.exportCsv()),
        button("SVG", "Save the tree as a picture", () => this.exportSvg())], { isFloating: true }).box, this.note);
    this.policies = node("div", { class: "policies", role: "group", "aria-label": "Policies" });
    this.legend = node("div", { class: "legend" });
    this.tree = svg("svg", { class: "tree", role: "img" });
    this.tree.addEventListener("click", (event) => {
      const word = event.target.closest("[data-word]"), row = event.target.closest("[data-policy]");
      this.set(row ? { policy: row.dataset.policy } : { arc: word ? +word.dataset.word : 0 });
    });
    this.scroller = node("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "The sentence and its tree" }, this.tree);
    this.says = node("p", { class: "says", "aria-live": "polite" });
    this.curve = svg("svg", { class: "curve", role: "img" });
    this.depths = svg("svg", { class: "depths", role: "img" });
    this.curveTitle = node("h4", { role: "heading", "aria-level": "2" });
    this.side = node("div", { class: "side" }, node("div", {}, this.curveTitle, this.curve), node("div", {}, node("h4", { role: "heading", "aria-level": "2" }, "Depth in the tree"), this.depths), this.says);
    return node("div", { class: "parsing" }, bar, this.policies, this.legend, this.scroller, this.side);
  }

  take(given) {
    const data = (this.data = { ...given, ...given.parts.sentence });
    this.n = data.words.length;
    this.courses = data.courses.map((c) => ({ ...unpackCourse(c, this.n), rank: rankOf(c.order) }));
    if (!this.courses.some((c) => c.name === this.view.policy)) this.view.policy = this.courses[0].name;
    if (this.view.arc > this.n) this.view.arc = 0;
    this.policies.replaceChildren(...this.courses.map((c) => button(c.label, c.help, () => this.set({ policy: c.name }))));
    setText(this.curveTitle, data.truth ? "Heads right, by words bought" : "Heads as in the full parse, by words bought");
    const truth = data.truth ? [this.mark("ok", "right head"), this.mark("bad", "wrong head ✖"), this.mark("gold", "the true one")] : [this.mark("ok", "arc (no reference tree for your sentence)")];
    this.legend.replaceChildren(...truth, this.mark("changed", "changed last"), node("span", {}, node("i", { class: "swatch bought" }), "full features bought"),
      node("span", {}, node("i", { class: "swatch value" }), "bar: the policy's estimate"));
    this.drawn = "";
  }
  mark(kind, text) {
    const sample = svg("svg", { class: "sample", viewBox: "0 0 40 14", "aria-hidden": "true" });
    sample.append(svg("path", { class: `arc ${kind}`, d: "M4 13C10 0 30 0 36 13" }));
    return node("span", {}, sample, text);
  }

  /** Policies that have a row: a few, and the chosen one. */
  get shown() { return this.courses.filter((c) => this.view.rows === "all" || c.main || c.name === this.view.policy); }
  get course() { return this.courses.find((c) => c.name === this.view.policy); }
  /** The last number of purchases that can be shown: a question may hide later ones. */
  get last() { return this.data.stop ?? this.n; }
  get at() { return Math.min(this.last, stepOf(this.view.spend, this.n)); }
  to(s) { this.set({ spend: clamp(s, 0, this.last) / this.n }); }
  step(by) { this.to(this.at + by); }
  get story() { return Array.from({ length: this.last + 1 }, (_, s) => ({ spend: s / this.n })); }
  rewind() { if (this.at >= this.last) this.view.spend = 0; }
  advance() {
    this.step(1);
    return this.at < this.last;
  }
  keys() {
    const chosen = Object.fromEntries(this.shown.slice(0, 9).map((c, i) => [i + 1, () => this.set({ policy: c.name })]));
    const turn = (by) => this.set({ arc: (this.view.arc + by + this.n + 1) % (this.n + 1) });
    return { ...chosen, Home: () => this.to(0), End: () => this.to(this.n), ".": () => turn(1), ",": () => turn(-1), Escape: () => this.set({ arc: 0 }) };
  }
  viewToSend() { return { ...super.viewToSend(), spend: Math.round(this.view.spend * 10000) / 10000 }; }

  // ---------------------------------------------------------------- drawing

  /** Positions of the words: each as wide as its text, with spare width shared out. */
  fit() {
    this.size = parseFloat(getComputedStyle(this.root).fontSize);
    const context = (this.ruler = this.ruler || document.createElement("canvas").getContext("2d"));
    context.font = `${this.size}px ${getComputedStyle(this.root).fontFamily}`;
    const label = (this.label = Math.max(...this.shown.map((c) => context.measureText(c.label).width)) + 6.5 * this.size);
    const bare = this.data.words.map((word, i) => Math.max(context.measureText(word).width, context.measureText(this.data.tags[i]).width * 0.85, 1.6 * this.size));
    const room = this.scroller.clientWidth - label - 0.5 * this.size, gap = clamp((room - bare.reduce((a, b) => a + b, 0)) / this.n, 0.45 * this.size, 1.1 * this.size);
    this.halves = bare.map((w) => w / 2 + 0.22 * this.size);
    const widths = bare.map((w) => w + gap), sum = widths.reduce((a, b) => a + b, 0);
    const more = Math.min(Math.max(0, room - sum) / this.n, 3 * this.size);
    let x = label;
    this.x = widths.map((w) => { const at = x + (w + more) / 2; x += w + more; return at; });
    this.wide = x + 0.5 * this.size;
    this.fitted = `${this.view.rows}|${this.view.policy}`;
    this.drawn = "";
  }

  paint() {
    const s = this.at, { course } = this;
    this.readTheme();
    this.slider.max = String(Math.round((1000 * this.last) / this.n));
    this.slider.value = 1000 * this.view.spend;
    setText(this.spends, `${s} of ${this.n} words, ${this.time(course.us[s])}`);
    if (this.fitted !== `${this.view.rows}|${this.view.policy}`) this.fit();
    const key = `${s}|${this.view.policy}|${this.view.arc}|${this.size}|${this.wide}|${this.view.rows}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.courses.forEach((c, i) => {
      const policyButton = this.policies.children[i];
      policyButton.setAttribute("aria-pressed", String(c.name === course.name));
      policyButton.hidden = !this.shown.includes(c);
    });
    setText(this.more, this.view.rows === "all" ? "Fewer policies" : "More policies");
    this.paintTree(course, s);
    this.paintCurve(s);
    this.paintDepths(course, s);
    setText(this.says, this.sentence(course, s));
    this.root.dataset.ready = "1";
    this.root.dataset.bought = s;
    this.root.dataset.heads = course.heads[s].join(",");
    this.root.dataset.says = this.says.textContent;
  }
  time(us) { return us < 1000 ? `${us.toFixed(0)} µs` : `${(us / 1000).toFixed(2)} ms`; }

  /** Height of all arcs, the same at every budget, so that nothing jumps. */
  get levels() {
    if (this.levelsFor !== this.courses) {
      this.levelsFor = this.courses;
      this.highest = Math.min(TALLEST, Math.max(1, ...this.courses.flatMap((c) => c.heads.map((h) => Math.max(...levelsOf(h))))));
    }
    return this.highest;
  }

  paintTree(course, s) {
    const { size, n, data } = this, heads = course.heads[s], drawn = [], most = size * (this.isBig ? 0.72 : 1), unit = Math.max(LEAST_LEVEL, Math.min(most, (ROOM_OF_ARCS * size) / this.levels));
    const levels = levelsOf(heads), chosen = this.view.arc - 1, before = s > 0 ? course.heads[s - 1] : heads;
    const top = this.paintBefore(drawn, course, 0.6 * unit), base = top + (this.levels + 1.2) * unit + size;
    this.paintCount(drawn, top + 1.4 * size, heads, s ? `after ${s} of ${n}` : "nothing bought");
    if (data.truth) data.truth.forEach((h, i) => { if (heads[i] !== h) drawn.push(this.arc(i, h, levelsOf(data.truth)[i], "gold", base, unit, { top })); });
    for (let i = 0; i < n; i++) {
      const isWrong = data.truth && heads[i] !== data.truth[i];
      drawn.push(this.arc(i, heads[i], levels[i], `${isWrong ? "bad" : "ok"}${heads[i] !== before[i] ? " changed" : ""}${i === chosen ? " chosen" : ""}`, base, unit, { top, isBought: course.rank[i] < s }));
    }
    if (chosen >= 0 && course.other[s][chosen] !== NOTHING) {
      const other = Array.from(heads);
      other[chosen] = course.other[s][chosen];
      drawn.push(this.arc(chosen, other[chosen], levelsOf(other)[chosen] + 0.4, "other", base, unit, { top }));
    }
    data.words.forEach((word, i) => drawn.push(this.word(course, s, i, base)));
    const high = this.paintValues(drawn, course, s, base + 3.4 * size);
    const bottom = this.paintRows(drawn, s, high + 0.6 * size);
    this.tree.replaceChildren(...drawn);
    this.tree.setAttribute("viewBox", `0 0 ${this.wide} ${bottom}`);
    this.tree.setAttribute("width", this.wide);
    this.tree.setAttribute("height", bottom);
    this.tree.setAttribute("aria-label", `Tree after ${s} of ${n} words: ${data.words.map((w, i) => `${w} below ${heads[i] ? data.words[heads[i] - 1] : "the root"}`).join(", ")}`);
  }

  /** Draws the tree of tags alone, smaller and above the other; returns where the other begins. */
  paintBefore(drawn, course, unit) {
    const { size, data } = this, [heads] = course.heads, levels = levelsOf(heads), base = (this.levels + 1.2) * unit + size;
    heads.forEach((h, i) => drawn.push(this.arc(i, h, levels[i], data.truth && h !== data.truth[i] ? "bad" : "ok", base, unit)));
    data.words.forEach((word, i) => drawn.push(svg("text", { class: "before", x: this.x[i], y: base + size }, word)));
    this.paintCount(drawn, 1.4 * size, heads, "tags alone");
    const low = base + 1.7 * size;
    drawn.push(svg("path", { class: "between", d: `M0 ${low}H${this.wide}` }));
    return low + 0.2 * size;
  }
  /** Labels a tree: what it is, and how many heads are right. */
  paintCount(drawn, y, heads, what) {
    const { size, data, n } = this, full = data.truth || Array.from(this.courses[0].heads[n]), right = rightOf(heads, full);
    drawn.push(svg("text", { class: "name", x: 0.2 * size, y }, what));
    drawn.push(svg("text", { class: `name chosen${right < n ? " few" : " all"}`, x: 0.2 * size, y: y + 1.4 * size }, `${right} of ${n} ${data.truth ? "right" : "as in full"} ${right < n ? "✖" : "✔"}`));
  }

  /** The arc into word i (from 0) from its head, 0 the root: a line from above. */
  arc(i, head, level, kind, base, unit, { top = 0, isBought = false } = {}) {
    const { x, size } = this, to = x[i], group = svg("g", { class: `arc ${kind}${isBought ? " dear" : ""}`, "data-word": i + 1 });
    const tip = `M${to - 0.22 * size} ${base - 0.5 * size}L${to} ${base - 0.1 * size}L${to + 0.22 * size} ${base - 0.5 * size}`;
    let path, high = 0.1 * size, middle = to;
    if (head === 0) path = `M${to} ${top + 0.1 * size}V${base - 0.2 * size}`;
    else {
      const from = x[head - 1] + (head - 1 < i ? 0.3 : -0.3) * size, bend = Math.min(0.9 * size, Math.abs(to - from) / 2), side = from < to ? 1 : -1;
      high = base - 0.35 * size - unit * Math.min(level, TALLEST);
      middle = (from + to) / 2;
      path = `M${from} ${base - 0.2 * size}C${from} ${high} ${from} ${high} ${from + side * bend} ${high}H${to - side * bend}C${to} ${high} ${to} ${high} ${to} ${base - 0.2 * size}`;
    }
    group.append(svg("path", { class: "hit", d: path }), svg("path", { d: path }), svg("path", { class: "tip", d: tip }));
    if (kind.startsWith("bad")) group.append(svg("text", { class: "cross", x: head === 0 ? to + 0.6 * size : middle, y: (head === 0 ? top + 1.1 * size : high + 0.32 * size) }, "✖"));
    return group;
  }

  word(course, s, i, base) {
    const { size, data } = this, isBought = course.rank[i] < s, isLast = s > 0 && course.order[s - 1] === i, group = svg("g", { class: "word", "data-word": i + 1 });
    const half = this.halves[i];
    if (isBought) group.append(svg("rect", { class: `box${isLast ? " last" : ""}`, x: this.x[i] - half, y: base + 0.1 * size, width: 2 * half, height: 1.55 * size, rx: 0.35 * size }));
    group.append(svg("text", { class: isBought ? "dear" : "", x: this.x[i], y: base + 1.25 * size }, data.words[i]));
    group.append(svg("text", { class: "tag", x: this.x[i], y: base + 2.6 * size }, data.tags[i]));
    group.append(svg("title", {}, `${data.words[i]}: ${data.tags[i]}, ${data.meanings[data.tags[i]]}. ${isBought ? "Scored by everything." : "Scored by tags alone."}`));
    return group;
  }

  /** One bar per word: the policy's value of buying it; the next purchase has a frame. */
  paintValues(drawn, course, s, top) {
    const { size } = this, values = Array.from(course.values[s]), known = values.filter(Number.isFinite), high = 1.9 * size;
    drawn.push(svg("text", { class: "name", x: 0, y: top + 1.4 * size }, "next purchase"));
    if (this.data.stop !== undefined && !known.length) drawn.push(svg("text", { class: "name", x: this.x[0], y: top + 1.4 * size }, "?"));
    if (!known.length) return top + high;
    const all = course.values.flatMap((row) => Array.from(row)).filter(Number.isFinite), low = Math.min(...all), range = Math.max(...all) - low || 1;
    const next = s < course.order.length ? course.order[s] : -1;
    values.forEach((v, i) => {
      if (!Number.isFinite(v)) return;
      const tall = (0.12 + 0.88 * (v - low) / range) * high, bar = svg("rect", { class: "value", x: this.x[i] - 0.45 * size, width: 0.9 * size, y: top + high - tall, height: tall });
      bar.append(svg("title", {}, `${this.data.words[i]}: ${v.toFixed(3)}`));
      drawn.push(bar);
      if (i === next) drawn.push(svg("rect", { class: "next", x: this.x[i] - 0.7 * size, width: 1.4 * size, y: top - 0.1 * size, height: high + 0.2 * size, rx: 0.2 * size }));
    });
    return top + high;
  }

  /** One row per policy, aligned with the words: what it has bought after the same number of purchases, and what is wrong. */
  paintRows(drawn, s, top) {
    const { size, data } = this, row = 1.5 * size, full = data.truth || Array.from(this.courses[0].heads[this.n]);
    const wrong = data.truth ? "✖" : "≠";
    this.shown.forEach((c, k) => {
      const y = top + row * (k + 1), heads = c.heads[s], right = rightOf(heads, full), isChosen = c.name === this.view.policy;
      drawn.push(svg("rect", { class: `band${isChosen ? " chosen" : ""}`, x: 0, y: y - 1.1 * size, width: this.wide, height: row, "data-policy": c.name }));
      drawn.push(svg("text", { class: `name${isChosen ? " chosen" : ""}`, x: 0.2 * size, y, "data-policy": c.name }, c.label));
      drawn.push(svg("text", { class: "count", x: this.label - 1.2 * size, y }, `${right}/${this.n} ${right < this.n ? wrong : data.truth ? "✔" : "="}`));
      for (let i = 0; i < this.n; i++) {
        drawn.push(svg("rect", { class: c.rank[i] < s ? "cell bought" : "cell", x: this.x[i] - 0.42 * size, y: y - 0.8 * size, width: 0.84 * size, height: 0.84 * size }));
        if (heads[i] !== full[i]) drawn.push(svg("text", { class: "miss", x: this.x[i] + 0.85 * size, y }, wrong));
      }
    });
    return top + row * this.shown.length + 0.8 * size;
  }

  /** Heads right after every number of purchases, one line per policy, with the cursor. */
  paintCurve(s) {
    const { size, n, data } = this, full = data.truth || Array.from(this.courses[0].heads[n]), counts = this.shown.map((c) => c.heads.map((h) => rightOf(h, full)));
    const least = Math.min(n - 1, ...counts.flat()), left = 2.4 * size, wide = 17 * size, low = 5.4 * size, x = (k) => left + wide * k / n, y = (c) => low - (low - 0.9 * size) * (c - least) / (n - least), drawn = [];
    for (const c of [least, n]) drawn.push(svg("path", { class: "rule", d: `M${left} ${y(c)}h${wide}` }), svg("text", { class: "end", x: left - 0.4 * size, y: y(c) + 0.35 * size }, c));
    for (const k of [0, s, n]) if (!(s > 0 && s < n) || k === s || Math.abs(k - s) > n / 8) drawn.push(svg("text", { x: x(k), y: low + 1.3 * size }, k));
    drawn.push(svg("path", { class: "cursor", d: `M${x(s)} ${0.4 * size}V${low}` }));
    const kindOf = (c) => c.name === this.view.policy ? "chosen" : c.name === "uniform" ? "random" : "";
    const lines = this.shown.map((c, k) => ({ c, path: counts[k].map((v, b) => b ? `H${x(b)}V${y(v)}` : `M${x(0)} ${y(v)}`).join(""), at: counts[k][s] })).sort((a, b) => (a.c.name === this.view.policy) - (b.c.name === this.view.policy));
    for (const { c, path } of lines) drawn.push(svg("path", { class: `line ${kindOf(c)}`, d: path }, svg("title", {}, c.label)));
    for (const { c, at } of lines) drawn.push(svg("circle", { class: `dot ${kindOf(c)}`, cx: x(s), cy: y(at), r: 0.35 * size }));
    this.curve.replaceChildren(...drawn);
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${left + wide + size} ${low + 1.8 * size}`, width: left + wide + size, height: low + 1.8 * size, "aria-label": `After ${s} of ${n} words: ${this.shown.map((c, k) => `${c.label} ${counts[k][s]}`).join(", ")}` })) this.curve.setAttribute(name, value);
  }

  paintDepths(course, s) {
    const { size } = this, heads = this.data.truth || course.heads[this.n], counts = depthCounts(heads, course.rank, s), most = Math.max(...counts.map((c) => c.words));
    const wide = 2.3 * size, high = 5 * size, drawn = [];
    counts.forEach((c, k) => {
      const unit = high / Math.max(most, 1), x = k * wide + 0.3 * size, y = 1.3 * size + high;
      if (c.words) {
        drawn.push(svg("rect", { class: "cell", x, width: wide - 0.6 * size, y: y - c.words * unit, height: c.words * unit }));
        if (c.bought) drawn.push(svg("rect", { class: "cell bought", x, width: wide - 0.6 * size, y: y - c.bought * unit, height: c.bought * unit }));
        drawn.push(svg("text", { x: x + wide / 2 - 0.3 * size, y: y - c.words * unit - 0.2 * size }, `${c.bought}/${c.words}`));
      }
      drawn.push(svg("text", { class: "tag", x: x + wide / 2 - 0.3 * size, y: y + 1.2 * size }, k === 7 ? "7+" : String(k)));
    });
    this.depths.replaceChildren(...drawn);
    this.depths.setAttribute("viewBox", `0 0 ${8 * wide} ${high + 2.8 * size}`);
    this.depths.setAttribute("width", 8 * wide);
    this.depths.setAttribute("height", high + 2.8 * size);
    this.depths.setAttribute("aria-label", `Words bought by depth: ${counts.map((c, k) => `${c.bought} of ${c.words} at depth ${k}`).join(", ")}`);
  }

  sentence(course, s) {
    const { data } = this, heads = course.heads[s], name = (h) => h === 0 ? "the root" : `“${data.words[h - 1]}”`, i = this.view.arc - 1;
    const state = data.truth ? `${rightOf(heads, data.truth)} of ${this.n} heads are right.` : `The tree scores ${course.score[s].toFixed(1)}.`;
    if (i < 0) return `${course.label}: ${course.help}. ${state} Click an arc (or press . and ,) to see what the best tree without it would score.`;
    const other = course.other[s][i], here = `“${data.words[i]}” depends on ${name(heads[i])}${data.truth ? (heads[i] === data.truth[i] ? ", which is right" : `, wrong: it is ${name(data.truth[i])}`) : ""}.`;
    if (other === NOTHING) return `${here} No tree leaves this arc out.`;
    const without = course.without[s][i], loss = course.score[s] - without;
    return `${here} The best tree without this arc attaches it to ${name(other)} and scores ${without.toFixed(1)} instead of ${course.score[s].toFixed(1)}, ${loss.toFixed(1)} less.`;
  }

  // ---------------------------------------------------------------- export

  fileName(kind) { return `parse.${kind}`; }
  exportCsv() {
    const rows = ["policy,bought,microseconds,last word,score,heads"];
    for (const c of this.courses) c.heads.forEach((h, s) => rows.push([c.name, s, c.us[s], s ? c.order[s - 1] + 1 : "", c.score[s], Array.from(h).join(" ")].join(",")));
    this.saveRows(rows);
  }
  exportSvg() {
    const copy = this.tree.cloneNode(true), style = getComputedStyle(this.root), from = [...this.tree.querySelectorAll("path, text, rect")];
    [...copy.querySelectorAll("path, text, rect")].forEach((part, k) => {
      const computed = getComputedStyle(from[k]);
      for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor"]) part.style.setProperty(name, computed.getPropertyValue(name));
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.style.background = style.getPropertyValue("--st-background-color");
    copy.style.fontFamily = "sans-serif";
    this.saveText(new XMLSerializer().serializeToString(copy), "svg");
  }
}

export default makeMount(ParsingView);
