// The Pose page's view: a visitor's actions on a clip of poses, and the messages to the server.
//
// The browser owns frame, level, alphas, picked limb and kind of picture ("the view"); the server owns the
// cascade. The shown level's alpha prunes here, on every frame of the clip; once it is released, the server
// answers with the deeper levels. The code shared by all views is in web/view/view.js.

import { alphaIndex, countKept, fallIndex, fillStates, limbOf, ranking, sample, scoreOf, truthFall, levelOf, witness } from "./pose_core.js";
import { canvasPen, linesOf, looks } from "./pose_draw.js";
import { ARMS } from "./pose_arms.js";
import { Brush } from "./pose_brush.js";
import { EXPORTS } from "./pose_export.js";
import { PICTURES } from "./pose_pictures.js";
import { MEANING, WORDS } from "./pose_words.js";
import { button, clamp, node, setText, toRgb } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { View, makeMount } from "../../../web/view/view.js";

const SHOWS = { level: "Limbs", heat: "Heat", all: "All levels", top: "Best and next three", three: "Three sub-models", four: "Models of arms", bought: "What each frame bought" };
const KEYS = [
  ["Space", "play or pause"], ["← →", "frame back, frame on"], ["↑ ↓", "alpha + 0.01, − 0.01 (hold to repeat)"],
  ["0 … 6", "level"], ["Home", "first frame, level 0"], ["T", "tuned alpha"], ["R", "reference or truth on and off"],
  ["V", "the next kind of picture"], ["Shift ← → ↑ ↓", "choose a limb; its next better or worse place"], ["Esc", "clear the selection"], ["?", "this list"],
];

class PoseView extends View {
  leastHeight = 800;
  levels = [];
  images = [];
  hover = null;
  brush = new Brush();
  falling = [];
  last = { key: "", k: 0 };
  calm = matchMedia("(prefers-reduced-motion: reduce)");

  get watched() { return [this.stage, this.head]; } // texts above the picture take space from it

  // ---------------------------------------------------------------- building

