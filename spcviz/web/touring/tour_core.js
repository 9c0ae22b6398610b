// Computations of the tour bar: glossary terms in a text, places of a page's parts, keys of a clicker. No page.

import { node } from "../view/elements.js";

export const CHANNEL = "spcviz-tour";

/** Whether a visitor is typing there: such keys are not ours. */
export const isTyping = (target) => target instanceof Element
  && target.matches("textarea, select, [contenteditable=true], input:not([type=range], [type=button], [type=checkbox], [type=radio])");

/** Whether a visitor has just chosen from a box: the text typed to find it is gone, and undo means the choice. */
export const isClosedBox = (target) => target instanceof Element && target.matches("input[role=combobox]:not([aria-expanded=true])");

/** Action of a key in a tour: forward, back, black, full, home or null. `isOurs`: the bar has the focus;
 * `isFree`: nothing on the page has it, so that arrows and space move the tour. */
export function keyAction(event, isOurs, isProjected, isFree = false) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const always = { PageDown: "forward", PageUp: "back" }, ours = { ArrowRight: "forward", ArrowLeft: "back", ArrowDown: "forward", ArrowUp: "back", " ": "forward", Home: "home" };
  const screen = { f: "full", F: "full", b: "black", B: "black", ".": "black" };
  return always[event.key] ?? (isOurs || (isFree && event.key !== "Home") ? ours[event.key] : undefined) ?? (isOurs || isProjected ? screen[event.key] : undefined) ?? null;
}

const SLIDES = ["PageDown", "PageUp", "ArrowRight", "ArrowLeft", " "];

/** Inside a frame of somebody's slides (examples/slides.html): take the keys that they send, and return those that
 * nothing here has used, whether they were sent or pressed in here. `signal` ends it. */
export function hearSlides(signal) {
  if (window.parent === window) return;
  const tell = (what) => window.parent.postMessage(what, "*"); // the slides may be anybody's: a key's name is no secret
  window.addEventListener("message", ({ data, source }) => {
    if (source !== window.parent || data?.spcviz !== "key" || !SLIDES.includes(data.key)) return;
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key: data.key, bubbles: true, cancelable: true, composed: true }));
  }, { signal });
  window.addEventListener("keydown", (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented);
    if (isPlain && SLIDES.includes(event.key) && !isTyping(event.composedPath()[0])) tell({ spcviz: "left", key: event.key });
  }, { signal });
  tell({ spcviz: "here" });
}

/** The action of an undo or redo key: "undo", "redo" or null. */
export function takenBack(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" && !event.shiftKey ? "redo" : null;
}

/** The document and every shadow tree in a place, outermost first. */
export function* treesOf(place) {
  yield place;
  for (const element of place.querySelectorAll("*")) if (element.shadowRoot) yield* treesOf(element.shadowRoot);
}

/** The part of the page that a scene points at: a CSS selector, or "text:..." for the smallest element that has it. */
export function partOf(point, place = document) {
  if (!point) return null;
  const text = point.startsWith("text:") ? point.slice(5).trim().toLowerCase() : null;
  for (const tree of treesOf(place)) {
    const element = text === null ? findSelected(tree, point) : smallest(tree, text);
    if (element) return element;
  }
  return null;
}
function isSeen(element) {
  const box = element.getBoundingClientRect();
  // Parts in a closed box have a size, too.
  const isOpen = element.checkVisibility?.({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true }) ?? true;
  return isOpen && box.width > 0 && box.height > 0 && !element.closest(".tour");
}
function findSelected(tree, selector) {
  try {
    return [...tree.querySelectorAll(selector)].find(isSeen) ?? null;
  } catch {
    return null; // no selector: a visitor's own tour may hold anything
  }
}
function smallest(tree, text) {
  const has = (element) => element.textContent.toLowerCase().includes(text);
  const deepest = [...tree.querySelectorAll("*")].findLast((element) => has(element) && !element.matches("script, style") && isSeen(element)) ?? null;
  return deepest?.closest("[data-testid=stMetric]") ?? deepest; // a number with its name
}

/** Matcher of the glossary's names in a text: {pattern, entryOf}. */
export function wordsOf(entries) {
  const entryOf = new Map(entries.flatMap((entry) => entry.names.map((name) => [name.toLowerCase(), entry])));
  const escaped = [...entryOf.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[ -]/g, "[ \\u00a0-]"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])(${escaped.join("|")})(?:s|es)?(?![\\p{L}\\p{N}_])`, "giu");
  return { pattern, entryOf: (text) => entryOf.get(text) ?? entryOf.get(text.toLowerCase().replace(/\u00a0/g, " ")) ?? null };
}

/** A text with its glossary words as buttons. */
export function explainWords(text, words, open) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(words.pattern)) {
    const entry = words.entryOf(match[1]);
    if (!entry) continue;
    parts.push(text.slice(from, match.index), node("button", { type: "button", class: "word", onclick: () => open(entry) }, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

/** First place of each glossary word in the visible text of a page: [{entry, range}]. */
export function wordsIn(place, words) {
  const firstPlaces = new Map();
  for (const tree of treesOf(place)) {
    const walker = document.createTreeWalker(tree, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (text.length < 1 || !text.parentElement || text.parentElement.closest("script, style, .tour, [hidden]")) continue;
      for (const match of text.data.matchAll(words.pattern)) {
        const entry = words.entryOf(match[1]);
        if (!entry || firstPlaces.has(entry.key)) continue;
        const range = document.createRange();
        range.setStart(text, match.index);
        range.setEnd(text, match.index + match[0].length);
        if (range.getClientRects().length) firstPlaces.set(entry.key, { entry, range });
      }
    }
  }
  return [...firstPlaces.values()];
}

/** A duration as minutes and seconds. */
export const clockText = (ms) => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
