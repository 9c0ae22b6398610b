// Glossary words on the page: they are underlined, and a panel explains the one that is clicked.
// Methods of TourView (tour.js).

import { button, node } from "../view/elements.js";
import { explainWords, treesOf, wordsIn } from "./tour_core.js";

/* global GLOSSARY -- glossary.json, which comes with the script (`script` in mount.py) */
const PANEL_HIGH = 260; // pixels that an explanation needs
export const OVER_WORDS = `button { position: fixed; z-index: 80; padding: 0; border: none; border-radius: 4px; background: none; pointer-events: none; }
  button:focus-visible { outline: 3px solid currentColor; }
  [hidden] { display: none; }
  @media print { button { display: none; } }`;

export const EXPLAINING = {
  findWords() {
    const place = document.querySelector("[data-testid=stMain]") ?? document.body;
    this.found = wordsIn(place, this.words);
    this.changes.disconnect();
    for (const tree of treesOf(place)) this.changes.observe(tree, { childList: true, subtree: true, characterData: true }); // also those without words: a view fills its tree late
    for (const { range } of this.found) this.underline(range.startContainer.getRootNode());
    globalThis.CSS?.highlights?.set("spcviz-word", new Highlight(...this.found.map((word) => word.range)));
    this.root.dataset.words = this.found.map((word) => word.entry.key).join(" ");
    this.placeWords();
  },
  /** Place a button over the first occurrence of each word, for the Tab key; the mouse acts on the page through it. */
  placeWords() {
    const first = new Map();
    for (const { entry, range } of this.found) if (!first.has(entry.key) && range.getClientRects().length) first.set(entry.key, { entry, range });
    const tree = this.over.shadowRoot, key = [...first.keys()].join(" ");
    if (this.placed !== key && !tree.activeElement) {
      this.placed = key;
      this.wordButtons = [...first.values()].map(({ entry, range }) => {
        const wordButton = node("button", { type: "button", "aria-label": `Explain “${entry.names[0]}”`, onfocus: () => this.bringWord(wordButton), onclick: () => { this.returnTo = wordButton; this.showEntry(entry, wordButton.getBoundingClientRect()); } });
        wordButton.entry = entry;
        wordButton.range = range;
        return wordButton;
      });
      tree.replaceChildren(tree.firstChild, ...this.wordButtons);
    }
    for (const wordButton of this.wordButtons ?? []) {
      const box = (first.get(wordButton.entry.key)?.range ?? wordButton.range).getClientRects()[0];
      wordButton.hidden = !box;
      if (box) wordButton.style.cssText = `left:${box.left - 2}px;top:${box.top - 2}px;width:${Math.max(24, box.width + 4)}px;height:${Math.max(24, box.height + 4)}px`;
    }
  },
  bringWord(wordButton) {
    wordButton.range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
    this.placeWords();
  },
  /** Mark words without touching the page's own elements. */
  underline(tree) {
    if (this.seen.has(tree)) return;
    this.seen.add(tree);
    const sheet = node("style", {}, "::highlight(spcviz-word) { text-decoration: underline dotted 1.5px; text-underline-offset: 0.2em; }");
    (tree.head ?? tree).append(sheet);
  },
  onClick(event) {
    const path = event.composedPath();
    if (path.includes(this.root) || path.some((element) => element instanceof Element && element.matches("button, a, input, label, summary, [role=button], [role=radio], [role=slider]"))) return;
    const isOn = ({ left, right, top, bottom }) => event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    const word = this.found.find(({ range }) => [...range.getClientRects()].some(isOn));
    if (word) this.showEntry(word.entry, [...word.range.getClientRects()].find(isOn));
  },
  show(label, ...content) {
    this.returnTo ??= this.root.getRootNode().activeElement;
    this.panel.setAttribute("aria-label", label);
    this.panel.replaceChildren(button("✕", "Close (Escape)", () => this.closePanel(), { class: "close" }), ...content.flat(Infinity));
    this.panel.hidden = false;
    this.panel.style.maxHeight = "";
    this.placePanel(null);
    this.panel.focus({ preventScroll: true });
  },
  /** Place the panel next to a word: below it, or above if there is no space; without a word in its corner. */
  placePanel(at) {
    const { style } = this.panel;
    for (const name of ["left", "right", "top", "bottom"]) style[name] = "";
    if (!at) return;
    const isBelow = at.bottom + PANEL_HIGH < window.innerHeight || at.top < window.innerHeight - at.bottom;
    style.right = "auto";
    style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - this.panel.offsetWidth - 16))}px`;
    style.bottom = isBelow ? "auto" : `${window.innerHeight - at.top + 8}px`;
    style.top = isBelow ? `${at.bottom + 8}px` : "auto";
    style.maxHeight = `${(isBelow ? window.innerHeight - at.bottom : at.top) - 24}px`;
  },
  closePanel() {
    this.panel.hidden = true;
    this.onClosed?.();
    this.onClosed = null;
    this.returnTo?.focus?.();
    this.returnTo = null;
  },
  showEntry(entry, at = null) {
    const link = entry.scene && button("See it at work", `Open ${entry.scene}`, () => { this.closePanel(); this.act({ kind: "open", to: entry.scene }); });
    this.root.dataset.entry = entry.key;
    this.show(entry.names[0], node("h3", {}, entry.names[0]), node("p", {}, explainWords(entry.plain, this.wordsBut(entry), (other) => this.showEntry(other))),
      entry.formula ? node("p", { class: "formula" }, entry.formula) : [], node("p", { class: "where" }, `In the paper: ${entry.where}`), link || []);
    this.placePanel(at);
  },
  /** The glossary without one entry: an entry does not link to itself. */
  wordsBut(entry) {
    return { pattern: this.words.pattern, entryOf: (text) => { const match = this.words.entryOf(text); return match?.key === entry.key ? null : match; } };
  },
  showWords() {
    this.findWords();
    const entries = GLOSSARY, here = this.found.map((word) => word.entry);
    const list = (title, some) => [node("h3", {}, title), node("p", { class: "list" }, some.map((entry) => button(entry.names[0], entry.plain, () => this.showEntry(entry), { class: "word" })))];
    this.show("Words", here.length ? list("Words on this page", here) : [], list("All words", entries.filter((entry) => !here.includes(entry))));
  },
};
