// The course's bar above a page: goal, open task, live line, and a ring around the control that the task needs.
//
// The server decides what is solved and why an option is wrong; the tasks passed are stored in this browser.

import { button, node, setText } from "../view/elements.js";
import { View, makeMount } from "../view/view.js";
import { isTyping, partOf } from "../touring/tour_core.js";
import { fold, markOf, markSideBar, onProgress, progress, shuffle, noteSolved, toldOf } from "./progress.js";

const LOOK_MS = 300;
const PHONE = "(max-width: 640px)";
const RING = 5; // pixels around the control

class CourseBar extends View {
  isOfBar = true;
  build() {
    this.marks = node("span", { class: "marks" });
    this.goal = node("span", { class: "goal" });
    this.ask = node("p", { class: "ask" });
    this.options = node("div", { class: "options", role: "group", "aria-label": "Answers" });
    this.live = node("p", { class: "live", "aria-live": "polite" });
    this.won = node("p", { class: "won", "aria-live": "polite" });
    this.hints = node("div", { class: "hints", "aria-live": "polite" });
    this.startButton = button("Start", "Open this task", () => this.act("open", this.nextTask()), { class: "go" });
    this.hintButton = button("Hint", "Where to look, which way to move", () => this.act("hint", this.data.open.id));
    this.showButton = button("Show me", "Go to a solution; the task then counts as shown", () => this.act("show", this.data.open.id));
    this.againButton = button("Back to its start", "Open this task from its start", () => this.act("open", this.data.open.id));
    this.nextButton = button("Next task", "Open the next task", () => this.next(), { class: "go" });
    this.classButton = button("Class", "Give this task to a class: on their phones", () => document.dispatchEvent(new CustomEvent("spcviz-class")));
    this.laterButton = button("Not now", "Close the tasks; the page Course has them", () => this.later());
    this.text = node("div", { class: "text" }, node("p", { class: "head" }, this.marks, this.goal), this.ask, this.options, this.live, this.won, this.hints);
    this.foldButton = button("▲", "Unfold the task", () => this.unfold(), { class: "fold" });
    const moves = node("div", { class: "moves", role: "group", "aria-label": "What to do" }, this.startButton, this.hintButton, this.showButton, this.againButton, this.nextButton, this.classButton, this.laterButton);
    return node("section", { class: "course", "aria-label": "Tasks of this page" }, this.text, moves, this.foldButton);
  }
  mount(parent, data) {
    super.mount(parent, data);
    this.ring = node("div", { "aria-hidden": "true", class: "spcviz-ring" });
    this.sheet = node("style", {}, `[data-testid=stSidebarNavLink][data-marks]::after { content: attr(data-marks) / attr(data-told); letter-spacing: 1px; white-space: pre; font-size: 0.75em; margin-left: auto; opacity: 0.85; }
      @keyframes spcviz-pulse { 50% { opacity: 0.25; } }`);
    document.head.append(this.sheet);
    document.body.append(this.ring);
    this.looking = setInterval(() => this.follow(), LOOK_MS);
    window.addEventListener("scroll", () => this.follow(), { capture: true, signal: this.ending.signal });
    window.addEventListener("keydown", (event) => this.early(event), { capture: true, signal: this.ending.signal });
    window.addEventListener("pointerdown", (event) => this.noteTouch(event), { capture: true, signal: this.ending.signal });
    onProgress(() => this.draw(), this.ending.signal);
  }
  destroy() {
    super.destroy();
    clearInterval(this.looking);
    document.documentElement.style.removeProperty("--spcviz-task");
    this.ring.remove();
    this.sheet.remove();
  }
  /** On a phone the bar is a line or two at the lower edge, and unfolds on request. */
  unfold(on = !this.isUp) {
    this.isUp = on;
    this.root.classList.toggle("up", on);
    setText(this.foldButton, on ? "▼" : "▲");
    this.foldButton.setAttribute("aria-expanded", String(on));
    this.foldButton.setAttribute("aria-label", on ? "Fold the task" : "Unfold the task");
    this.fit();
  }
  /** Publish the bar's height on a phone for the elements above it. */
  fit() { document.documentElement.style.setProperty("--spcviz-task", `${matchMedia(PHONE).matches ? this.root.offsetHeight : 0}px`); }
  act(kind, id, more = {}) { this.component.setTriggerValue("act", { kind, id, ...more, n: Date.now() }); }
  take(data) {
    if (data.open?.id !== this.openId || this.openId === undefined) {
      this.isTouched = false;
      this.unfold(Boolean(data.open?.options.length)); // options are in sight
    }
    this.openId = data.open?.id ?? null;
    this.view ??= {};
    const { open } = data;
    if (open?.isOver && open.isDone && !open.options.length) this.tellRoom(open);
    if (open?.isDone) noteSolved(open.id, { tries: open.tries, how: open.how, won: open.won, address: this.here() });
  }
  /** In a class: report that this phone has solved it. The lecturer's own screen does not count. */
  async tellRoom({ id, ask }) {
    const room = new URLSearchParams(location.search).get("in"); // "room" leads a phone to the question
    if (!/^[1-9][0-9]{6}$/.test(room ?? "") || this.told === `${room} ${id}`) return;
    this.told = `${room} ${id}`;
    const at = (rest) => new URL(`room/${room}/${rest}`, document.baseURI);
    const now = await fetch(at("now"), { cache: "no-store" }).then((said) => (said.ok ? said.json() : null)).catch(() => null);
    if (!now || now.isYours || now.ask !== ask) return;
    await fetch(at("answer"), { method: "POST", body: JSON.stringify({ n: now.n, value: 0, found: this.shortHere() }) }).catch(() => null);
  }
  /** Page and state that are shown. */
  here() {
    const asked = new URLSearchParams(location.search);
    for (const name of ["ask", "in", "room", "embed", "embed_options"]) asked.delete(name);
    return `${this.data?.page ?? ""}${asked.size ? `?${asked}` : ""}`;
  }
  /** The address in the form that a room accepts: plain characters, not too long; else none. */
  shortHere() {
    const here = this.here().replaceAll("%20", "+");
    return /^[a-z_]{0,40}\?[A-Za-z0-9_.~%=&+:,-]{0,260}$/.test(here) ? here : "";
  }
  nextTask() {
    const { done } = progress(), { tasks, open } = this.data;
    const rest = tasks.filter(({ id }) => !done[id] && id !== open?.id);
    return rest.length ? rest[0].id : null;
  }
  next() {
    const id = this.nextTask();
    if (id) this.act("open", id);
    else if (this.data.next) this.act("next", null, { page: this.data.next.page });
  }
  later() {
    fold(!this.data.open && !progress().folded);
    if (this.data.open) this.act("leave");
  }

