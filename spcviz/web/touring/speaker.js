// The speaker's window: the current texts, notes, the next scene with its picture, and the clock against the plan.
// It follows the window with the tour: in the same browser by a channel, on another computer by the room's desk,
// whose key follows the # of its address. Without either it plays the tour on its own.

import { button, node, setText } from "../view/elements.js";
import { View, makeMount } from "../view/view.js";
import { keepTours } from "./kept_tours.js";
import { CHANNEL, keyAction, clockText, isTyping } from "./tour_core.js";

const TICK_MS = 250;
const ALONE_MS = 1500; // without a word from a window with the tour
const DESK_MS = 800, PATIENT_MS = 5000;
const NOTES = "spcviz-notes"; // {tour/scene: text}, in this browser
const MOST_NOTE = 2000;
const LATE = 30; // seconds behind the plan from which the delay is shown

class SpeakerView extends View {
  isOfBar = true;
  state = null;
  began = 0;
  before = 0;

  build() {
    this.clockFace = node("span", { class: "clock", role: "timer" });
    this.planned = node("span", { class: "planned" });
    this.pauseButton = button("Start", "Start or stop the timer", () => this.startOrStop());
    this.resetButton = button("0:00", "Timer back to nothing", () => this.reset(), { "aria-label": "0:00: timer back to nothing" });
    this.title = node("p", { class: "title" });
    this.now = node("div", { class: "now", "aria-live": "polite" });
    this.counted = node("p", { class: "counted", role: "status" });
    this.notes = node("textarea", { rows: "4", maxlength: MOST_NOTE, oninput: () => this.keepNote() });
    this.next = node("div", { class: "next" });
    this.frame = node("iframe", { title: "The next scene", tabindex: "-1" });
    this.picture = node("div", { class: "picture", hidden: true }, this.frame);
    this.list = node("ol", { class: "scenes" });
    this.whose = node("p", { class: "whose", role: "status" });
    this.hallButton = button("Open the window for the hall", "The tour as the audience sees it, which this window then follows and sends on", () => window.open(new URL(this.data.hall, document.baseURI), "spcviz-hall"));
    return node("div", { class: "speaking" },
      node("div", { class: "head" }, this.title, this.planned, this.clockFace, this.pauseButton, this.resetButton),
      node("div", { class: "head" }, this.whose, this.hallButton),
      node("div", { class: "columns" },
        node("div", {}, node("h2", {}, "Now"), this.now, this.counted, node("label", { class: "notes" }, "Notes to this scene (kept in this browser)", this.notes),
          node("div", { class: "head" }, button("‹ Back", "Page Up", () => this.send(-1)), button("Next ›", "Page Down", () => this.send(1)), button("■ Black", "B", () => this.post({ kind: "black" })))),
        node("div", {}, node("h2", {}, "Next"), this.next, this.picture, node("h2", {}, "Scenes"), this.list)));
  }
  mount(parent, data) {
    super.mount(parent, data);
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data: said }) => {
      if (said?.kind === "scene") this.take(said);
      if (said?.kind === "class") setText(this.counted, said.said);
    };
    this.ticking = setInterval(() => this.tick(), TICK_MS);
    this.hall = new URLSearchParams(location.search).get("hall") ?? "";
    this.desk = new URLSearchParams(location.hash.slice(1)).get("desk") ?? "";
    if (this.hall) {
      this.follow();
      return;
    }
    this.post({ kind: "hello" });
    this.bringOwn(data);
    this.after("alone", ALONE_MS, () => this.beAlone());
  }
  /** No window with the tour: this one plays it on its own. */
  beAlone() {
    this.isAlone = true;
    this.state = this.data.tour;
    this.draw();
  }
  /** Send the server a tour that this browser keeps, which it knows from this window alone. */
  bringOwn({ kept }) { keepTours(kept, (what) => this.component.setTriggerValue("act", { ...what, n: Date.now() })); }
  /** From another computer: fetch what the hall shows, and send orders to it, through the room. */
  async follow(order) {
    clearTimeout(this.following);
    const body = JSON.stringify({ desk: this.desk, ...(order ? { order } : {}) });
    const said = await fetch(new URL(`room/${this.hall}/steer`, document.baseURI), { method: "POST", body }).catch(() => null);
    if (!this.root.isConnected) return;
    const told = said?.ok ? (await said.json()).told : null;
    this.trouble = { 403: "This link is not valid any more: copy the speaker's link again, in the window of the hall.", 404: "This room is closed.", 429: "This window has asked too often. It tries again.", 401: "Please allow cookies for this page, and open it again." }[said?.status] ?? (said?.ok ? "" : "No connection just now. It tries again.");
    if (told?.kind === "scene") this.take(told);
    if (told) setText(this.counted, typeof told.counted === "string" ? told.counted : "");
    this.draw();
    clearTimeout(this.following);
    this.following = setTimeout(() => this.follow(), said?.ok ? DESK_MS : PATIENT_MS);
  }
  destroy() {
    super.destroy();
    clearInterval(this.ticking);
    clearTimeout(this.following);
    this.channel.close();
  }
  fit() { this.picture.style.setProperty("--scale", String(this.picture.clientWidth / 1920)); }
  post(what) {
    if (this.hall) this.follow(what);
    else if (this.isAlone && what.kind === "go") this.goAlone(what);
    else this.channel.postMessage(what);
  }
  send(by) { this.post({ kind: "go", by }); }
  goAlone({ by, to }) {
    const { order = [], code } = this.state ?? {}, at = order.indexOf(code), there = to ?? order[at + by];
    if (there !== undefined) this.component.setTriggerValue("act", { to: there, n: Date.now() });
  }

  take(said) {
    if (said.kind !== "scene") { // the server's: this window's own tour
      if (this.isAlone) this.state = said.tour;
      if (!this.hall) this.bringOwn(said);
      this.view ??= {};
    } else {
      if (!this.hall) this.isAlone = false;
      this.cancel("alone");
      if (this.state && this.state.code !== said.code && !this.began && !this.before) this.startOrStop();
      if (this.state?.number !== said.number) setText(this.counted, "");
      this.state = said;
    }
    this.draw();
  }
  paint() {
    const { state } = this, hasHall = !this.hall && !this.isAlone;
    setText(this.whose, this.trouble || (this.hall ? `Room ${this.hall}, from this computer.` : this.isAlone ? "By itself: no window for the hall is open in this browser. On another computer, open the tour there, then Class, and copy the speaker's link." : ""));
    this.whose.hidden = hasHall;
    this.hallButton.hidden = !this.isAlone;
    const text = (part) => typeof part === "string" && part ? [node("p", {}, part)] : [];
    if (!state) {
      setText(this.title, this.hall ? "Waiting for the window of the hall." : this.isAlone ? "There is no such tour." : "Looking for the window with the tour.");
      return;
    }
    setText(this.title, `${state.title} · scene ${state.number} of ${state.n}`);
    this.now.replaceChildren(...text(state.say), ...text(state.ask), ...text(state.answer));
    const { next } = state;
    this.next.replaceChildren(...(next ? [...text(next.say), ...text(next.ask), ...text(next.answer)] : [node("p", {}, "This is the last scene.")]));
    this.paintNote(state);
    this.paintPicture(state.picture ?? "");
    this.paintList(state);
    this.tick();
    Object.assign(this.root.dataset, { drawn: "1", scene: state.code });
  }
  paintNote({ name, number, notes = "" }) {
    const of = `${name}/${number}`;
    if (this.noted === of) return;
    this.noted = of;
    this.notes.value = this.readNotes()[of] ?? notes;
  }
  paintPicture(address) {
    this.picture.hidden = !address;
    if (this.shown === address) return;
    this.shown = address;
    if (address) this.frame.src = new URL(address, document.baseURI).href;
    else this.frame.removeAttribute("src");
    this.fit();
  }
  paintList({ scenes = [], number, name }) {
    const what = JSON.stringify([name, scenes]);
    if (this.listed !== what) {
      this.list.replaceChildren(...scenes.map((said, at) => node("li", {}, button(said, `Jump to scene ${at + 1}`, () => this.post({ kind: "go", to: String(at + 1) })))));
      this.listed = what;
    }
    [...this.list.children].forEach((row, at) => {
      if (at + 1 === number) row.firstChild.setAttribute("aria-current", "step");
      else row.firstChild.removeAttribute("aria-current");
    });
  }

  // ---------------------------------------------------------------- notes

  readNotes() {
    try {
      return JSON.parse(localStorage.getItem(NOTES)) ?? {};
    } catch {
      return {};
    }
  }
  keepNote() {
    try {
      localStorage.setItem(NOTES, JSON.stringify({ ...this.readNotes(), [this.noted]: this.notes.value }));
    } catch {
      this.say("notes cannot be kept in this browser");
    }
  }

  // ---------------------------------------------------------------- the clock

  startOrStop() {
    if (this.began) this.before += performance.now() - this.began;
    this.began = this.began ? 0 : performance.now();
    setText(this.pauseButton, this.began ? "Stop" : "Start");
  }
  reset() {
    this.before = 0;
    this.began &&= performance.now();
    this.tick();
  }
  /** Update the clock and its lead or lag relative to the planned end of the current scene. */
  tick() {
    const ms = this.before + (this.began ? performance.now() - this.began : 0), { plan = [], number = 0 } = this.state ?? {};
    const sum = (some) => 1000 * some.reduce((a, b) => a + b, 0), until = sum(plan.slice(0, number)), late = ms - until;
    setText(this.clockFace, clockText(ms));
    setText(this.planned, plan.length ? `planned: until ${clockText(until)} of ${clockText(sum(plan))}${late > 1000 * LATE ? `, ${clockText(late)} behind` : ""}` : "");
    this.planned.classList.toggle("late", late > 1000 * LATE);
  }
  key(event) {
    if (isTyping(event.composedPath()[0])) return;
    const what = keyAction(event, true, true);
    if (what === "forward" || what === "back") this.send(what === "forward" ? 1 : -1);
    else if (what === "black") this.post({ kind: "black" });
    else return;
    event.preventDefault();
  }
}

export default makeMount(SpeakerView);
