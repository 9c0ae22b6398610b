// Helpers of all views: DOM elements and their texts, bytes, ink, colours. No view, no clock.

let speak = (text) => text;
/** Set the function that every text passes through on its way to the page from now on. */
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

/** Element of an SVG picture. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button's accessible name: its visible text comes first, so that users of speech input can say what they see. */
const calledBy = (label, title) => {
  const shown = [label].flat(Infinity).filter((part) => typeof part === "string").join(" ").trim();
  return /\p{L}/u.test(shown) && !title.toLowerCase().includes(shown.toLowerCase()) ? `${shown}: ${title}` : title;
};

/** A button that returns the keys to the picture once it was clicked. */
export const button = (label, title, onclick, extra = {}) => node("button", { type: "button", title, "aria-label": calledBy(label, title), onclick: (event) => {
  if (event.detail > 0) event.currentTarget.blur();
  onclick(event);
}, ...extra }, label);

export const setText = (element, text) => {
  const said = speak(text);
  if (element.textContent !== said) element.textContent = said;
};

export const clamp = (v, low, high) => Math.min(high, Math.max(low, v));

/** Percentile of unsorted numbers (nearest rank); NaN when there are none. */
export function percentile(values, q) {
  if (!values.length) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
}

const ARRAYS = { f8: Float64Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };

/** Unpack a value packed by mount.pack, its arrays typed. */
export function openData(bytes) {
  const { buffer } = bytes.slice(); // begins at 0, as arrays with eight bytes per number require
  const length = new DataView(buffer).getUint32(0, true), start = 4 + length;
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)), (_, value) => {
    if (!value || !value.$) return value;
    const [kind, at, size] = value.$;
    return new ARRAYS[kind](buffer, start + at, size);
  });
}

/** Unroll an array from mount.runs. */
export function unrollRuns({ values, lengths }) {
  const out = new values.constructor(lengths.reduce((sum, n) => sum + n, 0));
  let at = 0;
  values.forEach((value, i) => out.fill(value, at, at += lengths[i]));
  return out;
}

/** Handwritten letters, 16 rows of 8 pixels each, as arrays of 128 zeros and ones. */
export function unpackInk(bytes) {
  return Array.from({ length: bytes.length / 16 }, (_, i) =>
    Uint8Array.from({ length: 128 }, (_, b) => (bytes[16 * i + (b >> 3)] >> (7 - (b & 7))) & 1));
}

/** Red, green and blue of any CSS colour. */
export function toRgb(text) {
  const probe = toRgb.context || (toRgb.context = document.createElement("canvas").getContext("2d"));
  probe.fillStyle = "#000";
  probe.fillStyle = text;
  const value = probe.fillStyle;
  if (value.startsWith("#")) return [1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16));
  return (value.match(/[\d.]+/g) || [0, 0, 0]).slice(0, 3).map(Number);
}

/** Whether a background is dark. */
export const isDarkColour = ([red, green, blue]) => 0.3 * red + 0.59 * green + 0.11 * blue < 128;
