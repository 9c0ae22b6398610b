// The game of the day: three budgets on one batch, against the learned policy, chance and an oracle.
// Methods for the Trade-off view. Purchases are kept. A round ends when the player locks it in; only then is the number
// of right parts shown, but not where they are. The last round shows everything.

import { handState, oracleAt, roundsOf, stateAt } from "./trade_core.js";
import { button, node } from "../../../web/view/elements.js";

const RIVALS = [["dms_pi", "The learned policy (DMS-π)"], ["uniform", "At random"]];
const LOOK_MS = 2500, LOOKS = 400; // a class plays for a quarter of an hour

const joinNumbers = (numbers) => numbers.map((n) => n.toString(36)).join(".");
const parseNumbers = (text) => (text ? text.split(".").map((n) => parseInt(n, 36)) : []);

export const GAME = {
  get isGame() { return this.view.mode === "game"; },
  get cuts() { return roundsOf(parseNumbers(this.view.cuts), this.picks.length, this.data.game?.shares.length ?? 0); },
  get round() { return this.cuts.length; },
  get isOver() { return this.round >= (this.data.game?.shares.length ?? 0); },
  gameBudget(round) { return Math.floor(this.data.game.shares[Math.min(round, this.data.game.shares.length - 1)] * this.full); },
  /** The visitor's state at the end of a round. */
  mine(round) { return handState(this.data, this.start, this.picks.slice(0, this.cuts[round]), this.kind, this.gameBudget(round)); },

  startGame() { this.component.setTriggerValue("open", { game: new Date().toISOString().slice(0, 10), at: performance.now() }); },
  endGame() { this.component.setTriggerValue("open", { game: "", at: performance.now() }); },
  lock() { this.set({ cuts: joinNumbers([...this.cuts, this.picks.length]) }); },
  /** Only what this round has bought can be taken back. */
  undoPick() { if (this.picks.length > (this.cuts.at(-1) ?? 0)) this.set({ picks: joinNumbers(this.picks.slice(0, -1)) }); },

  /** Rows of the table: a player's name, and the number of right parts in each finished round. */
  standings() {
    const { data, start, things } = this, rounds = this.cuts.map((_, r) => r);
    const rows = [["You", rounds.map((r) => things - this.mine(r).wrong)]];
    for (const [name, label] of RIVALS) {
      const method = data.methods.find((m) => m.name === name);
      if (method) rows.push([label, rounds.map((r) => things - stateAt(data, start, method, this.kind, this.gameBudget(r)).wrong)]);
    }
    rows.push(["Whole words, the answers known (oracle)", rounds.map((r) => things - oracleAt(data, start, this.kind, this.gameBudget(r)).wrong)]);
    return rows;
  },

  /** The result to pass on: for each round a square per word bought, right words first. */
  resultText() {
    const [[, mine], ...others] = this.standings(), { data } = this;
    const lines = mine.map((right, r) => {
      const state = this.mine(r), bought = [...new Set(this.picks.slice(0, this.cuts[r]))];
      const good = bought.filter((w) => state.readings[w] === data.truths[w]).length;
      const rest = others.map(([label, each]) => `${label.startsWith("The") ? "policy" : label.startsWith("At") ? "random" : "oracle"} ${each[r]}`).join(", ");
      return `${this.gameBudget(r)} units ${"🟩".repeat(good)}${"🟥".repeat(bought.length - good)} ${right} of ${this.things} (${rest})`;
    });
    const policy = others.find(([label]) => label.startsWith("The"))?.[1] ?? [], won = mine.filter((right, r) => right > policy[r]).length;
    const address = new URL(`trade_off?mode=game&day=${data.game.day}`, document.baseURI);
    return [`Beat the policy, ${data.game.day}: ${won} of ${mine.length} rounds won`, ...lines, address.href].join("\n");
  },

  buildGame() {
    this.gameSays = node("p", { class: "round", "aria-live": "polite" });
    this.gameRow = node("div", { class: "row" });
    this.gameTable = node("table", { class: "standings" });
    this.gameResult = node("pre", { class: "result", tabindex: "0", "aria-label": "Your result, to pass on" });
    this.gameClass = node("p", { class: "round", role: "status" });
    this.gameBox = node("section", { class: "game", "aria-label": "Beat the policy" }, this.gameSays, this.gameRow, this.gameClass);
    return this.gameBox;
  },

  paintGame(state) {
    const { isGame } = this;
    this.root.classList.toggle("playing", isGame);
    this.root.classList.toggle("over", isGame && this.isOver);
    this.gameBox.hidden = this.gameTable.hidden = this.gameResult.hidden = !isGame;
    if (!isGame) return;
    const { data, round, isOver, task } = this, { shares, day } = data.game, budget = this.gameBudget(round);
    this.gameSays.replaceChildren(node("b", {}, isOver ? `The batch of ${day} is played.` : `Round ${round + 1} of ${shares.length}: ${this.money(budget)}.`), " ",
      isOver ? "Green words are right now. Click one to look at it." : `${this.money(budget - state.spent)} left. A ${task.chain ?? "word"} costs a unit a letter; a second click buys its next features. What you buy stays.`);
    const held = this.gameRow.getRootNode().activeElement?.textContent; // keyboard players keep the focus on their button
    this.gameRow.replaceChildren(...(isOver
      ? [button("Copy result", "Copy your result: it tells nobody which words to buy", () => this.copyText(this.resultText(), "result copied")), button("Play again", "The same batch from the start", () => this.set({ picks: "", cuts: "" }))]
      : [button("Lock in", "End this round: see how many letters are right, of no word which", () => this.lock()), button("Undo", "Take back the last purchase of this round", () => this.undoPick(), { disabled: this.picks.length <= (this.cuts.at(-1) ?? 0) })]),
    button("Play with a class", "Open a room: phones play the same batch", () => this.playWithClass()), button("Leave the game", "Back to the page", () => this.endGame()));
    [...this.gameRow.children].find((one) => one.textContent === held && !one.disabled)?.focus({ preventScroll: true });
    const head = node("tr", {}, node("th", {}, `${task.parts} right, of ${this.things}`), ...shares.map((_, r) => node("th", {}, this.money(this.gameBudget(r)))));
    this.gameTable.replaceChildren(head, ...this.standings().map(([label, each], at) => node("tr", { class: at ? "" : "you" }, node("th", { scope: "row" }, label),
      ...shares.map((_, r) => node("td", {}, each[r] === undefined ? "·" : String(each[r]))))));
    this.gameResult.hidden = !isOver;
    if (isOver) this.gameResult.textContent = this.resultText();
    if (isOver) this.tellClass();
    this.root.dataset.round = String(round);
  },

  // ---------------------------------------------------------------- a class

  async playWithClass() {
    const made = await fetch(new URL("room", document.baseURI), { method: "POST" }).catch(() => null);
    if (!made?.ok) { this.say("No room can be opened just now. Try again in a minute."); return; }
    const address = new URL(`trade_off?mode=game&day=${this.data.game.day}`, document.baseURI);
    address.searchParams.set("room", String((await made.json()).room));
    location.assign(address.href);
  },
  /** A phone that came from a room sends it its right letters of all rounds, without a name, and shows its place. */
  async tellClass() {
    const room = new URLSearchParams(location.search).get("in");
    const total = this.standings()[0][1].reduce((sum, right) => sum + right, 0), key = `${room} ${total} ${this.data.game.day}`;
    if (!/^[1-9][0-9]{6}$/.test(room ?? "") || this.toldClass === key) return;
    this.toldClass = key;
    const at = (rest) => new URL(`room/${room}/${rest}`, document.baseURI);
    const look = () => fetch(at("now"), { cache: "no-store" }).then((said) => (said.ok ? said.json() : null)).catch(() => null);
    let now = await look();
    if (!now?.most || !now.link.includes(`day=${this.data.game.day}`)) { this.gameClass.textContent = "The room plays another game just now."; return; }
    if (!now.isYours) {
      const played = { n: now.n, value: total, picks: joinNumbers(this.picks.slice(0, this.cuts.at(-1))), cuts: joinNumbers(this.cuts) };
      const said = await fetch(at("answer"), { method: "POST", body: JSON.stringify(played) }).catch(() => null);
      const refused = said?.status === 400 ? (await said.json().catch(() => ({}))).error : "";
      if (refused) { this.gameClass.textContent = `The room did not take this result: ${refused}. This address holds purchases that the game does not allow; press “Play again”, and what you buy counts.`; return; }
      if (!said?.ok) { this.gameClass.textContent = "The room does not answer just now: reload this page to tell it your result."; return; }
    }
    for (let i = 0; i < LOOKS && this.toldClass === key && this.root.isConnected; i++) {
      now = await look();
      if (now?.place) this.gameClass.textContent = `In your class: place ${now.place} of ${now.answers}, with ${total} letters right in all rounds.`;
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
  },
};
