// The Orders and features page's view: one word, whose factor graph grows action by action.
// Letters are circles, factors are squares above the letters that they cover, and below each letter is what survives
// of the factor that ends there. The browser has every state of the controller's trajectory; a click on an action
// takes over.

import { actionText, bestAction, handAfter, rightFrom, scopeOf, wrongIn } from "./hybrid_core.js";
import { button, clamp, node, setText, svg, unpackInk } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { View, makeMount } from "../../../web/view/view.js";

const INKS = ["gray", "blue", "violet"];
const WHO = ["controller", "by hand"];
const COLUMN = 112, INK = 3.2, BAND = 84, SQUARE = 11, ROW = 19, SHOWN = 7, BAR = 92, SIDE_EM = 19;

class HybridView extends View {
  playMs = 900;
  asked = null; // the view of a trajectory that only the server can give, until it has answered

  build() {
    this.slider = node("input", { type: "range", min: "0", step: "1", "aria-label": "Actions done", oninput: () => { this.play(false); this.isOpening = false; this.set({ step: +this.slider.value }, true); }, onchange: () => this.send() });
    this.spends = node("output");
    const bar = node("div", { class: "bar", role: "group", "aria-label": "Actions" }, button("|◀", "Start again (Home)", () => this.set({ step: 0 })), button("◀", "One action back (left arrow)", () => this.walk(-1)),
      this.playControl("Play (space)"), button("▶|", "One action on (right arrow)", () => this.walk(1)), this.slider, this.spends,
      moreBox([button("Link", "Copy a link to exactly this view", () => this.copyLink()), button("CSV", "Save every step", () => this.exportCsv())], { isFloating: true }).box, this.note);
    this.whose = node("div", { class: "whose", role: "group", "aria-label": "Whose trajectory" });
    this.legend = node("div", { class: "legend" }, node("span", {}, node("i", { class: "swatch factor" }), "factor: the letters that it joins"), node("span", {}, node("i", { class: "swatch raise" }), "longer context here"),
      node("span", {}, node("i", { class: "swatch buy" }), "better features here; bar: letters the controller expects to correct per µs. Click one to choose it yourself."),
      node("span", {}, "★ the truth"));
    this.picture = svg("svg", { class: "graph", role: "group" });
    this.picture.addEventListener("click", (event) => this.take_over(event.target.closest("[data-act]")));
    this.scroller = node("div", { class: "scroller", tabindex: "0", role: "listbox", "aria-label": "Letters, factors and what survives; arrows up and down choose an action, Enter does it", onkeydown: (event) => this.aim(event) }, this.picture);
    this.says = node("p", { class: "says", "aria-live": "polite" });
    this.chart = svg("svg", { class: "chart", role: "img" });
    [this.readBefore, this.readNow] = ["before", "after"].map((name) => ({ reads: node("b", { class: "word" }), note: node("span"), name }));
    const compared = node("div", { class: "compared" }, [this.readBefore, this.readNow].map((box) => node("div", { class: box.name }, box.reads, box.note)));
    const side = node("div", { class: "side" }, compared, this.whose, this.says, this.legend);
    return node("div", { class: "hybrid" }, bar, node("div", { class: "room" }, this.scroller, side, this.chart));
  }

  take(given) {
    const data = (this.data = { ...given, ...given.parts.word });
    this.ink = unpackInk(data.pixels);
    if (this.asked) Object.assign(this.view, this.asked);
    this.asked = null;
    this.view.course = clamp(this.view.course, 0, data.courses.length - 1);
    this.isOpening = this.view.step < 0;
    this.view.step = this.isOpening ? data.opening : clamp(this.view.step, 0, this.course.length - 1);
    const forget = button("Forget my actions", "Back to the controller alone", () => this.set({ hand: "", course: 0 }));
    this.whose.replaceChildren(...data.courses.map((_, c) => button(["The controller", "Yours, then the controller"][c], ["What the learned controller does from the first action on", "Your actions; behind the last of them the controller goes on"][c], () => this.set({ course: c, step: Math.min(this.view.step, data.courses[c].length - 1) }))), forget);
    this.whose.hidden = data.courses.length < 2;
  }

  get course() { return this.data.courses[this.view.course]; }
  get now() { return this.course[this.view.step]; }

