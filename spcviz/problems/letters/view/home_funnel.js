// The home page's word as a funnel: all possible words, those that a quick look leaves, the one that is read.
// It moves with the slider of the picture, which notifies it with an event of the document (home_word.js).

import { node, setText } from "../view/elements.js";
import { wedge } from "../view/funnel.js";

const made = new WeakSet();
const words = (n) => `${Math.round(n).toLocaleString("en-US")} ${n === 1 ? "word" : "words"}`;

function build() {
  const root = node("figure", { class: "home-funnel" });
  const parts = ["all words", "after a quick look", "read"].map((name) => {
    const shape = node("div", { class: "shape" }), count = node("b", {}), note = node("span", {}, name);
    return { shape, count, note, root: node("div", { class: "part" }, shape, count, note) };
  });
  root.append(...parts.map((part) => part.root));
  return { root, parts };
}

export default function ({ data, parentElement }) {
  if (made.has(parentElement)) return undefined;
  made.add(parentElement);
  const { root, parts } = build(), [first, second, last] = parts;
  parentElement.append(root);
  const draw = ({ all, left, isLost, reading, isRight }) => {
    first.shape.replaceChildren(wedge(all, left, all));
    second.shape.replaceChildren(wedge(left, reading ? 1 : left, all));
    last.shape.replaceChildren(wedge(1, 1, all));
    setText(first.count, words(all));
    setText(second.count, words(left));
    setText(last.count, reading ? `${reading} ${isRight ? "✔" : "✘"}` : "…");
    setText(second.note, isLost ? "after a quick look: ✘ not the true one" : "after a quick look");
    root.classList.toggle("lost", isLost);
    last.root.classList.toggle("right", isRight);
    root.setAttribute("aria-label", `${words(all)}; ${words(left)} left${isLost ? ", the true one is not among them" : ""}${reading ? `; read: ${reading}` : ""}`);
  };
  const hear = ({ detail }) => draw(detail);
  draw({ all: data.all, left: data.left, isLost: false, reading: "" });
  document.addEventListener("spcviz-home", hear);
  return () => {
    made.delete(parentElement);
    document.removeEventListener("spcviz-home", hear);
    root.remove();
  };
}
