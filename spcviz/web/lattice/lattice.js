// The lattice view: a visitor's actions on the lattice, and the messages to the server.
//
// The browser owns alpha, level, step, selected cell, pins and reveal ("the view"). The server owns the lattices. A
// drag prunes the shown level here, from max-marginals already here; the view is sent at most five times a second,
// one message under way at a time, and once more on release; the server answers with the deeper levels. The code
// shared by all views is in web/view/view.js.

import {
  STEPS, allowedLetters, columnCounts, columnScale, countPaths, keepMask, linkGroups, openLevel, scoreScale,
  settingsOf, threshold, truthFate, witness,
} from "./lattice_core.js";
import { drawScene } from "./lattice_draw.js";
import { EXPORTS } from "./lattice_export.js";
import { INPUT, KEYS } from "./lattice_input.js";
import { canvasPen } from "./lattice_pens.js";
import { MEANING, WORDS, speakOfTags, total } from "./lattice_words.js";
import { button, clamp, node, toRgb, unpackInk } from "../view/elements.js";
import { moreBox } from "../view/more.js";
import { PINS } from "../view/pins.js";
import { lowestOf } from "../view/rule.js";
import { LATTICE, PAINTED, View, makeMount } from "../view/view.js";

const SEND_EVERY_MS = 200, GIVE_UP_MS = 3000;
const SWEEP_MS = 1000;
const LAST_OPEN_STEP = 2, THRESHOLD_STEP = 3; // the last shown while a question asks for the threshold, or how much stays
const PHONE = 600, PHONE_COLUMN = 104; // widths in pixels below which a view is a phone's, and of a column there
const NARROW = 900; // width in pixels of a window below which the panel is placed under the picture

class LatticeView extends View {
  playMs = 1900;
  leastHeight = 800;
  levels = [];
  secret = new Set();
  pinLevels = {};
  queued = false;
  seq = 0;
  pendingSince = 0;
  lastSent = 0;
  hover = -1;
  guess = "";
  fade = { from: null, at: 0 };
  sweepAt = 0;
  calm = matchMedia("(prefers-reduced-motion: reduce)");

  get watched() { return [this.stage, this.head]; } // the text above takes its space from the picture

  // ---------------------------------------------------------------- building

