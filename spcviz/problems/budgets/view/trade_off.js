// The Trade-off page's view: one budget slider over a batch of examples, and the curves of all methods.
// Code for a single task is in its problem's trade_task.js; what that draws is in `data.drawn`.
//
// The browser owns the budget, the method, the kind of cost and the chains bought by hand ("the view"); it
// has every purchase of every method, so a drag needs no server. The view is sent once a drag ends, for
// the address. Code that all views share is in web/view/view.js.

import { GAME } from "./game.js";
import { CHART, number, percent } from "./trade_chart.js";
import { TASKS, canPick, curveOf, handState, offsets, stateAt, tierCounts, withReadings } from "./trade_core.js";
import { button, clamp, node, setText, svg } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { PINS } from "../../../web/view/pins.js";
import { View, makeMount } from "../../../web/view/view.js";

const COLOURS = ["blue", "orange", "green", "violet", "red", "gray"];
const DASHES = ["", "9 4", "2 3", "12 3 2 3"];
const PLAY_MS = 9000;
const MANY_US = 1e7;  // batches that cost more than this are counted in seconds

const colour = (name) => `var(--st-${name}-color)`;

class TradeView extends View {
  build() {
    this.figures = ["wrong", "spent", "share", "against"].map((name) => ({ name, value: node("b"), note: node("span") }));
    const figures = node("div", { class: "figures" }, this.figures.map((f) => node("div", { class: "figure" }, f.value, f.note)));
    this.slider = this.shareSlider("budget", "Budget");
    this.spends = node("output");
    this.evidence = node("p", { class: "evidence" });
    const budget = node("div", { class: "budget", role: "group", "aria-label": "Spending" }, this.playControl("Play: let the budget grow (space)"), this.budgetLabel = node("label", {}, "Budget"), this.slider, this.spends);
    this.legend = node("div", { class: "legend" });
    this.chips = node("div", { class: "chips", role: "listbox", tabindex: "0", onkeydown: (event) => this.aim(event), onblur: () => this.aimAt(-1) });
    this.methods = node("div", { class: "methods" });
    this.others = node("div", { class: "methods", role: "group", "aria-label": "Other methods" });
    this.moreMethods = moreBox([this.others], { name: "Compare" });
    this.chart = svg("svg", { class: "chart", role: "img", tabindex: "0" });
    this.tiers = node("div", { class: "tiers", role: "img" });
    this.says = node("p", { class: "says", "aria-live": "polite" });
    this.handRow = node("div", { class: "row" });
    this.pinBox = node("div", { class: "pins" });
    this.menu = node("div", { class: "row", hidden: true }, button("CSV", "Save every curve as CSV", () => this.exportCsv()),
      button("SVG", "Save the curves as SVG", () => this.exportSvg()), button("PNG", "Save the curves as PNG", () => this.exportPng()),
      button("Link", "Copy a link to exactly this view", () => this.copyLink()));
    this.more = moreBox([this.pinBox, node("div", { class: "row" }, button("Export", "Save or share: CSV, SVG, PNG, link", () => { this.menu.hidden = !this.menu.hidden; }), this.menu)]);
    this.beside = node("div");
    const game = this.buildGame(), left = node("div", {}, this.legend, this.chips, this.beside), right = node("div", {}, this.gameTable, this.gameResult, node("div", { class: "row lead", role: "group", "aria-label": "Methods" }, this.methods, this.moreMethods.box), this.chart, this.tiers, this.says, node("div", { class: "tools", role: "group", "aria-label": "By hand, and more" }, this.handRow, this.more.box, this.note));
    const drag = (event) => {
      if (!this.axis || (event.type === "pointermove" && !this.drag)) return;
      this.drag = true;
      this.chart.setPointerCapture(event.pointerId);
      this.play(false);
      this.set({ budget: clamp(this.axis.inverse(event.clientX - this.chart.getBoundingClientRect().left), 0, 1) }, true);
    };
    this.chart.addEventListener("pointerdown", drag);
    this.chart.addEventListener("pointermove", drag);
    const release = () => { if (this.drag) { this.drag = null; this.send(); } };
    this.chart.addEventListener("pointerup", release);
    this.chart.addEventListener("pointercancel", release);
    return node("div", { class: "trade" }, this.evidence, figures, budget, game, node("div", { class: "body" }, left, right));
  }

