// A cascade as a funnel: its height is the logarithm of the words that are left, from level to level.

import { svg } from "./elements.js";

const LEAST = 0.1; // share of the height for a single word, to keep it visible
const MIDDLE = 50;

/** Share of the height for `words` of `all`. */
export const shareOf = (words, all) => (all > 1 ? LEAST + (1 - LEAST) * Math.log10(Math.max(words, 1)) / Math.log10(all) : 1);

/** A section as a picture that fills its element: from `before` words down to `after` of `all`. */
export function wedge(before, after, all) {
  const [a, b] = [shareOf(before, all) * MIDDLE, shareOf(after, all) * MIDDLE];
  return svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { d: `M0 ${MIDDLE - a}L100 ${MIDDLE - b}L100 ${MIDDLE + b}L0 ${MIDDLE + a}Z` }));
}