  build(data) {
    speakOfTags(data.words.length > 0);
    this.fate = node("span");
    this.reads = node("span");
    this.ends = node("span");
    this.status = node("div", { class: "status", role: "alert" }, this.fate, node("div", { class: "reads", "aria-live": "off" }, this.reads, this.ends));
    this.figures = {};
    const figure = (name, title) => {
      const value = node("b"), note = node("span");
      this.figures[name] = { value, note };
      return node("div", { class: "figure", title }, value, note);
    };
    const counts = node("div", { class: "figures" },
      figure("words", MEANING.words), figure("arcs", "N-grams: pieces of n neighbouring letters."), figure("time", MEANING.time));
    this.canvas = node("canvas", { tabindex: "0", role: "img", "aria-label": "Lattice" });
    this.tip = node("div", { class: "tip", role: "tooltip" });
    this.stage = node("div", { class: "stage" }, this.canvas, this.tip);
    this.legend = node("div", { class: "legend" });
    this.tabs = node("div", { class: "levels stays", role: "group", "aria-label": "Levels of the cascade, as high as the words that are left" });
    this.whole = node("span", { class: "whole" });
    this.funnel = node("div", { class: "funnel" }, this.whole, this.tabs);
    this.guide = node("div", { class: "guide", "aria-live": "polite" }, node("b"), node("p"));
    this.scrub = node("input", { type: "range", min: "0", step: "1", class: "scrub", "aria-label": "Step of the story",
      oninput: () => this.goTo(+this.scrub.value), onpointerup: () => this.scrub.blur() });
    this.stepButtons = STEPS.map((name, s) => button(["→ forward", "← backward", "max-marginal", "threshold", "prune"][s],
      `Show the ${name} step`, () => this.set({ step: s }), { class: "step" }));
    this.transport = node("div", { class: "transport row", role: "group", "aria-label": "Story" }, this.playControl("Play (space)", { class: "play" }), this.scrub);
    const steps = node("section", {}, node("div", { class: "row" }, button("|◀", "Restart (Home)", () => this.goTo(0)),
      button("◀", "Step back (left arrow)", () => this.step(-1)), button("▶|", "Step forward (right arrow)", () => this.step(1))),
      node("div", { class: "row steps" }, this.stepButtons));
    this.alphaValue = node("output", { class: "alpha-value" });
    this.alpha = this.range("big", () => this.view.level - 1);
    this.formula = node("p", { class: "formula" });
    this.edgeButton = button("just before the truth falls", "Set alpha to just before filter loss", () => this.toEdge());
    this.tunedButton = button("tuned", "Alpha as training chose it on development data (T)", () => this.toTuned());
    const alphaBox = this.alphaBox = node("section", { class: "alpha", role: "group", "aria-label": "How hard to prune" },
      node("div", { class: "row" }, node("label", { title: MEANING.alpha }, "How hard to prune, ", node("i", {}, "α")), this.alphaValue),
      this.alpha, this.quick = node("div", { class: "row" }, this.tunedButton, this.edgeButton), this.formula);
    this.minis = node("section", { class: "minis", "aria-label": "Alpha of every level" });
    this.why = node("section", { class: "why", "aria-live": "polite" });
    this.pinBox = node("section", { class: "pins" });
    this.guessBox = node("section", { class: "guess" });
    this.menu = node("div", { class: "menu", hidden: true },
      button("PNG", "Save the picture as PNG", () => this.exportPng()), button("SVG", "Save the picture as SVG", () => this.exportSvg()),
      this.csvButton = button("CSV", "Save every n-gram of this level as CSV", () => this.exportCsv()),
      button("Link", "Copy a link to exactly this view", () => this.copyLink()));
    const rest = this.rest = node("section", { class: "row" },
      button("Export", "Save or share: PNG, SVG, CSV, link", () => { this.menu.hidden = !this.menu.hidden; }), this.menu,
      this.revealButton = button("Hide the truth", "Predict first, then reveal", () =>
        this.set({ reveal: this.view.reveal === "hidden" ? "shown" : "hidden" })),
      button("? keys", "Keys", () => this.toggleKeys()), this.note);
    this.keyList = node("div", { class: "keys", hidden: true, role: "dialog", "aria-label": "Keys" },
      node("b", {}, "Keys"), node("dl", {}, KEYS.map(([k, what]) => [node("dt", {}, k), node("dd", {}, what)])),
      button("Close", "Close (Esc)", () => this.toggleKeys()));
    this.more = moreBox([steps, this.minis, this.pinBox, rest], { name: "View" });
    const controls = node("div", { class: "controls" }, this.transport, alphaBox, this.why, this.guessBox, this.more.box);
    this.side = node("aside", { class: "side" }, this.guide, controls);
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.listenToCanvas();
    this.listen(document, LATTICE, ({ detail }) => this.hear(detail));
    this.listen(document, "keyup", (event) => { if (event.key === "ArrowUp" || event.key === "ArrowDown") this.endKeyDrag(); });
    return node("div", { class: "lattice" }, (this.head = node("div", { class: "head" }, this.status, counts)),
      node("div", { class: "body" }, node("div", { class: "left" }, this.funnel, this.stage, this.legend), this.side), this.summary, this.keyList);
  }

  range(kind, levelIndex) {
    const input = node("input", { type: "range", min: "0", max: "1", step: "0.001", class: kind, "aria-label": "alpha" });
    input.addEventListener("pointerdown", () => this.startDrag());
    input.addEventListener("input", (event) => {
      this.setAlpha(levelIndex(), +input.value, event.timeStamp);
      if (!this.drag) this.keyDrag();
    });
    const end = () => { this.endDrag(); input.blur(); };
    input.addEventListener("pointerup", end);
    input.addEventListener("pointercancel", end);
    input.addEventListener("change", () => this.endDrag());
    return input;
  }

  // ---------------------------------------------------------------- data in, view out

