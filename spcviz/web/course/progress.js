// Storage of the course's solved tasks, in this browser alone, under one name.

const KEPT = "spcviz-course";
const CHANGED = "spcviz-course-changed"; // an event of this window: storage events reach other windows only
const fresh = () => ({ v: 1, done: {}, seed: Math.floor(Math.random() * 2 ** 30), folded: false });

/** {v, done: {id: {at, tries, how, address, won}}, seed, folded}; a new one where storage is off or holds something else. */
export function progress() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    return kept?.v === 1 && typeof kept.done === "object" && kept.done ? { ...fresh(), ...kept } : keep(fresh());
  } catch {
    return fresh();
  }
}
function keep(all) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(all));
  } catch {
    return all; // storage is off: it lasts as long as the page
  }
  window.dispatchEvent(new Event(CHANGED));
  return all;
}
/** Record a solved task; one solved without help stays so. */
export function noteSolved(id, { tries, how, address, won }) {
  const all = progress(), earlier = all.done[id];
  if (earlier && !(earlier.how === "shown" && how === "self")) return;
  keep({ ...all, done: { ...all.done, [id]: { at: new Date().toISOString().slice(0, 10), tries, how, address, won } } });
}
export const fold = (folded) => keep({ ...progress(), folded });
export const forgetAll = () => keep(fresh());
/** Take over the progress from another browser's link: {id: how}. */
export const take = (brought) => {
  const all = progress(), done = { ...all.done };
  for (const [id, how] of Object.entries(brought)) done[id] ??= { at: "", tries: 1, how, address: "", won: "" };
  return keep({ ...all, done });
};
/** Call when progress changes, here or in another window, until the signal ends it. */
export function onProgress(act, signal) {
  window.addEventListener(CHANGED, act, { signal });
  window.addEventListener("storage", (event) => { if (event.key === KEPT) act(); }, { signal });
}

/** A task's mark: open, solved, or shown. */
export const markOf = (done, id) => (!done[id] ? "○" : done[id].how === "shown" ? "◐" : "●");
/** Marks of tasks; `toldOf` says the same in words. */
export const marksOf = (done, ids) => ids.map((id) => markOf(done, id)).join("");
export const toldOf = (done, ids) => `${ids.filter((id) => done[id]).length} of ${ids.length} tasks`;

/** Shuffle a list, in the same order for the same seed: options do not move while a visitor thinks. */
export function shuffle(list, seed, name) {
  let state = seed;
  for (const sign of name) state = (Math.imul(state, 31) + sign.codePointAt(0)) >>> 0;
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    const j = state % (i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** Put marks next to the pages in the side bar, whose addresses end in their names; `every` is {page: ids}. */
export function markSideBar(every) {
  const { done } = progress();
  for (const link of document.querySelectorAll("[data-testid=stSidebarNavLink]")) {
    const name = new URL(link.href, document.baseURI).pathname.split("/").pop(), ids = every[name] ?? [];
    const marks = ids.length ? ` ${marksOf(done, ids)}` : "", told = ids.length ? toldOf(done, ids) : "";
    if (link.dataset.marks === marks) continue;
    link.dataset.marks = marks;
    link.dataset.told = told;
    link.title = told;
  }
}
