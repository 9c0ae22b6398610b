// Replacement for Streamlit without a server: mounts views on the data that came with them, draws charts.
//
// A view sends its server what a visitor sets; here nothing listens, so parts that need an answer stay unchanged.

export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Unpack gzip data from its base64 text: bytes. */
export async function unpack(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Mount a view of `kind` (its default export, style sheet, first HTML) in an element; returns a function that ends it. */
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

/** A chart in the colours of the theme: `pairs` are the light colours and the dark ones that mean the same. The colour
 * scale of a picture stays: its white is white in both. */
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

/** Draw a chart with Plotly, and again when the theme changes. */
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