  take(data, isNew) {
    if (isNew) {
      this.guess = "";
      this.hover = -1;
    }
    if (data.seq >= this.seq) {
      this.pendingSince = 0;
      this.cancel("give up");
    }
    const { names } = data.parts;
    this.data = { ...data, ...names };
    this.alphabet = [...names.alphabet];
    if (data.words.length) this.alphabet.joint = " ";
    speakOfTags(data.words.length > 0);
    this.truth = data.truth;
    this.images = unpackInk(data.pixels);
    this.levels = this.openPart("level", data, this.levels);
    for (const name of ["A", "B"]) {
      this.pinLevels[name] = data.pins[name] ? this.openPart(`pin ${name}`, data.pins[name], this.pinLevels[name] || []) : null;
    }
    this.view.level = clamp(this.view.level, 1, this.levels.length);
    this.secret = new Set(data.hidden ?? []); // the parts that a question asks for
    if (this.isSecret) this.view.step = Math.min(this.view.step, LAST_OPEN_STEP);
    for (const part of [this.alphaBox, this.minis, this.rest]) part.hidden = this.isSecret;
    for (const part of [this.edgeButton, this.tunedButton]) part.hidden = this.secret.has("edge");
    this.root.classList.toggle("bare", !data.controls);
    this.revealButton.hidden = data.words.length > 0 || this.secret.has("reading");
    this.csvButton.hidden = this.secret.size > 0; // it has all numbers of the level
    if (data.brief && this.quick.parentElement !== this.inMore) (this.inMore = this.more.box.lastChild).prepend(this.transport, this.quick); // next to another view there is little space
    this.readColours();
    this.buildLevels();
    if (this.queued && !this.pendingSince) this.flush();
  }

  /** Take another word, from a view that requested it itself. */
  hear(news) {
    if (!this.component || !this.root.isConnected) return;
    if (news.lattice.length) this.takeAnswer(news.lattice, { cell: "" });
    news.isTaken = news.lattice.length > 0;
  }

  /** The levels of the word, or of a pin, with their current settings; levels already here are reused. */
  openPart(name, settings, old) {
    return settings.was_capped.map((_, i) => {
      const part = this.data.parts[`${name} ${i}`];
      const level = old[i] && old[i].digest === part.digest ? old[i] : openLevel(part);
      level.groups = level.groups || linkGroups(level);
      level.keep = level.keep || new Uint8Array(level.nArcs);
      return Object.assign(level, settingsOf(settings, i), { pinState: null });
    });
  }

  /** Lower end of a level's slider; once it has had to reach lower, it stays there. */
  lowestOf(i) {
    const level = this.levels[i];
    return (level.lowest = Math.min(level.lowest ?? 0, lowestOf(level.tunedAlpha, this.alphaOf(i))));
  }
  alphaOf(i) {
    const alpha = this.view.alphas[i];
    return alpha === null || alpha === undefined ? this.levels[i].tunedAlpha : alpha;
  }
  get level() { return this.levels[this.view.level - 1]; }
  /** Whether a question asks what the threshold does: then neither it nor the falling arcs are shown. */
  get isSecret() { return this.secret.has("threshold"); }
  /** Number of levels of the cascade; the browser does not have those that would answer a question. */
  get nLevels() { return Math.max(this.levels.length, this.data.n_levels ?? 0); }
  get truthVisible() { return this.view.reveal !== "hidden"; }

  set(change, { dragging = false, isSilent = false } = {}) {
    this.tip.hidden = true; // it is about the earlier state
    const { level, step } = this.view;
    if (this.isSecret) change = { ...change, level: this.view.level, step: Math.min(change.step ?? step, LAST_OPEN_STEP) };
    else if (this.secret.has("kept")) change = { ...change, step: Math.min(change.step ?? step, Math.max(step, THRESHOLD_STEP)) };
    if (this.secret.has("reading")) change = { ...change, reveal: this.view.reveal };
    super.set(change, true);
    if (level !== this.view.level) this.hover = -1;
    if (level !== this.view.level || step !== this.view.step) {
      this.fade = { from: level === this.view.level ? this.heights : null, at: performance.now() };
      this.sweepAt = this.view.step < 2 && this.playing && !this.calm.matches ? performance.now() : 0;
    }
    if (!isSilent) this.send(dragging); // no level below the last one has to follow a drag
  }

  setAlpha(index, value, stamp) {
    if (this.isSecret) return;
    value = clamp(value, this.lowestOf(index), 1);
    if (this.alphaOf(index) === value) return;
    this.view.alphas[index] = value;
    this.stamp(stamp);
    const change = index === this.view.level - 1 && this.view.step < 3 ? { step: 4 } : {};
    const isLast = index === this.levels.length - 1;
    this.set(change, { dragging: true, isSilent: isLast && Boolean(this.drag) });
  }

  get isDragging() { return Boolean(this.drag) || this.isDue("key drag"); }
  get isUnsent() { return this.queued || this.pendingSince > 0; }