  step(by) {
    this.isOpening = false;
    this.set({ step: clamp(this.view.step + by, 0, this.course.length - 1) });
  }
  /** Play begins at the start, also from the step that the page opens at. */
  rewind() { if (this.isOpening || this.view.step >= this.course.length - 1) this.view.step = 0; }
  advance() {
    this.step(1);
    return this.view.step < this.course.length - 1;
  }
  get story() { return this.course.map((_, step) => ({ step })); }
  keys() { return { Home: () => this.set({ step: 0 }), End: () => this.set({ step: this.course.length - 1 }) }; }

  take_over(target) {
    if (!target) return;
    this.play(false);
    const { step, course } = this.view, action = target.dataset.act.split(",").map(Number);
    const hand = handAfter(this.course, course ? this.data.taken_at : -1, step, action);
    this.asked = { step: step + 1, course: 1, hand };
    this.send();
    this.say("asking what follows …");
  }
  /** With the keyboard: up and down aim at an action, Enter does it. */
  aim(event) {
    const marks = [...this.picture.querySelectorAll("[data-act]")], by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = marks.findIndex((mark) => mark.dataset.act === this.aimed);
    if (by && marks.length) this.aimed = marks[(at + by + (at < 0 && by < 0 ? 1 : 0) + marks.length) % marks.length].dataset.act;
    else if (event.key === "Enter" && at >= 0) this.take_over(marks[at]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.draw();
  }
  viewToSend() { return { ...structuredClone(this.view), ...this.asked }; }

  paint() {
    const { step, course } = this.view, { now } = this;
    this.slider.max = this.course.length - 1;
    this.slider.value = step;
    setText(this.spends, `${step} of ${this.course.length - 1} actions, ${now.us.toFixed(0)} µs`);
    [...this.whose.children].forEach((b, c) => c < this.data.courses.length && b.setAttribute("aria-pressed", String(c === course)));
    this.paintChart(); // before the graph, which takes the height that the chart leaves
    this.paintGraph(now);
    this.compare(this.readBefore, this.course[0], "before: pairs of letters, read from pixels");
    this.compare(this.readNow, now, `now: ${step} action${step === 1 ? "" : "s"}, ${now.us.toFixed(0)} µs`);
    setText(this.says, this.tell(now));
    this.root.dataset.ready = "1";
    this.root.dataset.step = step;
    this.root.dataset.reading = now.reading;
    this.root.dataset.courses = this.data.courses.length;
  }

  /** A reading, large, its wrong letters marked. */
  compare(box, state, what) {
    const { truth } = this.data, wrong = wrongIn(state.reading, truth);
    box.reads.replaceChildren(...[...state.reading].map((letter, i) => node("span", letter === truth[i] ? {} : { class: "bad" }, letter)));
    setText(box.note, `${wrong ? `✘ ${wrong} of ${truth.length} letters wrong` : "✔ right"}; ${what}`);
  }

  paintGraph(now) {
    const { truth } = this.data, length = truth.length, most = Math.max(...this.course.map((s) => Math.max(...s.order))), drawn = [], edges = [];
    const inkTop = 2, lift = BAND / Math.max(most, 4), nodeY = inkTop + 16 * INK + 16 + lift * most, barTop = nodeY + 22, listTop = barTop + 52, changed = now.action[1];
    const scale = Math.max(1e-9, ...this.course.flatMap((s) => s.values.flat()).filter((v) => v !== null));
    const next = bestAction(now.values);
    for (let i = 0; i < length; i++) {
      const x = COLUMN * (i + 0.5), left = x - 4 * INK, { first } = scopeOf(now.order[i], i), middle = COLUMN * ((first + i) / 2 + 0.5);
      const y = nodeY - 12 - lift * now.order[i], isNew = i === changed, isRight = now.reading[i] === truth[i];
      let path = "";
      for (let b = 0; b < 128; b++) if (this.ink[i][b]) path += `M${left + (b % 8) * INK} ${inkTop + Math.floor(b / 8) * INK}h${INK}v${INK}h-${INK}z`;
      drawn.push(svg("path", { d: path, fill: `var(--st-${INKS[now.tier[i]]}-color)` }));
      for (let t = 0; t < now.tier[i]; t++) drawn.push(svg("rect", { x: left, y: inkTop + 16 * INK + 2 + 5 * t, width: 8 * INK, height: 3, fill: `var(--st-${INKS[now.tier[i]]}-color)` }));
      for (let j = first; j <= i; j++) edges.push(svg("line", { class: isNew ? "edge new" : "edge", x1: middle, y1: y, x2: COLUMN * (j + 0.5), y2: nodeY }));
      const square = svg("rect", { class: isNew ? "factor new" : "factor", x: middle - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE });
      square.append(svg("title", {}, `factor of order ${now.order[i]}, letters ${first + 1} to ${i + 1}: ${now.counts[i]} left`));
      drawn.push(square);
      drawn.push(svg("circle", { class: "letter", cx: x, cy: nodeY, r: 15 }), svg("text", { class: isRight ? "reads" : "reads bad", x, y: nodeY + 7 }, now.reading[i]));
      for (const k of [0, 1]) drawn.push(...this.actionMark(now, k, i, x, barTop + 24 * k, scale, next));
      drawn.push(...this.survivors(now, i, x, listTop, isNew));
    }
    this.picture.replaceChildren(...edges, ...drawn);
    const width = COLUMN * length, height = listTop + ROW * (SHOWN + 1), room = this.root.clientWidth - 20;
    const beside = room - SIDE_EM * parseFloat(getComputedStyle(this.root).fontSize), [least, best] = this.isBig ? [1.6, 1.75] : [0.8, 1.15];
    const tall = this.roomBelow(this.scroller) - (this.isBig ? 20 : this.chart.clientHeight + 40);
    const times = Math.min(best, Math.max(least, Math.min((beside >= least * width ? beside : room) / width, tall / height)));
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width: width * times, height: height * times, "aria-label": this.tell(now) })) this.picture.setAttribute(name, value);
  }

  /** A bar that is a button: the action and the controller's value of it. */
  actionMark(now, kind, i, x, y, scale, next) {
    const value = now.values[i][kind];
    const more = kind === 0 ? now.order[i] + 1 : now.tier[i] + 1, what = kind === 0 ? `order ${more}` : this.data.tiers[more];
    if (value === null) return [];
    const isNext = next && next[0] === kind && next[1] === i, wide = Math.min(BAR, Math.max(2, BAR * Math.abs(value) / scale)), name = kind === 0 ? "raise" : "buy";
    const isAimed = this.aimed === `${kind},${i}`;
    if (isAimed) this.scroller.setAttribute("aria-activedescendant", "aimed");
    const mark = svg("g", { class: `action ${name}${value < 0 ? " loss" : ""}${isNext ? " next" : ""}${isAimed ? " aimed" : ""}`, "data-act": `${kind},${i}`, role: "option", "aria-selected": String(isAimed), ...(isAimed ? { id: "aimed" } : {}), "aria-label": `${what} at letter ${i + 1}, value ${value.toFixed(4)}` },
      svg("rect", { class: "frame", x: x - BAR / 2, y, width: BAR, height: 20, rx: 4 }), svg("rect", { class: "value", x: x - BAR / 2, y, width: wide, height: 20, rx: 4 }), svg("text", { x, y: y + 15 }, what));
    mark.append(svg("title", {}, `${what} at letter ${i + 1}: ${value.toFixed(4)} letters a µs; click to do it yourself`));
    return [mark];
  }

  survivors(now, i, x, top, isNew) {
    const { first } = scopeOf(now.order[i], i), wanted = this.data.truth.slice(first, i + 1), out = [];
    const rows = now.grams[i].slice(0, SHOWN);
    rows.forEach((gram, g) => {
      const y = top + ROW * g, share = Math.exp(now.marginals[i][g]), isTrue = gram === wanted;
      out.push(svg("rect", { class: isNew ? "share new" : "share", x: x - BAR / 2, y, width: Math.max(1.5, BAR * share), height: ROW - 3 }), svg("text", { class: isTrue ? "gram true" : "gram", x, y: y + 13 }, isTrue ? `★ ${gram}` : gram));
    });
    if (now.counts[i] > rows.length) out.push(svg("text", { class: "more", x, y: top + ROW * rows.length + 13 }, `+ ${now.counts[i] - rows.length}`));
    return out;
  }

  /** Letters wrong against microseconds, both trajectories. */
  paintChart() {
    const { courses, truth } = this.data, size = parseFloat(getComputedStyle(this.root).fontSize), wide = Math.max(200, this.chart.clientWidth || 16 * size), high = (this.isBig ? 14 : 14.5) * size, left = 2.2 * size, bottom = 3.4 * size, most = Math.max(...courses.map((c) => c[c.length - 1].us));
    const worst = Math.max(1, ...courses.flatMap((c) => c.map((s) => wrongIn(s.reading, truth))));
    const px = (us) => left + (wide - left - 8) * us / most, py = (n) => size + (high - bottom - size) * (1 - n / worst), drawn = [];
    for (let n = 0; n <= worst; n++) drawn.push(svg("line", { class: "rule", x1: left, x2: wide - 8, y1: py(n), y2: py(n) }), svg("text", { class: "tick end", x: left - 0.4 * size, y: py(n) + 0.35 * size }, n));
    courses.forEach((c, k) => {
      let d = `M${px(c[0].us)} ${py(wrongIn(c[0].reading, truth))}`;
      for (const s of c.slice(1)) d += `H${px(s.us)}V${py(wrongIn(s.reading, truth))}`;
      drawn.push(svg("path", { class: `line who${k}`, d }));
    });
    const { now } = this, right = rightFrom(courses[this.view.course], truth), course = courses[this.view.course];
    if (right > 0) {
      const x = px(course[right].us), isLate = x > wide - 12 * size;
      drawn.push(svg("line", { class: "right", x1: x, x2: x, y1: 0.4 * size, y2: high - bottom }), svg("text", { class: isLate ? "good end" : "good start", x: x + (isLate ? -0.4 : 0.4) * size, y: 1.2 * size }, `✔ right from action ${right} on, ${course[right].us.toFixed(0)} µs`));
    }
    drawn.push(svg("line", { class: "cursor", x1: px(now.us), x2: px(now.us), y1: 0.4 * size, y2: high - bottom }), svg("circle", { class: `dot who${this.view.course}`, cx: px(now.us), cy: py(wrongIn(now.reading, truth)), r: 8 }));
    for (const us of [0, most]) drawn.push(svg("text", { class: us ? "tick end" : "tick", x: px(us), y: high - 2 * size }, us.toFixed(0)));
    drawn.push(svg("text", { class: "tick", x: (wide + left) / 2, y: high - 0.4 * size }, `letters wrong, by µs spent${courses.length > 1 ? " (dashed: yours)" : ""}`));
    this.chart.replaceChildren(...drawn);
    this.chart.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    this.chart.style.height = `${high}px`;
    this.chart.setAttribute("aria-label", courses.map((c, k) => this.verdict(c, k)).join(" "));
  }

  verdict(course, k) {
    const s = rightFrom(course, this.data.truth), end = course[course.length - 1];
    return s < 0 ? `${k ? "The trajectory begun by hand" : "The controller's trajectory"} ends with “${end.reading}”.` : `${k ? "The reading after your actions is" : "The controller's reading is"} right from action ${s} (${course[s].us.toFixed(0)} µs) on.`;
  }

  tell(now) {
    const { tiers, courses, taken_at, n_hand } = this.data, { step, course } = this.view, parts = [];
    if (step === 0) parts.push("Nothing done: pairs of letters, read from pixels, filtered.");
    else {
      const isHand = course === 1 && step > taken_at && step <= taken_at + n_hand;
      parts.push(`${isHand ? "By hand" : "The controller bought"}: ${actionText(now.action, now, tiers)}; ${now.filtered[1]} of that factor's ${now.filtered[0]} combinations survive.`);
    }
    const next = bestAction(now.values);
    if (next && step < this.course.length - 1) parts.push(`Next for the controller: ${actionText(next, { order: now.order.map((n) => n + 1), tier: now.tier.map((t) => t + 1) }, tiers)}.`);
    return [...parts, ...courses.map((c, k) => this.verdict(c, k))].join(" ");
  }

  fileName(kind) { return `hybrid-word${this.data.word_id}.${kind}`; }
  exportCsv() {
    const rows = ["course,step,microseconds,action,letter,reading,orders,tiers,filtered_in,filtered_kept"];
    this.data.courses.forEach((c, k) => c.forEach((s, i) => rows.push([WHO[k], i, s.us, ["raise", "buy", ""][i ? s.action[0] : 2], i ? s.action[1] + 1 : "", s.reading, s.order.join(""), s.tier.join(""), ...s.filtered].join(","))));
    this.saveRows(rows);
  }
}

export default makeMount(HybridView);
