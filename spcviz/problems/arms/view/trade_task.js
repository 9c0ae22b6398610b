// Draws arms for the Trade-off view: each arm is a strip of frames, coloured by what was bought for them.
// A mark shows where the elbow or the wrist is off; below the strips are one arm's pictures, to scrub through.

import { TASKS, faultsOf, wrongIn } from "../../budgets/view/trade_core.js";
import { button, clamp, node, setText } from "../../../web/view/elements.js";

const PICTURE = 240, NEAR = 20;
const SIDES = ["left", "right"];
const JOINTS = ["Elbow", "wrist"];

/** Texts and drawing of arms; a chain is one arm of a clip, a part is a frame, and two of its joints can be off. */
const ARMS = {
  chains: "arms",
  parts: "frames",
  wrong: "joints off",
  allTitle: "What all arms together may cost",
  unit: "cost in feature sets (one lifts one frame of one arm by one tier)",
  byHand: "Spend it yourself: click the arms that look hardest; each click buys the next feature set for all frames of an arm.",
  tierNotes: ["", "", "", ""],
  marks: () => ["bar: a frame, the higher the more was bought"],
  faults: () => ["mark over it: ", node("b", {}, "✖ more than 20 pixels off"), ", elbow above wrist"],
  csv: "joints_off,joints",
  chipsClass: "arms",

  describeCount(view, state) {
    const off = [0, 0];
    state.readings.forEach((reading, w) => {
      for (let i = 0; i < reading.length; i++) {
        const bits = faultsOf(view.data, view.start, w, i, reading);
        off[0] += bits & 1;
        off[1] += bits >> 1;
      }
    });
    const share = (n) => `${(100 * n / view.start[view.start.length - 1]).toFixed(1)} %`;
    return `: elbows ${share(off[0])}, wrists ${share(off[1])}`;
  },

  build(view) {
    const big = node("canvas", { class: "frame" }), film = node("canvas", { class: "film" }), says = node("p", { "aria-live": "polite" }), title = node("b");
    const scrub = node("input", { type: "range", min: "0", step: "1", "aria-label": "Frame", oninput: () => look(view, view.view.chain, +scrub.value), onchange: () => view.send() });
    const step = (by) => { look(view, view.view.chain, view.view.frame + by); view.send(); };
    const bar = node("div", { class: "row" }, button("◀", "One frame back", () => step(-1)), button("▶", "One frame on", () => step(1)), scrub);
    const key = node("p", { class: "note" }, "Thick: the predicted arm, in the colour of what was bought. White: the true arm; within the rings, 20 pixels around its elbow and wrist, counts as right.");
    const at = (event) => {
      const box = film.getBoundingClientRect(), { columns, size } = film.grid;
      return Math.floor((event.clientX - box.left) / size) + columns * Math.floor((event.clientY - box.top) / size);
    };
    film.addEventListener("pointermove", (event) => { view.hover = { chain: view.view.chain, frame: at(event) }; view.draw(); });
    film.addEventListener("pointerleave", () => { view.hover = null; view.draw(); });
    film.addEventListener("click", (event) => { look(view, view.view.chain, at(event)); view.send(); });
    view.film = { big, film, says, title, scrub, key };
    return node("div", { class: "viewer" }, big, node("div", {}, title, says, bar, film, key));
  },

  load(view) {
    const arms = view.data.drawn;
    view.joints = arms.joints;
    view.trueJoints = arms.truth;
    view.sheets = arms.sheets.map((source) => {
      const image = new Image();
      image.onload = () => { view.film.drawn = ""; view.draw(); };
      image.src = source;
      return image;
    });
  },

  chip(view, w) {
    const { clip, side } = view.data.drawn, strip = node("canvas");
    const at = (event) => {
      const box = strip.getBoundingClientRect(), n = view.data.truths[w].length;
      return clamp(Math.floor(n * (event.clientX - box.left) / box.width), 0, n - 1);
    };
    strip.addEventListener("pointermove", (event) => { view.hover = { chain: w, frame: at(event) }; view.draw(); });
    strip.addEventListener("pointerleave", () => { view.hover = null; view.draw(); });
    strip.addEventListener("click", (event) => look(view, w, at(event)));
    return [node("span", {}, `${clip[w] + 1} ${SIDES[side[w]]}`), strip, node("span", { class: "count" })];
  },

  /** A click on a strip has set the frame already; a key press has not. */
  click(view, w) {
    if (view.view.chain !== w) look(view, w, 0);
    view.send();
  },

  paintChip(view, piece, w, tiers, reading, isSecret) {
    const { data } = view, { chip } = piece, [, strip, count] = piece.inner, wrong = wrongIn(data, view.start, w, reading), wide = strip.clientWidth;
    const looked = clampPlace(view), here = looked.chain === w ? looked.frame : -1;
    chip.classList.toggle("looked", view.view.chain === w);
    setText(count, isSecret ? "" : wrong ? `✖ ${wrong}` : "✔");
    const key = `${tiers.join("")}|${reading}|${isSecret}|${here}|${wide}|${view.theme}`;
    if (piece.drawn === key || !wide) return;
    piece.drawn = key;
    drawStrip(view, strip, w, tiers, reading, isSecret, here);
    const bought = tiers.filter((t) => t > 0).length;
    chip.setAttribute("aria-label", `${nameOf(view, w)}: features bought for ${bought} of ${tiers.length} frames${isSecret ? "" : `, ${wrong} of ${2 * tiers.length} joints off`}`);
  },

  paint(view, state, isSecret) {
    const { chain, frame } = clampPlace(view), { big, film, says, title, scrub } = view.film, { data, start } = view;
    const n = data.truths[chain].length, tiers = state.tiers.subarray(start[chain], start[chain + 1]), reading = state.readings[chain];
    scrub.max = n - 1;
    scrub.value = frame;
    const bits = faultsOf(data, start, chain, frame, reading), joints = jointsOf(view, chain, frame, reading), real = truthOf(view, chain, frame);
    setText(title, `${nameOf(view, chain)}, frame ${frame + 1} of ${n}`);
    const off = JOINTS.map((name, j) => `${name} ${Math.round(Math.hypot(joints[j + 1][0] - real[j + 1][0], joints[j + 1][1] - real[j + 1][1]))} pixels off ${bits >> j & 1 ? "✖" : "✔"}`);
    setText(says, `Bought: ${data.tier_names[tiers[frame]]}. ${isSecret ? "" : `${off.join(", ")}.`}`);
    const side = Math.min(big.parentElement.clientWidth * 0.42, view.ratio === 3 ? 236 : 264);
    const key = [chain, frame, tiers.join(""), reading, isSecret, side, film.parentElement.clientWidth, view.theme].join("|");
    if (view.film.drawn === key) return;
    view.film.drawn = key;
    drawBig(view, big, side, { chain, frame, tier: tiers[frame], own: joints, real, bits, isSecret });
    drawFilm(view, film, chain, frame, tiers, reading, isSecret);
  },
};