  paint() {
    const { goal, tasks, open, next, isEmbedded } = this.data, { done, folded } = progress(), ids = tasks.map(({ id }) => id);
    const then = this.nextTask(), isFolded = folded && !open;
    this.root.classList.toggle("folded", isFolded);
    this.root.hidden = isEmbedded && !open;
    const place = open ? ids.indexOf(open.id) : ids.indexOf(then);
    this.marks.replaceChildren(...ids.map((id) => node("span", { class: id === (open?.id ?? then) ? "now" : "" }, markOf(done, id))));
    this.marks.setAttribute("role", "img");
    this.marks.setAttribute("aria-label", toldOf(done, ids));
    setText(this.goal, `After this page you can ${goal}.`);
    this.goal.hidden = Boolean(open) || isFolded;
    const first = tasks.find(({ id }) => id === then);
    setText(this.ask, open ? `${place + 1} of ${ids.length}: ${open.ask}` : first ? `${place + 1} of ${ids.length}: ${first.ask}` : "Every task of this page is done.");
    this.ask.hidden = isFolded;
    this.paintOptions(open);
    setText(this.live, open?.live ?? "");
    this.live.hidden = !open?.live;
    setText(this.won, open?.won ? `✔ ${open.won}` : "");
    this.won.hidden = !open?.won;
    this.hints.hidden = !open?.hints.length || open.isOver;
    this.hints.replaceChildren(...(open?.hints ?? []).map((hint) => node("p", {}, hint)));
    this.startButton.hidden = Boolean(open) || !then || isFolded;
    this.hintButton.hidden = !open || open.isOver || !open.canHint;
    this.showButton.hidden = !open || open.isOver || open.canHint; // after the hints
    this.againButton.hidden = !open || open.isOver || open.options.length > 0;
    this.nextButton.hidden = open ? !(open.isOver && (then || next)) : Boolean(then) || !next || isFolded;
    setText(this.nextButton, then ? "Next task" : next ? `Next: ${next.title}` : "");
    setText(this.laterButton, isFolded ? "Tasks" : open ? "Close" : "Not now");
    this.classButton.hidden = !open;
    this.laterButton.title = isFolded ? "Open the tasks of this page" : "Close the tasks";
    this.follow();
    markSideBar(this.data.ids);
    this.root.dataset.task = open?.id ?? "";
    this.root.dataset.over = open?.isOver ? "1" : "";
    this.root.dataset.drawn = "1";
    this.fit();
  }
  paintOptions(open) {
    const key = open ? JSON.stringify([open.id, open.why, open.right]) : "";
    if (key === this.optionsKey) return;
    this.optionsKey = key;
    this.options.hidden = !open?.options.length;
    if (!open?.options.length) return this.options.replaceChildren();
    this.order = shuffle(open.options, progress().seed, open.id);
    const one = (text, i) => {
      const why = open.why[text], isRight = open.right === text;
      const choose = button(`${i + 1}  ${text}`, `Answer ${i + 1}`, () => this.choose(i), { disabled: Boolean(why) || open.isOver, class: why ? "wrong" : isRight ? "right" : "" });
      choose.removeAttribute("aria-label"); // the text is its name
      return node("div", { class: "option" }, choose, why ? node("p", { class: "why" }, why) : [], isRight ? node("span", { class: "tick" }, "✔") : []);
    };
    return this.options.replaceChildren(...this.order.map(one));
  }
  choose(i) {
    const { open } = this.data, text = this.order?.[i];
    if (!open || open.isOver || text === undefined || open.why[text]) return false;
    this.act("choose", open.id, { option: text });
    return true;
  }
  early(event) {
    const path = event.composedPath();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(path[0]) || !this.data?.open?.options.length) return;
    if (/^[1-4]$/.test(event.key) && this.choose(+event.key - 1)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }
  key() {} // `early` handles all keys

  // ---------------------------------------------------------------- the ring

  noteTouch(event) {
    if (event.composedPath().includes(this.root)) return;
    this.isTouched = true;
    this.follow();
  }
  follow() {
    if (!this.data) return;
    markSideBar(this.data.ids);
    const { open } = this.data, isSettling = document.documentElement.classList.contains("spcviz-settling");
    const part = open?.ring && !this.isTouched && !isSettling && !progress().folded ? partOf(open.ring) : null;
    if (!part) {
      this.ring.style.display = "none";
      return;
    }
    const box = (part.closest?.("button") ?? part).getBoundingClientRect(), accent = getComputedStyle(this.root).getPropertyValue("--st-primary-color");
    const pulse = matchMedia("(prefers-reduced-motion: reduce)").matches ? "" : "animation:spcviz-pulse 1.6s ease-in-out 3;";
    this.ring.style.cssText = `position:fixed;pointer-events:none;z-index:89;box-sizing:border-box;border-radius:8px;border:2px solid ${accent};${pulse}`
      + `left:${box.left - RING}px;top:${box.top - RING}px;width:${box.width + 2 * RING}px;height:${box.height + 2 * RING}px;`;
  }
}

export default makeMount(CourseBar);
