// The Tagging page's view: a sentence, under each word the tags that it can still have, which fade as alpha moves.
// Arrows lead from the neighbours that save a tag, or that cannot. The browser prunes the shown level; the levels
// below follow from the server once alpha is let go of.

import { openLevel, readableScore, settingsOf, threshold } from "../../../web/lattice/lattice_core.js";
import { button, clamp, node, setText, svg } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { belowMean, lowestOf } from "../../../web/view/rule.js";
import { View, makeMount } from "../../../web/view/view.js";
import { isLeft, taggingThrough, tagsOf, turnedWords } from "./sentence_core.js";

const SHOWN = 5, SHOWN_BIG = 4;
const SOON = 0.25; // in alpha: a tag this close to falling begins to fade
const HOW = ["Each word by itself", "Beside its neighbours", "In pairs"];

class SentenceView extends View {
  playMs = 1600;
  levels = [];

  build() {
    this.tabs = node("div", { class: "levels", role: "group", "aria-label": "What is looked at" });
    this.alpha = node("input", { type: "range", min: "0", max: "1", step: "0.001", "aria-label": "How hard to prune, alpha",
      onpointerdown: () => this.startDrag(), onpointerup: () => this.endDrag(), onpointercancel: () => this.endDrag(),
      oninput: (event) => { this.stamp(event.timeStamp); this.setAlpha(+this.alpha.value, true); }, onchange: () => { this.endDrag(); this.send(); } });
    this.alphaSays = node("output");
    this.tuned = button("tuned", "Alpha as training chose it on development data (T)", () => this.setAlpha(null));
    this.more = moreBox([button("Link", "Copy a link to exactly this view", () => this.copyLink()), button("CSV", "Save every tag of this level", () => this.exportCsv())], { isFloating: true });
    const bar = node("div", { class: "bar" }, this.playControl("Play the three looks (space)"), this.tabs, node("div", { class: "alpha", role: "group", "aria-label": "How hard to prune" }, node("label", {}, "How hard to prune, ", node("i", {}, "α")), this.alpha, this.alphaSays, this.tuned), this.more.box, this.note);
    this.verdict = node("p", { class: "verdict", role: "status" });
    this.counts = node("p", { class: "counts" });
    this.lines = svg("svg", { class: "lines", "aria-hidden": "true" });
    this.words = node("div", { class: "words", role: "listbox", tabindex: "0", "aria-label": "Words and their tags: arrow keys move, Escape clears" });
    this.words.addEventListener("click", (event) => {
      const chip = event.target.closest("[data-cell]");
      this.set({ cell: !chip || chip.dataset.cell === this.view.cell ? "" : chip.dataset.cell });
    });
    this.words.addEventListener("keydown", (event) => this.walkChips(event));
    this.why = node("p", { class: "why", "aria-live": "polite" });
    return node("div", { class: "sentence" }, bar, node("div", { class: "head" }, this.verdict, this.counts), this.why, node("div", { class: "stage" }, this.words, this.lines));
  }

  // ---------------------------------------------------------------- data in, view out

  take(data) {
    const { names } = data.parts;
    this.alphabet = names.alphabet;
    this.meanings = names.meanings;
    this.levels = data.was_capped.map((_, i) => {
      const part = data.parts[`level ${i}`], old = this.levels[i];
      const level = old && old.digest === part.digest ? old : openLevel(part);
      level.tags ??= tagsOf(level);
      return Object.assign(level, settingsOf(data, i));
    });
    this.answer = Array.from(data.predictions.subarray(data.predictions.length - data.n_positions));
    this.turned = turnedWords(this.levels[0].tags, this.answer);
    this.view.level = clamp(this.view.level, 1, this.levels.length);
    this.tabs.replaceChildren(...this.levels.map((_, i) => button(`${i + 1} ${HOW[i] ?? ""}`, `Look ${i + 1}: ${data.level_names[i] ?? ""} (key ${i + 1})`, () => this.go(i + 1))));
    this.root.classList.toggle("bare", !data.controls);
    this.buildWords();
  }
  get level() { return this.levels[this.view.level - 1]; }
  alphaOf(i) { return this.view.alphas[i] ?? this.levels[i].tunedAlpha; }
  get now() { return this.alphaOf(this.view.level - 1); }
  setAlpha(value, isDrag = false) {
    const alphas = this.levels.map((_, i) => this.view.alphas[i] ?? null);
    alphas[this.view.level - 1] = value === null ? null : clamp(value, +this.alpha.min, 1);
    this.set({ alphas }, isDrag);
  }
  go(level) { this.set({ level: clamp(level, 1, this.levels.length) }); }

