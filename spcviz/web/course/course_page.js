// The Course page's view: pages in order with goals and marks, where to continue, and one sheet to print.
//
// Everything about the visitor is stored in this browser (progress.js); the page's own texts come from the server.

import { button, node, setText } from "../view/elements.js";
import { View, makeMount } from "../view/view.js";
import { forgetAll, markOf, markSideBar, onProgress, progress, take, toldOf } from "./progress.js";

const WEIGHT = { self: 1, shown: 0.5 };

class CoursePage extends View {
  isOfBar = true;
  build() {
    this.passed = node("p", { class: "passed", role: "status" });
    this.go = node("p", { class: "go-on" });
    this.parts = node("div", { class: "parts" });
    this.found = node("section", { class: "found", "aria-label": "What I found" });
    this.brought = node("div", { class: "brought", role: "group", "aria-label": "Progress from a link", hidden: true });
    const forget = button("Forget my progress", "Take all marks of this browser away", () => this.forget());
    this.copied = node("span", { role: "status" });
    const tools = node("div", { class: "tools-row" }, button("Print what I found", "One sheet: what was found, with the addresses that repeat it", () => window.print()),
      button("Copy a link to my progress", "For another browser: the link holds the marks and nothing else", () => this.copy()), forget, this.copied);
    return node("div", { class: "course-page" }, this.brought, this.passed, this.go, this.parts, tools, this.found);
  }
  mount(parent, data) {
    super.mount(parent, data);
    onProgress(() => this.draw(), this.ending.signal);
  }
  take() { this.view ??= {}; }
  key() {}
  act(kind, more) { this.component.setTriggerValue("act", { kind, ...more, n: Date.now() }); }
  forget() {
    if (window.confirm("Forget all tasks that were solved in this browser?")) {
      forgetAll();
      this.act("forget", {});
    }
  }
  get pages() { return this.data.sections.flatMap(({ pages }) => pages); }

  /** Progress from another browser's link: {id: how}; ids that are no task here are dropped. */
  fromLink() {
    const known = new Set(this.pages.flatMap(({ tasks }) => tasks.map(({ id }) => id))), out = {};
    for (const part of (new URLSearchParams(location.search).get("done") ?? "").slice(0, 600).split(".")) {
      const [, id, shown] = /^([A-Z][0-9]{1,2})(s?)$/.exec(part) ?? [];
      if (id && known.has(id)) out[id] = shown ? "shown" : "self";
    }
    return out;
  }
  async copy() {
    const { done } = progress(), link = new URL(location.href);
    link.search = `?done=${Object.entries(done).map(([id, { how }]) => id + (how === "shown" ? "s" : "")).join(".")}`;
    try {
      await navigator.clipboard.writeText(link.href);
      setText(this.copied, "link copied");
    } catch {
      setText(this.copied, link.href);
    }
  }

  paint() {
    const { done } = progress(), counted = (id) => WEIGHT[done[id]?.how] ?? 0, solved = Object.keys(done).length;
    const pointsOf = ({ tasks }) => tasks.reduce((sum, { id }) => sum + counted(id), 0);
    const isEnough = (page) => pointsOf(page) >= 2, by = (name) => this.pages.find((page) => page.name === name);
    const { first, needed, later, most } = this.data.rules;
    const isFirst = first.every((name) => isEnough(by(name))) && needed.every((id) => counted(id) > 0);
    const nLater = later.filter((name) => isEnough(by(name))).length, isWhole = isFirst && nLater >= most;
    const lacking = needed.filter((id) => !counted(id));
    setText(this.passed, isWhole ? "✔ The course is passed." : isFirst ? `✔ Part 1 is passed. For the course: two tasks on ${most - nLater} more of the pages after it.`
      : `Part 1 is passed with two tasks on each of its pages${lacking.length ? `, ${lacking.join(", ")} among them` : ""}. Tasks that were shown count half.`);
    const next = this.pages.flatMap((page) => page.tasks.map((task) => ({ page, task }))).find(({ task }) => !done[task.id]);
    this.go.replaceChildren(next ? button(`${solved ? "Continue" : "Begin"}: ${next.page.title}, task ${next.page.tasks.indexOf(next.task) + 1}`, next.task.ask, () => this.act("task", { id: next.task.id }), { class: "filled" }) : "Every task is done.");
    this.parts.replaceChildren(...this.data.sections.map(({ title, pages }) => node("section", {}, node("h2", {}, title), node("div", { class: "cards" }, pages.map((page) => this.card(page, done))))));
    const brought = this.fromLink(), n = Object.keys(brought).length;
    this.brought.hidden = !n || this.isTaken;
    this.brought.replaceChildren(node("span", {}, `This link brings ${n} ${n === 1 ? "solved task" : "solved tasks"}. `), button("Take them over", "Add them to this browser's", () => { this.isTaken = true; take(brought); }));
    this.paintFound(done, solved);
    markSideBar(Object.fromEntries(this.pages.map(({ name, tasks }) => [name, tasks.map(({ id }) => id)])));
    this.root.dataset.ready = "1";
  }
  card({ name, title, goal, minutes, needs, tasks }, done) {
    const open = tasks.find(({ id }) => !done[id]), ids = tasks.map(({ id }) => id);
    return node("div", { class: "card", role: "group", "aria-label": title }, node("h3", {}, button(title, `Open ${title}`, () => this.act("page", { name }), { class: "title" }), node("span", { class: "marks", role: "img", "aria-label": toldOf(done, ids) }, ids.map((id) => markOf(done, id)).join(""))),
      node("p", {}, `After it you can ${goal}.`), node("p", { class: "small" }, `${minutes} min${needs ? ` · after ${needs}` : ""}`),
      open ? node("p", {}, button(open.ask, "Open this task", () => this.act("task", { id: open.id }), { class: "task" })) : node("p", { class: "small" }, "Every task is done."));
  }
  paintFound(done, solved) {
    const rows = this.pages.flatMap(({ title, tasks }) => tasks.filter(({ id }) => done[id]).map(({ id }) => ({ id, title, ...done[id] })));
    const shown = rows.filter(({ how }) => how === "shown").length;
    this.found.hidden = !solved;
    this.found.replaceChildren(node("h2", {}, "What I found"),
      node("ol", {}, rows.map(({ title, won, address, how, id }) => node("li", {}, node("b", {}, `${title}. `), won || id, how === "shown" ? " (shown)" : "", address ? node("span", { class: "address" }, ` ${new URL(address, document.baseURI).href.slice(0, 160)}`) : ""))),
      node("p", { class: "small" }, `${new Date().toISOString().slice(0, 10)} · spcviz ${this.data.version} · solved ${solved - shown}, shown ${shown}`), node("p", { class: "sign" }, ""));
  }
}

export default makeMount(CoursePage);
