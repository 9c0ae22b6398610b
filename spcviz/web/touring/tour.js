// The bar at the top of every page: a tour's scene, undo, redo, link, glossary, print, add this scene.
//
// The server owns the scene (it is part of the address) and fills its sentence with the page's numbers; the browser
// handles the keys, the highlight of a part, the black screen, and sends the speaker's window what is shown.

import { button, node, setText } from "../view/elements.js";
import { View, makeMount } from "../view/view.js";
import { ClassRoom } from "../classroom/class.js";
import { showCard, showSave } from "./save.js";
import { keepTours } from "./kept_tours.js";
import { CHANNEL, keyAction, explainWords, hearSlides, isClosedBox, isTyping, partOf, takenBack, wordsOf } from "./tour_core.js";
import { EXPLAINING, OVER_WORDS } from "./tour_words.js";

/* global GLOSSARY -- glossary.json, which comes with the script (`script` in mount.py) */
const FOLLOWED = "spcviz-followed";
const LOOK_MS = 200;
const SETTLE_MS = 500;
const SLOW_MS = 150;
const MARGIN = 6;
const BRING_MS = 6000; // a scene arrives piece by piece, and pushes its part about
const TEN_POINTS = 0.83; // scale that turns the pages' font size of 16 pixels into ten points
const SMALLEST = 0.62; // smallest scale to fit a page that is a little too high on one sheet
const PAPER = 640; // height of a page in pixels, with space for parts that grow
/** In print: the page alone, with the tour's sentence and the address. Set here, not by the server: in place before the page. */
const ON_PAPER = `@media print {
  @page { size: A4 landscape; margin: 9mm; }
  .stApp { background: #fff !important; }
  .stMarkdown *, .stCaptionContainer *, .stText * { color: #17202b !important; }
  .stSelectbox, .stSlider, .stButton, .stButtonGroup, .stPopover, .stTextInput, .stNumberInput, .stFileUploader, .stDownloadButton, .stPageLink,
  .st-key-article, .st-key-course_slot, .stSidebar, .stAppHeader, .spcviz-tools, .spcviz-light, .spcviz-black { display: none !important; }
  .stApp, .stAppViewContainer, .stMain { position: static !important; height: auto !important; overflow: visible !important; display: block !important; }
  .stMainBlockContainer { zoom: var(--spcviz-paper, 0.6); max-width: none !important; padding: 0 !important; }
  .stHorizontalBlock { display: flex !important; }
  .stHorizontalBlock:has(> .stColumn) { flex-wrap: nowrap !important; }
  .stColumn { min-width: 0 !important; }
  .stElementContainer, .stVerticalBlock[class*=st-key-handout_scene], :has(> .stMarkdown h2) { break-inside: avoid; }
  :has(> .st-key-tour_slot) { position: static !important; height: auto !important; }
}`;
const THEME = ["font", "text-color", "background-color", "secondary-background-color", "border-color", "primary-color"].map((name) => `--st-${name}`);

class TourView extends View {
  isOfBar = true;
  found = [];
  bringUntil = 0;
  pending = null;

