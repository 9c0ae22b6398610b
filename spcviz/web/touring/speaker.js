// The speaker's window: what is said now, notes, what comes next with its picture, and the clock against the plan.
// It follows the window with the tour in the same browser, and can send it on or make it jump.

import { button, node, setText } from "../view/elements.js";
import { View, mounted } from "../view/view.js";
import { CHANNEL, asked, clockText, isTyping } from "./tour_core.js";

const TICK_MS = 250;
const NOTES = "spcviz-notes"; // {tour/scene: text}, in this browser
const MOST_NOTE = 2000;
const LATE = 30; // seconds behind the plan that are said aloud

class SpeakerView extends View {
  state = null;
  began = 0;
  before = 0;

  build() {
    this.clockFace = node("span", { class: "clock", role: "timer" });
    this.planned = node("span", { class: "planned" });
    this.pauseButton = button("Start", "Start or stop the timer", () => this.startOrStop());
    this.title = node("p", { class: "title" });
    this.now = node("div", { class: "now", "aria-live": "polite" });
    this.counted = node("p", { class: "counted", role: "status" });
    this.notes = node("textarea", { rows: "4", maxlength: MOST_NOTE, oninput: () => this.keepNote() });
    this.next = node("div", { class: "next" });
    this.frame = node("iframe", { title: "The next scene", tabindex: "-1" });
    this.picture = node("div", { class: "picture", hidden: true }, this.frame);
    this.list = node("ol", { class: "scenes" });
    return node("div", { class: "speaking" },
      node("div", { class: "head" }, this.title, this.planned, this.clockFace, this.pauseButton, button("0:00", "Timer back to nothing", () => this.reset())),
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
    this.post({ kind: "hello" });
    try {
      const kept = JSON.parse(localStorage.getItem(CHANNEL));
      if (kept?.kind === "scene") this.state = kept;
    } catch {
      this.state = null;
    }
  }
  destroy() {
    super.destroy();
    clearInterval(this.ticking);
    this.channel.close();
  }
  fit() { this.picture.style.setProperty("--scale", String(this.picture.clientWidth / 1920)); }
  post(what) { this.channel.postMessage(what); }
  send(by) { this.post({ kind: "go", by }); }

  take(said) {
    if (said.kind === "scene") {
      if (this.state && this.state.code !== said.code && !this.began && !this.before) this.startOrStop();
      if (this.state?.number !== said.number) setText(this.counted, "");
      this.state = said;
    }
    this.draw();
  }
  paint() {
    const { state } = this, text = (part) => typeof part === "string" && part ? [node("p", {}, part)] : [];
    if (!state) {
      setText(this.title, "Waiting for the window with the tour. Open a tour in this browser.");
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
    this.notes.value = this.kept()[of] ?? notes;
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

  kept() {
    try {
      return JSON.parse(localStorage.getItem(NOTES)) ?? {};
    } catch {
      return {};
    }
  }
  keepNote() {
    try {
      localStorage.setItem(NOTES, JSON.stringify({ ...this.kept(), [this.noted]: this.notes.value }));
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
  /** The clock, and how it stands to the end of the scene that is shown. */
  tick() {
    const ms = this.before + (this.began ? performance.now() - this.began : 0), { plan = [], number = 0 } = this.state ?? {};
    const sum = (some) => 1000 * some.reduce((a, b) => a + b, 0), until = sum(plan.slice(0, number)), late = ms - until;
    setText(this.clockFace, clockText(ms));
    setText(this.planned, plan.length ? `planned: until ${clockText(until)} of ${clockText(sum(plan))}${late > 1000 * LATE ? `, ${clockText(late)} behind` : ""}` : "");
    this.planned.classList.toggle("late", late > 1000 * LATE);
  }
  key(event) {
    if (isTyping(event.composedPath()[0])) return;
    const what = asked(event, true, true);
    if (what === "forward" || what === "back") this.send(what === "forward" ? 1 : -1);
    else if (what === "black") this.post({ kind: "black" });
    else return;
    event.preventDefault();
  }
}

export default mounted(SpeakerView);
