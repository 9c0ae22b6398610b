// Callouts in a page's picture on the first visit: one after the other, put away for good by a button or Escape.

import { node, setText } from "../view/elements.js";
import { partOf } from "../touring/tour_core.js";

const AWAY = 10; // pixels between a part's edge and its callout
const LARGE = 0.4; // of the window's height: what stands above so large a part is said of it, and not to be covered
const PUT_AWAY = "spcviz-callouts"; // names of the pages whose callouts were put away

const putAway = () => {
  try {
    return (localStorage.getItem(PUT_AWAY) ?? "").split(" ");
  } catch {
    return null; // storage is off: they would come on every visit
  }
};

/** The callout of the page that is shown. It takes no mouse but on its button: the picture below stays in use. */
export class Callouts {
  at = 0;
  constructor() {
    this.text = node("p", {});
    this.nextButton = node("button", { type: "button", onclick: () => this.next() }, "Next");
    this.root = node("aside", { class: "callout", "aria-label": "A hint for a first visit", hidden: true }, this.text, this.nextButton);
  }
  /** Of a page by its name, with its callouts; none in a tour or on a projector. */
  take(page, some) {
    if (page !== this.page) this.at = 0;
    this.page = page;
    const seen = putAway();
    this.some = seen === null || seen.includes(page) ? [] : some;
  }
  /** Stand at the part; called again and again, since pages move. */
  place() {
    const one = this.some?.[this.at], isSettling = document.documentElement.classList.contains("spcviz-settling");
    const part = one && !isSettling ? partOf(one.at) : null;
    this.root.hidden = !part;
    if (!part) return;
    setText(this.text, one.say);
    setText(this.nextButton, this.at + 1 < this.some.length ? `Next (${this.at + 1} of ${this.some.length})` : "Got it");
    const box = part.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = this.root;
    const above = box.height > LARGE * window.innerHeight ? [] : [box.top - AWAY - height];
    const fits = [box.bottom + AWAY, ...above].find((top) => top > 60 && top + height < window.innerHeight);
    const top = fits ?? Math.max(64, Math.min(box.top + AWAY, window.innerHeight - height - AWAY)); // a large part: inside its corner
    const left = fits === undefined ? box.right - width - AWAY : box.left;
    this.root.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 16))}px`;
    this.root.style.top = `${top}px`;
    this.root.classList.toggle("above", fits !== undefined && top < box.top);
  }
  /** Whether the callout lies over something: nothing else can be pressed there. */
  covers({ left, right, top, bottom }) {
    const box = this.root.getBoundingClientRect(), more = 24; // around a small target
    return !this.root.hidden && left < box.right + more && right > box.left - more && top < box.bottom + more && bottom > box.top - more;
  }
  next() {
    this.at += 1;
    if (this.at >= this.some.length) this.close();
    this.place();
  }
  close() {
    if (this.root.hidden && this.at < this.some.length) return false;
    try {
      localStorage.setItem(PUT_AWAY, [...new Set([...putAway(), this.page])].join(" ").trim());
    } catch {
      this.at = 0; // storage is off
    }
    this.some = [];
    this.place();
    return true;
  }
}
