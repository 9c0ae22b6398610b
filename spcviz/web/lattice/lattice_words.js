// Texts next to the lattice picture.
// Methods of LatticeView (lattice.js), written on each paint; a text is touched only when it changes. Plain language
// first, the symbol second.

import { STEPS, breakPoint, countPaths, keepMask, readableCount, readablePercent, readableScore, spellArc, spellPath, superscript,
  threshold, truthBreakPoint, truthFate, witness } from "./lattice_core.js";
import { button, node, setText, speakAs } from "../view/elements.js";
import { wedge } from "../view/funnel.js";
import { MAX_ALPHA, belowMean } from "../view/rule.js";

const GRAM = ["letter", "pair", "triple", "4-gram", "5-gram", "6-gram"];
export const gram = (n) => GRAM[n - 1] || `${n}-gram`;
export const grams = (n, count = 2) => gram(n) + (count === 1 ? "" : "s");
export const MEANING = {
  alpha: "Alpha says how hard to prune: 0 puts the threshold at the mean of all max-marginals, 1 at the best; below 0 it lies under the mean.",
  tau: "Tau is the threshold: everything whose max-marginal is not above it is pruned.",
  mm: "Max-marginal: the score of the best complete word that uses this piece. No word through it scores more.",
  mean: "The mean of all finite max-marginals of this level: where the threshold stands at alpha 0.",
  truth: "The word that was really written.",
  map: "The best-scoring complete word at this level. Its pieces are never pruned.",
  words: "Complete words that can still be spelled with what is kept.",
  time: "Measured on this word: scores, messages, threshold and pruning. Dense: exact Viterbi without pruning.",
};

const TAG_WORDS = { letter: "tag", letters: "tags", word: "tagging", words: "taggings", Word: "Tagging", Letters: "Tags" };
/** Set whether texts speak of tags and taggings of a sentence, or of letters and words. */
export const speakOfTags = (isText) =>
  speakAs((text) => isText ? text.replace(/\b(letters?|words?|Word|Letters)\b/g, (w) => TAG_WORDS[w]) : text);

export const total = (mask) => { let n = 0; for (let a = 0; a < mask.length; a++) n += mask[a]; return n; };
const micro = (v) => `${Math.round(v).toLocaleString("en-US")}\u00a0µs`;
/** An alpha as text: two decimals, three if needed, four where it would otherwise read 1.00 or 0.00. */
export const alphaText = (v) => (v > 0 && v < 0.005) || (v < 1 && v > 0.995) ? v.toFixed(4) : v.toFixed(3).replace(/0$/, "");