const nameOf = (view, w) => `Clip ${view.data.drawn.clip[w] + 1}, ${SIDES[view.data.drawn.side[w]]} arm`;

/** The chain and frame to show: under the pointer, else the chosen one; within range whatever an address contains. */
function clampPlace(view) {
  const { chain, frame } = view.hover || view.view, w = clamp(chain, 0, view.data.truths.length - 1);
  return { chain: w, frame: clamp(frame, 0, view.data.truths[w].length - 1) };
}

function look(view, chain, frame) {
  view.view.chain = chain;
  view.view.frame = clamp(frame, 0, view.data.truths[chain].length - 1);
  view.hover = null;
  view.draw();
}

const triple = (numbers, at) => [0, 1, 2].map((j) => [numbers[at + 2 * j], numbers[at + 2 * j + 1]]);
function jointsOf(view, w, i, reading) {
  return triple(view.joints, 6 * ((view.start[w] + i) * view.data.alphabet.length + view.data.alphabet.indexOf(reading[i])));
}
const truthOf = (view, w, i) => triple(view.trueJoints, 6 * (view.start[w] + i));

/** A canvas's context at the view's resolution, in CSS pixels. */
function contextOf({ dots }, canvas, wide, high) {
  canvas.width = Math.round(wide * dots);
  canvas.height = Math.round(high * dots);
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  const context = canvas.getContext("2d");
  context.scale(dots, dots);
  return context;
}

function drawStrip(view, strip, w, tiers, reading, isSecret, here) {
  const n = tiers.length, wide = strip.clientWidth, mark = 4, bars = 15, high = bars + 2 * mark + 4;
  const { dots } = view, cell = wide / n, context = strip.getContext("2d");
  strip.width = Math.round(wide * dots);
  strip.height = Math.round(high * dots);
  strip.style.height = `${high}px`;
  context.scale(dots, dots);
  for (let i = 0; i < n; i++) {
    const tall = bars * (0.22 + 0.78 * tiers[i] / (view.data.tier_names.length - 1)), bits = isSecret ? 0 : faultsOf(view.data, view.start, w, i, reading);
    if (i === here) {
      context.fillStyle = view.ground.border;
      context.fillRect(i * cell, 0, cell, high);
    }
    context.fillStyle = view.tierColours[tiers[i]];
    context.fillRect(i * cell + 0.5, high - tall, cell - 1, tall);
    context.fillStyle = view.ground.text;
    for (let j = 0; j < 2; j++) if (bits >> j & 1) context.fillRect(i * cell + 0.5, j * (mark + 1), cell - 1, mark);
  }
}

