// One scene in one file: everything is here, and nothing is fetched.

import { hearSlides } from "../../touring/tour_core.js";
import { bytesOf, drawChart, mountView, unpack } from "./host.js";

await Promise.all([...document.fonts].map((font) => font.load())); // canvases draw with what is there

/* global KINDS, MOUNTS, CHARTS, PAIRS, PLOTLY -- what the file brings: see page.py */
for (const [k, [kind, data]] of MOUNTS.entries()) {
  mountView(document.querySelector(`[data-view="${k}"]`), KINDS[kind], typeof data === "string" ? bytesOf(data) : data);
}

/** Plotly lies packed in the file: a tenth of what it would take there as text. */
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