  /** Tell the server, at most every SEND_EVERY_MS and never two messages at once. */
  send(isDragging = false) {
    this.queued = true;
    if (this.isDue("send")) return;
    const wait = isDragging ? Math.max(0, SEND_EVERY_MS - (performance.now() - this.lastSent)) : 120;
    this.after("send", wait, () => this.flush());
  }

  flush() {
    if (!this.queued || !this.component) return;
    if (this.pendingSince && performance.now() - this.pendingSince < GIVE_UP_MS) return;
    if (this.isDragging && performance.now() - this.lastSent < SEND_EVERY_MS - 5) {
      this.send(true);
      return;
    }
    this.queued = false;
    this.lastSent = this.pendingSince = performance.now();
    this.seq += 1;
    this.after("give up", GIVE_UP_MS + 50, () => { this.pendingSince = 0; this.flush(); });
    this.root.dataset.sent = this.seq;
    this.component.setStateValue("view", this.stateToTell());
  }

  viewToSend() { return { ...super.viewToSend(), seq: this.seq, dragging: this.isDragging }; }

  // ---------------------------------------------------------------- dragging

  startDrag() {
    this.tip.hidden = true;
    super.startDrag();
  }

  /** Arrow keys held down count as dragging until they rest for a moment. */
  keyDrag() { this.after("key drag", 300, () => this.send()); }
  endKeyDrag() { if (this.cancel("key drag")) this.send(); }

  // ---------------------------------------------------------------- story: levels and steps

  /** Position in the whole story: five steps per level. */
  get position() { return (this.view.level - 1) * STEPS.length + this.view.step; }
  get lastPosition() { return this.levels.length * STEPS.length - 1; }
  goTo(position) {
    const level = Math.floor(position / STEPS.length) + 1;
    this.set({ level: clamp(level, 1, this.levels.length), step: position % STEPS.length });
  }
  step(by) { this.goTo(clamp(this.position + by, 0, this.lastPosition)); }
  rewind() { if (this.position >= this.lastPosition) this.goTo(0); }
  advance() {
    const { position } = this;
    this.step(1);
    return this.position > position && this.position < this.lastPosition;
  }
  /** The threshold of every level, then what falls. */
  get story() {
    const pruned = this.levels.flatMap((_, i) => [{ level: i + 1, step: 3 }, { level: i + 1, step: 4 }]);
    return [{ level: 1, step: 2 }, ...this.isSecret || this.secret.has("kept") ? [] : pruned];
  }

  // ---------------------------------------------------------------- computing what is shown

  compute() {
    const level = this.level, alpha = this.alphaOf(this.view.level - 1);
    const tau = threshold(level, alpha);
    keepMask(level, tau, level.keep);
    const now = { level, alpha, tau, kept: total(level.keep), keep: level.keep, counts: columnCounts(level, level.keep),
                  words: countPaths(level, level.keep, level.groups), fate: truthFate(level, level.keep, tau) };
    if (!level.valid) {
      level.valid = new Uint8Array(level.nArcs);
      for (let a = 0; a < level.nArcs; a++) level.valid[a] = level.maxMarginal[a] > -Infinity ? 1 : 0;
      level.wordsBefore = countPaths(level, level.valid, level.groups);
      level.allowedBefore = allowedLetters(level, level.valid, this.alphabet.length);
      const scale = scoreScale(level);
      level.mmHeights = Float64Array.from(level.maxMarginal, scale);
      level.forwardHeights = columnScale(level, level.forward);
      level.backwardHeights = columnScale(level, level.backward);
    }
    now.allowed = level.order > 1 ? allowedLetters(level, level.keep, this.alphabet.length) : null;
    this.now = now;
    return now;
  }

  targetHeights() {
    const level = this.level;
    return this.view.step === 0 ? level.forwardHeights : this.view.step === 1 ? level.backwardHeights : level.mmHeights;
  }

  // ---------------------------------------------------------------- drawing

  fit() {
    const wide = this.root.clientWidth, { isEmbed } = this;
    this.letter = this.isBig ? 26 : wide < PHONE ? 15 : 16;
    const room = this.roomBelow(this.root.querySelector(".body"));
    const height = isEmbed ? Math.max(this.data.brief ? 380 : 560, room - 10) : clamp(room - 16, window.innerWidth < NARROW ? 640 : 560, 1100);
    this.root.style.setProperty("--body-height", `${Math.round(height)}px`);
  }