function arm(context, joints, scale, width, colour, dash = []) {
  context.setLineDash(dash);
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.lineCap = context.lineJoin = "round";
  context.beginPath();
  joints.forEach(([x, y], j) => context[j ? "lineTo" : "moveTo"](x * scale, y * scale));
  context.stroke();
  context.setLineDash([]);
}

function sheetFrame(view, context, chain, frame, x, y, side) {
  const image = view.sheets[view.data.drawn.clip[chain]];
  context.fillStyle = "#000";
  context.fillRect(x, y, side, side);
  if (image.complete && image.naturalHeight) context.drawImage(image, frame * image.naturalHeight, 0, image.naturalHeight, image.naturalHeight, x, y, side, side);
  context.fillStyle = "rgba(0,0,0,0.28)";
  context.fillRect(x, y, side, side);
}

/** One frame with its predicted and true arm; the fields of its last argument are named as in paint(). */
function drawBig(view, canvas, side, { chain, frame, tier, own: joints, real, bits, isSecret }) {
  const context = contextOf(view, canvas, side, side), scale = side / PICTURE, colour = view.data.tier_colours.dark[tier];
  sheetFrame(view, context, chain, frame, 0, 0, side);
  if (!isSecret) {
    for (const [x, y] of real.slice(1)) {
      context.strokeStyle = "#fff";
      context.lineWidth = 1;
      context.beginPath();
      context.arc(x * scale, y * scale, NEAR * scale, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  arm(context, joints, scale, 7 * scale + 3, "#000");
  arm(context, joints, scale, 7 * scale, colour);
  joints.slice(1).forEach(([x, y], j) => {
    const isOff = !isSecret && bits >> j & 1, r = 6.5 * scale;
    context.lineWidth = 3;
    context.strokeStyle = "#fff";
    context.fillStyle = isOff ? "#000" : colour;
    context.beginPath();
    context.arc(x * scale, y * scale, r, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
    if (isOff) {
      context.beginPath();
      for (const s of [-1, 1]) { context.moveTo(x * scale - r / 1.6, y * scale - s * r / 1.6); context.lineTo(x * scale + r / 1.6, y * scale + s * r / 1.6); }
      context.stroke();
    }
  });
  if (!isSecret) arm(context, real, scale, 2, "#fff", [5, 4]);
}

/** All frames of an arm, small, in rows. */
function drawFilm(view, canvas, chain, frame, tiers, reading, isSecret) {
  const n = tiers.length, columns = Math.ceil(n / Math.ceil(n / 10)), size = Math.floor(Math.min(canvas.parentElement.clientWidth / columns, 96));
  const context = contextOf(view, canvas, size * columns, size * Math.ceil(n / columns));
  canvas.grid = { columns, size };
  for (let i = 0; i < n; i++) {
    const x = size * (i % columns), y = size * Math.floor(i / columns), bits = isSecret ? 0 : faultsOf(view.data, view.start, chain, i, reading);
    context.save();
    context.beginPath();
    context.rect(x, y, size, size);
    context.clip();
    sheetFrame(view, context, chain, i, x, y, size);
    context.translate(x, y);
    arm(context, jointsOf(view, chain, i, reading), size / PICTURE, Math.max(3, size / 14), view.data.tier_colours.dark[tiers[i]]);
    context.restore();
    context.lineWidth = i === frame ? 4 : 1;
    context.strokeStyle = i === frame ? view.ground.primary : view.ground.ground;
    context.strokeRect(x + context.lineWidth / 2, y + context.lineWidth / 2, size - context.lineWidth, size - context.lineWidth);
    if (bits) {
      context.font = `bold ${Math.max(11, size / 4)}px sans-serif`;
      context.textAlign = "right";
      context.lineWidth = 3;
      context.strokeStyle = "#000";
      context.fillStyle = "#fff";
      context.strokeText("✖", x + size - 4, y + size - 5);
      context.fillText("✖", x + size - 4, y + size - 5);
    }
  }
}

TASKS.arms = ARMS;