export const WORDS = {
  levelName(i) { return this.data.level_names[i] || grams(this.levels[i].order); },
  buildLevels() {
    const n = this.levels.length;
    if (this.tabs.childElementCount !== n) {
      this.sections = this.levels.map((level, i) => {
        const left = node("span", { class: "left-words" }), shape = node("span", { class: "wedge", "aria-hidden": "true" });
        const tab = button(this.levelName(i), `Level ${i + 1}: ${this.levelName(i)} (key ${i + 1})`, () => this.set({ level: i + 1 }));
        tab.prepend(shape);
        tab.append(" ", left);
        return { tab, left, shape, drawn: "" };
      });
      this.tabs.replaceChildren(...this.sections.map(({ tab }) => tab));
      this.miniRows = this.levels.map((level, i) => {
        const input = this.range("mini", () => i);
        input.setAttribute("aria-label", `alpha of level ${i + 1}`);
        const value = node("output"), left = node("span", { class: "left-over" });
        const label = button(`${i + 1}`, `Show level ${i + 1}`, () => this.set({ level: i + 1 }), { class: "mini-level" });
        return { input, value, left, row: node("div", { class: "mini-row" }, label, input, value, left) };
      });
      this.minis.replaceChildren(node("span", { class: "caption", title: MEANING.alpha }, "α of every level, and what it keeps"), ...this.miniRows.map((m) => m.row));
      this.scrub.max = String(n * STEPS.length - 1);
    }
    const mark = (shape, text, title) => node("span", { title }, node("i", { class: `mark ${shape}` }), text);
    this.legend.replaceChildren(mark("kept", "kept", "Solid bar: max-marginal above the threshold"), mark("pruned", "pruned", "Hollow bar, struck through"),
      ...(this.data.words.length ? [] : [mark("truth", "truth", MEANING.truth)]), mark("map", "best word", MEANING.map), mark("tau", ["threshold τ", node("span", { class: "hand" }, ": drag it")], MEANING.tau),
      ...(this.data.pins.A ? [mark("pinA", "kept by A", "Pinned A")] : []), ...(this.data.pins.B ? [mark("pinB", "kept by B", "Pinned B")] : []));
  },

  /** Set a slider to a level's alpha, with the range that it needs. */
  slide(input, i) {
    const alpha = this.alphaOf(i), lowest = String(this.lowestOf(i));
    if (input.min !== lowest) input.min = lowest;
    if (+input.value !== alpha) input.value = String(alpha);
  },

  /** Write all texts; called on each paint, changes only those that differ. */
  tell() {
    const { level, alpha, tau, kept, words, fate } = this.now, n = level.order, L = level.nPositions, K = this.alphabet.length;
    const isPruned = this.view.step >= 4;
    [...this.tabs.children].forEach((b, i) => {
      b.setAttribute("aria-pressed", String(i + 1 === this.view.level));
      b.tabIndex = i + 1 === this.view.level ? 0 : -1; // one stop of the Tab key; arrows move on from there
    });
    this.stepButtons.forEach((b, s) => b.setAttribute("aria-pressed", String(s === this.view.step)));
    this.scrub.value = String(this.position);
    this.slide(this.alpha, this.view.level - 1);
    this.alpha.setAttribute("aria-valuetext", `alpha ${alphaText(alpha)}${belowMean(alpha)}`);
    setText(this.alphaValue, `${alphaText(alpha)}${belowMean(alpha)}`);
    const isTuned = this.view.alphas[this.view.level - 1] === null;
    this.tunedButton.setAttribute("aria-pressed", String(isTuned));
    this.tunedButton.title = `Alpha as training chose it on development data: ${alphaText(level.tunedAlpha)} (T)`;
    this.edgeButton.hidden = this.secret.has("edge") || !this.truthVisible || !level.truthArcs.length || !Number.isFinite(truthBreakPoint(level));
    this.miniRows.forEach((m, i) => {
      const a = this.alphaOf(i), l = this.levels[i];
      this.slide(m.input, i);
      setText(m.value, alphaText(a));
      m.row.classList.toggle("shown", i === this.view.level - 1);
      if (l.countedAt !== a) {
        const tauOf = threshold(l, a), mask = keepMask(l, tauOf, l.keep);
        Object.assign(l, { countedAt: a, count: total(mask), wordsAfter: countPaths(l, mask, l.groups), fateAt: truthFate(l, mask, tauOf).state });
      }
      if (this.secret.has("kept")) setText(m.left, "?");
      else setText(m.left, `${l.count.toLocaleString("en-US")} of ${l.nArcs.toLocaleString("en-US")}`);
    });
    this.tellFunnel(K ** L);
    const figures = this.figures, all = K ** L, grid = K ** n * level.nColumns;
    setText(figures.words.value, readableCount(isPruned ? words : level.wordsBefore));
    setText(figures.words.note, `${(isPruned ? words : level.wordsBefore) === 1 ? "word" : "words"} left of ${K}${superscript(L)} = ${readableCount(all)}`);
    setText(figures.arcs.value, `${(isPruned ? kept : level.nArcs).toLocaleString("en-US")}`);
    setText(figures.arcs.note, `${grams(n)} ${isPruned ? "kept" : "to look at"} of ${n === 1 ? `${K} × ${L}` : `${K}${superscript(n)} × ${level.nColumns}`} = ${readableCount(grid)} (${readablePercent(isPruned ? kept : level.nArcs, grid)})`);
    setText(figures.time.value, `${micro(this.data.microseconds)}`);
    setText(figures.time.note, `for all levels${this.data.microseconds_dense === null ? "; exact search was not run at this order"
      : ` (exact search: ${micro(this.data.microseconds_dense)})`}`);
    this.tellStatus(fate, tau);
    this.tellStep();
    setText(this.formula, level.hasSpread
      ? `τ = best − (1 − α)(best − mean) = ${readableScore(level.best)} − ${(1 - Math.min(alpha, MAX_ALPHA)).toFixed(3)} × ${readableScore(level.best - level.mean)} = ${readableScore(tau)}`
      : "All max-marginals are equal here: there is nothing to tell apart, so nothing is pruned.");
    this.formula.title = `${MEANING.tau} ${MEANING.mean}`;
    this.tellWhy();
    this.tellPins();
    this.tellGuess();
    setText(this.revealButton, this.truthVisible ? "Hide the truth" : "Reveal");
    this.more.say(this.changes());
    const summary = `Level ${this.view.level} of ${this.nLevels}, ${grams(n)}, ${STEPS[this.view.step]} step. ${this.isSecret || this.secret.has("kept") ? "" : `alpha ${alphaText(alpha)}: ${kept} of ${level.nArcs} kept, ${readableCount(words)} words left. `}${this.truthVisible ? `Best word: ${spellPath(level, level.mapArcs, this.alphabet)}.` : ""} ${this.status.textContent}`;
    if (!this.drag) { setText(this.summary, summary); this.canvas.setAttribute("aria-label", summary); }
    const data = this.root.dataset;
    data.level = this.view.level; data.step = this.view.step; data.alpha = String(alpha); data.kept = this.secret.has("kept") ? "" : kept;
    data.fate = fate.state; data.letter = this.geometry.font.toFixed(1); data.cell = this.view.cell || "";
    data.followed = String(!this.isUnsent);
  },

  /** Show the words left after each level, as a funnel whose sections are the levels' tabs. */
  tellFunnel(all) {
    const isHidden = this.isSecret || this.secret.has("kept"), isSeen = this.truthVisible && this.truth.length > 0;
    setText(this.whole, readableCount(all));
    let before = all, isLost = false;
    this.sections.forEach((section, i) => {
      const level = this.levels[i], after = isHidden ? before : level.wordsAfter;
      isLost = isLost || (isSeen && !isHidden && (level.fateAt === "pruned" || level.fateAt === "gone"));
      const key = `${before}|${after}|${all}|${isLost}`;
      if (section.drawn !== key) {
        section.drawn = key;
        section.shape.replaceChildren(wedge(before, after, all));
        section.tab.classList.toggle("lost", isLost);
      }
      const name = this.levelName(i);
      const isNarrow = this.root.classList.contains("narrow");
      setText(section.left, isHidden ? "" : `${readableCount(after)}${isNarrow ? "" : ` ${after === 1 ? "word" : "words"} left`}${isLost ? " ✘" : ""}`);
      section.tab.setAttribute("aria-label", `${name} ${section.left.textContent}`.trim() + `: level ${i + 1} (key ${i + 1})`); // begins with the visible text
      before = after;
    });
  },

  /** Settings in the closed box that differ from the defaults. */
  changes() {
    const untuned = this.levels.map((_, i) => i + 1).filter((n) => n !== this.view.level && typeof this.view.alphas[n - 1] === "number");
    return [untuned.length && `own α at level ${untuned.join(", ")}`, !this.truthVisible && "the truth is hidden"];
  },

  tellStatus(fate, tau) {
    const level = this.level, word = this.nameLabelling(this.truth);
    let kind = fate.state, text = "";
    const best = spellPath(level, level.mapArcs, this.alphabet);
    if (!this.truthVisible) { kind = "hidden"; text = `The true word is hidden. What do you read?${this.secret.has("reading") ? "" : " Guess, then reveal."}`; }
    else if (kind === "unknown") text = !this.data.words.length ? "No true word is known for this one."
      : best === this.reading(this.view.level - 1) ? "" : `The best tagging here: ${best}`;
    else if (kind === "gone") {
      const fell = this.levels.findIndex((l, i) => i < this.view.level - 1 && truthFate(l, keepMask(l, threshold(l, this.alphaOf(i)), l.keep), threshold(l, this.alphaOf(i))).state === "pruned");
      text = `✖ TRUTH LOST: ${word} fell at ${fell >= 0 ? `level ${fell + 1}` : "an earlier level"}; no later level can bring it back.`;
    } else if (this.view.step < 3) { kind = "idle"; text = `The truth is ${word}. Its score here: ${readableScore(level.truthScore)}; best: ${readableScore(level.best)}.`; }
    else if (kind === "pruned") {
      const piece = spellArc(level, level.truthArcs[fate.column], this.alphabet);
      text = `✖ TRUTH PRUNED: “${piece}” at position ${fate.column + 1} of ${word} ${this.view.step === 3 ? "is not above" : "was not above"} τ = ${readableScore(tau)}.`;
    } else if (kind === "loss") text = `⚠ Filter loss counted (Definition 1): the truth scores ${readableScore(level.truthScore)} ≤ τ = ${readableScore(tau)}, yet every piece of ${word} still stands.`;
    else text = `✔ ${this.data.words.length ? "The gold tags survive" : `True word ${word} survives`} (${readableScore(level.truthScore)} > ${readableScore(tau)}).`;
    if (!level.hasSpread && kind === "safe") text = `✔ ${this.data.words.length ? "The gold tags survive" : `True word ${word} survives`}: nothing is pruned at this level.`;
    // Announced when the fate changes, not at every tick of a drag.
    this.status.setAttribute("aria-live", this.drag && this.status.dataset.kind === kind ? "off" : "assertive");
    setText(this.fate, text);
    if (this.status.dataset.kind !== kind) this.status.dataset.kind = kind;
    this.tellReading();
  },

  /** A labelling for use in a sentence: a word is spelled out; tags are not, since they are shown under their words. */
  nameLabelling(states) {
    return this.data.words.length ? "the gold tags" : `“${[...states].map((k) => this.alphabet[k]).join(this.alphabet.joint || "")}”`;
  },

  /** Show the reading at this level and the final one, with a tick or a cross if the truth is known. */
  tellReading() {
    const { right, why, words } = this.data, truth = right.length ? right : this.truth, last = this.levels.length - 1;
    const known = [...truth].map((k) => this.alphabet[k]).join(this.alphabet.joint || "");
    const say = (element, label, i, isShort) => {
      // Below a level whose alpha the server has not pruned with yet, the reading is unknown.
      const isStale = this.levels.slice(0, i).some((level, at) => this.alphaOf(at) !== level.alpha);
      const reading = isStale ? "…" : this.reading(i), is = isStale ? "unknown" : !this.truthVisible ? "hidden" : !known ? "unknown" : reading === known ? "right" : "wrong";
      const mark = { right: " ✔", wrong: " ✘" }[is] ?? "", because = is === "wrong" && why && !isShort ? ` Wrong: ${why}` : "";
      const told = isStale ? reading : words.length && known ? this.tagsRight(i, truth) : isShort ? "" : reading;
      setText(element, is === "hidden" ? "" : `${label}: ${told}${mark}${because}`);
      element.dataset.is = is;
    };
    say(this.reads, "Best guess at this level", this.view.level - 1, false);
    this.reads.hidden = this.secret.has("reading");
    this.ends.hidden = this.reads.hidden || this.view.level > last || this.levels.length < this.nLevels || (words.length > 0 && !known); // a sentence's tags are long
    say(this.ends, "Final guess", last, words.length > 0);
  },

  /** Number of a sentence's tags that a level's reading gets right. */
  tagsRight(i, truth) {
    const first = i * this.data.n_positions, read = this.data.predictions, n = truth.length;
    return `${[...truth].filter((k, at) => k === read[first + at]).length} of ${n} ${n === 1 ? "tag" : "tags"} right`;
  },

  tellStep() {
    const { level, alpha, tau, kept, words } = this.now, n = level.order, [title, text] = this.guide.children;
    const example = this.hover >= 0 ? this.hover : this.selectedArc();
    const live = example >= 0 && level.forward ? (value) => ` “${spellArc(level, example, this.alphabet)}”: ${value(example)}.` : () => "";
    const best = spellPath(level, level.mapArcs, this.alphabet), s = this.view.step;
    const below = level.nArcs - kept;
    setText(title, `Level ${this.view.level}, step ${s + 1} of 5: ${["forward message", "backward message", "max-marginal", "threshold", "prune"][s]}`);
    setText(text, s === 0
      ? `Left to right: each ${gram(n)} takes the best score of any beginning of a word that ends in it. ${n === 1 ? (this.view.level > 1 && this.data.words.length ? "" : "Single letters do not see their neighbours, so all lines start at the same best letter.") : "A line runs from the neighbour it came from."}${live((a) => `best beginning ${readableScore(level.forward[a])}`)}`
      : s === 1
      ? `Right to left: each ${gram(n)} learns the best score of the rest of the word after it.${live((a) => `best rest ${readableScore(level.backward[a])}`)}`
      : s === 2
      ? `Beginning plus rest is the score of the best whole word through each ${gram(n)}: its max-marginal. The best word${this.truthVisible ? `, “${best}”,` : ""} scores ${readableScore(level.best)}; no ${gram(n)} can have more.${live((a) => `${readableScore(level.forward[a])} + ${readableScore(level.backward[a])} = ${readableScore(level.maxMarginal[a])}`)}`
      : s === 3
      ? `τ = ${readableScore(tau)} lies ${alpha < 0 ? `below the mean (${readableScore(level.mean)}), by ${alphaText(-alpha)} of its way to the best` : `${alphaText(alpha)} of the way from the mean (${readableScore(level.mean)}) to the best`} (${readableScore(level.best)}). ${this.secret.has("kept") ? "" : `${below.toLocaleString("en-US")} of ${level.nArcs.toLocaleString("en-US")} ${grams(n)} are not above it.`}`
      : `${kept.toLocaleString("en-US")} of ${level.nArcs.toLocaleString("en-US")} ${grams(n)} stay: ${readableCount(words)} complete ${words === 1 ? "word" : "words"}. ${this.view.level < this.levels.length ? `The next level builds ${grams(this.levels[this.view.level].order)} from these only.` : this.view.level < this.nLevels ? "The next level builds on these only." : "This is the last level; the final predictor chooses among them."}${level.wasCapped ? ` The next level would have been too large, so α was raised from ${alphaText(level.alpha)} to ${alphaText(level.alphaUsed)} for it.` : ""}`);
  },

  tellWhy() {
    const { level, tau, alpha, keep } = this.now, arc = this.selectedArc();
    if (this.secret.has("why")) {
      this.whyKey = "";
      this.why.replaceChildren(node("p", { class: "caption" }, "Why it was pruned stays hidden until you have guessed."));
      return;
    }
    const key = `${arc}|${tau}|${this.view.level}|${this.view.cell}|${this.identity}|${this.truthVisible}|${this.isSecret}`;
    if (this.whyKey === key) return;
    this.whyKey = key;
    if (arc < 0) {
      const name = /^(\d+)-(.+)$/.exec(this.view.cell || "");
      this.why.replaceChildren(node("p", { class: "caption" }, name
        ? name[2].length === level.order ? `“${name[2]}” at position ${name[1]} is not here: a part of it was pruned at an earlier level.`
          : `“${name[2]}” was chosen at another level; this one scores ${grams(level.order)}.`
        : "Click a cell to see why it is kept or pruned."));
      return;
    }
    const text = spellArc(level, arc, this.alphabet), mm = level.maxMarginal[arc], at = breakPoint(level, arc);
    const path = witness(level, arc), word = spellPath(level, path, this.alphabet), isMap = level.mapArcs.includes(arc);
    const lines = [];
    if (mm === -Infinity) lines.push("No complete word passes through it: its max-marginal is −∞.");
    else {
      lines.push(`Its best whole word is “${word}”: max-marginal ${readableScore(mm)}.`);
      if (this.isSecret) lines.push("When it falls stays hidden until you have guessed.");
      else if (isMap) lines.push("It lies on the best word, which is never pruned.");
      else if (!level.hasSpread) lines.push("All max-marginals are equal, so nothing is pruned.");
      else {
        lines.push(`${readableScore(mm)} ${keep[arc] ? ">" : "≤"} τ = ${readableScore(level.best)} − (1 − ${alphaText(alpha)}) × (${readableScore(level.best)} − ${readableScore(level.mean)}) = ${readableScore(tau)}.`);
        lines.push(at < 0 ? `It is below the mean, so it falls at every α from 0 on: (${readableScore(mm)} − ${readableScore(level.mean)}) / ${readableScore(level.best - level.mean)} = ${at.toFixed(3).replace("-", "−")} < 0.`
          : `It falls at α = (${readableScore(mm)} − ${readableScore(level.mean)}) / (${readableScore(level.best)} − ${readableScore(level.mean)}) = ${at.toFixed(4)}.`);
      }
    }
    this.why.replaceChildren(node("b", { title: MEANING.mm }, `Why is “${text}” at position ${level.columnOf[arc] + 1} ${this.isSecret ? "as long as it is" : keep[arc] ? "kept" : "pruned"}?`), ...lines.map((t) => node("p", {}, t)));
    if (at > 0 && at < 1 && !this.isSecret && !this.secret.has("edge")) {
      this.why.append(button("go there", "Set alpha to where it falls", () => this.setAlphaOnce(at)));
    }
  },

  tellPins() {
    const key = ["A", "B"].map((p) => { const s = this.pinsNow[p]; return s ? `${s.kept}|${s.nArcs}|${s.words}|${s.fate.state}` : this.pinText(p); }).join("/") + this.now.kept + this.view.level + this.truthVisible;
    if (this.pinKey === key) return;
    this.pinKey = key;
    this.pinBox.replaceChildren(this.pinCard("A"), this.pinCard("B"));
    if (this.pinText("A") || this.pinText("B")) this.more.box.before(this.pinBox); // keep what is compared in sight
    else this.more.box.lastChild.append(this.pinBox);
  },
  canUse(name) { return this.pinText(name).split(":")[0] === this.data.features; },
  pinSays(name) {
    const state = this.pinsNow[name];
    if (!state) return "…";
    const fate = this.truthVisible ? { pruned: ", truth pruned ✖", gone: ", truth lost ✖", loss: ", filter loss ⚠", safe: ", truth safe ✔" }[state.fate.state] || "" : "";
    const other = this.canUse(name) ? "" : `, ${this.pinText(name).split(":")[0]}`;
    return `α ${alphaText(state.alpha)}${other}: ${state.kept} of ${state.nArcs} kept, ${readableCount(state.words)} words${fate}`;
  },

  tellGuess() {
    const isHidden = !this.truthVisible && !this.secret.has("reading"); // else the question's own choices are the guess
    if (this.guessShown === `${isHidden}|${this.identity}|${this.revealed}`) return;
    this.guessShown = `${isHidden}|${this.identity}|${this.revealed}`;
    if (!isHidden) {
      if (!this.guess) { this.guessBox.replaceChildren(); return; }
      const word = [...this.truth].map((k) => this.alphabet[k]).join(this.alphabet.joint || "");
      const readings = this.levels.map((l, i) => `${i + 1} “${this.reading(i)}”`).join(", ");
      this.guessBox.replaceChildren(node("p", {}, node("b", {}, this.guess === word ? "✔ You read it right. " : `✖ It says “${word}”; you read “${this.guess}”. `), `The cascade, level by level: ${readings}.`));
      return;
    }
    const input = node("input", { type: "text", maxlength: "30", placeholder: "your reading", "aria-label": "Your reading of the word", autocomplete: "off", spellcheck: "false" });
    input.value = this.guess;
    const reveal = () => { this.guess = input.value.trim().toLowerCase(); this.revealed = (this.revealed || 0) + 1; this.set({ reveal: "shown" }); };
    input.addEventListener("keydown", (event) => { event.stopPropagation(); if (event.key === "Enter") reveal(); });
    this.guessBox.replaceChildren(node("div", { class: "row" }, node("label", {}, "You read:"), input, button("Reveal", "Show the true word", reveal)));
  },
  /** The arc's tags in plain words, with the words that they label. */
  meaningOf(arc) {
    const { level } = this.now, { meanings, words } = this.data;
    if (!meanings.length) return "";
    const parts = [];
    for (let j = 0; j < level.order; j++) parts.push(`“${words[level.columnOf[arc] + j]}” as ${meanings[level.symbols[arc * level.order + j]]}`);
    return ` — ${parts.join(", then ")}`;
  },
  reading(i) {
    const L = this.data.n_positions, all = this.data.predictions;
    return [...all.subarray(i * L, (i + 1) * L)].map((k) => this.alphabet[k]).join(this.alphabet.joint || "");
  },

  showTip(arc, isLine, x, y) {
    if (arc < 0 && !isLine) { this.tip.hidden = true; return; }
    const { level, keep } = this.now;
    if (isLine) setText(this.tip, `Threshold τ = ${readableScore(this.now.tau)}: drag it. ${MEANING.tau}`);
    else {
      const at = breakPoint(level, arc), step = this.view.step;
      const value = step === 0 ? `best beginning ${readableScore(level.forward[arc])}` : step === 1 ? `best rest ${readableScore(level.backward[arc])}` : `max-marginal ${readableScore(level.maxMarginal[arc])}`;
      setText(this.tip, `“${spellArc(level, arc, this.alphabet)}” at position ${level.columnOf[arc] + 1}: ${value}${step >= 3 ? `, ${keep[arc] ? "kept" : "pruned"}` : ""}${step >= 2 && at > 0 && at <= 1 && !this.isSecret ? `, falls at α ${at.toFixed(3)}` : ""}${this.meaningOf(arc)}`);
    }
    this.tip.hidden = false;
    const width = this.stage.clientWidth;
    this.tip.style.left = `${Math.min(x + 14, width - Math.min(300, this.tip.offsetWidth) - 8)}px`;
    this.tip.style.top = `${y + 18}px`;
  },
};