  readColours() {
    const read = this.readTheme();
    const background = toRgb(read("background-color", "#ffffff")), text = toRgb(read("text-color", "#222222"));
    const palette = this.data.palette[this.theme];
    const mix = (a, b, t) => `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * t)).join(",")})`;
    const rgbOf = (name) => toRgb(palette[name]);
    this.colours = {
      ...palette, background: mix(background, background, 0), text: mix(text, text, 0), muted: mix(text, background, 0.28),
      border: mix(text, background, 0.75), hollow: mix(text, background, 0.6), panel: mix(background, text, 0.06),
      panelFaint: mix(background, text, 0.03), pruned: palette.pruned, link: mix(background, rgbOf("kept"), 0.4),
      keptPale: mix(background, rgbOf("kept"), 0.35), truthTint: mix(background, rgbOf("truth"), 0.14),
      lossTint: mix(background, rgbOf("lost"), 0.14), truthText: palette.truth, thresholdText: palette.threshold,
      onColour: mix(background, background, 0),
    };
    this.font = read("font", "sans-serif");
    for (const name of ["kept", "truth", "threshold", "map", "pinA", "pinB", "truthText", "truthTint", "lossTint", "lost", "onColour", "thresholdText", "muted", "panel", "border", "keptPale"]) {
      this.root.style.setProperty(`--c-${name}`, this.colours[name]);
    }
  }

  model(heights, shown) {
    const now = this.now, pins = { A: this.pinState("A"), B: this.pinState("B") };
    this.pinsNow = pins;
    const arc = this.selectedArc();
    return {
      ...now, step: this.view.step, heights, shown, images: this.images, words: this.data.words, alphabet: this.alphabet, truthVisible: this.truthVisible,
      truthLetters: this.truth, selected: arc, hover: this.hover, path: arc >= 0 && !this.secret.has("why") ? witness(now.level, arc) : [],
      pins: { A: pins.A && pins.A.keys, B: pins.B && pins.B.keys }, allowedBefore: now.level.allowedBefore,
      colours: this.colours, letter: this.letter, names: { tau: "τ" },
    };
  }

  paint() {
    const room = this.stage.clientWidth, height = this.stage.clientHeight;
    if (room < 20 || height < 20) return;
    // Long sentences scroll sideways: a column has to hold a tag's name and a bar.
    const isPhone = this.root.clientWidth < PHONE && !this.isOnPaper, ofLetters = isPhone ? this.level.nColumns * PHONE_COLUMN : 0; // swiped a few columns at a time
    const width = Math.max(room, this.data.words.length ? this.level.nColumns * this.letter * 4.6 * this.level.order : ofLetters);
    this.canvas.style.touchAction = width > room ? "pan-x pan-y" : "";
    this.canvas.style.width = width > room ? `${width}px` : "";
    this.stage.style.overflowX = width > room ? "auto" : "";
    const ratio = this.dots;
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.compute();
    const time = performance.now(), target = this.targetHeights();
    let heights = target, isMoving = false;
    if (this.fade.from && this.fade.from.length === target.length && !this.calm.matches) {
      const t = clamp((time - this.fade.at) / 380, 0, 1), ease = t * (2 - t);
      if (t < 1) { heights = Float64Array.from(target, (v, a) => this.fade.from[a] + (v - this.fade.from[a]) * ease); isMoving = true; }
      else this.fade.from = null;
    }
    const columns = this.level.nColumns, shown = new Float64Array(columns).fill(1);
    if (this.sweepAt) {
      const t = (time - this.sweepAt) / SWEEP_MS * (columns + 1);
      for (let c = 0; c < columns; c++) shown[c] = clamp(t - (this.view.step === 0 ? c : columns - 1 - c), 0, 1);
      if (t > columns + 1) this.sweepAt = 0;
      else isMoving = true;
    }
    this.heights = heights;
    this.geometry = drawScene(canvasPen(context, this.font), { width, height }, this.model(heights, shown));
    this.tell();
    this.notePaint(performance.now() - time);
    document.dispatchEvent(new CustomEvent(PAINTED, { detail: this }));
    this.root.dataset.ready = "1";
    if (isMoving) this.draw();
  }
}

Object.assign(LatticeView.prototype, INPUT, WORDS, EXPORTS, PINS);

export default makeMount(LatticeView);
