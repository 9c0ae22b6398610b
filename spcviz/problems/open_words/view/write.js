// The Write page's view: one box per letter, or one strip with cuts that can be moved.
// The browser owns the strokes (the view is their text); the server answers every stroke with the letters' rasters,
// their reading, and the lattice. A stroke requests its answer directly (spcviz/web/ui/requests.py); the page is
// notified once the pen rests.

import { button, clamp, node, openData, setText, unpackInk } from "../../../web/view/elements.js";
import { moreBox } from "../../../web/view/more.js";
import { LATTICE, PAINTED, View, makeMount } from "../../../web/view/view.js";
import { BOX, MOST, boxesText, cutsAtGaps, parse, straighten, stripText, toStrip } from "./write_core.js";

const PEN = 0.045; // of a box's side
const PIXEL = 4;
const PEN_RESTS_MS = 350;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

class WriteView extends View {
  isCutByHand = false;

  build() {
    this.modes = [["b", "One box per letter"], ["s", "Free line, split at gaps"]].map(([kind, label]) =>
      button(label, label, () => this.change(kind), { "data-kind": kind }));
    this.more = button("+ box", "One box more", () => this.resizeWord(1));
    this.fewer = button("− box", "The last box goes", () => this.resizeWord(-1));
    this.recut = button("Cut at the gaps", "Put the cuts back where there is white between letters", () => { this.isCutByHand = false; this.commitStrokes(); });
    this.addCut = button("+ cut", "A cut in the widest piece; drag it, or move it with the arrow keys; Delete takes it away", () => this.insertCut());
    this.moreBox = moreBox([node("span", { class: "modes", role: "group", "aria-label": "How to write" }, this.modes), node("div", { class: "bar" }, this.more, this.fewer, this.recut, this.addCut),
      node("div", { class: "bar" }, button("Undo", "Take the last stroke back", () => this.undo()), button("Link", "Copy a link to exactly this drawing", () => this.copyLink()))], { name: "View", isFloating: true });
    const bar = node("div", { class: "bar", role: "group", "aria-label": "Writing" }, button("Clear all", "Start again", () => this.clear()), this.moreBox.box, this.note);
    this.boxes = node("div", { class: "boxes", role: "group", "aria-label": "Where to write" });
    this.invites = node("p", { class: "invites" });
    this.says = node("p", { class: "says", role: "status", "aria-live": "polite" });
    return node("div", { class: "write" }, bar, this.invites, this.boxes, this.says);
  }

  take(data) {
    this.drawing = parse(this.view.ink || data.example || data.empty);
    this.isExample = Boolean(data.example) && !this.view.ink;
    this.isReading = false;
    this.rasters = unpackInk(data.rasters);
    if (data.parts?.hands) this.hands = parse(data.parts.hands.letters).letters; // an answer to a stroke has none
    this.last ??= [];
    this.layOut();
    this.warmUp();
  }
  mount(parent, data) {
    super.mount(parent, data);
    this.listen(document, PAINTED, (event) => this.measureAnswer(event.detail));
  }

  /** Remove the example that was shown to be drawn over; its boxes stay, empty. */
  beginOwn() {
    if (!this.isExample) return;
    this.isExample = false;
    this.drawing.letters = this.drawing.letters.map(() => []);
    this.isReading = true; // the message on display is about the example
  }

  get isStrip() { return this.drawing.isStrip; }
  get nLetters() { return this.isStrip ? this.drawing.cuts.length + 1 : this.drawing.letters.length; }

  // ---------------------------------------------------------------- what is drawn on

  /** One canvas per box, or a single one; they stay as long as their number does. */
  layOut() {
    const kind = this.isStrip ? "s" : `b${this.drawing.letters.length}`;
    if (kind !== this.laid) {
      this.laid = kind;
      this.cells = (this.isStrip ? [0] : this.drawing.letters).map((_, i) => this.cell(i));
      this.boxes.replaceChildren(...this.cells.map((cell) => cell.root));
      this.boxes.classList.toggle("strip", this.isStrip);
    }
    for (const element of this.modes) element.setAttribute("aria-pressed", String((element.dataset.kind === "s") === this.isStrip));
    this.moreBox.say([this.isStrip && "one free line"]);
    this.more.hidden = this.fewer.hidden = this.isStrip;
    this.recut.hidden = this.addCut.hidden = !this.isStrip;
    this.more.disabled = this.nLetters >= MOST;
    this.fewer.disabled = this.nLetters <= 1;
  }

