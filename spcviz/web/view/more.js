// A box for rarely used controls, closed at first.
// Values that differ from the defaults are listed next to its name, so that no link hides a setting that somebody has
// changed.

import { node, setText } from "./elements.js";

/** {box, say}: a box of elements with a `name`; `say(texts)` lists the settings in it that differ from the defaults.
 *  `isFloating`: it opens over the page instead of pushing it down. */
export function moreBox(content, { name = "Data", isFloating = false } = {}) {
  const changed = node("span", { class: "changed" }), summary = node("summary", {}, node("b", {}, name), changed);
  const box = node("details", { class: `more-box${isFloating ? " floating" : ""}` }, summary, node("div", { class: "inside" }, content));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.open) return;
    box.open = false;
    summary.focus();
    event.stopPropagation();
  });
  return { box, say: (texts) => setText(changed, texts.filter(Boolean).map((text) => ` · ${text}`).join("")) };
}
