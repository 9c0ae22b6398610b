// Pins A and B of a view: two settings kept to compare.
// Methods for a View whose `view` has `pin_a` and `pin_b`; the View itself defines
//
//    pinName()        content of a pin set now: "name:number,number"
//    usePin(name)     go back to the settings of a pin
//    pinSays(name)    result of a pin for what is shown, "…" until it is known
//    canUse(name)     whether the view can go back to it

import { button, node } from "./elements.js";

export const PIN_KEYS = { A: "pin_a", B: "pin_b" };

export const PINS = {
  pinText(name) { return this.view[PIN_KEYS[name]]; },
  unpin(name) { this.set({ [PIN_KEYS[name]]: "" }); },
  /** Pin the current settings; if they are pinned already, unpin. */
  pin(name) {
    const text = this.pinName();
    this.set({ [PIN_KEYS[name]]: this.pinText(name) === text ? "" : text });
  },
  pinCard(name) {
    if (!this.pinText(name)) return button(`Pin ${name}`, `Keep this as ${name} to compare (${name})`, () => this.pin(name));
    return node("div", { class: `pin pin${name}` }, node("b", {}, name), node("span", {}, this.pinSays(name)),
      this.canUse(name) ? button("use", `Go back to ${name}`, () => this.usePin(name)) : "", button("✕", `Unpin ${name}`, () => this.unpin(name)));
  },
};