  cell(i) {
    const canvas = node("canvas", { tabindex: "0", ...this.isStrip ? { role: "img", "aria-label": "Strip to write a word in" } : { role: "textbox", "aria-label": `Box ${i + 1}: draw a letter, or type one` } });
    const raster = node("canvas", { class: "raster", width: 8 * PIXEL, height: 16 * PIXEL, title: "What the cascade sees: 16 x 8 pixels" });
    const letter = node("b", { class: "read" }), cuts = node("div", { class: "cuts" }), pieces = node("div", { class: "pieces" });
    const foot = this.isStrip ? pieces : node("div", { class: "foot" }, raster, letter, node("span", { class: "acts" },
      button("↶", `Undo in box ${i + 1}`, () => this.undo(i)), button("✕", `Clear box ${i + 1}`, () => this.clear(i))));
    this.listen(canvas, "pointerdown", (event) => this.begin(event, i, canvas));
    this.listen(canvas, "pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.listen(canvas, name, (event) => this.lift(event));
    this.listen(canvas, "keydown", (event) => this.type(event, i));
    for (const name of ["focus", "blur"]) this.listen(canvas, name, () => this.draw());
    return { root: node("div", { class: "cell" }, node("div", { class: "paper" }, canvas, cuts), foot), canvas, raster, letter, cuts, pieces };
  }

  fit() {
    for (const { canvas } of this.cells ?? []) {
      const { width, height } = canvas.getBoundingClientRect(), ratio = this.dots;
      if (!width) continue;
      const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    }
  }

  // ---------------------------------------------------------------- the pen

  at(event, canvas) {
    const box = canvas.getBoundingClientRect(), scale = BOX / box.height, wide = this.isStrip ? BOX * this.stripBoxes : BOX;
    return [clamp((event.clientX - box.left) * scale, 0, wide - 1), clamp((event.clientY - box.top) * scale, 0, BOX - 1)];
  }
  begin(event, i, canvas) {
    if (event.button > 0) return;
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    this.drag = { i, canvas, id: event.pointerId, points: [this.at(event, canvas)] };
    this.draw();
  }
  move(event) {
    if (!this.drag || this.drag.id !== event.pointerId || !this.drag.points) return;
    const events = event.getCoalescedEvents?.() ?? [];
    for (const each of events.length ? events : [event]) this.drag.points.push(this.at(each, this.drag.canvas));
    this.draw();
  }
  lift(event) {
    if (!this.drag || this.drag.id !== event.pointerId || !this.drag.points) return;
    const { i, points } = this.drag, stroke = straighten(points);
    this.drag = null;
    this.lifted = event.timeStamp;
    this.beginOwn();
    if (this.isStrip) this.drawing.strokes.push(stroke);
    else this.drawing.letters[i].push(stroke);
    this.last.push(i);
    this.commitStrokes();
  }

  /** For visitors who cannot draw: a letter typed into a box becomes another writer's, and the next box gets the focus. */
  type(event, i) {
    if (this.isStrip || event.ctrlKey || event.metaKey || event.altKey) return;
    const letter = LETTERS.indexOf(event.key.toLowerCase()), isErased = ["Backspace", "Delete"].includes(event.key);
    if (!isErased && (event.key.length !== 1 || letter < 0 || !this.hands?.[letter])) return;
    event.preventDefault();
    event.stopPropagation(); // here a letter is not a shortcut of the page
    this.beginOwn();
    this.drawing.letters[i] = isErased ? [] : structuredClone(this.hands[letter]);
    this.commitStrokes();
    if (!isErased) this.cells[i + 1]?.canvas.focus();
  }

  /** The strokes have changed: their text is the view, and the server is notified at once. */
  commitStrokes() {
    const { drawing } = this;
    if (this.isStrip && !this.isCutByHand) drawing.cuts = cutsAtGaps(drawing.strokes);
    this.layOut();
    this.fit();
    this.set({ ink: this.isStrip ? stripText(drawing.strokes, [...drawing.cuts].sort((a, b) => a - b)) : boxesText(drawing.letters) });
  }
  send() {
    this.turn += 1;
    this.after("send", this.data.ask ? PEN_RESTS_MS : 0, () => this.tellPage());
    if (this.data.ask) this.askFor(this.view.ink, this.turn).catch(() => this.tellPage());
  }
  tellPage() {
    this.cancel("send");
    this.component.setStateValue("view", this.stateToTell());
  }
  viewToSend() { return { ...super.viewToSend(), turn: this.turn }; }

  /** Fetch a drawing's picture without running the page: the boxes take it here, the lattice is notified. */
  async askFor(ink, turn) {
    const { ask, settings } = this.data, body = JSON.stringify({ ink, turn, settings });
    const answer = await fetch(new URL(ask, document.baseURI), { method: "POST", body });
    if (!answer.ok) throw new Error(`${ask}: ${answer.status}`);
    const { boxes, lattice } = openData(new Uint8Array(await answer.arrayBuffer()));
    if (turn !== this.turn || !this.root.isConnected) return;
    this.takeAnswer(boxes);
    const heard = { lattice, isTaken: false };
    document.dispatchEvent(new CustomEvent(LATTICE, { detail: heard }));
    if (!heard.isTaken) this.tellPage(); // there is no lattice yet, or no longer one
  }
  /** The first request of a page loads what answering needs: before the first stroke, so that nobody waits. */
  warmUp() {
    if (this.isWarm || !this.data.ask) return;
    this.isWarm = true;
    this.after("warm up", PEN_RESTS_MS, () => this.askFor(undefined, NaN).catch(() => {})); // of the server's example
  }
  /** A picture was drawn: time from pen up until it is on the screen with all that belongs to the stroke. */
  measureAnswer({ turn }) {
    if (!this.lifted || turn !== this.turn) return;
    const since = this.lifted, { port1, port2 } = new MessageChannel();
    this.lifted = null;
    port1.onmessage = () => { this.root.dataset.ms = Math.round(performance.now() - since); port1.close(); }; // after the frame
    port2.postMessage(0);
  }

  undo(i) {
    if (this.isExample) return;
    const box = i ?? this.last.pop() ?? this.drawing.letters?.findLastIndex((letter) => letter.length) ?? 0;
    if (this.isStrip) this.drawing.strokes.pop();
    else this.drawing.letters[box]?.pop();
    this.commitStrokes();
  }
  clear(i) {
    this.beginOwn();
    this.isCutByHand = false;
    if (this.isStrip) Object.assign(this.drawing, { strokes: [], cuts: [] });
    else if (i === undefined) this.drawing.letters = this.drawing.letters.map(() => []);
    else this.drawing.letters[i] = [];
    this.commitStrokes();
  }
  resizeWord(by) {
    this.beginOwn();
    const { letters } = this.drawing;
    if (by > 0 && letters.length < MOST) letters.push([]);
    if (by < 0 && letters.length > 1) letters.pop();
    this.commitStrokes();
  }
  change(kind) {
    if ((kind === "s") === this.isStrip) return;
    this.beginOwn();
    this.isCutByHand = kind === "s";
    this.drawing = kind === "s" ? { isStrip: true, ...toStrip(this.drawing.letters) } : { isStrip: false, letters: Array.from({ length: 6 }, () => []) };
    this.commitStrokes();
  }

  // ---------------------------------------------------------------- cuts

  /** Width of the strip in boxes: space for one letter more than there is ink. */
  get stripBoxes() {
    const right = Math.max(0, ...this.drawing.strokes.flat().map((p) => p[0]));
    return clamp(Math.ceil(right / BOX) + 1, 8, MOST);
  }
  moveCut(c, x) {
    this.isCutByHand = true;
    this.drawing.cuts[c] = clamp(Math.round(x), 1, BOX * this.stripBoxes - 1);
    this.draw();
  }
  dropCut(c) {
    this.isCutByHand = true;
    this.drawing.cuts.splice(c, 1);
    this.commitStrokes();
  }
  insertCut() {
    const xs = this.drawing.strokes.flat().map((p) => p[0]), edges = [Math.min(...xs), ...this.drawing.cuts, Math.max(...xs)];
    if (!xs.length || this.drawing.cuts.length + 1 >= MOST) return;
    const widest = edges.slice(1).reduce((best, x, i) => (x - edges[i] > edges[best + 1] - edges[best] ? i : best), 0);
    this.isCutByHand = true;
    this.drawing.cuts.push((edges[widest] + edges[widest + 1]) / 2);
    this.drawing.cuts.sort((a, b) => a - b);
    this.commitStrokes();
  }
  paintCuts(cell) {
    const scale = cell.canvas.clientHeight / BOX;
    while (cell.cuts.children.length > this.drawing.cuts.length) cell.cuts.lastChild.remove();
    while (cell.cuts.children.length < this.drawing.cuts.length) cell.cuts.append(this.cutHandle(cell, cell.cuts.children.length));
    this.drawing.cuts.forEach((x, c) => {
      const handle = cell.cuts.children[c];
      handle.style.left = `${x * scale}px`;
      handle.setAttribute("aria-valuenow", String(Math.round(x)));
    });
  }
  cutHandle(cell, c) {
    const handle = node("div", { class: "cut", role: "slider", tabindex: "0", "aria-label": `Cut ${c + 1}`, "aria-valuemin": "0", "aria-valuemax": String(BOX * MOST), title: "Drag; double click or Delete takes it away" });
    const to = (event) => this.moveCut(c, this.at(event, cell.canvas)[0]);
    this.listen(handle, "pointerdown", (event) => { event.preventDefault(); handle.focus(); handle.setPointerCapture(event.pointerId); this.drag = { cut: c }; });
    this.listen(handle, "pointermove", (event) => { if (this.drag?.cut === c) to(event); });
    this.listen(handle, "pointerup", () => { if (this.drag?.cut === c) { this.drag = null; this.drawing.cuts.sort((a, b) => a - b); this.commitStrokes(); } });
    this.listen(handle, "dblclick", () => this.dropCut(c));
    this.listen(handle, "keydown", (event) => {
      const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
      if (by) { this.moveCut(c, this.drawing.cuts[c] + by); this.commitStrokes(); }
      else if (event.key === "Delete" || event.key === "Backspace") this.dropCut(c);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return handle;
  }

  // ---------------------------------------------------------------- painting

  paint() {
    const read = this.readTheme(), ink = read("text-color", "#000"), rule = read("border-color", "#ccc");
    const { reading, places } = this.data, isCurrent = this.data.ink === this.view.ink;
    this.cells.forEach((cell, i) => {
      if (this.isStrip) cell.canvas.parentElement.style.aspectRatio = String(this.stripBoxes);
      this.fit();
      const strokes = this.isStrip ? this.drawing.strokes : this.drawing.letters[i];
      const live = this.drag?.points && this.drag.canvas === cell.canvas ? [this.drag.points] : [];
      const isReplaced = this.isExample && Boolean(this.drag?.points);
      this.paintStrokes(cell.canvas, isReplaced ? live : [...strokes, ...live], ink, rule);
      if (this.isStrip) {
        this.paintCuts(cell);
        cell.pieces.replaceChildren(...places.map((p, at) => node("span", { class: "piece" }, this.rasterOf(p, ink), node("b", { class: "read" }, reading[at] ?? ""))));
        return;
      }
      this.paintRaster(cell.raster, this.rasters[i], ink);
      setText(cell.letter, isCurrent ? reading[places.indexOf(i)] ?? "" : strokes.length ? "…" : "");
    });
    this.root.classList.toggle("example", this.isExample && !this.drag?.points);
    const isTyped = !this.isStrip && this.cells.some(({ canvas }) => canvas.matches(":focus-visible"));
    setText(this.invites, isTyped ? "Type a letter: one by another writer, of the data, comes into the box." : this.isExample ? "Draw over it: your first stroke takes its place." : "");
    setText(this.says, this.isReading ? "Reading …" : this.data.says);
    this.says.classList.toggle("answer", Boolean(reading) && this.data.says.includes(`“${reading}”`));
    if (!places.length && isCurrent) this.measureAnswer(this.data); // no lattice will be drawn
    this.root.dataset.ready = "1";
    this.root.dataset.reading = isCurrent ? reading : "";
  }
  paintStrokes(canvas, strokes, ink, rule) {
    const pen = canvas.getContext("2d"), scale = canvas.height / BOX;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.strokeStyle = rule;
    pen.lineWidth = Math.max(1, canvas.height / 150);
    for (const y of [0.3, 0.7]) {
      pen.beginPath();
      pen.moveTo(0, y * canvas.height);
      pen.lineTo(canvas.width, y * canvas.height);
      pen.stroke();
    }
    Object.assign(pen, { strokeStyle: ink, fillStyle: ink, lineWidth: PEN * canvas.height, lineCap: "round", lineJoin: "round" });
    for (const stroke of strokes) {
      pen.beginPath();
      stroke.forEach(([x, y], p) => pen[p ? "lineTo" : "moveTo"](x * scale, y * scale));
      if (stroke.length === 1) pen.lineTo(stroke[0][0] * scale + 0.1, stroke[0][1] * scale);
      pen.stroke();
    }
  }
  paintRaster(canvas, pixels, ink) {
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = ink;
    if (pixels) for (let b = 0; b < 128; b++) if (pixels[b]) pen.fillRect(PIXEL * (b % 8), PIXEL * Math.floor(b / 8), PIXEL, PIXEL);
  }
  rasterOf(place, ink) {
    const canvas = node("canvas", { class: "raster", width: 8 * PIXEL, height: 16 * PIXEL });
    this.paintRaster(canvas, this.rasters[place], ink);
    return canvas;
  }

  // ---------------------------------------------------------------- keys: the lattice has the arrows

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && event.composedPath().includes(this.root)) {
      this.undo();
      event.preventDefault();
    }
  }
  fileName(kind) { return `word.${kind}`; }
}

export default makeMount(WriteView);
