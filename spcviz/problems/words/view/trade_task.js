// Draws words for the Trade-off view: ink coloured by what was bought for each letter, and the reading.

import { TASKS } from "../../budgets/view/trade_core.js";
import { node, unpackInk } from "../../../web/view/elements.js";

/** The page's texts and drawing of words; a chain is a word, a part a letter, and a letter can be misread. */
const WORDS = {
  chains: "words",
  parts: "letters",
  wrong: "letters misread",
  allTitle: "What all words together may cost",
  unit: "cost in units (one lifts one letter by one tier)",
  byHand: "Spend it yourself: click the words that look hardest; each click buys the next kind of feature for a whole word.",
  tierNotes: ["", ", one line under the letter", ", two lines"],
  marks: () => ["green frame: ", node("b", {}, "✔ right")],
  faults: () => ["dashed red: ", node("b", {}, "✖ wrong")],
  csv: "letters_misread,letters",
  chipsClass: "",

  describeCount(view, state) {
    const words = state.readings.filter((r, w) => r !== view.data.truths[w]).length;
    return `; ${words} of ${view.data.truths.length} words`;
  },

  build: () => null,
  load(view) { view.ink = unpackInk(view.data.drawn.pixels); },
  chip: () => [node("canvas"), node("span")],

  click(view, w) { view.open(view.data.chain_ids[w]); },

  paintChip(view, piece, w, tiers, reading, isSecret) {
    const { data } = view, { chip } = piece, [canvas, text] = piece.inner, truth = data.truths[w], isRight = reading === truth;
    const mark = isSecret ? "" : isRight ? "✔ " : "✖ ", key = `${tiers.join("")}|${view.ratio}|${view.theme}`;
    if (!isSecret) chip.classList.add(isRight ? "right" : "wrong");
    if (piece.drawn !== key) {
      piece.drawn = key;
      drawInk(view, canvas, w, tiers);
    }
    const label = `${mark}${reading}`;
    if (text.dataset.label === label + isSecret) return;
    text.dataset.label = label + isSecret;
    text.replaceChildren(mark, ...[...reading].map((c, i) => !isSecret && c !== truth[i] ? node("i", {}, c) : c));
    const tier = `${data.tier_names[Math.max(...tiers)]}`;
    chip.title = isSecret ? `read as “${reading}” with ${tier}: click to buy the next kind of feature` : `“${truth}” read as “${reading}”, best feature bought: ${tier}. Click to open it on the Policy page.`;
    chip.setAttribute("aria-label", chip.title);
  },

  paint() {},
};

function drawInk(view, canvas, w, tiers) {
  const size = view.ratio, length = tiers.length, wide = 9 * size * length, high = 20 * size;
  canvas.width = wide;
  canvas.height = high;
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  const context = canvas.getContext("2d");
  for (let i = 0; i < length; i++) {
    context.fillStyle = view.tierColours[tiers[i]];
    const ink = view.ink[view.start[w] + i];
    for (let b = 0; b < 128; b++) {
      if (ink[b]) context.fillRect(9 * size * i + (b % 8) * size, Math.floor(b / 8) * size, size, size);
    }
    for (let t = 0; t < tiers[i]; t++) context.fillRect(9 * size * i, (16.6 + 1.8 * t) * size, 7.5 * size, 0.9 * size);
  }
}

TASKS.words = WORDS;
