// The Trade-off page's colours: a dot for each, in the colour read now; a cross where that is wrong.

import { TASKS } from "../../budgets/view/trade_core.js";
import { node } from "../../../web/view/elements.js";

/** The page's texts about colours; a chain is a chain of dots, a part a dot, and its colour can be wrong. */
const COLOURS = {
  chains: "chains",
  parts: "dots",
  wrong: "wrong dots",
  allTitle: "What all chains together may cost",
  unit: "cost in units (one buys a clear look at one dot)",
  byHand: "Spend it yourself: click the chains that look hardest; each click buys a clear look at one.",
  tierNotes: ["", ""],
  marks: () => ["solid green frame ", node("b", {}, "✔ every dot right")],
  faults: () => [node("b", {}, "✖"), " wrong dot"],
  csv: "wrong_dots,dots",
  chipsClass: "",

  describeCount: () => "",
  build: () => null,
  chip: () => [node("span")],
  click(view) { view.say("nothing more to see"); },

  paintChip(view, piece, w, tiers, reading, isSecret) {
    const { data } = view, { chip } = piece, truth = data.truths[w];
    if (!isSecret) chip.classList.add(reading === truth ? "right" : "wrong");
    piece.inner[0].replaceChildren(...[...reading].map((c, i) => node("b", { style: `color:${data.drawn.colours[data.alphabet.indexOf(c)]}` }, !isSecret && c !== truth[i] ? "✖" : tiers[i] ? "⬤" : "◯")));
    chip.setAttribute("aria-label", `chain ${w + 1} read as ${reading}`);
  },

  paint() {},
};

TASKS.toy = COLOURS;
