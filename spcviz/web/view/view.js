// View, the base class of all views: state shared with the server, playing, keys, layout, theme, files.
//
// The browser owns a visitor's settings ("the view"), the server owns the data. A server's view is adopted only
// for new data (another `identity`) or when its `epoch` says that it changed by other means (the browser's back
// button, a link); never in the middle of a drag. Streamlit calls a component's default export again on every
// change of its data: one instance lives per parent element.

import { button, isDarkColour, node, openData, percentile, setText, toRgb } from "./elements.js";

/** Between views on a page: "here is a lattice for you", "a lattice was painted". */
export const LATTICE = "spcviz-lattice";
export const PAINTED = "spcviz-painted";
/** To all views of a page: "add yourself to this list". */
export const VIEWS = "spcviz-views";
const PAGE = ".stMainBlockContainer"; // of Streamlit: as tall as everything above and below a view
const PAPER_DOTS = 3; // per side of a pixel on paper: 300 per inch
/** On paper: the light theme, pictures in their own proportions, and no controls except those that also explain. */
const PRINTED = `.on-paper { color-scheme: light;
  --st-background-color: #FFFFFF; --st-secondary-background-color: #F4F6F9; --st-border-color: #D5DBE3; --st-text-color: #17202B; --st-primary-color: #2F2FBC;
  --st-blue-color: #2F2FBC; --st-gray-color: #667080; --st-green-color: #097338; --st-violet-color: #733E81; --st-orange-color: #C32902; --st-red-color: #800700; }
@media print {
  canvas { max-width: 100% !important; height: auto !important; }
  input, select, textarea, .more-box, button:not(.word, .methods button, [aria-pressed=true], [aria-current], [aria-selected=true]) { display: none !important; }
}`;
/** In a loop: no controls, except that pressed buttons show the position in the story. */
const FILMED = `.on-film :is(input, select, textarea, output, .more-box, .menu, button:not([aria-pressed=true], [aria-current], [aria-selected=true], .word, .stays *)) { display: none !important; }
.on-film * { caret-color: transparent; animation: none !important; transition: none !important; }`;
const REST_MS = 120;
const NOTE_MS = 4000;
const BIG_WIDTH = 1500;
const NARROW_WIDTH = 900;
const KEPT_PARTS = 64;
const FILE_TYPES = { csv: "text/csv", svg: "image/svg+xml" };

/** Whether a key press is meant for the picture and not for one of its controls or the page's. */
function isOurKey(event, root) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !root.isConnected) return false;
  const path = event.composedPath(), target = path[0], isOurs = path.includes(root);
  if (!(target instanceof Element)) return true;
  if (target.matches("textarea, select, [contenteditable=true], input:not([type=range])")) return false;
  if (target.closest("[role=listbox], [role=slider], [role=combobox], [role=menu], [role=dialog], [data-baseweb=popover]") && !isOurs) return false;
  if (target.matches("input[type=range]") && event.key.startsWith("Arrow") && !event.shiftKey) return false;
  if (target.matches("button, a, summary, [role=tab], [role=radio]") && (event.key === " " || event.key === "Enter")) return false;
  return isOurs || !target.matches("input[type=range], [role=radio], [role=tab]");
}

/** Received parts of data, the most recently used last: the server sends each once. */
const library = new Map();

/** A component's data, each part by its name; and whether all are here except those that come on request. */
export function receive(bytes) {
  const { fresh, later = [], ...data } = openData(bytes), { digests } = data;
  for (const [digest, packed] of Object.entries(fresh)) library.set(digest, Object.assign(openData(packed), { digest }));
  data.parts = {};
  for (const [name, digest] of Object.entries(digests)) {
    const part = library.get(digest);
    library.delete(digest);
    if (part) library.set(digest, part);
    data.parts[name] = part;
  }
  for (const digest of library.keys()) if (library.size > KEPT_PARTS) library.delete(digest);
  return { data, isWhole: Object.entries(data.parts).every(([name, part]) => part || later.includes(name)) };
}

