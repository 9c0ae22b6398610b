// A site's page: plays the scenes of a tour, or shows one, from files next to it: on a web host or a memory stick.
//
// Files are fetched as scripts, the only way from a disk. Each view's script and each part of data is one file of
// the site, shared by all scenes that need it; the next scene is fetched while the current one is shown.

import { keyAction, hearSlides, isTyping, partOf } from "../../touring/tour_core.js";
import { bytesOf, drawChart, mountView, unpack } from "./host.js";
import { whole } from "./whole.js";

const LOOK_MS = 200;
const MARGIN = 6;
const { root, folder, codes, pairs } = JSON.parse(document.getElementById("site").textContent);
const known = { kind: new Map(), part: new Map(), chart: new Map(), scene: new Map() };
globalThis.SPCVIZ = Object.fromEntries(Object.entries(known).map(([kind, map]) => [kind, (name, value) => map.set(name, value)]));
const byClass = (name) => document.querySelector(`.${name}`);
const query = new URLSearchParams(location.search), page = document.documentElement.classList;
page.toggle("embed", query.get("embed") === "true");
page.toggle("view-only", query.get("picture") === "only"); // for the still that the page shows until its scripts are loaded
const fetched = new Map();
let shown = null, wanted = null, endings = [];

function script(path) {
  if (!fetched.has(path)) {
    fetched.set(path, new Promise((done, failed) => {
      const element = document.createElement("script");
      element.src = root + path;
      element.onload = done;
      element.onerror = () => { fetched.delete(path); failed(new Error(`${path} is missing`)); };
      document.head.append(element);
    }));
  }
  return fetched.get(path);
}
/** Get something by its name, from its file if it is not loaded yet. */
async function need(kind, name, path) {
  if (!known[kind].has(name)) await script(path);
  return known[kind].get(name);
}
/** Load a part of data, which its file stores compressed, in half the bytes. */
async function part(digest) {
  const held = await need("part", digest, `shared/parts/${digest}.js`);
  if (typeof held === "string") known.part.set(digest, await unpack(held));
}
async function scene(code) {
  const content = await need("scene", code, `scenes/${folder}-${code}.js`);
  const parts = content.views.flatMap((view) => Object.values(view.parts));
  await Promise.all([
    ...content.views.map((view) => need("kind", view.kind, `shared/${view.kind}.js`)),
    ...parts.map(part),
    ...content.charts.filter((chart) => !chart.light).flatMap((chart) => [need("chart", chart.name, `shared/charts/${chart.name}.js`), script("shared/plotly.js")]),
  ]);
  return content;
}

function show(code, content) {
  for (const end of endings) end();
  const main = byClass("scene");
  main.innerHTML = content.body;
  endings = content.views.map((view, k) => {
    const data = view.message ? whole(bytesOf(view.message), Object.values(view.parts).map((digest) => [digest, known.part.get(digest)])) : view.data;
    return mountView(main.querySelector(`[data-view="${k}"]`), known.kind.get(view.kind), data);
  });
  for (const [k, chart] of content.charts.entries()) {
    const place = main.querySelector(`[data-chart="${k}"]`);
    if (chart.light) place.append(picture(chart));
    else drawChart(globalThis.Plotly, place, known.chart.get(chart.name), pairs);
  }
  for (const part of ["say", "ask", "answer"]) byClass(part).textContent = content[part];
  byClass("tour").hidden = codes.length < 2;
  byClass("place").textContent = `${parseInt(code, 10)} / ${parseInt(codes.at(-1), 10)}`;
  const at = codes.indexOf(code), next = byClass("next");
  byClass("back").disabled = at <= 0;
  next.disabled = at >= codes.length - 1;
  next.textContent = content.isAsking ? "Answer" : "›";
  next.setAttribute("aria-label", content.isAsking ? "Show the answer (Page Down)" : "Next (Page Down)");
  const link = byClass("app");
  if (link) link.href = content.link;
  shown = { code, ...content };
  window.scrollTo(0, 0);
  light();
  document.documentElement.dataset.scene = code;
  document.documentElement.dataset.shown = "1";
  if (codes[at + 1]) setTimeout(() => scene(codes[at + 1]).catch(() => {}), 300);
}
/** A chart drawn in advance, in the colours of the theme. */
function picture({ light: file, dark, alt }) {
  const place = document.createElement("picture"), source = document.createElement("source"), image = document.createElement("img");
  source.media = "(prefers-color-scheme: dark)";
  source.srcset = root + dark;
  image.src = root + file;
  image.alt = alt;
  place.append(source, image);
  return place;
}

async function go(code) {
  wanted = code;
  try {
    const content = await scene(code);
    if (wanted === code) show(code, content);
  } catch (error) {
    byClass("noted").textContent = `This scene cannot be shown: ${error.message}.`;
  }
}
function step(by) {
  const to = codes[codes.indexOf(wanted) + by];
  if (to) location.hash = to;
  return Boolean(to);
}
const atHash = () => { const code = location.hash.slice(1); return codes.includes(code) ? code : codes[0]; };

/** Highlight the part that a sentence speaks of. */
function light() {
  const frame = byClass("light"), part = shown && partOf(shown.point);
  frame.hidden = !part;
  if (!part) return;
  const box = part.getBoundingClientRect();
  Object.assign(frame.style, { left: `${box.left - MARGIN}px`, top: `${box.top - MARGIN}px`, width: `${box.width + 2 * MARGIN}px`, height: `${box.height + 2 * MARGIN}px` });
}
function black(on) { byClass("black").hidden = !on; }
function full() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

function key(event) {
  const path = event.composedPath();
  if (isTyping(path[0])) return;
  const isOurs = path.includes(byClass("tour")) && !path[0].matches?.("button");
  const what = event.key === "Escape" ? "light" : keyAction(event, isOurs, codes.length > 1);
  const acts = { forward: () => step(1), back: () => step(-1), home: () => { location.hash = codes[0]; }, black: () => black(byClass("black").hidden), light: () => black(false), full };
  if (!what || codes.length < 2 || acts[what]() === false) return; // before the first and after the last: surrounding slides may handle the key
  event.preventDefault();
  event.stopPropagation();
}

function start() {
  window.addEventListener("keydown", key, true);
  window.addEventListener("hashchange", () => go(atHash()));
  byClass("back").addEventListener("click", () => step(-1));
  byClass("next").addEventListener("click", () => step(1));
  byClass("fuller").addEventListener("click", full);
  byClass("black").addEventListener("click", () => black(false));
  setInterval(light, LOOK_MS);
  hearSlides();
  go(atHash());
}
document.addEventListener("DOMContentLoaded", start);
