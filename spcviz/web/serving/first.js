// The server's address, for Streamlit: pages are one level below the app, and it would try the page's own first.
window.__streamlit = { BACKEND_BASE_URL: new URL(".", window.location.href).href };

// Main is shown once its parts have arrived and stopped moving: side bar, widgets and views push each other about,
// and each of them arrives separately. A grey field takes its place meanwhile, see room.css.
const PATIENCE = 6000, STILL_DONE = 600, STILL = 1500; // ms: in total; at rest, once the script has ended or before
const COMING = '[data-testid="stSkeleton"], [data-testid="stAppSkeleton"]';
const PARTS = 'link[rel="modulepreload"], link[rel="stylesheet"]'; // an element's script and style are fetched when it arrives

const hasCome = (link) => performance.getEntriesByName(link.href).length > 0;
const isComing = (main) => main.querySelector(COMING) !== null || ![...document.querySelectorAll(PARTS)].every(hasCome);

const layoutOf = (main) =>
  [...main.querySelectorAll('[data-testid="stElementContainer"]')]
    .map((one) => Object.values(one.getBoundingClientRect().toJSON()).slice(0, 4).map(Math.round).join())
    .join(";");

const settle = () => {
  let began = 0, last = "", before = 0, rest = 0;
  document.documentElement.classList.add("spcviz-settling");
  performance.setResourceTimingBufferSize(1000); // for hasCome
  const look = () => {
    const now = performance.now(), main = document.querySelector(".stMain");
    const layout = main ? layoutOf(main) : "";
    if (!layout) began = now; // nothing to show yet
    rest += Math.min(now - before, 50); // a busy browser looks rarely: pending work does not count as rest
    if (!layout || layout !== last || isComing(main)) [last, rest] = [layout, 0];
    before = now;
    const isDone = document.querySelector('[data-test-script-state="notRunning"]');
    const isStill = layout && rest >= (isDone ? STILL_DONE : STILL);
    if (!isStill && now - began < PATIENCE) return setTimeout(look, 30);
    document.documentElement.classList.remove("spcviz-settling");
  };
  look();
};
settle();

// Fetch the charts' part for other pages while nobody waits; not where the visitor pays by the byte.
// eslint-disable-next-line no-unused-vars -- called by the line that `first_html` adds
const fetchWhenIdle = (address) => {
  const fetchNow = () => {
    const link = Object.assign(document.createElement("link"), { rel: "prefetch", as: "script", href: address });
    link.crossOrigin = "anonymous";
    document.head.append(link);
  };
  const idle = window.requestIdleCallback || ((then) => setTimeout(then, 0));
  if (!navigator.connection?.saveData) addEventListener("load", () => setTimeout(() => idle(fetchNow), 5000));
};