  build() {
    this.tools = node("div", { class: "tools", role: "toolbar", "aria-label": "This page" }, this.note, button("↶", "Undo the last change (Ctrl-Z)", () => this.act({ kind: "undo" })),
      button("↷", "Redo (Ctrl-Shift-Z)", () => this.act({ kind: "redo" })),
      button("Save", "Save: link, page, picture, loop, Python, embed", (event) => showSave(this, event.currentTarget), { "aria-haspopup": "dialog" }),
      (this.cardButton = button("Card", "A picture of this word and what was read, for a message", (event) => showCard(this, event.currentTarget), { "aria-haspopup": "dialog", hidden: true })),
      button("Words", "Explain the words on this page", () => this.showWords()),
      button("+ Scene", "Add this scene to your own tour", () => this.startAdding()),
      button("Print", "This page on paper, with its address", () => window.print()));
    this.says = node("p", { class: "say" });
    this.asks = node("p", { class: "ask" });
    this.answers = node("p", { class: "answer" });
    this.options = node("div", { class: "options", role: "group", "aria-label": "Choices" });
    this.closing = node("div", { class: "closing" });
    this.noted = node("p", { class: "noted" });
    this.texts = node("div", { class: "texts", "aria-live": "polite" }, this.says, this.asks, this.options, this.answers, this.closing, this.noted);
    this.backButton = button("‹", "Back (Page Up)", () => this.go(-1), { class: "back" });
    this.nextButton = button("›", "Next (Page Down)", () => this.go(1), { class: "next" });
    this.place = node("span", { class: "place" });
    this.home = button("↺ the scene", "The page was changed: back to the scene (Home)", () => this.goHome(), { class: "home", hidden: true });
    this.moves = node("div", { class: "moves" }, this.home, this.backButton, this.place, this.nextButton,
      node("span", { class: "more" },
        (this.choicesButton = button("Controls", "The page's own controls: show or hide them", () => this.act({ kind: "choices" }))),
        button("Full", "Full screen (F)", () => this.full(), { class: "hall" }), button("Black", "Black screen (B)", () => this.black(), { class: "hall" }),
        button("Class", "Let a class answer on their phones", () => this.classRoom.open(), { class: "asks-class" }),
        button("Speaker", "Timer and next sentence in a second window", () => this.openSpeaker(), { class: "speaker" }),
        button("✕", "End the tour", () => this.act({ kind: "leave" }), { class: "leave" })));
    this.bar = node("section", { class: "bar", tabindex: "0", "aria-label": "Tour", hidden: true }, this.texts, this.moves);
    this.panel = node("aside", { class: "panel", role: "dialog", tabindex: "-1", hidden: true });
    this.foot = node("p", { class: "foot" });
    this.classRoom = new ClassRoom((what) => this.act(what), (what) => this.channel.postMessage(what));
    this.classRoom.orders = (order) => this.hear(order);
    this.classRoom.followed = () => this.postFollowing();
    return node("div", { class: "tour" }, this.bar, this.panel, this.classRoom.root, this.foot);
  }

