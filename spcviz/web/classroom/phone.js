// A phone's page in a lecture: the current question, its answers, and the right one once the lecturer shows it.

const ASK_MS = 1500, JITTER_MS = 500, PATIENT_MS = 6000, ANEW_MS = 60000; // a class must not poll all at once
const at = new URL(location.href.replace(/[#?].*$/, "").replace(/\/$/, "")), number = at.pathname.split("/").pop();
const part = (name) => document.getElementById(name);
let shown = "", now = null;

const mine = new Map(); // number of a question -> what was answered

async function answer(n, value) {
  const sent = await fetch(`${number}/answer`, { method: "POST", body: JSON.stringify({ n, value }) }).catch(() => null);
  if (sent?.ok) {
    mine.set(n, value);
    part("said").textContent = "Counted. You may change it until the answer is shown.";
  } else if (sent?.status === 401) askAnew();
  else if (sent?.status === 409) part("said").textContent = "Too late: the answer is shown already.";
  else if (sent?.status === 429) part("said").textContent = "This phone has answered very often. Try again in a moment.";
  else part("said").textContent = "This did not arrive. Please try again.";
  draw(true);
}

const element = (tag, text, properties = {}) => Object.assign(document.createElement(tag), { textContent: text }, properties);

function choiceButton(text, at) {
  const { n, isOver, right, counts, answers } = now, isMine = mine.get(n) === at;
  const share = isOver && counts ? ` · ${Math.round(100 * counts[at] / Math.max(1, answers))} %` : "";
  const mark = isOver && right === at ? "✔ " : "";
  const made = element("button", `${mark}${text}${share}`, { type: "button", disabled: isOver, className: mark ? "right" : "", onclick: () => answer(n, at) });
  made.setAttribute("aria-pressed", String(isMine));
  return made;
}

function guessForm() {
  const { n, isOver } = now, form = document.createElement("form");
  const box = element("input", "", { inputMode: "decimal", autocomplete: "off", maxLength: 20, disabled: isOver, value: mine.get(n) ?? "" });
  box.setAttribute("aria-label", "Your guess, a number");
  form.append(box, ...(isOver ? [] : [element("button", "Send my guess", { type: "submit" })]));
  form.onsubmit = (event) => {
    event.preventDefault();
    const value = Number(box.value.trim().replace(/[\s']/g, "").replace(/,(?=\d{3}(\D|$))/g, "").replace(",", "."));
    if (box.value.trim() && Number.isFinite(value)) answer(n, value);
    else part("said").textContent = "A guess is a number.";
  };
  return form;
}

/** A link to the task's page, where it is solved; that page reports it to the room. */
function taskLink() {
  return element("a", now.most ? "Play on this phone" : "Open the task on this phone", { href: `../${now.link}`, className: "task" });
}
/** Show the scene in front on request, as a picture to explore on this phone. */
function showPicture(address) {
  const box = part("picture"), place = box.querySelector("div");
  box.hidden = !address;
  const wanted = box.open && address ? new URL(`../${address}`, at).href : "", frame = place.firstElementChild;
  if ((frame?.src ?? "") === wanted) return;
  place.replaceChildren(...(wanted ? [element("iframe", "", { src: wanted, title: "The picture in front" })] : []));
}
part("picture").addEventListener("toggle", () => showPicture(now?.picture ?? ""));

/** Whether this phone was right, and if not why its choice is wrong. */
function judgement() {
  const { n, right, why, choices } = now, own = mine.get(n);
  if (own === undefined || right === null || right === undefined) return "";
  if (!choices.length) return own === right ? "Exactly right. " : `You said ${own}; it is ${right.toLocaleString("en")}. `;
  return own === right ? "✔ You were right. " : `✘ You chose “${choices[own]}”. ${why?.[own] ? `${why[own]} ` : ""}`;
}

/** Load the page again: it brings a nameless token that tells this phone from others, a new one after a restart. */
function askAnew() {
  const last = Number(new URLSearchParams(location.hash.slice(1)).get("anew")) || 0;
  if (Date.now() - last < ANEW_MS) {
    part("ask").textContent = "Each phone is counted once, by a cookie. Please allow cookies for this page, and open it again.";
    part("answers").replaceChildren();
    return;
  }
  location.hash = `anew=${Date.now()}`;
  location.reload();
}

/** Draw what has changed; text that is being typed stays. */
function draw(isForced = false) {
  const what = JSON.stringify([now.n, now.isAsking, now.isOver, now.counts, now.say, now.picture, now.place, now.place && now.answers]);
  if (what === shown && !isForced) return;
  if (what !== shown) part("said").textContent = "";
  shown = what;
  if (!now.isAsking) {
    part("say").textContent = "";
    showPicture("");
    part("ask").textContent = "No question just now: look at the screen in front.";
    part("answers").replaceChildren();
    return;
  }
  part("say").textContent = now.say;
  showPicture(now.picture);
  part("ask").textContent = now.ask;
  part("answers").replaceChildren(...(now.link ? [taskLink()] : now.choices.length ? now.choices.map(choiceButton) : [guessForm()]));
  if (now.place) part("said").textContent = `Place ${now.place} of ${now.answers}.`;
  if (now.isOver) part("said").textContent = `${judgement()}${now.truth}`;
}

async function look() {
  let wait = ASK_MS;
  try {
    const said = await fetch(`${number}/now`, { cache: "no-store" });
    if (said.status === 401) return askAnew();
    if (said.status === 429) {
      part("ask").textContent = "This phone has asked for many rooms that are not there. Scan the code in front again in some minutes.";
      wait = PATIENT_MS;
    } else if (said.status === 404) {
      part("ask").textContent = `There is no room ${number}, or it is closed.`;
      part("answers").replaceChildren();
      wait = PATIENT_MS;
    } else if (said.ok) {
      now = await said.json();
      draw();
      if (now.isAsking && !now.isOver && now.mine === null && mine.has(now.n)) answer(now.n, mine.get(now.n));
    }
  } catch {
    wait = PATIENT_MS; // no network just now
  }
  setTimeout(look, (document.hidden ? PATIENT_MS : wait) + Math.random() * JITTER_MS);
}

part("room").textContent = `Room ${number}`;
look();
