// One scene in one file: it contains everything, and fetches nothing.

import { hearSlides } from "../../touring/tour_core.js";
import { bytesOf, drawChart, mountView, unpack } from "./host.js";

await Promise.all([...document.fonts].map((font) => font.load())); // canvases draw with the fonts that are loaded

/* global KINDS, MOUNTS, CHARTS, PAIRS, PLOTLY -- defined in the file: see page.py */
for (const [k, [kind, data]] of MOUNTS.entries()) {
  mountView(document.querySelector(`[data-view="${k}"]`), KINDS[kind], typeof data === "string" ? bytesOf(data) : data);
}

/** Plotly is stored compressed in the file, in a tenth of the bytes of its text. */
async function plotly() {
  const script = document.createElement("script");
  script.src = URL.createObjectURL(new Blob([await unpack(PLOTLY)], { type: "text/javascript" }));
  await new Promise((done, failed) => {
    script.onload = done;
    script.onerror = () => failed(new Error("this browser does not run the part that draws charts"));
    document.head.append(script);
  });
  return globalThis.Plotly;
}

async function charts() {
  const drawer = await plotly();
  for (const [k, chart] of CHARTS.entries()) drawChart(drawer, document.querySelector(`[data-chart="${k}"]`), chart, PAIRS);
}

if (CHARTS.length) await charts();
hearSlides();
document.documentElement.dataset.shown = "1";