  mount(parent, data) {
    super.mount(parent, data);
    this.light = node("div", { "aria-hidden": "true", class: "spcviz-light" });
    this.cloth = node("div", { "aria-hidden": "true", class: "spcviz-black" });
    this.head = node("div", { class: "spcviz-tools", role: "region", "aria-label": "Tools of this page" });
    const tree = this.head.attachShadow({ mode: "open" }), sheets = [...parent.querySelectorAll("style")].map((sheet) => sheet.cloneNode(true));
    tree.append(...sheets, node("div", { class: "tour" }, this.tools)); // in the body: the page's head would cover it
    this.over = node("div", { class: "spcviz-words", role: "region", "aria-label": "Words of this page that are explained" });
    this.over.attachShadow({ mode: "open" }).append(node("style", {}, OVER_WORDS));
    this.paper = node("style", {}, ON_PAPER);
    document.head.append(this.paper);
    document.body.append(this.light, this.cloth, this.head, this.over);
    this.listen(this.cloth, "click", () => this.black(false));
    this.listen(window, "keydown", (event) => this.early(event), true);
    this.listen(window, "scroll", () => this.follow(), true);
    hearSlides(this.ending.signal);
    for (const name of ["wheel", "touchmove", "pointerdown"]) this.listen(window, name, () => { this.bringUntil = 0; }, true); // the visitor takes over
    this.listen(window, "beforeprint", () => this.fitPaper());
    this.listen(document, "click", (event) => this.onClick(event));
    this.listen(document, "spcviz-class", () => this.classRoom.open());
    this.listen(window, "pointerdown", (event) => this.noteEntry(event), true);
    this.looking = setInterval(() => this.follow(), LOOK_MS);
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data: said }) => this.hear(said);
    this.changes = new MutationObserver(() => this.after("words", SETTLE_MS, () => this.findWords()));
    this.seen = new WeakSet();
  }
  destroy() {
    super.destroy();
    clearInterval(this.looking);
    this.classRoom.stop();
    this.changes.disconnect();
    this.channel.close();
    this.light.remove();
    this.cloth.remove();
    this.head.remove();
    this.over.remove();
    this.paper.remove();
  }
  /** Arrows and space move the tour until the visitor clicks into the page's picture, and again from the next scene on. */
  noteEntry(event) {
    const path = event.composedPath();
    if (path.includes(this.root)) this.isInPicture = false;
    else this.isInPicture = path.some((element) => element instanceof Element && element.matches("[data-testid=stBidiComponentRegular], [data-testid=stBidiComponentIsolated], .stPlotlyChart, [data-testid=stMain] canvas, [class*=stBidi]"));
  }
  listen(target, name, act, capture = false) { target.addEventListener(name, act, { signal: this.ending.signal, capture }); }

  // ---------------------------------------------------------------- what is shown

  take(data) {
    this.words ??= wordsOf(GLOSSARY);
    this.pending = null;
    this.cancel("slow");
    this.after("words", SETTLE_MS, () => this.findWords());
    if (data.tools.said) this.say(data.tools.said);
    if (!keepTours(data.tools.kept, (what) => this.act(what))) this.root.dataset.kept = ""; // storage is off: the visitor's own tour ends with the visit
    if (data.form && data.form.n !== this.formed) {
      this.formed = data.form.n;
      this.showForm(data.form);
    }
  }

  paint() {
    const { tour, isProjected } = this.data;
    this.root.classList.toggle("projected", isProjected);
    this.root.classList.remove("slow");
    this.tools.hidden = isProjected;
    this.cardButton.hidden = !this.data.tools.card;
    const style = getComputedStyle(this.root);
    for (const name of THEME) this.head.style.setProperty(name, style.getPropertyValue(name));
    this.bar.hidden = !tour;
    setText(this.foot, `${location.href} — to repeat: start the app, open this address. ${new Date().toISOString().slice(0, 10)}, spcviz ${this.data.tools.version}.`);
    if (tour) this.paintTour(tour);
    this.classRoom.follow(tour ?? this.data.lesson);
    this.follow();
    this.root.dataset.drawn = "1"; // not "ready": pages use that for their own views
    this.root.dataset.scene = tour ? tour.code : "";
  }
  paintTour(tour) {
    const scene = `${tour.name} ${tour.code}`;
    if (this.scene !== scene) {
      this.bringUntil = performance.now() + BRING_MS;
      this.isInPicture = false;
    }
    this.scene = scene;
    this.choicesButton.setAttribute("aria-pressed", String(tour.hasChoices));
    const text = (element, said) => {
      element.hidden = !said;
      if (element.said !== said) element.replaceChildren(...explainWords(said, this.words, (entry) => this.showEntry(entry)));
      element.said = said;
    };
    text(this.says, tour.say);
    text(this.asks, tour.ask);
    text(this.answers, tour.answer);
    text(this.noted, tour.note);
    this.paintOptions(tour);
    this.paintClosing(tour.closing);
    setText(this.place, `${tour.number} / ${tour.n}`);
    this.place.title = tour.title;
    const at = this.position();
    this.backButton.disabled = at <= 0;
    this.nextButton.disabled = at >= tour.order.length - 1;
    const isAsking = tour.isAsking;
    setText(this.nextButton, isAsking ? "Answer" : "›");
    this.nextButton.title = isAsking ? "Show the answer (Page Down)" : "Next (Page Down)";
    this.nextButton.setAttribute("aria-label", this.nextButton.title);
    this.tell();
  }

  /** Show choices as buttons, alone as in a class; a tried one says why it is wrong. */
  paintOptions({ options, code, isAsking }) {
    const key = JSON.stringify([code, options]);
    if (this.optionsKey === key) return;
    this.optionsKey = key;
    this.options.hidden = !options.length;
    this.options.replaceChildren(...options.map(({ text, why, isChosen, isRight }) => node("div", { class: "option" },
      button(text, text, () => this.act({ kind: "choose", text }), { disabled: !isAsking || isChosen, class: isRight ? "right" : isChosen ? "wrong" : "" }),
      isRight ? node("span", { class: "tick" }, isChosen ? "✔ as you said" : "✔") : [], why ? node("p", { class: "why" }, why) : [])));
  }
  paintClosing(closing) {
    this.closing.hidden = !closing;
    if (!closing) return;
    const { seen, score, next, task } = closing;
    this.closing.replaceChildren(node("p", { class: "ask-end" }, "You have seen"), node("ul", {}, seen.map((one) => node("li", {}, one))), score ? node("p", { class: "score" }, score) : [],
      node("p", { class: "on" }, task ? button(`Try it: ${task.ask}`, "Open this task", () => this.act({ kind: "task", id: task.id })) : [],
        next ? button(`Next tour: ${next.title}`, "Open the next tour", () => this.act({ kind: "tour", name: next.name }), { class: "onward" }) : []));
  }

  // ---------------------------------------------------------------- moving between scenes

  act(what) { this.component.setTriggerValue("act", { ...what, n: Date.now() }); }
  position() { return this.data.tour.order.indexOf(this.pending ?? this.data.tour.code); }
  go(by) {
    const to = this.data.tour.order[this.position() + by];
    if (to !== undefined) this.goTo(to);
    return to !== undefined;
  }
  goTo(to) {
    this.pending = to;
    this.root.dataset.asked = String(performance.now());
    this.after("slow", SLOW_MS, () => this.root.classList.add("slow"));
    this.act({ kind: "go", to });
  }
  goHome() { this.act({ kind: "go", to: this.data.tour.code }); }

  early(event) {
    const path = event.composedPath(), isOurs = path.includes(this.root);
    const back = takenBack(event), isDrawing = path.some((element) => element.classList?.contains("write"));
    if (isTyping(path[0]) && !(back && isClosedBox(path[0]))) return;
    if (event.key === "Escape" && (this.isBlack || !this.panel.hidden)) {
      this.black(false);
      this.closePanel();
    } else if (back && !isDrawing) {
      this.act({ kind: back });
    } else {
      const isControl = path[0] instanceof Element && path[0].matches("input, select, button, a, summary, [role=slider], [role=radio], [role=tab], [role=option], [role=listbox], [role=combobox], [role=menu]");
      const what = this.data?.tour && keyAction(event, isOurs, this.data.isProjected, !this.isInPicture && !isControl);
      const isButton = path[0] instanceof Element && path[0].matches("button") && event.key === " ";
      if (!what || isButton) return;
      const acts = { forward: () => this.go(1), back: () => this.go(-1), home: () => this.goHome(), black: () => this.black(), full: () => this.full() };
      if (acts[what]() === false) return; // before the first and after the last: surrounding slides may handle the key
    }
    event.preventDefault();
    event.stopPropagation();
  }
  fileName(kind) { return `spcviz-${location.pathname.split("/").pop() || "home"}.${kind}`; }
  key() {} // `early` handles all keys

  black(on = !this.isBlack) {
    this.isBlack = on;
    this.cloth.style.cssText = on ? "position:fixed;inset:0;background:#000;z-index:2147483647" : "display:none";
  }
  full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => this.say("this browser allows no full screen"));
  }

  /** Fit the page on one sheet of paper, if the letters stay readable. */
  fitPaper() {
    const page = document.querySelector(".stMainBlockContainer"), views = [...(page?.querySelectorAll("*") ?? [])].map((e) => e.shadowRoot).filter(Boolean);
    const unprinted = [...(page?.querySelectorAll(".st-key-article, .st-key-course_slot") ?? []), ...views.flatMap((view) => [...view.querySelectorAll(".funnel")])];
    const share = PAPER / Math.max(1, (page?.scrollHeight ?? PAPER) - unprinted.reduce((sum, e) => sum + e.offsetHeight, 0));
    document.documentElement.style.setProperty("--spcviz-paper", String(share < SMALLEST ? TEN_POINTS : Math.min(TEN_POINTS, share)));
  }

  // ---------------------------------------------------------------- the speaker's window

  openSpeaker() { window.open(new URL(this.data.tour.speaker, document.baseURI), "spcviz-speaker", "width=900,height=640"); }
  tell() {
    if (window.frameElement) return; // a picture of a scene in another window of ours
    const { name, title, number, n, say, ask, answer, isAsking, code, speaking } = this.data.tour;
    if (!speaking && this.hasSpeaker) return this.act({ kind: "speaker" }); // the next run brings its data
    const state = { kind: "scene", name, title, number, n, say, ask, answer, isAsking, code, ...speaking };
    this.channel.postMessage(state);
    this.classRoom.show(state);
    return undefined;
  }
  /** Whether a speaker's window follows this one: stored with the window, which is reloaded now and then. */
  get hasSpeaker() {
    try {
      return this.isFollowed || sessionStorage.getItem(FOLLOWED) === "1";
    } catch {
      return this.isFollowed;
    }
  }
  postFollowing() {
    this.isFollowed = true;
    try {
      sessionStorage.setItem(FOLLOWED, "1");
    } catch {
      this.root.dataset.kept = ""; // storage is off: until this window is reloaded
    }
    if (this.data?.tour) this.tell();
  }
  hear(said) {
    if (!this.data?.tour || !said || window.frameElement) return;
    if (said.kind === "hello") this.postFollowing();
    if (said.kind === "go" && said.to) this.goTo(said.to);
    else if (said.kind === "go") this.go(said.by > 0 ? 1 : -1);
    if (said.kind === "black") this.black();
  }

  // ---------------------------------------------------------------- the part to look at

  follow() {
    this.placeWords();
    const tour = this.data?.tour, part = tour && !this.isBlack ? partOf(tour.point) : null;
    this.root.dataset.part = part ? "1" : "";
    if (tour) this.home.hidden = !this.hasStrayed();
    if (part && !window.frameElement && (part !== this.part || performance.now() < this.bringUntil)) this.bring(part);
    this.part = part;
    if (!part) {
      this.light.style.display = "none";
      return;
    }
    const box = part.getBoundingClientRect();
    const style = getComputedStyle(this.root), read = (name) => style.getPropertyValue(`--st-${name}`).trim();
    this.light.style.cssText = `position:fixed;pointer-events:none;z-index:90;box-sizing:border-box;border-radius:10px;`
      + `left:${box.left - MARGIN}px;top:${box.top - MARGIN}px;width:${box.width + 2 * MARGIN}px;height:${box.height + 2 * MARGIN}px;`
      + `border:4px solid ${read("primary-color")};`;
  }
  /** Scroll to a part cut off by the bar or the window's edge; one larger than the space there begins below the bar. */
  bring(part) {
    const box = part.getBoundingClientRect(), isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const above = this.bar.getBoundingClientRect().bottom + 2 * MARGIN, room = window.innerHeight - above - 2 * MARGIN;
    if (box.top >= above && box.bottom <= window.innerHeight) return;
    part.style.scrollMarginTop = `${above}px`;
    part.style.scrollMarginBottom = `${2 * MARGIN}px`;
    const block = box.height > room || box.top < above ? "start" : "end";
    part.scrollIntoView({ block, behavior: isStill ? "auto" : "smooth" });
  }
  /** Whether the address differs from the scene's. */
  hasStrayed() {
    const address = new URLSearchParams(location.search), wanted = new URLSearchParams(this.data.tour.query);
    for (const name of ["tour", "at", "ask", "in", "room", "embed", "embed_options", "speaker"]) address.delete(name);
    address.sort();
    wanted.sort();
    return address.toString() !== wanted.toString();
  }

  // ---------------------------------------------------------------- adding a scene

  startAdding() { this.act({ kind: "form" }); }
  showForm({ facts, address }) {
    const field = (label, most, rows) => { const area = node("textarea", { rows, maxlength: most }); return { label: node("label", {}, label, area), area }; };
    const say = field("One or two sentences", 600, 3), ask = field("A question (or nothing)", 300, 2), answer = field("Its answer", 600, 2);
    const chips = Object.entries(facts).map(([name, value]) => button(`{${name}} = ${value}`, "Put this number into the sentence", () => { say.area.setRangeText(`{${name}}`); say.area.focus(); }, { class: "word" }));
    const add = () => { this.closePanel(); this.act({ kind: "add", say: say.area.value, ask: ask.area.value, answer: answer.area.value }); this.say("added to your tour"); };
    this.show("Add this scene", node("h3", {}, "Add this scene to your own tour"), node("p", { class: "where" }, address), say.label,
      chips.length ? node("p", { class: "list" }, chips) : [], ask.label, answer.label, button("Add", "Add the scene", add, { class: "add" }));
    say.area.focus();
  }
}

Object.assign(TourView.prototype, EXPLAINING);

export default makeMount(TourView);
