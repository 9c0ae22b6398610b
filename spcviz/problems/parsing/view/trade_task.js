// Draws sentences to parse for the Trade-off view: a part is a word, and its head can be wrong.

import { TASKS } from "../../budgets/view/trade_core.js";
import { sentences } from "../../budgets/view/trade_sentences.js";
import { node } from "../../../web/view/elements.js";

TASKS.parsing = sentences({
  wrong: "wrong heads",
  allTitle: "What all sentences together may cost",
  unit: "cost in units (one scores the arcs into one word by everything)",
  byHand: "Spend it yourself: click the sentences that look hardest; each click buys everything for all words of one.",
  tierNotes: ["", ", on a coloured ground"],
  marks: () => ["green frame: ", node("b", {}, "✔ every head right")],
  faults: () => ["dashed red, ", node("b", {}, "✖ wrong head")],
  csv: "wrong_heads,words",

  describeCount(view, state) {
    const wrong = state.readings.filter((r, w) => r !== view.data.truths[w]).length;
    return `; ${wrong} of ${view.data.truths.length} trees`;
  },

  click(view) { view.say("its tree: page Parsing"); },
});
