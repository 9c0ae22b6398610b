// The handout of a tour for print: one scene per sheet, each as the app shows it.
// A scene is the app itself at the scene's address, in a frame, so its picture, its sentence and the numbers in it are
// the page's own. The frames are opened one after the other.

import { button, node, setText } from "../view/elements.js";
import { View, makeMount } from "../view/view.js";
import { treesOf } from "./tour_core.js";

const LOOK_MS = 200, BEGIN_MS = 400;
const SETTLE_MS = 900; // after the last run: charts draw
const GIVE_UP_MS = 60000;
const OWN_PAPER = "@media print { html .stMainBlockContainer { zoom: 1 !important; padding: 0 12px !important } } .stMainBlockContainer { padding-bottom: 0 !important }";

const rest = (ms) => new Promise((done) => setTimeout(done, ms));

/** The bar of a frame that shows a scene, once its run has ended. */
function barOf(page, code) {
  if (!page?.body || page.querySelector("[data-test-script-state=running]")) return null;
  for (const tree of treesOf(page)) if (tree.querySelector(".tour")?.dataset.scene === code) return tree;
  return null;
}

class HandoutView extends View {
  isOfBar = true;
  build(data) {
    this.fetchButton = button("Stop", "Opens no more scenes", () => this.startOrStop());
    this.printButton = button("Print", "All of it on paper, or as a PDF", () => window.print());
    this.progress = node("span", { role: "status" });
    this.sheets = data.scenes.map((scene) => this.sheet(scene));
    const asked = this.sheets.filter(({ isAnswer }) => !isAnswer), answers = this.sheets.filter(({ isAnswer }) => isAnswer);
    return node("div", { class: "handout" }, node("p", { class: "acts" }, this.fetchButton, this.printButton, this.progress),
      asked.map(({ root }) => root), answers.map(({ root }) => root));
  }
  mount(parent, data) {
    super.mount(parent, data);
    this.after("begin", BEGIN_MS, () => this.startOrStop());
  }
  startOrStop() {
    this.isStopped = Boolean(this.isFetching);
    if (!this.isFetching) this.fetchAll();
  }
  sheet({ number, code, address, open, isAnswer }) {
    const place = node("div", { class: "place" }), link = new URL(address, document.baseURI).href;
    const foot = node("p", { class: "where" }, `${number}${isAnswer ? ", answered" : ""}. To see it again, start the app and open `, node("a", { href: link }, link));
    return { code, open, place, isAnswer, root: node("section", { class: "sheet", hidden: true }, place, foot) };
  }
  take() {}
  paint() { this.root.dataset.drawn = "1"; }
  keys() { return {}; }
  key() {} // the frames have their own

  async fetchAll() {
    this.isFetching = true;
    setText(this.fetchButton, "Stop");
    let n = 0;
    for (const sheet of this.sheets) {
      if (this.isStopped) break;
      if (sheet.isThere) {
        n += 1;
        continue;
      }
      setText(this.progress, `Picture ${n + 1} of ${this.sheets.length} ...`);
      sheet.isThere = await this.fetch(sheet);
      if (!sheet.isThere) sheet.place.append(node("p", {}, "This picture did not come in time: open its address."));
      n += 1;
      if (!this.root.isConnected) return;
    }
    this.isFetching = false;
    this.isStopped = false;
    const isWhole = this.sheets.every(({ isThere }) => isThere);
    setText(this.fetchButton, isWhole ? "All are there" : "Go on");
    this.fetchButton.disabled = isWhole;
    setText(this.progress, `${n} of ${this.sheets.length} pictures.`);
    this.component.setTriggerValue("done", Date.now()); // the list above gets the numbers that the scenes have offered
    this.root.dataset.pictures = String(n);
  }
  /** Open a scene in a frame; true once it is drawn. */
  async fetch({ root, place, code, open }) {
    const frame = node("iframe", { src: new URL(open, document.baseURI).href, title: `Scene ${code}`, tabindex: "-1" });
    root.hidden = false;
    place.replaceChildren(frame);
    for (const begun = performance.now(); performance.now() - begun < GIVE_UP_MS; await rest(LOOK_MS)) {
      if (!this.root.isConnected) return false;
      if (!barOf(frame.contentDocument, code)) continue;
      await rest(SETTLE_MS);
      const bar = barOf(frame.contentDocument, code);
      if (!bar) continue;
      frame.contentDocument.head.append(node("style", {}, OWN_PAPER));
      bar.append(node("style", {}, ".foot { display: none !important }")); // the sheet has the address
      return true;
    }
    return false;
  }
}

export default makeMount(HandoutView);