  // ---------------------------------------------------------------- data in, view out

  take(given, isNew) {
    const { batch } = given.parts;
    if (isNew || this.batch !== batch) this.sequences = batch.methods.map(withReadings);
    this.batch = batch;
    const data = (this.data = { ...given, ...batch, drawn: given.parts.drawn, methods: this.sequences });
    this.task = TASKS[data.task];
    this.start = offsets(data.truths);
    this.things = this.start[this.start.length - 1] * data.n_faults;
    if (!data.methods.some((m) => m.name === this.view.method)) this.view.method = data.methods[0].name;
    if (isNew) {
      this.curves = {};
      this.handKey = null;
      this.hover = null;
      this.beside.replaceChildren(...[this.task.build(this)].filter(Boolean));
      if (this.task.load) this.task.load(this);
      this.buildChips();
    }
    this.buildMethods();
    setText(this.evidence, data.evidence);
  }

  viewToSend() { return { ...super.viewToSend(), budget: Math.round(this.view.budget * 1000) / 1000 }; }

  open(chain) { this.component.setTriggerValue("open", { chain, at: performance.now() }); }

  // ---------------------------------------------------------------- what is bought

  get kind() { return this.view.kind; }
  get full() { return this.data.full[this.kind]; }
  get budget() { return this.isGame ? this.gameBudget(this.round) : this.view.budget * this.full; }
  get isHand() { return this.view.mode !== "policy"; }
  /** By hand, what is right is shown after scoring; in the game, after the last round. */
  get isShown() { return this.isGame ? this.isOver : Boolean(this.view.scored); }
  get method() { return this.data.methods.find((m) => m.name === this.view.method); }
  get picks() { return this.view.picks ? this.view.picks.split(".").map((p) => parseInt(p, 36)) : []; }
  curve(method) {
    const key = `${method.name}|${this.kind}`;
    return (this.curves[key] = this.curves[key] || curveOf(this.data, this.start, method, this.kind));
  }
  money(amount) {
    if (this.kind !== "us") return `${number(amount)} ${number(amount) === "1" ? "unit" : "units"}`;
    return this.full > MANY_US ? `${number(amount / 1e6, 1)} s` : `${number(amount / 1000, 1)} ms`;
  }
  get tierColours() { return this.data.tier_colours[this.theme]; }

  // ---------------------------------------------------------------- pieces

  buildChips() {
    this.chipNodes = this.data.truths.map((truth, w) => {
      const inner = this.task.chip(this, w);
      return { chip: node("div", { role: "option", id: `chip${w}`, "aria-selected": "false", class: "chip", onclick: () => this.click(w) }, inner), inner, drawn: "" };
    });
    this.chips.className = `chips ${this.task.chipsClass}`;
    this.chips.setAttribute("aria-label", `${this.task.chains} of the batch; arrow keys move, Enter clicks`);
    this.budgetLabel.title = this.task.allTitle;
    this.order = null;
  }

  /** First the chains that purchases have corrected, then those right before, then those wrong. By hand, the
   * batch's own order, which reveals nothing. The order stays the same during a drag. */
  arrange(state) {
    const of = this.isHand ? "hand" : this.view.method;
    if (this.order && this.arrangedFor === of) return;
    this.arrangedFor = of;
    const { truths } = this.data, before = this.isHand ? [] : stateAt(this.data, this.start, this.method, this.kind, 0).readings;
    const rank = (w) => (this.isHand ? 0 : state.readings[w] !== truths[w] ? 2 : before[w] === truths[w] ? 1 : 0);
    this.order = truths.map((_, w) => w).sort((a, b) => rank(a) - rank(b) || a - b);
    this.chips.replaceChildren(...this.order.map((w) => this.chipNodes[w].chip));
  }

