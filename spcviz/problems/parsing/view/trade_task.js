// The Trade-off page's sentences: words marked where everything was bought, and where the head is wrong.

import { TASKS } from "../../budgets/view/trade_core.js";
import { node } from "../../../web/view/elements.js";

/** What the page says about sentences; a chain is a sentence, a part a word, and its head can be wrong. */
const SENTENCES = {
  chains: "sentences",
  parts: "words",
  wrong: "wrong heads",
  allTitle: "What all sentences together may cost",
  unit: "cost in units (one scores the arcs into one word by everything)",
  byHand: "Spend it yourself: click the sentences that look hardest; each click buys everything for all words of one.",
  tierNotes: ["", ", on a coloured ground"],
  marks: () => ["solid green frame ", node("b", {}, "✔ every head right")],
  faults: () => ["dashed red, ", node("b", {}, "✖ wrong head")],
  csv: "wrong_heads,words",
  chipsClass: "sentences",

  counted(view, state) {
    const wrong = state.readings.filter((r, w) => r !== view.data.truths[w]).length;
    return `; ${wrong} of ${view.data.truths.length} trees`;
  },

  build: () => null,
  chip: (view, w) => [node("span", { style: "white-space: normal" }, view.data.drawn.texts[w].map((word) => [node("span", {}, word), " "]))],

  click(view) { view.say("its tree: page Parsing"); },

  paintChip(view, piece, w, tiers, reading, isSecret) {
    const { data } = view, { chip } = piece, truth = data.truths[w], isRight = reading === truth;
    if (!isSecret) chip.classList.add(isRight ? "right" : "wrong");
    const key = `${tiers.join("")}|${reading}|${isSecret}|${view.theme}`;
    if (piece.drawn === key) return;
    piece.drawn = key;
    const spans = piece.inner[0].querySelectorAll("span");
    data.drawn.texts[w].forEach((word, i) => {
      const isWrong = !isSecret && reading[i] !== truth[i], { style } = spans[i];
      style.background = tiers[i] ? `color-mix(in srgb, ${view.tierColours[tiers[i]]} 45%, transparent)` : "";
      style.textDecoration = isWrong ? "underline dashed var(--st-red-color) 2px" : "";
      spans[i].textContent = isWrong ? `${word}✖` : word;
    });
    const wrong = [...truth].filter((c, i) => c !== reading[i]).length, bought = tiers.reduce((sum, t) => sum + t, 0);
    chip.title = isSecret ? "click to buy everything for all its words" : `${bought} of ${tiers.length} words bought, ${wrong} wrong heads`;
    chip.setAttribute("aria-label", `${data.drawn.texts[w].join(" ")}: ${chip.title}`);
  },

  paint() {},
};

TASKS.parsing = SENTENCES;
