// A class beside a tour: how to join the room, the counts as they come, and the truth once the tour shows it.

import { button, node, setText } from "../view/elements.js";

const COUNT_MS = 350; // counts are on the screen within a second
const SIGN_MS = 60000; // nothing is asked: only a sign of life
const rounded = (value) => Number(value.toPrecision(3)).toLocaleString("en");

/** The panel. `act` tells the server that the address has a room now, `tell` the speaker's window what is counted. */
export class ClassRoom {
  room = null;
  put = "";
  constructor(act, tell) {
    this.act = act;
    this.others = tell;
    this.join = node("p", { class: "join" });
    this.code = node("img", { alt: "", width: "120", height: "120" });
    this.codeButton = button(this.code, "The room's address as a QR code: large for the hall, or small", () => this.codeButton.classList.toggle("large"), { class: "code" });
    this.total = node("p", { class: "total", role: "status" });
    this.bars = node("ul", { class: "bars" });
    this.hideButton = button("Hide counts", "Show only how many have answered, until the answer", () => { this.hide(); if (this.now) this.draw(this.now); });
    this.clearButton = button("Clear answers", "Forget all answers to this question; who has answered may answer again", () => this.own("clear"));
    this.closeButton = button("Close room", "Close the room for good: phones are told so, and its answers are forgotten", () => this.close());
    this.root = node("aside", { class: "class", "aria-label": "The class", hidden: true },
      button("✕", "Put the class away; the room stays open", () => this.toggle(false), { class: "close" }), this.codeButton, this.join, this.total, this.bars, node("p", { class: "own" }, this.hideButton, this.clearButton, this.closeButton));
  }
  address(rest = "") { return new URL(`room${rest}`, document.baseURI); }
  /** Open a room, or put the panel of the open one away and back. */
  async open() {
    if (this.room) return this.toggle();
    const made = await fetch(this.address(), { method: "POST" }).catch(() => null);
    if (!made?.ok) return this.say("No room can be opened just now. Try again in a minute.");
    this.act({ kind: "room", room: String((await made.json()).room) });
    return this.toggle(true);
  }
  /** What only the browser that opened the room may do. */
  async own(what) {
    const done = await fetch(this.address(`/${this.room}/${what}`), { method: "POST" }).catch(() => null);
    if (done?.status === 403 || done?.status === 401) this.say("This room was opened in another browser: only there can it be cleared or closed.");
    else if (done?.ok && what === "clear") await this.look();
    return done?.ok || done?.status === 404;
  }
  async close() {
    if (!await this.own("close")) return;
    this.stop();
    this.act({ kind: "room", room: "" });
    this.toggle(false);
  }
  toggle(on = this.root.hidden) { this.root.hidden = !on; }
  hide(on = !this.isHidden) {
    this.isHidden = on;
    setText(this.hideButton, on ? "Show counts" : "Hide counts");
    this.root.classList.toggle("veiled", on);
  }
  say(text) {
    this.drawn = "";
    this.now = null;
    setText(this.total, text);
    this.toggle(true);
  }
  stop() { clearTimeout(this.timer); }

  /** The scene that is shown, or none. */
  follow(tour) {
    const room = tour?.room || null;
    if (room !== this.room) {
      this.room = room;
      this.put = "";
      this.toggle(Boolean(room));
    }
    this.stop();
    if (!room) return;
    const { host, pathname } = this.address(`/${room}`);
    if (this.link !== pathname) {
      this.join.replaceChildren("Answer at ", node("strong", {}, host, node("wbr"), pathname));
      this.code.src = this.address(`/${room}/code`);
    }
    this.link = pathname;
    const { poll } = tour, isReady = poll && ![poll.ask, ...poll.choices].some((text) => text.includes("…"));
    const wanted = isReady ? { code: `${tour.name}/${tour.number}`, ask: poll.ask, choices: poll.choices, truth: tour.answer, right: poll.right } : {};
    this.tell(JSON.stringify(wanted));
  }
  async tell(wanted) {
    if (wanted !== this.put) {
      const response = await fetch(this.address(`/${this.room}/put`), { method: "POST", body: wanted }).catch(() => null);
      if (response?.status === 403 || response?.status === 401) return this.say("This room was opened in another browser: only there can it ask.");
      if (response?.status === 404) return this.say("This room is closed. End the tour, and open another.");
      if (response?.ok) this.put = wanted;
    }
    return this.look();
  }
  async look() {
    this.stop();
    const { room } = this, said = await fetch(this.address(`/${room}/now`), { cache: "no-store" }).catch(() => null);
    const now = said?.ok ? await said.json() : null;
    if (room !== this.room || !this.root.isConnected) return;
    if (now) this.draw(now);
    this.stop();
    this.timer = setTimeout(() => this.look(), now?.isAsking === false ? SIGN_MS : COUNT_MS);
  }
  draw(now) {
    const what = JSON.stringify([now, this.isHidden]);
    if (what === this.drawn) return;
    this.drawn = what;
    this.now = now;
    this.root.dataset.answers = String(now.answers ?? "");
    this.hideButton.hidden = !now.isAsking || now.isOver;
    this.clearButton.hidden = !now.answers;
    if (!now.isAsking) {
      setText(this.total, "No question in this scene.");
      this.bars.replaceChildren();
      return;
    }
    if (now.isOver) this.hide(false);
    setText(this.total, `${now.answers} answer${now.answers === 1 ? "" : "s"}`);
    const rows = now.choices.length ? this.ofChoices(now) : this.ofGuesses(now), most = Math.max(1, ...rows.map((row) => row.count));
    this.others({ kind: "class", said: `${this.total.textContent}: ${rows.map(({ label, count }) => `${label} ${count}`).join(", ")}` });
    this.bars.replaceChildren(...rows.map(({ label, count, isRight }) => node("li", { class: isRight ? "right" : "" },
      node("span", { class: "label" }, `${isRight ? "✔ " : ""}${label}`), node("span", { class: "count" }, String(count)),
      node("span", { class: "bar-of", "aria-hidden": "true", style: `--share: ${count / most}` }))));
  }
  ofChoices(now) { return now.choices.map((label, at) => ({ label, count: now.counts[at], isRight: now.right === at })); }
  ofGuesses({ guesses: { bins, median }, right = null }) {
    const last = bins.length - 1, isIn = ({ low, high }, at) => right !== null && (right >= low || at === 0) && (right < high || at === last);
    const rows = bins.map((bin, at) => ({ label: bin.low === bin.high ? rounded(bin.low) : `${rounded(bin.low)} to ${rounded(bin.high)}`, count: bin.count, isRight: isIn(bin, at) }));
    if (median !== null && !this.isHidden) setText(this.total, `${this.total.textContent}, the middle one ${rounded(median)}`);
    return rows;
  }
}
