// Home's view: one handwritten word, and under each letter the 26 candidates, most promising on top.
// A candidate is kept iff alpha < fallsAt (exact break points from Python), so dragging only compares numbers. The
// best ROWS are drawn, with the number of others that are kept below them. Once the slider rests, a sharper model reads
// one of the words that are left (its readings, with the alphas at which they change, come from Python too).

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 64, ROW = 22, ROWS = 12, INK = 5, TOP = 16 * INK + 14;
const SWEEP_MS = 5000, PAUSE_MS = 900, REST_MS = 1600;
const views = new WeakMap();

function add(parent, name, attributes, text) {
  const node = parent.appendChild(document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  return node;
}

function build(svg, { pixels, truth, order, fallsAt }) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${WIDTH * pixels.length} ${TOP + ROW * (ROWS + 1)}`);
  const cells = [], more = [];
  pixels.forEach((ink, column) => {
    const x = column * WIDTH;
    const left = x + (WIDTH - 8 * INK) / 2;
    add(svg, "rect", { class: "paper", x: x + 4, y: 1, width: WIDTH - 8, height: 16 * INK + 4, rx: 5 });
    const squares = ink.map((on, i) => (on ? `M${left + (i % 8) * INK} ${3 + Math.floor(i / 8) * INK}h${INK}v${INK}h-${INK}z` : ""));
    add(svg, "path", { class: "ink", d: squares.join("") });
    [...order[column]].forEach((letter, row) => {
      const isTrue = letter === truth[column];
      const cell = { letter, column, isTrue, isBest: row === 0, fallsAt: fallsAt[column][row] };
      cells.push(cell);
      if (row >= ROWS) return;
      const group = cell.group = add(svg, "g", { class: `cell${row ? "" : " best"}${isTrue ? " truth" : ""}` });
      add(group, "rect", { x: x + 6, y: TOP + row * ROW + 1, width: WIDTH - 12, height: ROW - 2, rx: 4 });
      cell.mark = add(group, "text", { x: x + WIDTH / 2, y: TOP + row * ROW + ROW / 2 }, letter);
    });
    more.push(add(svg, "text", { class: "more", x: x + WIDTH / 2, y: TOP + ROW * (ROWS + 0.5) }));
  });
  return { cells, more };
}

function letters(view, alpha, isPruned) {
  const kept = new Array(view.data.truth.length).fill(0), unseen = [...kept];
  let lost = -1;
  for (const cell of view.cells) {
    const isGone = isPruned && !(alpha < cell.fallsAt) && !cell.isBest;
    if (!isGone) kept[cell.column] += 1;
    else if (cell.isTrue && lost < 0) lost = cell.column;
    if (!cell.group) {
      unseen[cell.column] += !isGone;
      continue;
    }
    cell.group.classList.toggle("gone", isGone);
    cell.group.classList.remove("read", "passed");
    if (cell.isTrue) cell.mark.textContent = isGone ? `✖ ${cell.letter}` : `★ ${cell.letter}`;
  }
  view.more.forEach((text, column) => (text.textContent = unseen[column] ? `+ ${unseen[column]} more` : ""));
  return { kept, lost, words: kept.reduce((product, n) => product * BigInt(n), 1n) };
}

/** The true letters that an alpha has pruned, in words; or the pronoun for them in the next sentence. */
function missing({ cells }, alpha, isPronoun = false) {
  const gone = cells.filter((cell) => cell.isTrue && !cell.isBest && !(alpha < cell.fallsAt)).map((cell) => `“${cell.letter}”`);
  if (isPronoun) return gone.length === 1 ? "it" : "them";
  const last = gone.pop();
  return gone.length ? `the ${gone.join(", ")} and ${last} that were really written are` : `the ${last} that was really written is`;
}

const countOfWords = (n) => `${n.toLocaleString("en-US")} ${n === 1n ? "word" : "words"}`;

/** Update the funnel next to the story: all words, those that the quick model leaves, the one that is read. */
function tellFunnel(view, left, isLost, reading = "", isRight = false) {
  document.dispatchEvent(new CustomEvent("spcviz-home", { detail: { all: 26 ** view.data.truth.length, left: Number(left), isLost, reading, isRight } }));
}

/** Show what the quick model leaves at an alpha. */
function show(view, alpha, isPruned) {
  const { kept, lost, words } = letters(view, alpha, isPruned), best = view.data.order.map((of) => of[0]).join("");
  view.count.textContent = `${countOfWords(words)} left`;
  view.says.textContent = lost < 0
    ? `${kept.reduce((sum, n) => sum + n, 0)} of ${26 * kept.length} letters are still possible, and what was really written (★) is among them. `
      + `The best word so far is still “${best}”.`
    : `✖ Too hard: ${missing(view, alpha)} gone. No later step can bring ${missing(view, alpha, true)} back.`;
  tellFunnel(view, words, lost >= 0);
  view.root.classList.toggle("lost", lost >= 0);
  view.root.classList.remove("right");
}

/** The sharper model reads one of the words that are left. */
function look(view, alpha) {
  const { truth, sharper } = view.data, { words, lost } = letters(view, alpha, true);
  const best = view.data.order.map((of) => of[0]).join("");
  const reading = (words === 1n ? best : sharper.findLast(([from]) => from <= alpha)[1]), isRight = reading === truth;
  for (const cell of view.cells) {
    if (cell.group) cell.group.classList.add(reading[cell.column] === cell.letter ? "read" : "passed");
  }
  view.count.textContent = `${countOfWords(1n)} left: ${reading} ${isRight ? "✔" : "✘"}`;
  view.says.textContent = `Now the sharper model looks at the ${countOfWords(words)} that were left, and at no other. It reads “${reading}”`
    + (isRight ? ", which is what was really written." : lost < 0 ? "; really written was another word." : `: the “${truth[lost]}” was pruned too early.`);
  tellFunnel(view, words, lost >= 0, reading, isRight);
  view.root.classList.toggle("right", isRight);
  view.root.classList.toggle("lost", !isRight);
}

function play(view) {
  let start;
  const { stop } = view.data;
  stopAll(view);
  show(view, 0, false);
  view.slider.value = 0;
  const frame = (now) => {
    start ??= now;
    const part = Math.min(1, Math.max(0, now - start - PAUSE_MS) / SWEEP_MS);
    view.slider.value = stop * part;
    show(view, stop * part, part > 0);
    view.live.setAttribute("aria-live", part < 1 ? "off" : "polite"); // do not read out every frame
    if (part < 1) view.frame = requestAnimationFrame(frame);
    else lookSoon(view);
  };
  view.frame = requestAnimationFrame(frame);
}

/** The sharper model's turn, once the slider rests. */
function lookSoon(view) {
  clearTimeout(view.timer);
  view.timer = setTimeout(() => look(view, Number(view.slider.value)), REST_MS);
}

function stopAll(view) {
  cancelAnimationFrame(view.frame);
  clearTimeout(view.timer);
  view.live.setAttribute("aria-live", "polite");
}

/** Set the slider to the address's alpha, or as a question needs it. */
function stand(view, { alpha, isLocked }) {
  stopAll(view);
  view.slider.disabled = isLocked;
  view.again.disabled = isLocked;
  if (isLocked) {
    view.slider.value = 0;
    show(view, 0, false);
    view.says.textContent = "All letters are still possible. Guess before you move the slider.";
  } else if (typeof alpha === "number") {
    view.slider.value = alpha;
    show(view, alpha, true);
    lookSoon(view);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const known = views.get(parentElement);
  if (known) { // the word never changes: keep what the visitor has dragged, unless something else is requested
    const { isLocked, alpha } = known.data, isNew = isLocked !== data.isLocked || (data.alpha !== alpha && !known.told.has(data.alpha)); // an answer may lag behind the slider
    Object.assign(known, { data, setStateValue });
    if (isLocked !== data.isLocked) Object.assign(known, build(known.root.querySelector("svg"), data));
    if (isNew) stand(known, data);
    return;
  }
  const find = (selector) => parentElement.querySelector(selector);
  const view = { data, root: find("figure"), slider: find("input"), live: find("p"), count: find("strong"), says: find("span"), again: find("button"), frame: 0, timer: 0, setStateValue, told: new Set() };
  views.set(parentElement, view);
  Object.assign(view, build(find("svg"), data));
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const end = () => {
    stopAll(view);
    view.slider.value = data.stop;
    look(view, data.stop);
  };
  view.slider.addEventListener("pointerdown", () => stopAll(view));
  view.slider.addEventListener("input", () => {
    stopAll(view);
    show(view, Number(view.slider.value), true);
    lookSoon(view);
  });
  view.slider.addEventListener("change", () => {
    view.told.add(Number(view.slider.value));
    view.setStateValue("alpha", Number(view.slider.value));
  });
  view.again.addEventListener("click", () => (isCalm ? end() : play(view)));
  if (data.isLocked || typeof data.alpha === "number") stand(view, data);
  else if (isCalm || data.isOver) end();
  else play(view);
  return () => {
    stopAll(view);
    views.delete(parentElement);
  };
}