/** A component's life on the page. Each kind of view defines:
 *
 *    build(data)        its elements, once; returns the outermost
 *    take(data, isNew)  take new data from the server, of which `this.view` is to be shown
 *    paint()            everything that depends on the view; draw() calls it at most once a frame
 *    step(by)           one step forward (1) or back (-1): arrow keys
 *    rewind()           to the start, if the story is at its end
 *    advance()          one step of playing, every `playMs`; false after the last
 *    keys(event)        further keys and their actions
 *    fileName(kind)     name of a saved file
 *    story              the moments of a loop, as changes of the view
 *  and where it differs: fit(), viewToSend(), send(), clock(), watched, leastHeight. */
export class View {
  view = null;
  data = null;
  identity = null;
  epoch = null;
  turn = 0; // requests so far of a view that asks on its own; see `takeAnswer`
  drag = null;
  playing = false;
  isEmbed = false;
  isBig = false;
  isOnPaper = false;
  isOnFilm = false;
  isOfBar = false; // part of the app itself, which a saved page does not keep
  isDark = false;
  playMs = 1000;
  leastHeight = 0; // of a window that gets a projector's sizes
  timers = new Map();
  wanting = new Set(); // parts requested since the last data came
  ending = new AbortController();
  note = node("span", { class: "note", "aria-live": "polite" });

  mount(parent, data) {
    this.root = this.build(data);
    parent.append(node("style", {}, PRINTED + FILMED), this.root);
    this.listen(document, "keydown", (event) => this.key(event));
    this.listen(document, VIEWS, ({ detail }) => detail.push(this));
    this.listen(window, "resize", () => this.resize());
    for (const name of ["beforeprint", "afterprint"]) this.listen(window, name, () => this.putOnPaper(name === "beforeprint"));
    this.observer = new ResizeObserver(() => this.resize());
    const page = document.querySelector(PAGE); // absent in a saved page
    for (const one of page ? [...this.watched, page] : this.watched) this.observer.observe(one);
  }
  destroy() {
    this.ending.abort();
    this.observer.disconnect();
    this.drag = null;
    for (const name of [...this.timers.keys()]) this.cancel(name);
  }
  /** The elements whose sizes count. */
  get watched() { return [this.root]; }
  fit() {}
  /** Height of the window left below an element's top, with the page scrolled to its start. */
  roomBelow(element) {
    if (this.isOnFilm) return 0; // a loop is as high as the minimum of its view
    let scrolled = 0;
    for (let e = element.parentElement; e; e = e.parentElement || (e.getRootNode() || {}).host) scrolled += e.scrollTop || 0;
    return window.innerHeight - element.getBoundingClientRect().top - scrolled;
  }

  // ---------------------------------------------------------------- time

  listen(target, name, act) { target.addEventListener(name, act, { signal: this.ending.signal }); }
  /** Do something later; under the same name only the last call counts. */
  after(name, ms, act) {
    this.cancel(name);
    const timer = setTimeout(() => { this.timers.delete(name); act(); }, ms);
    this.timers.set(name, () => clearTimeout(timer));
  }
  /** Do something at the next frame; under the same name only the last call counts. */
  onFrame(name, act) {
    this.cancel(name);
    const frame = requestAnimationFrame((now) => { this.timers.delete(name); act(now); });
    this.timers.set(name, () => cancelAnimationFrame(frame));
  }
  isDue(name) { return this.timers.has(name); }
  /** Cancel what is due under a name; returns whether there was anything. */
  cancel(name) {
    if (!this.isDue(name)) return false;
    this.timers.get(name)();
    return this.timers.delete(name);
  }

  // ---------------------------------------------------------------- data in, view out