  build() {
    this.status = node("div", { class: "status", role: "alert" });
    this.figures = {};
    const figure = (name, title) => {
      const value = node("b"), note = node("span");
      this.figures[name] = { value, note };
      return node("div", { class: "figure", title }, value, note);
    };
    const counts = node("div", { class: "figures" }, figure("states", MEANING.states), figure("share", MEANING.share), figure("time", MEANING.time));
    this.canvas = node("canvas", { tabindex: "0", role: "img", "aria-label": "Limbs over the frame" });
    this.tip = node("div", { class: "tip", role: "tooltip", hidden: true });
    this.stage = node("div", { class: "stage" }, this.canvas, this.tip);
    this.film = node("canvas", { class: "film", "aria-label": "Frames of the clip" });
    this.shows = node("div", { class: "tabs", role: "group", "aria-label": "Picture" });
    this.coarse = node("input", { type: "range", min: "0", step: "1", "aria-label": "Level of the cascade", oninput: () => this.goTo(+this.coarse.value), onpointerup: () => this.coarse.blur() });
    this.levelSays = node("output");
    const wantAll = () => this.want(this.levels.map((_, l) => `codes ${l}`)); // a visitor who comes here steps through them
    this.tabs = node("label", { class: "tabs levels", onpointerenter: wantAll, onfocusin: wantAll }, "Level", this.coarse, this.levelSays);
    this.guide = node("div", { class: "guide" }, node("b"), node("p"));
    this.scrub = node("input", { type: "range", min: "0", step: "1", class: "scrub", "aria-label": "Frame",
      oninput: () => { this.play(false); this.set({ frame: +this.scrub.value }, true); }, onchange: () => { this.scrub.blur(); this.send(); } });
    this.frameSays = node("output");
    this.transport = node("div", { class: "row transport", role: "group", "aria-label": "Frames" }, this.playControl("Play (space)", { class: "play" }), this.scrub, this.frameSays);
    const frames = node("div", { class: "row" }, button("|◀", "First frame (Home)", () => this.set({ frame: 0 })), button("◀", "Frame back (left arrow)", () => this.walk(-1)), button("▶|", "Frame on (right arrow)", () => this.walk(1)), this.edgeButton = button("to the edge", "Alpha just before a limb's truth is lost", () => this.setAlpha(this.view.level, this.now.level.alphas[this.now.edge], true)));
    this.alphaValue = node("output", { class: "alpha-value" });
    this.alpha = this.alphaSlider();
    this.formula = node("p", { class: "formula" });
    this.tunedButton = button("tuned", "Alpha as chosen on development frames (T)", () => this.resetAlphas());
    this.alphaBox = node("section", { class: "alpha", role: "group", "aria-label": "How hard to prune" },
      node("div", { class: "row" }, node("label", { title: MEANING.alpha }, "How hard to prune, ", node("i", {}, "α")), this.alphaValue, this.tunedButton),
      this.alpha, this.formula);
    this.joints = node("section", { class: "joints" });
    this.why = node("section", { class: "why", "aria-live": "polite" });
    this.menu = node("div", { class: "menu", hidden: true },
      button("PNG", "Save the picture as PNG", () => this.exportPng()), button("SVG", "Save the picture as SVG", () => this.exportSvg()),
      button("CSV", "Save every state of this level and frame as CSV", () => this.exportCsv()), button("Link", "Copy a link to exactly this view", () => this.copyLink()));
    this.truthButton = button("", "Show or hide what is known of the true limbs (R)", () => this.set({ truth: this.view.truth ? 0 : 1 }));
    const rest = node("section", { class: "row" }, button("Export", "Save or share: PNG, SVG, CSV, link", () => { this.menu.hidden = !this.menu.hidden; }), this.menu,
      this.truthButton, button("? keys", "Keys", () => this.toggleKeys()), this.note);
    this.keyList = node("div", { class: "keys", hidden: true, role: "dialog", "aria-label": "Keys" }, node("b", {}, "Keys"),
      node("dl", {}, KEYS.map(([k, what]) => [node("dt", {}, k), node("dd", {}, what)])), button("Close", "Close (Esc)", () => this.toggleKeys()));
    this.money = this.buildMoney();
    this.more = moreBox([this.shows, frames, rest], { name: "View" });
    this.controls = node("div", { class: "controls" }, this.transport, this.alphaBox, this.money, this.why, this.joints, this.more.box);
    this.side = node("aside", { class: "side" }, this.tabs, this.guide, this.controls);
    this.summary = node("p", { class: "summary" });
    this.listenToPictures();
    return node("div", { class: "pose" }, (this.head = node("div", { class: "head" }, this.status, counts)),
      node("div", { class: "body" }, node("div", { class: "left" }, this.stage, this.film), this.side), this.summary, this.keyList);
  }

  alphaSlider() {
    const input = node("input", { type: "range", min: "0", max: "1000", step: "1", class: "big", "aria-label": "alpha" });
    input.addEventListener("pointerdown", () => this.startDrag());
    input.addEventListener("input", (event) => this.setAlpha(this.view.level, +input.value / 1000, !this.drag, event.timeStamp));
    const end = () => { this.endDrag(); input.blur(); };
    input.addEventListener("pointerup", end);
    input.addEventListener("pointercancel", end);
    input.addEventListener("change", () => this.endDrag());
    return input;
  }

