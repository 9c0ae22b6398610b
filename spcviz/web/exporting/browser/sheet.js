// The moments of a loop. A browser that takes commands shows them one after the other, in one frame, and photographs
// each (`globalThis.show`): a frame costs more than all its moments. Any other shows all of them at once, each in its
// own frame, and is photographed once. The layout is reported as JSON. Frames are hidden until then: nobody sees
// what would be painted.

import { chosenOf, durations } from "../../view/moments.js";

/* global DOCUMENT, MOST, WIDTH, HEIGHT, IS_SVG, IS_AT_ONCE -- defined in the file: see loops.py */
const TURNS = 2; // rounds of layout: a view asks how much space it has, and takes it

async function frame() {
  const element = document.createElement("iframe");
  element.srcdoc = DOCUMENT;
  element.style.cssText = `width:${WIDTH}px;height:${HEIGHT}px;visibility:hidden`;
  const heard = new Promise((done) => {
    addEventListener("message", function hear({ source }) {
      if (source !== element.contentWindow) return;
      removeEventListener("message", hear);
      done();
    });
  });
  document.body.append(element);
  await heard;
  return { element, film: element.contentWindow.FILM };
}
const rest = () => new Promise((done) => setTimeout(done, 60));

const first = await frame(), { film } = first, moments = IS_SVG ? [] : chosenOf(film.story.length, MOST), count = moments.length;
const frames = [first];
while (IS_AT_ONCE && frames.length < count) frames.push(await frame());
let height = HEIGHT;
const take = (high) => {
  height = high;
  for (const { element } of frames) element.style.height = `${height}px`;
};
if (count) {
  film.show(moments.at(-1));
  await rest();
  film.fitWidth();
  for (const { element } of frames) element.contentDocument.body.style.zoom = first.element.contentDocument.body.style.zoom;
}
for (let turn = 0; IS_AT_ONCE && count && turn < TURNS; turn++) {
  for (const [k, each] of frames.entries()) each.film.show(moments[k]);
  await rest();
  take(Math.max(...frames.map((each) => each.film.height())));
}
globalThis.show = (k) => film.show(moments[k]);
if (count && !IS_AT_ONCE) {
  const measure = (chosen) => chosen.map((moment) => (film.show(moment), film.height()));
  const highs = measure(moments), most = Math.max(...highs);
  take(most); // given more space, a view may take more
  take(Math.max(...measure([...new Set([0, highs.indexOf(most), count - 1])].map((k) => moments[k]))));
}
for (const { element } of frames) element.style.visibility = "visible";
document.getElementById("out").textContent = JSON.stringify(IS_SVG ? { svg: film.svg() } : { moments, height, milliseconds: count > 1 ? durations(count) : [] });