  step(by) { this.go(this.view.level + by); }
  get story() { return this.levels.map((_, i) => ({ level: i + 1 })); }
  rewind() { if (this.view.level >= this.levels.length) this.view.level = 1; }
  advance() {
    this.step(1);
    return this.view.level < this.levels.length;
  }
  keys() {
    const nudge = (by) => () => this.setAlpha(Math.round(1000 * (this.now + by)) / 1000);
    return { 1: () => this.go(1), 2: () => this.go(2), 3: () => this.go(3), t: () => this.setAlpha(null), ArrowUp: nudge(0.01), ArrowDown: nudge(-0.01),
             Home: () => this.go(1), Escape: () => this.set({ cell: "" }) };
  }
  get most() { return this.isBig ? SHOWN_BIG : SHOWN; }
  /** With the sentence in focus, arrows move from tag to tag. */
  walkChips(event) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.pickedCell(), i = clamp(at ? at.i + by[0] : 0, 0, this.answer.length - 1), tags = this.level.tags[i].slice(0, this.most);
    const place = at ? (by[0] ? 0 : clamp(at.place + by[1], 0, tags.length - 1)) : 0;
    this.set({ cell: this.cellOf(i, tags[place].tag) });
    event.preventDefault();
    event.stopPropagation();
  }

  cellOf(i, tag) { return `${i + 1}-${this.alphabet[tag]}`; }
  /** The tag that the address names: {i, place, tag, arc, falls}, or null. */
  pickedCell() {
    const [, number, name] = /^(\d+)-(.+)$/.exec(this.view.cell || "") ?? [], tags = this.level.tags[number - 1];
    const place = tags ? tags.findIndex((entry) => this.alphabet[entry.tag] === name) : -1;
    return place < 0 ? null : { i: number - 1, place, ...tags[place] };
  }

  // ---------------------------------------------------------------- drawing

  buildWords() {
    this.columns = this.data.words.map((word) => {
      const chips = node("div", { class: "chips" }), rest = node("span", { class: "rest" });
      return { chips, rest, root: node("div", { class: "word", role: "group", "aria-label": word }, node("b", {}, word), chips, rest), drawn: "" };
    });
    this.words.replaceChildren(...this.columns.map((column) => column.root));
  }

  paint() {
    const started = performance.now(), { level, now } = this, isTuned = typeof this.view.alphas[this.view.level - 1] !== "number";
    [...this.tabs.children].forEach((tab, i) => tab.setAttribute("aria-pressed", String(i + 1 === this.view.level)));
    this.alpha.min = String(level.lowest = Math.min(level.lowest ?? 0, lowestOf(level.tunedAlpha, now)));
    this.alpha.value = String(now);
    setText(this.alphaSays, `${now.toFixed(3)}${belowMean(now)}`);
    this.tuned.hidden = isTuned || (this.data.hidden ?? []).includes("edge");
    const untuned = this.levels.map((_, i) => i + 1).filter((n) => n !== this.view.level && typeof this.view.alphas[n - 1] === "number");
    this.more.say([untuned.length && `own α at look ${untuned.join(", ")}`]);
    this.columns.forEach((column, i) => this.paintWord(column, i, level.tags[i]));
    this.words.setAttribute("aria-activedescendant", this.pickedCell() ? "picked" : "");
    this.paintLines();
    this.tell();
    this.notePaint(performance.now() - started);
    Object.assign(this.root.dataset, { ready: "1", level: this.view.level, alpha: now, left: this.left, cell: this.view.cell || "" });
  }

  paintWord(column, i, tags) {
    const { now, answer, data } = this, right = data.right.length ? data.right[i] : -1, picked = this.pickedCell();
    const left = tags.filter((entry) => isLeft(entry, now));
    const shown = tags.slice(0, this.most), late = tags.find((entry) => entry.tag === answer[i]);
    if (late && !shown.includes(late)) shown[this.most - 1] = late;
    const chips = shown.map((entry) => {
      const stands = isLeft(entry, now), isAnswer = entry.tag === answer[i], isPicked = picked && picked.i === i && picked.tag === entry.tag;
      const mark = isAnswer && right >= 0 ? (entry.tag === right ? " ✔" : " ✘") : !isAnswer && entry.tag === right ? " ← right" : "";
      const soon = stands && entry.falls !== Infinity ? clamp((entry.falls - now) / SOON, 0, 1) : 1;
      return { own: entry, stands, isAnswer, isPicked, mark, soon: Math.round(20 * soon) / 20 };
    });
    const key = chips.map((chip) => [chip.own.tag, chip.stands, chip.isPicked, chip.soon].join()).join("|") + left.length;
    if (column.drawn === key) return;
    column.drawn = key;
    column.chips.replaceChildren(...chips.map(({ own: entry, stands, isAnswer, isPicked, mark, soon }) => {
      const said = `${data.plain[entry.tag]} ${this.alphabet[entry.tag]}${mark}: “${data.words[i]}” as ${this.meanings[entry.tag]}, ${stands ? "still possible" : "ruled out"}${isAnswer ? ", the answer" : ""}`;
      const chip = node("span", { class: `chip${stands ? "" : " gone"}${isAnswer ? " answer" : ""}${isPicked ? " picked" : ""}${mark === " ✔" ? " right" : mark === " ✘" ? " wrong" : ""}`, role: "option",
        "aria-selected": String(Boolean(isPicked)), "aria-label": said, title: said, "data-cell": this.cellOf(i, entry.tag), style: `--soon:${0.45 + 0.55 * soon}` },
      node("span", { class: "plain" }, data.plain[entry.tag]), " ", node("small", {}, this.alphabet[entry.tag]), mark ? node("span", { class: "mark" }, mark) : "");
      if (isPicked) chip.id = "picked";
      return chip;
    }));
    const more = left.filter((entry) => !shown.includes(entry)).length, fallen = data.plain.length - left.length;
    setText(column.rest, more ? `+ ${more} more` : `${fallen} ruled out`);
  }

  /** Arrows to a tag from its neighbours in its best tagging: those that save it, or that do not suffice. */
  paintLines() {
    const box = this.lines.parentElement.getBoundingClientRect(), drawn = [];
    this.lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    const at = this.view.level === 1 ? [] : this.pickedCell() ? [this.pickedCell()] : this.turned.map((i) => ({ i, ...this.level.tags[i].find((entry) => entry.tag === this.answer[i]) }));
    for (const entry of at.filter((one) => one.arc !== undefined)) {
      const tags = taggingThrough(this.level, entry.arc), stands = isLeft(entry, this.now), to = this.place(entry.i, entry.tag, box);
      for (const j of [entry.i - 1, entry.i + 1]) {
        const from = tags[j] === undefined ? null : this.place(j, tags[j], box);
        if (!from || !to) continue;
        const side = j < entry.i ? 1 : -1, x1 = from.x + side * from.wide / 2, x2 = to.x - side * to.wide / 2, isNear = Math.abs(from.row - to.row) < 4;
        const path = isNear && side * (x2 - x1) > 0 ? `M${x1} ${from.y}L${x2} ${to.y}` : `M${from.x} ${from.y + 12}Q${(from.x + to.x) / 2} ${Math.max(from.y, to.y) + 40} ${to.x} ${to.y + 14}`;
        drawn.push(svg("path", { class: stands ? "saves" : "fails", d: path, "marker-end": `url(#${stands ? "tip-saves" : "tip-fails"})` }));
      }
    }
    const tip = (id) => svg("marker", { id, class: id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 5, markerHeight: 5, orient: "auto-start-reverse" });
    const tips = ["tip-saves", "tip-fails"].map(tip);
    for (const marker of tips) marker.append(svg("path", { d: "M0 0L10 5L0 10z" }));
    this.lines.replaceChildren(svg("defs", {}, ...tips), ...drawn);
  }
  place(i, tag, box) {
    const column = this.columns[i], chip = [...column.chips.children].find((child) => child.dataset.cell === this.cellOf(i, tag)) ?? column.root.firstChild;
    const rect = chip.getBoundingClientRect(), row = column.root.getBoundingClientRect().top;
    return { x: rect.left - box.left + rect.width / 2, y: rect.top - box.top + rect.height / 2, wide: rect.width, row };
  }

  // ---------------------------------------------------------------- words

  tell() {
    const { data, level, now, answer } = this, n = answer.length;
    this.left = level.tags.reduce((sum, tags) => sum + tags.filter((entry) => isLeft(entry, now)).length, 0);
    setText(this.counts, `${this.left} of ${n * data.plain.length} tags left, ${(this.left / n).toFixed(1)} a word`);
    const wrong = data.right.length ? answer.filter((tag, i) => tag !== data.right[i]).length : -1;
    const how = this.turned.length ? `Neighbours change the answer at ${this.turned.map((i) => `“${data.words[i]}”`).join(", ")}.` : "Neighbours change no answer here.";
    setText(this.verdict, wrong < 0 ? `In bold: the answer. ${how}` : wrong ? `✘ ${wrong} of ${n} ${wrong > 1 ? "answers are" : "answers is"} wrong. ${data.why || how}` : `✔ The answer, in bold, is right at all ${n} words. ${how}`);
    this.verdict.dataset.is = wrong < 0 ? "unknown" : wrong ? "wrong" : "right";
    setText(this.why, this.whyText());
  }
  whyText() {
    const { level, now, data } = this, picked = this.pickedCell(), tau = threshold(level, now);
    if (!picked) {
      const i = this.turned[0];
      if (this.view.level === 1 || i === undefined) return "Click a tag to see why it stays or goes.";
      const alone = this.levels[0].tags[i][0].tag;
      return `By itself “${data.words[i]}” is most likely ${data.plain[alone]} (${this.alphabet[alone]}); with the neighbours that the arrows come from, ${data.plain[this.answer[i]]} (${this.alphabet[this.answer[i]]}). Click a tag to see why.`;
    }
    const stands = isLeft(picked, now), name = `“${data.words[picked.i]}” as ${this.meanings[picked.tag]}`, score = level.maxMarginal[picked.arc];
    const best = taggingThrough(level, picked.arc).map((tag, j) => `${data.words[j]} ${this.alphabet[tag]}`).join(", ");
    const when = picked.falls === Infinity ? "It is part of the best tagging, which is never pruned." : picked.falls < 0 ? "It falls at every α." : `It falls at α = ${picked.falls.toFixed(3)}.`;
    const which = this.view.level === 1 ? "" : ` Its best tagging of the whole sentence: ${best}.`;
    return `${name} ${stands ? "stays" : "is ruled out"}: the best that any tagging with it scores is ${readableScore(score)} ${stands ? ">" : "≤"} τ = ${readableScore(tau)}.${which} ${when}`;
  }

  fileName(kind) { return `tags.${kind}`; }
  exportCsv() {
    const rows = ["word,tag,max_marginal,falls_at,left"], quoted = (text) => `"${text.replaceAll("\"", "\"\"")}"`;
    this.level.tags.forEach((tags, i) => tags.forEach((entry) => rows.push([quoted(this.data.words[i]), quoted(this.alphabet[entry.tag]), this.level.maxMarginal[entry.arc], entry.falls, Number(isLeft(entry, this.now))].join(","))));
    this.saveRows(rows);
  }
}

export default makeMount(SentenceView);
