// One moment of a loop: the page's view that has a story, in its own frame; sheet.js chooses the moment.

import { bytesOf, mountView } from "./host.js";

/* global KINDS, MOUNTS -- defined in the file: see loops.py */
const VIEWS = "spcviz-views", views = [];

// A view draws a picture when it has arrived, a loop only once: it waits for all that a view has requested.
const pictures = [], OwnImage = Image;
globalThis.Image = function Image(...size) {
  const one = new OwnImage(...size);
  pictures.push(one);
  return one;
};

/** The view with the longest story, as the page shows it; the others are hidden. */
function hero() {
  for (const [k, [kind, data]] of MOUNTS.entries()) {
    mountView(document.querySelector(`[data-view="${k}"]`), KINDS[kind], typeof data === "string" ? bytesOf(data) : data);
  }
  document.dispatchEvent(new CustomEvent(VIEWS, { detail: views }));
  const lengths = views.map((view) => view.story.length), longest = lengths.indexOf(Math.max(...lengths));
  for (const [k, view] of views.entries()) view.root.getRootNode().host.hidden = k !== longest;
  return views[longest];
}

await Promise.all([...document.fonts].map((font) => font.load()));
const chosen = hero();
const LEAST_ZOOM = 0.5;

/** Show parts that scroll sideways on a page as a whole in a loop: shrink everything by that factor. */
function fitWidth() {
  const parts = [...chosen.root.querySelectorAll("*")].filter((one) => one.clientWidth > 300 && getComputedStyle(one).overflowX === "auto");
  const over = Math.max(1, ...parts.map((one) => one.scrollWidth / one.clientWidth));
  if (over > 1.01) document.body.style.zoom = Math.max(LEAST_ZOOM, (document.body.style.zoom || 1) / over);
}
const sizes = () => chosen.watched.map((one) => `${one.clientWidth} ${one.clientHeight}`).join();

globalThis.FILM = {
  story: chosen?.story ?? [],
  /** Show a moment at once. A view whose size it changes fits itself again, as on a page at the next frame. */
  show(moment) {
    const before = sizes();
    chosen.showMoment(chosen.story[moment]);
    if (sizes() !== before) chosen.showMoment(chosen.story[moment]);
  },
  svg() {
    const [sentence, address] = [...document.querySelectorAll("footer > *")].map((one) => one.textContent);
    chosen?.showMoment(chosen.story[0]);
    return chosen?.loopSvg?.(sentence, address) ?? null;
  },
  fitWidth,
  height: () => Math.ceil(["main", "footer"].reduce((sum, name) => sum + (document.querySelector(name)?.getBoundingClientRect().height ?? 0), 0)),
};
await Promise.all(pictures.map((one) => one.decode().catch(() => {}))); // a broken one stays a gap
parent.postMessage("film", "*");
