// Storage of the visitor's own tour in this browser: a new visit gets it back, and only then may change it.

/** Storage names of the visitor's own tour, of those it replaced, and of the one that a link brought. */
const KEPT = { own: "spcviz-own-tour", earlier: "spcviz-earlier-tours", brought: "spcviz-brought-tour" };
const known = {}; // texts that this document has read or written there, by name

/** Save a tour that another window has written and this one never saw, so that it is not lost. */
const saveFirst = (tour) => localStorage.setItem(KEPT.earlier, `${tour} ${localStorage.getItem(KEPT.earlier) ?? ""}`.trim());

/** Store the server's tours, or send it by `act` those of this browser; false if storage is off. */
export function keepTours(texts, act) {
  try {
    const names = Object.keys(KEPT), has = Object.fromEntries(names.map((name) => [name, localStorage.getItem(KEPT[name])]));
    if (texts.isNew && names.some((name) => has[name] && has[name] !== texts[name])) {
      Object.assign(known, has);
      act({ kind: "restore", ...has });
      return true;
    }
    for (const name of names) {
      const text = texts[name];
      if (text === null || text === known[name]) continue;
      if (name === "own" && has.own && has.own !== known.own && has.own !== text) saveFirst(has.own);
      if (text) localStorage.setItem(KEPT[name], text);
      else localStorage.removeItem(KEPT[name]);
      known[name] = text;
    }
    return true;
  } catch {
    return false;
  }
}
