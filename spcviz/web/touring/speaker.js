// The speaker's window: what is said now, what comes next, and how long it has been. It follows the window with the
// tour in the same browser, and can send it on.

import { button, node, setText } from "../view/elements.js";
import { View, mounted } from "../view/view.js";
import { CHANNEL, asked, clockText, isTyping } from "./tour_core.js";

const TICK_MS = 250;

class SpeakerView extends View {
  state = null;
  began = 0;
  before = 0;

  build() {
    this.clockFace = node("span", { class: "clock", role: "timer" });
    this.pauseButton = button("Start", "Start or stop the timer", () => this.startOrStop());
    this.title = node("p", { class: "title" });
    this.now = node("div", { class: "now", "aria-live": "polite" });
    this.next = node("div", { class: "next" });
    return node("div", { class: "speaking" },
      node("div", { class: "head" }, this.title, this.clockFace, this.pauseButton, button("0:00", "Timer back to nothing", () => this.reset())),
      node("h3", {}, "Now"), this.now, node("h3", {}, "Next"), this.next,
      node("div", { class: "head" }, button("‹ Back", "Page Up", () => this.send(-1)), button("Next ›", "Page Down", () => this.send(1)), button("■ Black", "B", () => this.post({ kind: "black" }))));
  }
  mount(parent, data) {
    super.mount(parent, data);
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data: said }) => { if (said?.kind === "scene") this.take(said); };
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
  post(what) { this.channel.postMessage(what); }
  send(by) { this.post({ kind: "go", by }); }

  take(said) {
    if (said.kind === "scene") {
      if (this.state && this.state.code !== said.code && !this.began && !this.before) this.startOrStop();
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
    this.tick();
    Object.assign(this.root.dataset, { drawn: "1", scene: state.code });
  }
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
  tick() { setText(this.clockFace, clockText(this.before + (this.began ? performance.now() - this.began : 0))); }
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