  update(component, data) {
    if (data.turn < this.turn) { // the picture answers a later stroke: this comes too late
      this.component = component;
      return;
    }
    this.turn = data.turn ?? this.turn;
    const isNew = this.identity !== data.identity;
    if ((isNew || this.epoch !== data.epoch) && !(this.view && this.drag)) this.view = structuredClone(data.view);
    this.component = component;
    this.identity = data.identity;
    this.epoch = data.epoch;
    this.data = data;
    this.wanting.clear();
    this.take(data, isNew);
    this.resize();
  }
  /** Take an answer that did not come with a run of the page: data without a view, which stays ours. */
  takeAnswer(bytes, change = {}) {
    const { data, isWhole } = receive(bytes);
    if (isWhole && this.view) this.update(this.component, { ...this.data, ...data, view: { ...this.view, ...change }, epoch: this.epoch });
  }
  set(change, isDrag = false) {
    Object.assign(this.view, change);
    this.draw();
    if (!isDrag) this.send();
  }
  /** Tell the server once changes have rested for a moment. */
  send() { this.after("send", REST_MS, () => this.component.setStateValue("view", this.stateToTell())); }
  viewToSend() { return structuredClone(this.view); }
  /** Ask the server for everything: something did not arrive, or is no longer here. */
  ask(component, data) {
    const { view } = this;
    this.component = component;
    this.lost = `${Date.now()}`;
    this.view = view || structuredClone(data.view);
    component.setStateValue("view", this.stateToTell());
    this.view = view;
  }
  /** Request parts that are not here yet, each once until other data come. */
  want(names) {
    const lacking = names.filter((name) => !this.data.parts[name] && !this.wanting.has(name));
    if (!lacking.length) return;
    for (const name of lacking) this.wanting.add(name);
    this.wish = { names: [...this.wanting], at: Date.now() };
    this.cancel("send");
    this.component.setStateValue("view", this.stateToTell());
  }
  /** The result of `viewToSend`, with the requested parts. */
  stateToTell() {
    const { lost, wish } = this;
    return { ...this.viewToSend(), ...lost && { lost }, ...wish && { wanted: wish } };
  }
  /** Whether a message is still to be sent. */
  get isUnsent() { return this.isDue("send"); }
  /** A slider over a share of the view, in thousandths. */
  shareSlider(name, label) {
    const slider = node("input", { type: "range", min: "0", max: "1000", step: "1", "aria-label": label,
      oninput: () => { this.play(false); this.set({ [name]: +slider.value / 1000 }, true); }, onchange: () => this.send() });
    return slider;
  }

  // ---------------------------------------------------------------- drawing

  draw() {
    if (!this.isDue("draw")) this.onFrame("draw", () => { if (this.view && this.root.isConnected) this.paint(); });
  }
  /** Measure again; an address with `embed=true` on a large screen gets a projector's sizes. */
  resize() {
    if (!this.view) return;
    this.isEmbed = new URLSearchParams(location.search).get("embed") === "true";
    this.isBig = this.isEmbed && window.innerWidth >= BIG_WIDTH && window.innerHeight >= this.leastHeight;
    this.root.classList.toggle("big", this.isBig);
    this.root.classList.toggle("narrow", this.root.clientWidth < NARROW_WIDTH);
    this.fit();
    this.draw();
  }
  /** Draw for paper, or for the screen again; at once, since no frame comes before the browser takes its picture. */
  putOnPaper(on) {
    this.isOnPaper = on;
    this.root.classList.toggle("on-paper", on);
    this.resize();
    if (this.cancel("draw")) this.paint();
  }
  /** Dots of a canvas for the side of a pixel. */
  get dots() { return this.isOnPaper ? PAPER_DOTS : window.devicePixelRatio || 1; }
  /** Check whether the page is dark; returns a function that reads the variables of Streamlit's theme. */
  readTheme() {
    const style = getComputedStyle(this.root);
    const read = (name, otherwise) => style.getPropertyValue(`--st-${name}`).trim() || otherwise;
    this.isDark = isDarkColour(toRgb(read("background-color", "#ffffff")));
    return read;
  }
  get theme() { return this.isDark ? "dark" : "light"; }

  // ---------------------------------------------------------------- dragging and its frame counter

