// The panel of a class next to a tour: how to join the room, live counts, the right answer once the tour shows it.

import { button, node, setText } from "../view/elements.js";

const COUNT_MS = 350; // counts are on the screen within a second
const SIGN_MS = 60000; // no open question: only a sign of life
const DESK_MS = 700; // orders from the speaker's desk arrive within a second
const HOUR_KEPT = "spcviz-hour "; // plus the room's number: key of the hour's list, in this window alone
const describeTally = ({ n, ask }) => `${n} ${ask}`;
const roundValue = (value) => Number(value.toPrecision(3)).toLocaleString("en");

/** The panel. `act` tells the server that the address now has a room, `tell` sends the counts to the speaker's window. */
export class ClassRoom {
  room = null;
  put = "";
  isHidden = true; // the counts: a class follows what it sees
  tally = new Map(); // of the hour: key of a question -> its text and the latest counts
  constructor(act, tell) {
    this.act = act;
    this.others = tell;
    this.join = node("p", { class: "join" });
    this.code = node("img", { alt: "", width: "120", height: "120" });
    this.codeButton = button(this.code, "The room's address as a QR code: large for the hall, or small", () => this.codeButton.classList.toggle("large"), { class: "code" });
    this.total = node("p", { class: "total", role: "status" });
    this.bars = node("ul", { class: "bars" });
    this.hideButton = button("Show counts", "Show how many have chosen what, before the answer", () => { this.hide(); if (this.now) this.draw(this.now); });
    const asks = node("input", { type: "text", maxlength: "300", "aria-label": "A question of your own", placeholder: "A question of your own" });
    const choices = node("input", { type: "text", maxlength: "400", "aria-label": "Its choices, with | between; none: a number is guessed", placeholder: "yes | no | it depends" });
    this.own = node("details", { class: "own" }, node("summary", {}, "Ask something else"), asks, choices,
      node("div", { class: "row" }, button("Ask", "Put this question to the class", () => this.askOwn(asks.value, choices.value)), button("Close it", "End this question and show its counts", () => this.closeOwn()), button("Back to the scene", "Ask what the scene asks", () => this.endOwn())));
    this.takeButton = button("Answers (CSV)", "All questions of this hour with their counts", () => this.takeAway());
    this.clearButton = button("Clear answers", "Forget all answers to this question; who has answered may answer again", () => this.clear());
    this.deskButton = button("Speaker's link", "Copy a link to the speaker's window for another computer or a phone: it follows this window and can send it on. It is for you alone.", () => this.giveDesk());
    this.deskButton.removeAttribute("aria-label"); // its text is its name
    this.found = node("div", { class: "row found", hidden: true });
    this.closeButton = button("Close room", "Close the room for good: phones are told so, and its answers are forgotten", () => this.close());
    this.root = node("aside", { class: "class", "aria-label": "The class", hidden: true },
      button("✕", "Put the class away; the room stays open", () => this.toggle(false), { class: "close" }), this.codeButton, this.join, this.total, this.bars, this.found, node("div", { class: "row" }, this.hideButton, this.takeButton, this.deskButton, this.clearButton, this.closeButton), this.own);
  }
  address(rest = "") { return new URL(`room${rest}`, document.baseURI); }
  /** Open a room, or hide or show the panel of the open one. */
  async open() {
    if (this.room) return this.toggle();
    const made = await fetch(this.address(), { method: "POST" }).catch(() => null);
    if (!made?.ok) return this.say("No room can be opened just now. Try again in a minute.");
    this.act({ kind: "room", room: String((await made.json()).room) });
    return this.toggle(true);
  }
  /** Do what only the browser that opened the room may do. */
  async asOwner(what) {
    const done = await fetch(this.address(`/${this.room}/${what}`), { method: "POST" }).catch(() => null);
    if (done?.status === 403 || done?.status === 401) this.say("This room was opened in another browser: only there can it be cleared or closed.");
    else if (!done?.ok && done?.status !== 404) this.say("This did not arrive. Please try again.");
    return done?.ok || done?.status === 404;
  }
  async clear() {
    if (!await this.asOwner("clear")) return;
    if (this.now) this.tally.delete(describeTally(this.now)); // the hour's list forgets them too
    this.keepTally();
    await this.look();
  }
  async close() {
    if (!await this.asOwner("close")) return;
    this.stop();
    this.tally.clear();
    this.keepTally();
    clearTimeout(this.desking);
    this.hasDesk = false;
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

  // The hour's list outlives the page: a lecturer goes from page to page, and reloads.
  keepTally() {
    try {
      if (this.tally.size) sessionStorage.setItem(HOUR_KEPT + this.room, JSON.stringify([...this.tally]));
      else sessionStorage.removeItem(HOUR_KEPT + this.room);
    } catch {
      this.root.dataset.kept = ""; // storage is off: the list ends with the page
    }
  }
  keptTally() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(HOUR_KEPT + this.room)) ?? [];
      return new Map(kept.filter(([key, one]) => typeof key === "string" && typeof one?.ask === "string" && Array.isArray(one.counted)));
    } catch {
      return new Map();
    }
  }

  // The speaker's desk: this window sends it what is shown here, and carries out its orders.
  async giveDesk() {
    const made = await fetch(this.address(`/${this.room}/desk`), { method: "POST" }).catch(() => null);
    if (!made?.ok) return this.asOwner("desk");
    const link = new URL("./?speaker=true&embed=true", document.baseURI);
    link.searchParams.set("hall", this.room);
    link.hash = `desk=${(await made.json()).desk}`;
    this.hasDesk = true;
    this.toldDesk = "";
    this.followed?.();
    this.serveDesk();
    try {
      await navigator.clipboard.writeText(link.href);
      setText(this.deskButton, "Link copied");
    } catch {
      window.prompt("The speaker's link, for you alone:", link.href);
    }
    return this.root.dispatchEvent(new CustomEvent("desk", { detail: link.href }));
  }
  /** Called by the tour's bar with what is shown. */
  show(state) {
    this.shown = state;
    if (this.hasDesk) this.serveDesk();
  }
  async serveDesk() {
    clearTimeout(this.desking);
    if (!this.room || !this.root.isConnected) return;
    const what = JSON.stringify({ ...this.shown, counted: this.counted ?? "" }), isNew = what !== this.toldDesk && this.shown;
    const said = await fetch(this.address(`/${this.room}/hall`), { method: "POST", body: isNew ? what : "{}" }).catch(() => null);
    if (said?.ok && isNew) this.toldDesk = what;
    if (said?.ok) for (const order of (await said.json()).orders) this.orders?.(order);
    clearTimeout(this.desking);
    this.desking = setTimeout(() => this.serveDesk(), said?.status === 429 ? SIGN_MS : DESK_MS);
  }

  /** Follow the scene that is shown, or none. */
  follow(tour) {
    this.latest = tour;
    const room = tour?.room || null;
    if (room !== this.room) {
      this.room = room;
      this.tally = this.keptTally();
      this.ownQuestion = null; // it belonged to another room
      this.put = "";
      this.toggle(Boolean(room));
    }
    this.stop();
    if (!room) return undefined;
    const { host, pathname } = this.address(`/${room}`);
    if (this.link !== pathname) {
      this.join.replaceChildren("Answer at ", node("strong", {}, host, node("wbr"), pathname));
      this.code.src = this.address(`/${room}/code`);
    }
    this.link = pathname;
    if (this.ownQuestion) return this.tell(JSON.stringify(this.ownQuestion));
    const { poll } = tour, isReady = poll && ![poll.ask, ...poll.choices].some((text) => text.includes("…"));
    const wanted = isReady ? { code: `${tour.name}/${tour.number}`, ask: poll.ask, choices: poll.choices, truth: tour.answer, right: poll.right, say: tour.say ?? "", why: poll.why ?? [], link: poll.link ?? "", picture: poll.picture ?? "", most: poll.most ?? 0 } : {};
    return this.tell(JSON.stringify(wanted));
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
  /** Ask a question made up on the spot, until the lecturer returns to the scene. */
  askOwn(ask, choices) {
    if (!ask.trim() || !this.room) return;
    const rows = choices.split("|").map((one) => one.trim().slice(0, 120)).filter(Boolean).slice(0, 6);
    this.ownQuestion = { code: `own/${ask.slice(0, 60)}`, ask: ask.trim(), choices: rows };
    this.tell(JSON.stringify(this.ownQuestion));
  }
  closeOwn() {
    if (!this.ownQuestion) return;
    this.ownQuestion = { ...this.ownQuestion, truth: "Closed." };
    this.tell(JSON.stringify(this.ownQuestion));
  }
  endOwn() {
    this.ownQuestion = null;
    this.put = "";
    if (this.latest) this.follow(this.latest);
  }
  /** Download the counts of the hour, one row per choice; there are no names. */
  takeAway() {
    const quoteCell = (text) => `"${String(text).replaceAll("\"", "\"\"")}"`, rows = ["question,choice,answers,right"];
    for (const { ask, counted } of this.tally.values()) for (const { label, count, isRight } of counted) rows.push([quoteCell(ask), quoteCell(label), count, isRight ? 1 : 0].join(","));
    const link = node("a", { href: URL.createObjectURL(new Blob([`${rows.join("\n")}\n`], { type: "text/csv" })), download: "spcviz-class.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 5000);
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
    if (!now.isAsking) this.paintFound([]);
    this.root.dataset.answers = String(now.answers ?? "");
    this.hideButton.hidden = !now.isAsking || now.isOver;
    this.clearButton.hidden = !now.answers;
    this.takeButton.hidden = !this.tally.size && !now.answers;
    if (!now.isAsking) {
      setText(this.total, "No question in this scene.");
      this.bars.replaceChildren();
      return;
    }
    if (now.n !== this.askedAs) this.hide(true);
    this.askedAs = now.n;
    if (now.isOver) this.hide(false);
    setText(this.total, this.totalOf(now));
    this.paintFound(now.found ?? []);
    const rows = now.ranking ? this.ofRanking(now) : now.choices.length ? this.ofChoices(now) : this.ofGuesses(now), most = Math.max(1, ...rows.map((row) => row.count));
    if (now.answers) this.tally.set(describeTally(now), { ask: now.ask, counted: rows });
    this.keepTally();
    this.counted = `${this.total.textContent}: ${rows.map(({ label, count }) => `${label} ${count}`).join(", ")}`;
    this.others({ kind: "class", said: this.counted });
    this.bars.replaceChildren(...rows.map(({ label, count, isRight }) => node("li", { class: isRight ? "right" : "" },
      node("span", { class: "label" }, `${isRight ? "✔ " : ""}${label}`), node("span", { class: "count" }, String(count)),
      node("span", { class: "bar-of", "aria-hidden": "true", style: `--share: ${count / most}` }))));
  }
  totalOf({ answers, here = 0, link, isOver, right, counts: of, most }) {
    if (most) return `${answers} of ${Math.max(here, answers)} ${answers === 1 ? "has" : "have"} played`;
    if (link) return `${answers} of ${Math.max(here, answers)} ${answers === 1 ? "has" : "have"} it`;
    const were = isOver && of && right !== null && right !== undefined ? `, ${of[right]} right` : "";
    return `${answers} answer${answers === 1 ? "" : "s"}${were}`;
  }
  /** Show how phones have solved a task: their addresses as scenes, without names. */
  paintFound(addresses) {
    const key = JSON.stringify(addresses);
    if (this.foundKey === key) return;
    this.foundKey = key;
    this.found.hidden = !addresses.length;
    this.found.replaceChildren(...addresses.map((address, at) => button(`Solution ${at + 1}`, "Show how one of the class did it", () => this.act({ kind: "found", to: address }))));
  }
  /** Ranking of a game: results and how many phones have each, the best first, without owners. */
  ofRanking({ ranking }) {
    let place = 1;
    return ranking.map(([value, count]) => {
      const row = { label: `${place}. ${value}`, count, isRight: false };
      place += count;
      return row;
    });
  }
  ofChoices(now) { return now.choices.map((label, at) => ({ label, count: now.counts[at], isRight: now.right === at })); }
  ofGuesses({ guesses: { bins, median }, right = null }) {
    const last = bins.length - 1, isIn = ({ low, high }, at) => right !== null && (right >= low || at === 0) && (right < high || at === last);
    const rows = bins.map((bin, at) => ({ label: bin.low === bin.high ? roundValue(bin.low) : `${roundValue(bin.low)} to ${roundValue(bin.high)}`, count: bin.count, isRight: isIn(bin, at) }));
    if (median !== null && !this.isHidden) setText(this.total, `${this.total.textContent}, the middle one ${roundValue(median)}`);
    return rows;
  }
}
