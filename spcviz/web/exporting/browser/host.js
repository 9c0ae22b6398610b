// Stands in for Streamlit where there is none: mounts views on the data that came with them, draws charts.
//
// A view tells its server what a visitor sets; here nobody listens, so what needs an answer stays as it was.

export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** What was packed by gzip, from its text in base64: bytes. */
export async function unpack(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Mount a view of `kind` (its default export, style sheet, first HTML) in an element; returns what ends it. */
export function mountView(place, kind, data) {
  const root = place.attachShadow({ mode: "open" });
  root.innerHTML = kind.html;
  const style = document.createElement("style");
  style.textContent = kind.css;
  root.append(style);
  const deaf = () => {};
  const end = kind.start({ data, parentElement: root, setStateValue: deaf, setTriggerValue: deaf });
  return typeof end === "function" ? end : deaf;
}

/** A chart's colours for the theme: `pairs` are the light colours and the dark ones that mean the same. The scale of
 * a picture stays: its white is white in both. */
export function inTheme(chart, pairs) {
  if (!matchMedia("(prefers-color-scheme: dark)").matches) return structuredClone(chart); // plotly writes into it
  const dark = new Map(pairs.map(([light, other]) => [light.toLowerCase(), other]));
  const recolour = (value, name) => {
    if (typeof value === "string") return value.replace(/#[0-9a-f]{6}(?![0-9a-f])/gi, (colour) => dark.get(colour.toLowerCase()) ?? colour);
    if (value === null || typeof value !== "object" || name === "colorscale") return value;
    if (Array.isArray(value)) return value.map((one) => recolour(one, name));
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, recolour(one, key)]));
  };
  return recolour(chart, "");
}

/** Draw a chart with Plotly, anew when the theme changes. */
export function drawChart(Plotly, place, { spec, alt }, pairs) {
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", alt);
  const draw = () => {
    const { data, layout } = inTheme(spec, pairs);
    Plotly.react(place, data, { ...layout, autosize: true }, { displaylogo: false, responsive: true });
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("resize")));
