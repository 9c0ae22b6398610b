// A sheet of moments: the same document in many frames, each at its own moment; a photograph of all is a loop's
// frames. What stands where is told as JSON.

import { chosenOf, durations } from "../../view/moments.js";

/* global DOCUMENT, MOST, WIDTH, HEIGHT, IS_SVG -- what the file brings: see loops.py */
const TURNS = 2; // of a view that asks how much room it has, and takes it

async function frame() {
  const element = document.createElement("iframe");
  element.srcdoc = DOCUMENT;
  element.style.cssText = `width:${WIDTH}px;height:${HEIGHT}px`;
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

const first = await frame(), moments = IS_SVG ? [] : chosenOf(first.film.story.length, MOST), count = moments.length;
const frames = [first];
while (frames.length < count) frames.push(await frame());
let height = HEIGHT;
if (count) {
  first.film.show(moments.at(-1));
  await rest();
  first.film.fitWidth();
  for (const { element } of frames) element.contentDocument.body.style.zoom = first.element.contentDocument.body.style.zoom;
}
for (let turn = 0; count && turn < TURNS; turn++) {
  for (const [k, { film }] of frames.entries()) film.show(moments[k]);
  await rest();
  height = Math.max(...frames.map(({ film }) => film.height()));
  for (const { element } of frames) element.style.height = `${height}px`;
}
document.getElementById("out").textContent = JSON.stringify(IS_SVG ? { svg: first.film.svg() } : { moments, height, milliseconds: count > 1 ? durations(count) : [] });