  startDrag() {
    if (this.drag) return;
    this.drag = { frames: [], latency: [], stamp: 0 };
    const tick = (now) => {
      if (!this.drag) return;
      this.drag.frames.push(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  /** End a drag; its smoothness is written to the data attributes. */
  endDrag() {
    if (!this.drag) return;
    const { frames, latency } = this.drag, gaps = frames.slice(1).map((t, i) => t - frames[i]), { dataset } = this.root;
    this.drag = null;
    dataset.drags = +(dataset.drags || 0) + 1;
    dataset.fps = gaps.length ? (1000 * gaps.length / (frames[frames.length - 1] - frames[0])).toFixed(1) : "";
    dataset.gapP95 = percentile(gaps, 0.95).toFixed(1);
    dataset.gapMax = percentile(gaps, 1).toFixed(1);
    dataset.inputMs = percentile(latency, 0.5).toFixed(1);
    dataset.inputP95 = percentile(latency, 0.95).toFixed(1);
    this.send();
    this.draw();
  }
  /** Note a change during a drag, by the time stamp of its event; its latency ends at the next `notePaint`. */
  stamp(time) { if (time && this.drag) this.drag.stamp = this.drag.stamp || time; }
  /** Note that a picture was drawn in `ms` milliseconds. */
  notePaint(ms) {
    const { dataset } = this.root;
    if (this.drag && this.drag.stamp) {
      this.drag.latency.push(performance.now() - this.drag.stamp);
      this.drag.stamp = 0;
    }
    dataset.paints = +(dataset.paints || 0) + 1;
    dataset.paintMs = ms.toFixed(2);
  }

  // ---------------------------------------------------------------- playing and keys

  playControl(title, extra) {
    return (this.playButton = button("▶", title, () => this.play(!this.playing), extra));
  }
  play(on) {
    if (on === this.playing) return;
    this.playing = on;
    setText(this.playButton, on ? "❚❚" : "▶");
    if (on) {
      this.rewind();
      this.clock();
    } else {
      this.cancel("play");
      this.send();
    }
    this.draw();
  }
  clock() { this.after("play", this.playMs, () => this.advance() ? this.clock() : this.play(false)); }
  walk(by) {
    this.play(false);
    this.step(by);
  }
  key(event) {
    if (!this.view || !isOurKey(event, this.root)) return;
    const shared = { " ": () => this.play(!this.playing), ArrowRight: () => this.walk(1), ArrowLeft: () => this.walk(-1) };
    const act = { ...shared, ...this.keys(event) }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  // ---------------------------------------------------------------- a loop

  /** The moments of playing, as changes of the view; none if nothing plays. */
  get story() { return []; }
  /** Draw one moment of the story for a loop, at once. */
  showMoment(change) {
    Object.assign(this.view, change);
    this.isOnFilm = true;
    this.root.classList.add("on-film");
    this.resize();
    if (this.cancel("draw")) this.paint();
  }

  // ---------------------------------------------------------------- saving and copying

  say(text) {
    setText(this.note, text);
    this.after("note", NOTE_MS, () => setText(this.note, ""));
  }
  closeMenu() { if (this.menu) this.menu.hidden = true; }
  save(blob, kind) {
    const url = URL.createObjectURL(blob), link = node("a", { href: url, download: this.fileName(kind) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 5000);
    this.closeMenu();
    this.say(`saved ${kind.toUpperCase()}`);
  }
  /** The canvas on the page's background. */
  savePicture(canvas, background) {
    const copy = node("canvas", { width: canvas.width, height: canvas.height }), context = copy.getContext("2d");
    context.fillStyle = background;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
    copy.toBlob((blob) => this.save(blob, "png"));
  }
  saveText(text, kind) { this.save(new Blob([text], { type: FILE_TYPES[kind] }), kind); }
  saveRows(rows) { this.saveText(rows.join("\n") + "\n", "csv"); }
  async copyLink() {
    this.closeMenu();
    for (let i = 0; i < 20 && this.isUnsent; i++) await new Promise((done) => setTimeout(done, 80));
    await this.copyText(location.href, "link copied", "copy the address of this page");
  }
  async copyText(text, done, failed = "select the text and copy it") {
    try {
      await navigator.clipboard.writeText(text);
      this.say(done);
    } catch {
      const area = node("textarea", { "aria-label": "To copy" });
      area.value = text;
      this.root.append(area);
      area.select();
      const isDone = document.execCommand("copy");
      area.remove();
      this.say(isDone ? done : failed);
    }
    this.root.dataset.copied = text;
  }
}

/** The default export of a component: one instance of `Kind` per parent element, over all of Streamlit's calls. */
export function makeMount(Kind) {
  const instances = new WeakMap();
  return (component) => {
    const { parentElement } = component, { data, isWhole } = receive(component.data);
    let instance = instances.get(parentElement);
    if (!instance || !instance.root.isConnected) {
      if (instance) instance.destroy();
      instance = new Kind();
      instance.mount(parentElement, data);
      instances.set(parentElement, instance);
    }
    if (isWhole) instance.update(component, data);
    else instance.ask(component, data);
    return () => setTimeout(() => {
      if (instance.root.isConnected && parentElement.isConnected !== false) return;
      instance.destroy();
      if (instances.get(parentElement) === instance) instances.delete(parentElement);
    }, 0);
  };
}