  listenToPictures() {
    const at = (event, canvas) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.canvas.addEventListener("pointermove", (event) => {
      const target = this.limbAt(...at(event, this.canvas));
      this.canvas.style.cursor = target ? "pointer" : "default";
      this.showTip(target, ...at(event, this.canvas));
      if (JSON.stringify(target) !== JSON.stringify(this.hover)) { this.hover = target; this.draw(); }
    });
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; if (this.hover) { this.hover = null; this.draw(); } });
    this.canvas.addEventListener("click", (event) => {
      const target = this.limbAt(...at(event, this.canvas));
      if (target && target.goTo !== undefined) this.goTo(target.goTo);
      else this.set({ cell: target ? `${target.p}-${target.state}` : "" });
    });
    this.film.addEventListener("click", (event) => {
      const [x] = at(event, this.film), frame = Math.floor(x / this.filmWide);
      if (frame >= 0 && frame < this.images.length) { this.play(false); this.set({ frame }); }
    });
  }

  // ---------------------------------------------------------------- data in, view out

  take(data, isNew) {
    this.playMs = 1000 / data.rate;
    if (isNew) { this.hover = null; this.falling = []; this.play(false); }
    const { pictures, truth, kept } = data.parts, { levels } = this;
    if (pictures.digest !== this.pictures) this.loadPictures(pictures);
    this.truth = truth.limbs;
    this.reachable = truth.reachable;
    this.levels = data.alphas.map((alpha, l) => this.levelOf(l, alpha, levels[l]));
    if (this.levels.some((level, l) => level !== levels[l])) {
      fillStates(this.levels, kept.kept);
      for (const level of this.levels) level.cache = new Map();
    }
    this.levels.forEach((level, l) => Object.assign(level, data.parts[`codes ${l}`], data.parts[`scores ${l}`], { digest: this.digestOf(l) }));
    const { view } = this, n = this.levels[0].nFrames;
    view.frame = clamp(view.frame, 0, n - 1);
    view.level = clamp(view.level, 0, this.levels.length - 1);
    this.scrub.max = n - 1;
    this.transport.hidden = n < 2;
    this.film.hidden = n < 2;
    this.root.classList.toggle("bare", !data.controls);
    this.readColours();
    this.takeArms();
    this.buildTabs();
  }

  /** A level of the payload; the present one if it is unchanged. */
  levelOf(l, alpha, old) {
    return old && old.digest === this.digestOf(l) && old.alpha === alpha ? old : levelOf(this.data.parts[`level ${l}`], alpha, this.data.names.length);
  }
  digestOf(l) { return `${this.data.digests[`level ${l}`]} ${this.data.digests[`codes ${l}`]}`; }

  loadPictures({ digest, frames }) {
    this.pictures = digest;
    this.images = frames.map((bytes) => {
      const image = new Image();
      image.onload = () => { this.filmDrawn = ""; this.draw(); };
      image.src = `data:image/jpeg;base64,${btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""))}`;
      return image;
    });
  }

  /** Parts that the picture needs and that have not arrived. */
  get lacking() {
    const { level } = this.view, names = this.shown === "all" ? this.levels.map((_, l) => `codes ${l}`) : [`codes ${level}`];
    return (this.shown === "three" ? [...names, `scores ${level}`] : names).filter((name) => !this.data.parts[name]);
  }

  alphaOf(l) {
    const alpha = this.view.alphas[l];
    return alpha === null || alpha === undefined ? this.levels[l].tuned : alpha;
  }
  get truthVisible() { return Boolean(this.truth) && this.view.truth !== 0; }
  get shown() { return this.tabNames().includes(this.view.show) && (!this.isOfArms(this.view.show) || this.arms) ? this.view.show : "level"; }
  isOfArms(show) { return show === "four" || show === "bought"; }

  setAlpha(l, value, isLast, stamp) {
    value = clamp(value, this.levels[l].alphas[0], 1);
    this.stamp(stamp);
    const alphas = this.view.alphas.slice();
    alphas[l] = value === this.levels[l].tuned ? null : value;
    this.set({ alphas }, !isLast);
  }
  resetAlphas() { this.set({ alphas: this.view.alphas.map((alpha, l) => l === this.view.level ? null : alpha) }); }
  goTo(level) { this.set({ level, cell: "" }); }

  startDrag() {
    this.play(false);
    super.startDrag();
  }

  // ---------------------------------------------------------------- playing and keys

  step(by) { this.set({ frame: clamp(this.view.frame + by, 0, this.levels[0].nFrames - 1) }, this.playing); }
  get story() { return this.isOfArms(this.view.show) ? [] : this.levels.map((_, level) => ({ level, cell: "" })); }
  rewind() { if (this.view.frame >= this.levels[0].nFrames - 1) this.view.frame = 0; }
  advance() {
    this.step(1);
    return this.view.frame < this.levels[0].nFrames - 1;
  }
  keys(event) {
    const nudge = (by) => () => this.setAlpha(this.view.level, Math.round(100 * (this.alphaOf(this.view.level) + by)) / 100, true);
    const shows = this.tabNames(), next = shows[(shows.indexOf(this.shown) + 1) % shows.length], letter = event.key.toLowerCase();
    const acts = { ArrowUp: nudge(0.01), ArrowDown: nudge(-0.01), Home: () => this.set({ frame: 0, level: 0, cell: "" }),
                   Escape: () => { this.keyList.hidden = true; this.closeMenu(); this.set({ cell: "" }); }, "?": () => this.toggleKeys() };
    const choose = (parts, places) => () => this.moveChoice(parts, places);
    if (event.shiftKey) Object.assign(acts, { ArrowLeft: choose(-1, 0), ArrowRight: choose(1, 0), ArrowUp: choose(0, -1), ArrowDown: choose(0, 1) });
    if (/^[0-6]$/.test(event.key)) acts[event.key] = () => this.goTo(+event.key);
    const letters = { t: () => this.resetAlphas(), r: () => this.set({ truth: this.view.truth ? 0 : 1 }), v: () => this.set({ show: next }) };
    if (letters[letter]) acts[event.key] = letters[letter];
    return acts;
  }
  toggleKeys() { this.keyList.hidden = !this.keyList.hidden; }
  /** The effect of a click on a limb, by keys: another limb at its best place, or the next better or worse place of the chosen one. */
  moveChoice(parts, places) {
    if (this.isArms || !this.now) return;
    const { level, f, picked } = this.now, p = picked ? clamp(picked.p + parts, 0, level.nParts - 1) : 0, v = this.variable(level, f, p), order = this.order(level, v);
    const rank = picked?.p === p ? clamp(order.indexOf(picked.s) + places, 0, order.length - 1) : 0;
    this.set({ cell: `${p}-${level.states[level.start[v] + order[rank]]}` });
  }

  // ---------------------------------------------------------------- values computed once and cached with a level

  computeOnce(level, name, make) {
    if (!level.cache.has(name)) level.cache.set(name, make());
    return level.cache.get(name);
  }
  variable(level, f, p) { return f * level.nParts + p; }
  order(level, v) { return this.computeOnce(level, `order ${v}`, () => ranking(level, v)); }
  lines(level, f, p) {
    const v = this.variable(level, f, p);
    return this.computeOnce(level, `lines ${v}`, () => linesOf(level, v, this.data.lengths[p], sample(this.order(level, v), looks.MOST)));
  }
  truthOf(f) { return this.truth ? this.truth[f] : this.data.names.map(() => null); }
  /** Index of the alpha from which a limb's truth is lost at a level, among the states given to the level. */
  fall(l, f, p) {
    const level = this.levels[l], truth = this.truthOf(f)[p], v = this.variable(level, f, p);
    return this.computeOnce(level, `fall ${v}`, () => truth ? truthFall(level, v, this.data.lengths[p], truth) : -1);
  }
  fate(l, f, p, k) {
    if (!this.truthOf(f)[p]) return "unknown";
    if (!this.reachable[(f * this.levels.length + l) * this.data.names.length + p]) return "coarse";
    const fall = this.fall(l, f, p);
    return fall < 0 ? "gone" : fall > k ? "kept" : "lost";
  }
  /** Ends of a variable's best limb: it never falls. */
  bestLimb(level, f, p) {
    const v = this.variable(level, f, p);
    return limbOf(level, level.states[level.start[v] + level.first[v]], this.data.lengths[p]);
  }
  bodyOf(level, f, p, s) {
    if (!level.nEach && !level.unary) {
      this.want([`scores ${this.levels.indexOf(level)}`]);
      return null;
    }
    return this.computeOnce(level, `body ${f} ${p} ${s}`, () => {
      const body = witness(level, f, p, s);
      return body && { score: body.score, limbs: body.places.map((place, q) => limbOf(level, level.states[level.start[this.variable(level, f, q)] + place], this.data.lengths[q])) };
    });
  }

  compute() {
    const { view, data } = this, l = view.level, f = view.frame, level = this.levels[l], alpha = this.alphaOf(l), k = alphaIndex(level, alpha), P = data.names.length;
    let kept = 0, given = 0;
    for (let p = 0; p < P; p++) {
      const v = this.variable(level, f, p);
      kept += countKept(level, v, k);
      given += level.nGiven[v];
    }
    const parts = data.names.map((_, p) => p), fates = parts.map((p) => this.fate(l, f, p, k)), falls = parts.map((p) => this.fall(l, f, p));
    const known = falls.filter((fall, p) => fates[p] === "kept" || fates[p] === "lost"), edge = known.length ? Math.min(...known) - 1 : -1;
    const lostFrames = this.truth ? Array.from({ length: level.nFrames }, (_, g) => parts.some((p) => ["lost", "gone"].includes(this.fate(l, g, p, k)))) : [];
    const isStale = this.levels.some((other, i) => i < this.levels.length - 1 && other.alpha !== this.alphaOf(i));
    this.now = { level, l, f, alpha, k, kept, given, fates, falls, edge, lostFrames, isStale };
    this.now.picked = this.pickedIn(level, f, view.cell);
    return this.now;
  }

  pickedIn(level, f, cell) {
    const [p, state] = cell.split("-").map(Number);
    if (!cell || !(p < level.nParts)) return null;
    const v = this.variable(level, f, p), states = level.states.subarray(level.start[v], level.start[v + 1]), s = states.indexOf(state);
    if (s < 0) return null;
    return { p, s, v, state, limb: limbOf(level, state, this.data.lengths[p]), body: this.bodyOf(level, f, p, s) };
  }

  // ---------------------------------------------------------------- pointing

  showTip(target, x, y) {
    this.tip.hidden = !target;
    if (!target) return;
    let text;
    if (target.goTo !== undefined) text = `go to level ${target.goTo}`;
    else {
      const { level, f } = this.now, picked = this.pickedIn(level, f, `${target.p}-${target.state}`), fall = fallIndex(level, picked.v, picked.s), code = level.codes[level.start[picked.v] + picked.s];
      text = `${this.data.names[target.p]}: max-marginal ${scoreOf(level, f, code).toFixed(2)}, ${fall >= level.alphas.length ? "never falls" : fall === 0 ? "falls at every α" : `falls at α ${level.alphas[fall].toFixed(3)}`}`;
    }
    setText(this.tip, text);
    const wide = this.stage.clientWidth;
    this.tip.style.left = `${clamp(x + 14, 0, Math.max(0, wide - 310))}px`;
    this.tip.style.top = `${y + 18}px`;
  }

  // ---------------------------------------------------------------- drawing

  fit() {
    this.letter = this.isBig ? 25 : this.root.clientWidth < 600 ? 13 : 15;
    const room = this.roomBelow(this.root.querySelector(".body"));
    const height = this.isEmbed ? Math.max(560, room - 8) : clamp(room - 16, 560, 1000);
    this.root.style.setProperty("--body-height", `${Math.round(height)}px`);
    this.filmDrawn = "";
  }

  readColours() {
    const read = this.readTheme(), background = toRgb(read("background-color", "#ffffff")), text = toRgb(read("text-color", "#222222"));
    const mix = (a, b, t) => `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * t)).join(",")})`;
    this.colours = { background: mix(background, background, 0), text: mix(text, text, 0), muted: mix(text, background, 0.28), border: mix(text, background, 0.75), panel: mix(background, text, 0.06) };
    this.font = read("font", "sans-serif");
    this.tierColours = this.data.tier_colours[this.theme];
    for (const [name, colour] of Object.entries(this.colours)) this.root.style.setProperty(`--c-${name}`, colour);
  }

  tabNames() { return Object.keys(SHOWS).filter((name) => this.isOfArms(name) ? this.data.has_arms : name !== "three" || this.levels[0].nEach); }
  buildTabs() {
    const key = `${this.tabNames()}|${this.levels.map((level) => `${level.columns}`)}`;
    if (this.tabsDrawn === key) return;
    this.tabsDrawn = key;
    this.shows.replaceChildren(...this.tabNames().map((name) => button(SHOWS[name], `Picture: ${SHOWS[name]} (V)`, () => this.set({ show: name }), { "data-show": name })));
    this.coarse.max = this.levels.length - 1;
  }
  markTabs() {
    for (const tab of this.shows.children) tab.setAttribute("aria-pressed", tab.dataset.show === (this.isOfArms(this.view.show) ? this.view.show : this.shown));
    const { columns, rows } = this.levels[this.view.level];
    this.coarse.value = this.view.level;
    this.coarse.setAttribute("aria-valuetext", `${this.view.level}: ${columns} × ${rows} cells`);
    setText(this.levelSays, `${this.view.level} (0 to ${this.levels.length - 1}): ${columns} × ${rows} cells`);
    setText(this.truthButton, `${this.truthVisible ? "Hide" : "Show"} ${this.data.truth_name}`);
    this.truthButton.hidden = !this.truth;
    const untuned = this.levels.map((_, l) => l).filter((l) => l !== this.view.level && typeof this.view.alphas[l] === "number");
    this.more.say([this.view.show !== "level" && SHOWS[this.view.show], untuned.length && `own α at level ${untuned.join(", ")}`, this.truth && !this.truthVisible && `${this.data.truth_name} hidden`]);
    this.scrub.value = this.view.frame;
    setText(this.frameSays, `${this.view.frame + 1} / ${this.data.n_frames}`);
  }

  paint() {
    if (!this.levels.length || !this.images.length) return;
    const of = `${this.view.level}|${this.view.frame}|${this.alphaOf(this.view.level)}|${this.data.identity}`;
    if (this.tipOf !== of) this.tip.hidden = true; // it describes the previous picture
    this.tipOf = of;
    const width = this.stage.clientWidth, height = this.stage.clientHeight;
    if (width < 20 || height < 20) return;
    const ratio = this.dots, w = Math.round(width * ratio), h = Math.round(height * ratio), time = performance.now();
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    const context = this.canvas.getContext("2d"), { lacking } = this;
    if (lacking.length) { // the previous picture stays until they arrive
      this.want(lacking);
      return this.markTabs();
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.compute();
    this.noteFallen();
    const isMoving = this.scene(canvasPen(context, this.font, this.brush), width, height);
    if (!isMoving) this.falling = [];
    this.paintFilm();
    this.markTabs();
    this.tell();
    const { dataset } = this.root;
    this.notePaint(performance.now() - time);
    Object.assign(dataset, { frame: this.now.f, kept: this.now.kept, given: this.now.given, stale: Number(this.now.isStale), frames: this.now.level.nFrames, picked: Number(Boolean(this.now.picked)) });
    if (this.images[this.now.f].complete) dataset.ready = "1";
    if (isMoving) this.draw();
  }
}

for (const methods of [WORDS, PICTURES, EXPORTS, ARMS]) Object.defineProperties(PoseView.prototype, Object.getOwnPropertyDescriptors(methods));

export default makeMount(PoseView);
