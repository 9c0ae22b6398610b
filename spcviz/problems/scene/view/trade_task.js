// The Trade-off page's street pictures: each covered by the classes of its places, its frame showing what was bought.

import { TASKS, faultsOf, wrongIn } from "../../budgets/view/trade_core.js";
import { node, setText } from "../../../web/view/elements.js";

const WIDE = 240;

/** The page's texts and drawing of street pictures; a chain is a picture, a part a place of it, and its class can be wrong. */
const PICTURES = {
  chains: "pictures",
  parts: "places",
  wrong: "wrong places",
  allTitle: "What all pictures together may cost",
  unit: "cost in units (one lifts one place by one level of features)",
  byHand: "Spend it yourself: click the pictures that look hardest; each click buys the next level of features for one.",
  tierNotes: ["", "", ""],
  marks: () => ["frame: what was bought"],
  faults: () => [node("b", {}, "✖"), " wrong class"],
  csv: "wrong_places,places",
  chipsClass: "streets",

  describeCount: () => "",

  build(view) {
    const { names, colours } = view.data.drawn;
    return node("p", { class: "classes" }, names.map((name, k) => node("span", {}, node("i", { class: "swatch", style: `background:${colours[k]}` }), name)));
  },

  load(view) {
    view.places = view.data.drawn.places;
    view.streets = view.data.drawn.sources.map((source) => {
      const image = new Image();
      image.onload = () => { view.chipNodes.forEach((piece) => { piece.drawn = ""; }); view.draw(); };
      image.src = source;
      return image;
    });
  },

  chip: (view, w) => [node("canvas"), node("span", { class: "count", title: view.data.drawn.titles[w] })],

  click(view, w) { view.say(view.data.drawn.titles[w]); },

  paintChip(view, piece, w, tiers, reading, isSecret) {
    const { chip } = piece, [canvas, count] = piece.inner, tier = tiers[0], wrong = wrongIn(view.data, view.start, w, reading), wide = canvas.clientWidth;
    const says = isSecret ? view.data.tier_short[tier] : `${view.data.tier_short[tier]}: ✖ ${wrong} of ${reading.length}`;
    setText(count, says);
    chip.style.borderColor = view.tierColours[tier];
    chip.setAttribute("aria-label", `${view.data.drawn.titles[w]}, ${says}`);
    const key = `${reading}|${isSecret}|${wide}|${view.theme}`;
    if (piece.drawn === key || !wide) return;
    piece.drawn = key;
    drawStreet(view, canvas, w, reading, isSecret);
  },

  paint() {},
};

/** A picture under squares of its places' classes; a cross where the class is wrong. */
function drawStreet(view, canvas, w, reading, isSecret) {
  const { colours, step } = view.data.drawn, image = view.streets[w], { dots } = view;
  if (!image.complete || !image.naturalWidth) return;
  const scale = canvas.clientWidth / image.naturalWidth, context = canvas.getContext("2d");
  canvas.width = Math.round(canvas.clientWidth * dots);
  canvas.height = Math.round(image.naturalHeight * scale * dots);
  context.scale(scale * dots, scale * dots);
  context.drawImage(image, 0, 0);
  context.lineWidth = WIDE / canvas.clientWidth * 1.4;
  for (let i = 0; i < reading.length; i++) {
    const at = 2 * (view.start[w] + i), x = view.places[at], y = view.places[at + 1], half = step / 2;
    context.globalAlpha = 0.55;
    context.fillStyle = colours[view.data.alphabet.indexOf(reading[i])];
    context.fillRect(x - half, y - half, step, step);
    if (isSecret || !faultsOf(view.data, view.start, w, i, reading)) continue;
    context.globalAlpha = 1;
    for (const [colour, shift] of [["black", 0.8], ["white", 0]]) {
      context.strokeStyle = colour;
      context.beginPath();
      context.moveTo(x - 2.5 + shift, y - 2.5 + shift);
      context.lineTo(x + 2.5 + shift, y + 2.5 + shift);
      context.moveTo(x + 2.5 + shift, y - 2.5 + shift);
      context.lineTo(x - 2.5 + shift, y + 2.5 + shift);
      context.stroke();
    }
  }
}

TASKS.scene = PICTURES;