  /** With the batch in focus, arrows move over it and Enter clicks. */
  aim(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], n = this.chipNodes.length;
    if (event.target !== this.chips || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = this.aimed >= 0 ? this.order.indexOf(this.aimed) : -1;
    if (by) this.aimAt(this.order[(place + by + (place >= 0 || by > 0 ? 0 : 1) + n) % n]);
    else if (event.key === "Enter" && this.aimed >= 0) this.click(this.aimed);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  aimAt(w) {
    this.aimed = w;
    this.chipNodes.forEach(({ chip }, i) => chip.setAttribute("aria-selected", String(i === w)));
    this.chips.setAttribute("aria-activedescendant", w < 0 ? "" : `chip${w}`);
    if (w >= 0) this.chipNodes[w].chip.scrollIntoView({ block: "nearest" });
  }

  /** Methods drawn in colour: the chosen one, the random one, and the other with the fewest faults over all budgets. */
  leading() {
    const area = (m) => this.curve(m).reduce((sum, [cost, wrong], k, all) => sum + wrong * ((all[k + 1]?.[0] ?? this.full) - cost), 0);
    const fixed = [this.view.method, this.data.methods.find((m) => m.name.startsWith("uniform"))?.name];
    const rest = this.data.methods.filter((m) => !fixed.includes(m.name)).sort((a, b) => area(a) - area(b));
    return new Set([...fixed, rest[0]?.name]);
  }

  buildMethods() {
    this.lead = this.leading();
    this.ledBy = `${this.view.method}|${this.kind}`;
    this.styles = this.data.methods.map((_, i) => ({ colour: colour(COLOURS[i % COLOURS.length]), dash: DASHES[(i + Math.floor(i / COLOURS.length)) % DASHES.length] }));
    const made = this.data.methods.map((m, i) => {
      const sample = svg("svg", { viewBox: "0 0 40 14", "aria-hidden": "true" });
      sample.append(svg("line", { x1: 0, x2: 40, y1: 7, y2: 7, stroke: this.styles[i].colour, "stroke-width": 4, "stroke-dasharray": this.styles[i].dash }));
      return button([sample, m.label], m.help, () => this.set({ method: m.name, mode: "policy" }), { "data-method": m.name, "aria-pressed": String(m.name === this.view.method) });
    });
    const isLead = (methodButton) => this.lead.has(methodButton.dataset.method);
    this.methods.replaceChildren(...made.filter(isLead));
    this.others.replaceChildren(...made.filter((methodButton) => !isLead(methodButton)));
    this.moreMethods.box.hidden = made.every(isLead);
  }

  /** Paint what depends on the theme, which may change without the data. */
  paintLegend() {
    const read = this.readTheme(), legendOf = `${this.data.task}|${this.theme}`;
    this.ground = { ground: read("background-color", ""), border: read("border-color", ""), primary: read("primary-color", ""), text: getComputedStyle(this.root).color };
    if (this.legendOf === legendOf) return;
    this.legendOf = legendOf;
    this.legend.replaceChildren(...this.data.tier_names.map((name, t) => node("span", {}, node("i", { class: "swatch", style: `background:${this.tierColours[t]}` }), `${name}${this.task.tierNotes[t]}`)),
      node("span", {}, this.task.marks()), node("span", {}, this.task.faults()), node("span", {}, "first what buying has mended"));
  }

  fit() {
    const room = clamp(this.roomBelow(this.chips) - 20, 360, 1000);
    this.root.style.setProperty("--room", `${room}px`);
    this.root.style.setProperty("--chart", `${Math.round(clamp(room * (this.isBig ? 0.58 : 0.5), 230, 460))}px`);
    this.ratio = this.isBig ? 3 : 2;
  }

  // ---------------------------------------------------------------- painting

  paint() {
    const { data, start, method } = this;
    const state = this.isHand ? handState(data, start, this.picks, this.kind, this.budget) : stateAt(data, start, method, this.kind, this.budget);
    const isSecret = this.isHand && !this.isShown;
    this.state = state;
    if (this.ledBy !== `${this.view.method}|${this.kind}`) this.buildMethods();
    this.paintLegend();
    this.slider.value = Math.round(this.view.budget * 1000);
    setText(this.spends, this.money(this.budget));
    this.arrange(state);
    this.paintChips(state, isSecret);
    this.paintFigures(state, isSecret);
    this.paintChart(state, isSecret);
    this.paintTiers(state);
    this.paintHand(state, isSecret);
    this.paintGame(state);
    this.paintPins();
    for (const methodButton of [...this.methods.children, ...this.others.children]) methodButton.setAttribute("aria-pressed", String(!this.isHand && methodButton.dataset.method === method.name));
    this.root.dataset.ready = "1";
    this.root.dataset.wrong = isSecret ? "" : state.wrong;
    this.root.dataset.spent = state.spent;
  }

  paintChips(state, isSecret) {
    const { start, method, task } = this;
    const last = !this.isHand && state.last >= 0 ? method.chain[state.last] : -1;
    this.chipNodes.forEach((piece, w) => {
      const tiers = state.tiers.subarray(start[w], start[w + 1]);
      piece.chip.className = `chip${tiers.some((t) => t > 0) ? " bought" : ""}${w === last ? " just" : ""}`;
      task.paintChip(this, piece, w, tiers, state.readings[w], isSecret);
    });
    task.paint(this, state, isSecret);
  }

  paintFigures(state, isSecret) {
    const { data, start, task, things } = this, parts = start[start.length - 1];
    const at = (name) => data.methods.find((m) => m.name === name), rival = at("uniform") || at("uniform_arms"), says = {};
    says.wrong = isSecret ? ["?", `${task.wrong}: score yourself first`] : [`${state.wrong} of ${things}`, `${task.wrong}, ${percent(state.wrong / things)}${task.describeCount(this, state)}`];
    says.spent = [this.money(state.spent), `spent of ${this.money(this.budget)}; everything costs ${this.money(this.full)}`];
    const share = state.tiers.reduce((sum, t) => sum + t, 0) / (parts * (data.tier_names.length - 1));
    says.share = [percent(share, 0), "of the costly features bought"];
    const other = rival && stateAt(data, start, rival, this.kind, this.budget);
    const gap = other ? other.wrong - state.wrong : 0;
    says.against = isSecret || !other ? ["?", "against spreading it at random"] : [gap === 0 ? "same" : `${Math.abs(gap)} ${gap > 0 ? "fewer" : "more"}`, `${task.wrong} than with random spending (${other.wrong})`];
    for (const f of this.figures) {
      setText(f.value, says[f.name][0]);
      setText(f.note, says[f.name][1]);
    }
  }

  paintTiers(state) {
    const counts = tierCounts(state, this.data.tier_names.length), { parts } = this.task;
    const letter = 0.55 * parseFloat(getComputedStyle(this.root).fontSize), fits = (n, text) => n / state.tiers.length * this.tiers.clientWidth > letter * text.length;
    this.tiers.replaceChildren(...counts.map((n, t) => node("div", { style: `flex:${n};background:${this.tierColours[t]}`, title: `${n} ${parts}: ${this.data.tier_names[t]}` }, fits(n, `${this.data.tier_short[t]} ${n}`) ? `${this.data.tier_short[t]} ${n}` : "")));
    this.tiers.setAttribute("aria-label", `Where spending stopped: ${counts.map((n, t) => `${n} ${parts} at ${this.data.tier_names[t]}`).join(", ")}`);
    const m = this.method;
    setText(this.says, this.isHand ? this.task.byHand : `${m.label}: ${m.help}`);
  }

  paintHand(state, isSecret) {
    const rival = this.method, key = [this.isHand, this.isGame, isSecret, this.view.picks, this.view.budget, rival.name, this.kind].join("|");
    if (this.handKey === key) return;
    this.handKey = key;
    if (!this.isHand) {
      this.handRow.replaceChildren(button("Spend it yourself", `Take this budget and choose the ${this.task.chains} by hand`, () => this.set({ mode: "hand", picks: "", scored: 0 })),
        button("Game of the day", "Beat the policy on today's batch, in three rounds", () => this.startGame()));
      return;
    }
    if (this.isGame) {
      this.handRow.replaceChildren();
      return;
    }
    const theirs = stateAt(this.data, this.start, rival, this.kind, this.budget), gap = theirs.wrong - state.wrong;
    const verdict = isSecret ? `${state.steps} bought, ${this.money(this.budget - state.spent)} left.`
      : `You: ${state.wrong} ${this.task.wrong}. ${rival.label}: ${theirs.wrong}. ${gap > 0 ? "You win." : gap < 0 ? "It wins." : "A draw."}`;
    this.handRow.replaceChildren(node("b", { "aria-live": "polite" }, verdict),
      isSecret ? button("Score", "Show what is right and compare with the method", () => this.set({ scored: 1 })) : button("Again", "Start over by hand", () => this.set({ picks: "", scored: 0 })),
      button("Undo", "Take back the last purchase", () => this.set({ picks: this.picks.slice(0, -1).map((p) => p.toString(36)).join(".") }), { disabled: !this.picks.length || !isSecret }),
      button("Back to the method", "Show what the method buys", () => this.set({ mode: "policy" })));
  }

  // ---------------------------------------------------------------- pins: a method and a budget each

  pinName() { return `${this.view.method}:${Math.round(this.view.budget * 1000) / 1000}`; }
  usePin(name) {
    const [method, budget] = this.pinText(name).split(":");
    this.set({ method, budget: +budget, mode: "policy" });
  }
  canUse(name) { return Boolean(this.pinOf(name)); }
  /** The pin's method and what it has bought, or null. */
  pinOf(name) {
    const [key, share] = this.pinText(name).split(":"), method = this.data.methods.find((m) => m.name === key);
    return method ? { method, budget: +share * this.full, state: stateAt(this.data, this.start, method, this.kind, +share * this.full) } : null;
  }
  pinSays(name) {
    const pin = this.pinOf(name);
    return pin ? `${pin.method.label}, ${this.money(pin.budget)}: ${pin.state.wrong} of ${this.things} ${this.task.wrong}` : "this method is not for sale here";
  }
  paintPins() {
    const key = [this.view.pin_a, this.view.pin_b, this.kind, this.identity].join("|");
    if (this.pinKey === key) return;
    this.pinKey = key;
    this.pinBox.replaceChildren(this.pinCard("A"), this.pinCard("B"));
    if (this.pinText("A") || this.pinText("B")) this.more.box.before(this.pinBox); // keep a comparison in sight
    else this.more.box.lastChild.prepend(this.pinBox);
  }

  // ---------------------------------------------------------------- what visitors do

  click(chain) {
    if (!this.isHand || this.isShown) { this.task.click(this, chain); return; }
    if (!canPick(this.data, this.start, this.picks, chain, this.kind, this.budget)) { this.say("that no longer fits, or has everything"); return; }
    this.set({ picks: [...this.picks, chain].map((p) => p.toString(36)).join(".") });
  }

  rewind() { if (this.view.budget >= 1) this.view.budget = 0; }
  /** Playing raises the budget continuously, not in steps. */
  clock() {
    const from = this.view.budget, began = performance.now();
    const tick = (now) => {
      this.set({ budget: Math.min(1, from + Math.max(0, now - began) / PLAY_MS) }, true);
      if (this.view.budget >= 1) this.play(false);
      else this.onFrame("play", tick);
    };
    this.onFrame("play", tick);
  }
  get story() { return Array.from({ length: 25 }, (_, k) => ({ budget: k / 24 })); }
  step(by) { this.set({ budget: clamp(this.view.budget + 0.01 * by, 0, 1) }); }
  keys() {
    const methods = this.data.methods.slice(0, 9).map((m, i) => [i + 1, () => this.set({ method: m.name, mode: "policy" })]);
    return { ...Object.fromEntries(methods), a: () => this.pin("A"), b: () => this.pin("B"), Home: () => this.walk(-100), End: () => this.walk(100) };
  }

  fileName(kind) { return `trade-off.${kind}`; }
}

Object.assign(TradeView.prototype, CHART, PINS);
Object.defineProperties(TradeView.prototype, Object.getOwnPropertyDescriptors(GAME));

export default makeMount(TradeView);
