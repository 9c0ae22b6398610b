// Stands in for Streamlit in an exported scene: mounts each view on the data that came with the file.
//
// A view tells its server what a visitor sets; here nobody listens, so what needs an answer stays as it was.

/* global MOUNTS -- [its default export, data (base64, or JSON values), style sheet, first HTML] of each view */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

for (const [start, data, css, html] of MOUNTS) {
  const place = document.querySelector("main").appendChild(document.createElement("section"));
  const root = place.attachShadow({ mode: "open" });
  root.innerHTML = html;
  const style = document.createElement("style");
  style.textContent = css;
  root.append(style);
  const deaf = () => {};
  start({ data: typeof data === "string" ? bytesOf(data) : data, parentElement: root, setStateValue: deaf, setTriggerValue: deaf });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("resize")));
document.documentElement.dataset.shown = "1";
