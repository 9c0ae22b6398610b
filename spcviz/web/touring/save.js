// The bar's Save menu: the link, the page as one file, its picture, loop, Python or frame; and the Card button.

import { button, node } from "../view/elements.js";
import { VIEWS } from "../view/view.js";
import { treesOf } from "./tour_core.js";

/** Page and state, without what belongs to a tour or a projector. */
function sceneHere() {
  const url = new URL(location.href);
  for (const name of ["tour", "at", "scene", "speaker", "embed", "embed_options"]) url.searchParams.delete(name);
  return `${url.pathname.split("/").pop()}${url.search}`;
}
const HTML = "[data-testid=stHtml]", DRAWN = `${HTML}, .stPlotlyChart, [data-testid=stDataFrame], [data-testid=stTable]`;
const MOUNTED = "[data-testid=stBidiComponentRegular], [data-testid=stBidiComponentIsolated]";
const BROUGHT = "What you have brought stays with this visit: no address leads to it, and no file can be made of one.";
const urlOf = (what, scene, ticket, more) => new URL(`save/${what}?${new URLSearchParams({ scene, ticket, ...more })}`, document.baseURI);

/** The server's answer, requested again while others are before us; an error with a sentence if it refuses. Progress is
 * reported every second, and `signal` aborts: the server then ends its work. */
async function answerOf(what, say, signal, more = {}) {
  const scene = sceneHere(), began = performance.now();
  let before = 0;
  const tell = () => say(before ? `${before} before you …` : `making it, ${Math.round((performance.now() - began) / 1000)} s …`);
  const clock = setInterval(tell, 1000);
  const ask = (ticket) => fetch(urlOf(what, scene, ticket, more), { signal }).catch(() => null);
  tell();
  try {
    let answer = await ask("");
    while (answer?.status === 202) {
      const { ticket, before: others } = await answer.json();
      before = others;
      tell();
      answer = await ask(ticket);
    }
    if (answer?.ok) return answer;
    throw new Error(signal.aborted ? "given up" : await answer?.text() || "the server does not answer");
  } finally {
    clearInterval(clock);
  }
}

/** The warning that goes with an address that only this computer can open; "" for any other. */
export function onlyHere(address) {
  const { hostname } = new URL(address, document.baseURI);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? "; it opens on this computer only: to others send the page as a file, or open the app by this computer's name in the network first" : "";
}

/** The button that saves the page's main picture: its view's own, or that of a chart. */
function pictureButton() {
  const buttons = [...treesOf(document)].flatMap((tree) => [...tree.querySelectorAll("button, .modebar-btn")]);
  return buttons.find((one) => one.textContent.trim() === "PNG") ?? buttons.find((one) => /png/i.test(one.dataset.title ?? "")) ?? null;
}

/** The savable parts of the page, as `snapshot.py` and `film.js` find them: `view` is the one with the longest story. */
function shownHere() {
  const views = [];
  document.dispatchEvent(new CustomEvent(VIEWS, { detail: views }));
  const pictures = views.filter((view) => !view.isOfBar && view.view && view.root.isConnected);
  const bars = new Set(views.filter((view) => view.isOfBar).map(({ root }) => (root.getRootNode().host ?? root).closest(MOUNTED)));
  const isMounted = [...document.querySelectorAll(MOUNTED)].some((one) => !bars.has(one)); // Home's word is no view
  const drawn = [...document.querySelectorAll(DRAWN)].some((one) => !one.matches(HTML) || one.querySelector(":scope > :not(style)"));
  const view = pictures.reduce((best, one) => (one.story.length > (best?.story.length ?? 0) ? one : best), null);
  return { hasPicture: isMounted || drawn, plays: (view?.story.length ?? 0) > 1, isLattice: Boolean(view?.loopSvg) };
}

/** The frame that shows this scene on another site's page. */
function frameText() {
  const url = new URL(sceneHere(), document.baseURI);
  url.searchParams.set("embed", "true");
  return `<iframe src="${url.href.replaceAll("&", "&amp;").replaceAll('"', "%22")}" title="spcviz" width="100%" height="720" loading="lazy" style="border: 0"></iframe>`;
}

