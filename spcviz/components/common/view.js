// What every component here shares: elements, files and links to take away, keys, one view per parent element.

let speak = (text) => text;
/** What every text goes through on its way to the page, from here on. */
export const speakAs = (change) => { speak = (text) => typeof text === "string" ? change(text) : text; };

export function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, name === "title" ? speak(value) : value);
  }
  element.append(...children.flat(Infinity).map((child) => speak(child)));
  return element;
}
/** The bytes of base64 text. */
export function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
export const clamp = (v, low, high) => Math.min(high, Math.max(low, v));
export const setText = (element, text) => {
  const said = speak(text);
  if (element.textContent !== said) element.textContent = said;
};

/** Element of an SVG picture. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Whether a background `rgb(...)` or `#rrggbb` is a dark one. */
export function isDarkColour(text) {
  const parts = text.startsWith("#") ? [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)) : (text.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  return 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2] < 128;
}

/** A button that leaves the keys to the picture once it was clicked. */
export const button = (label, title, onclick, extra = {}) => node("button", { type: "button", title, "aria-label": title, onclick: (event) => {
  if (event.detail > 0) event.currentTarget.blur();
  onclick(event);
}, ...extra }, label);

/** Whether the address asks for a projector's picture on a screen that has the room. */
export const isProjected = () => new URLSearchParams(location.search).get("embed") === "true";

/** Whether a key press is meant for the picture and not for a control of its own or of the page. */
export function isOurKey(event, root) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !root.isConnected) return false;
  const path = event.composedPath(), target = path[0], isOurs = path.includes(root);
  if (!(target instanceof Element)) return true;
  if (target.matches("textarea, select, [contenteditable=true], input:not([type=range])")) return false;
  if (target.closest("[role=listbox], [role=slider], [role=combobox], [role=menu], [role=dialog], [data-baseweb=popover]") && !isOurs) return false;
  if (target.matches("input[type=range]") && event.key.startsWith("Arrow") && !event.shiftKey) return false;
  if (target.matches("button, a, summary, [role=tab], [role=radio]") && (event.key === " " || event.key === "Enter")) return false;
  return isOurs || !target.matches("input[type=range], [role=radio], [role=tab]");
}

/** Methods for views that have a `root`, a `note` to say things in and a `fileName(kind)`. */
export const SHARING = {
  save(blob, kind) {
    const url = URL.createObjectURL(blob), link = node("a", { href: url, download: this.fileName(kind) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 5000);
    if (this.menu) this.menu.hidden = true;
    this.say(`saved ${kind.toUpperCase()}`);
  },
  say(text) {
    setText(this.note, text);
    clearTimeout(this.noteTimer);
    this.noteTimer = setTimeout(() => setText(this.note, ""), 4000);
  },
  async copyLink() {
    if (this.menu) this.menu.hidden = true;
    for (let i = 0; i < 20 && (this.queued || this.pendingSince); i++) await new Promise((done) => setTimeout(done, 80));
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
      this.say("link copied");
    } catch {
      const area = node("textarea", { "aria-label": "Link" });
      area.value = link;
      this.root.append(area);
      area.select();
      const isDone = document.execCommand("copy");
      area.remove();
      this.say(isDone ? "link copied" : "copy the address of this page");
    }
    this.root.dataset.copied = link;
  },
};

/** The default export of a component: one `View` lives per parent element, over all of Streamlit's calls. */
export function mounted(View) {
  const instances = new WeakMap();
  return (component) => {
    const { parentElement } = component;
    let instance = instances.get(parentElement);
    if (!instance || !instance.root.isConnected) {
      if (instance) instance.destroy();
      instance = new View(parentElement, component.data);
      instances.set(parentElement, instance);
    }
    instance.update(component);
    return () => setTimeout(() => {
      if (instance.root.isConnected && parentElement.isConnected !== false) return;
      instance.destroy();
      if (instances.get(parentElement) === instance) instances.delete(parentElement);
    }, 0);
  };
}
