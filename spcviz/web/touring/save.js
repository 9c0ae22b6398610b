// The Save menu of the bar: the link, the page as one file, its picture, its Python, a frame for another page.

import { button, node } from "../view/elements.js";
import { treesOf } from "./tour_core.js";

/** Page and state, without what belongs to a tour or a projector. */
function sceneHere() {
  const url = new URL(location.href);
  for (const name of ["tour", "at", "scene", "speaker", "embed", "embed_options"]) url.searchParams.delete(name);
  return `${url.pathname.split("/").pop()}${url.search}`;
}
const urlOf = (what, scene, ticket) => new URL(`save/${what}?scene=${encodeURIComponent(scene)}&ticket=${ticket}`, document.baseURI);

/** The server's answer, asked for again while others are before us, which is said; a sentence if it says no. */
async function answerOf(what, say) {
  const scene = sceneHere();
  let answer = await fetch(urlOf(what, scene, "")).catch(() => null);
  while (answer?.status === 202) {
    const { ticket, before } = await answer.json();
    say(`${before} before you …`);
    answer = await fetch(urlOf(what, scene, ticket)).catch(() => null);
  }
  if (answer?.ok) return answer;
  throw new Error(await answer?.text() || "the server does not answer");
}

/** What saves the largest picture of the page: its view's own button, or that of a chart. */
function pictureButton() {
  const buttons = [...treesOf(document)].flatMap((tree) => [...tree.querySelectorAll("button, .modebar-btn")]);
  return buttons.find((one) => one.textContent.trim() === "PNG") ?? buttons.find((one) => /png/i.test(one.dataset.title ?? "")) ?? null;
}

/** The frame that shows this scene on another site's page. */
function frameText() {
  const url = new URL(sceneHere(), document.baseURI);
  url.searchParams.set("embed", "true");
  return `<iframe src="${url.href.replaceAll("&", "&amp;").replaceAll('"', "%22")}" title="spcviz" width="100%" height="720" loading="lazy" style="border: 0"></iframe>`;
}

/** Opens the menu in the bar's panel. `bar` is the view of the bar, `opener` the button that has the focus when the menu is closed. */
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
  const trying = (act) => async () => {
    say("one moment …");
    try {
      await act();
    } catch (error) {
      say(error.message);
    }
  };
  const acts = [
    button("Link", "Copy the address of exactly this", async () => { await bar.copyLink(); say("link copied"); }),
    button("Page", "This page as one HTML file, which works without a network", trying(async () => {
      const file = await (await answerOf("page", say)).blob();
      bar.save(file, "html");
      say(`saved, ${(file.size / 1e6).toFixed(2)} MB`);
    })),
    button("Picture", "The picture as PNG", () => {
      const pngButton = pictureButton();
      pngButton?.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
      say(pngButton ? "saved the picture" : "this page has no picture that can be saved");
    }),
    button("Python", "Lines that compute what is shown", trying(async () => { text("Python", await (await answerOf("python", say)).text()); say(""); })),
    button("Embed", "A frame for slides or a web page", () => text("frame", frameText())),
  ];
  const show = (...more) => bar.show("Save", node("h3", {}, "Save"), node("p", { class: "list" }, acts), said, more);
  show();
}
