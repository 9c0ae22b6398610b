// Draws sentences for the Trade-off view: words are marked where features were bought, and where they are wrong.

import { node } from "../../../web/view/elements.js";

/** A task of `TASKS` whose chains are sentences and whose parts are words; `details` adds its texts and own functions. */
export const sentences = (details) => ({
  chains: "sentences",
  parts: "words",
  chipsClass: "sentences",
  build: () => null,
  isLost: (nWrong) => nWrong > 0, // whether a sentence counts as lost, by its wrong words
  chip: (view, w) => [node("span", { style: "white-space: normal" }, view.data.drawn.texts[w].map((word) => [node("span", {}, word), " "]))],

  paintChip(view, piece, w, tiers, reading, isSecret) {
    const { data } = view, { chip } = piece, truth = data.truths[w];
    const wrong = [...truth].filter((c, i) => c !== reading[i]).length;
    if (!isSecret && (!wrong || this.isLost(wrong, tiers.length))) chip.classList.add(wrong ? "wrong" : "right");
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
    const bought = tiers.filter((t) => t > 0).length;
    chip.title = isSecret ? "click to buy for all its words" : `${bought} of ${tiers.length} words bought, ${wrong} ${this.wrong}`;
    chip.setAttribute("aria-label", `${data.drawn.texts[w].join(" ")}: ${chip.title}`);
  },

  paint() {},
  ...details,
});