/** Open the menu in the bar's panel. `bar` is the view of the bar, `opener` the button that gets the focus on closing. */
export function showSave(bar, opener) {
  bar.returnTo ??= opener;
  const said = node("p", { class: "where", role: "status" });
  const say = (text) => { said.textContent = text; };
  const text = (label, content) => {
    const area = node("textarea", { rows: 12, readonly: "", "aria-label": label, spellcheck: "false" });
    area.value = content;
    const copy = async () => {
      area.select();
      try {
        await navigator.clipboard.writeText(content);
        say("copied");
      } catch {
        say(document.execCommand("copy") ? "copied" : "press Ctrl-C to copy it");
      }
    };
    show(button("Copy", `Copy the ${label}`, copy, { class: "add" }), area);
    area.focus();
  };
  let giveUp = null;
  const cancel = button("Cancel", "Give up: the server ends its work too", () => giveUp?.abort(), { hidden: true });
  /** Run one action at a time: it can be cancelled, and closing the panel does so. */
  const trying = (act) => async () => {
    if (giveUp) return;
    giveUp = new AbortController();
    cancel.hidden = false;
    try {
      await act(giveUp.signal);
    } catch (error) {
      say(error.message);
    }
    giveUp = null;
    cancel.hidden = true;
  };
  const file = (what, ending, more) => trying(async (signal) => {
    // The saved file is the page alone, which hides nothing.
    if (bar.data.tour?.isAsking) throw new Error("Answer the question of this scene first: the file would have its answer.");
    const made = await (await answerOf(what, say, signal, typeof more === "function" ? more() : more)).blob();
    bar.save(made, ending);
    say(`saved, ${(made.size / 1e6).toFixed(2)} MB`);
  });
  const choice = (label, options) => {
    const box = node("select", { "aria-label": label }, options.map(([value, name]) => node("option", { value }, name)));
    return { box, get value() { return box.value; } };
  };
  const loop = () => {
    fetch(urlOf("wake", sceneHere(), ""), { priority: "low" }).catch(() => null); // else the first loop waits for the browser that draws
    const width = choice("Width of the loop", [["960", "960 pixels"], ["1920", "1920 pixels"]]);
    const theme = choice("Theme of the loop", [["0", "light"], ["1", "dark"]]);
    theme.box.value = bar.readTheme() && bar.isDark ? "1" : "0";
    const how = () => ({ width: width.value, dark: theme.value });
    const forms = [["WebP", "webp", "for web pages and messages"], ["GIF", "gif", "for everything else"], ["MP4", "mp4", "for slides"], ["SVG", "svg", "of a lattice, sharp at any size"]];
    const kinds = forms.filter(([, kind]) => kind !== "svg" || here.isLattice);
    say("What plays here as a picture that moves, 4 to 8 seconds, with the page's sentence and address below.");
    show(node("p", { class: "list loop" }, width.box, theme.box, kinds.map(([name, kind, what]) => button(name, `The loop as ${name}: ${what}`, file(kind, kind, how)))));
  };
  const here = shownHere(), { hasLines, isBrought } = bar.data.tools, isMade = !isBrought && here.hasPicture;
  const offered = [
    [!isBrought, "Link", "Copy the address of exactly this", async () => { await bar.copyLink(); say(`link copied${onlyHere(location.href)}`); }],
    [isMade, "Page", "This page as one HTML file, which works without a network", file("page", "html")],
    [pictureButton(), "Picture", "The picture as PNG", () => {
      pictureButton()?.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
      say(pictureButton() ? "saved the picture" : "the picture is no longer there");
    }],
    [isMade && here.plays, "Loop", "What plays here as a picture that moves: WebP, GIF, MP4, SVG", loop],
    [isMade || (hasLines && !isBrought), "Python", "Lines that compute what is shown", trying(async (signal) => { text("Python", await (await answerOf("python", say, signal)).text()); say(""); })],
    [!isBrought, "Embed", "A frame for slides or a web page", () => { text("frame", frameText()); say(onlyHere(location.href).slice(2)); }],
  ];
  const acts = offered.filter(([has]) => has).map(([, ...one]) => button(...one));
  const show = (...more) => {
    bar.show("Save", node("h3", {}, "Save"), node("p", { class: "list" }, acts), more, node("p", { class: "list" }, said, cancel));
    bar.placePanel(opener.getBoundingClientRect());
    bar.onClosed = () => giveUp?.abort();
  };
  show();
  if (isBrought) say(BROUGHT);
}

/** Wait until the address matches the screen: a stroke or a drag may still be on its way. */
async function waitUntilSent() {
  const views = [], rest = (ms) => new Promise((done) => setTimeout(done, ms));
  document.dispatchEvent(new CustomEvent(VIEWS, { detail: views }));
  const isUnsent = () => views.some((view) => view.isUnsent);
  if (!isUnsent()) return;
  for (let k = 0; k < 20 && isUnsent(); k++) await rest(80);
  await rest(250);
}

/** Show the page's card in the bar's panel: the picture that messengers show for this address. */
export async function showCard(bar, opener) {
  bar.returnTo ??= opener;
  const said = node("p", { class: "where", role: "status" }, "drawing it …"), place = node("div");
  bar.show("Card", node("h3", {}, "Card"), place, said);
  bar.placePanel(opener.getBoundingClientRect());
  await waitUntilSent();
  const link = new URL(sceneHere(), document.baseURI), address = new URL(bar.data.tools.card, document.baseURI);
  address.search = link.search;
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    const why = { compiling: "What reads the word is being compiled for this machine: try again in a minute.", empty: "There is no word to read here yet: draw one." };
    said.textContent = why[answer && new URL(answer.url).search.slice(1)] ?? (await answer?.text() || "the server does not answer");
    return;
  }
  const picture = await answer.blob(), url = URL.createObjectURL(picture);
  place.append(node("img", { src: url, alt: "The card: ink, the words that it could have been, and what was read", width: 1200, height: 630, class: "card" }), node("p", { class: "list" },
    button("Save the picture", "Save the card as PNG", () => { bar.save(picture, "png"); said.textContent = "saved"; }, { class: "add" }),
    button("Copy the link", "The address that opens this word; messengers show the card with it", async () => { await bar.copyLink(); said.textContent = `link copied${onlyHere(location.href)}`; })));
  said.textContent = "The link opens exactly this; a messenger that is sent it shows this picture, which the server keeps for ten minutes.";
  bar.placePanel(opener.getBoundingClientRect());
  bar.onClosed = () => URL.revokeObjectURL(url);
}
