// Draws a visitor's sentences for the Trade-off view: a part is a word, and its label can be wrong.

import { TASKS } from "../../budgets/view/trade_core.js";
import { sentences } from "../../budgets/view/trade_sentences.js";
import { node } from "../../../web/view/elements.js";

TASKS.own_data = sentences({
  wrong: "wrong labels",
  allTitle: "What all sentences together may cost",
  unit: "cost in units",
  isLost: (nWrong, nWords) => 3 * nWrong >= nWords,
  byHand: "Spend it yourself: click the sentences that look hardest; each click buys the next features for all words of one.",
  tierNotes: ["", ", on a coloured ground", ", on a stronger one"],
  marks: () => ["solid green frame ", node("b", {}, "✔ every label right")],
  faults: () => ["✖ wrong label; dashed red: of at least a third of the words"],
  csv: "wrong_labels,words",

  describeCount(view, state) {
    const wrong = state.readings.filter((r, w) => r !== view.data.truths[w]).length;
    return `; ${wrong} of ${view.data.truths.length} sentences`;
  },

  click(view, w) { view.open(view.data.chain_ids[w]); },
});
