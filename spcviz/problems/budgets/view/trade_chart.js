// The chart of the Trade-off page: faults against cost, a curve for each method, and its picture and table to save.
// Methods of TradeView (trade_off.js).

import { clamp, node, svg } from "../../../web/view/elements.js";

export const number = (value, digits = 0) => value.toLocaleString("en-US", { maximumFractionDigits: digits, minimumFractionDigits: digits });
export const percent = (share, digits = 1) => `${number(100 * share, digits)} %`;

export const CHART = {
  paintChart(state, isSecret) {
    const { data, chart } = this, width = chart.clientWidth, height = chart.clientHeight;
    if (width < 50 || height < 50) return;
    const size = parseFloat(getComputedStyle(this.root).fontSize), { things, task } = this;
    const left = 3.4 * size, bottom = 3.1 * size, top = 1.9 * size, right = 0.8 * size;
    const curves = data.methods.map((m) => this.curve(m));
    const values = curves.flat().map((p) => p[1]), high = Math.max(1, ...values) * 1.04, low = Math.max(0, Math.min(...values) * 0.8 - 1);
    const x = (cost) => left + (width - left - right) * clamp(cost / this.full, 0, 1.02), y = (wrong) => top + (height - top - bottom) * (high - wrong) / (high - low);
    this.axis = { inverse: (px) => (px - left) / (width - left - right) };
    const parts = [];
    const step = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((s) => (high - low) / things / s <= 6) || 0.5;
    for (let share = Math.ceil(low / things / step) * step; share <= high / things; share += step) {
      const at = y(share * things);
      parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: at, y2: at }));
      parts.push(svg("text", { class: "muted", x: left - 6, y: at + size * 0.35, "text-anchor": "end" }, percent(share, step < 0.01 ? 1 : 0)));
    }
    for (let i = 0; i <= 4; i++) {
      const share = i / 4;
      parts.push(svg("text", { class: "muted", x: x(share * this.full), y: height - bottom + 1.2 * size, "text-anchor": ["start", "middle", "middle", "middle", "end"][i] }, this.money(share * this.full)));
    }
    parts.push(svg("text", { x: (left + width - right) / 2, y: height - 0.5 * size, "text-anchor": "middle" }, this.kind === "us" ? "time spent on the batch, measured here" : task.unit));
    parts.push(svg("text", { x: 0, y: 1.1 * size }, task.wrong));
    const chosen = data.methods.findIndex((m) => m.name === this.view.method);
    const order = data.methods.map((_, i) => i).sort((a, b) => (a === chosen) - (b === chosen) || this.lead.has(data.methods[a].name) - this.lead.has(data.methods[b].name));
    for (const i of order) {
      const points = curves[i].filter((p) => p[0] <= this.full * 1.02), style = this.styles[i], isChosen = i === chosen && !this.isHand, isLead = this.lead.has(data.methods[i].name);
      let path = "";
      points.forEach(([cost, wrong], k) => { path += k === 0 ? `M${x(cost).toFixed(1)} ${y(wrong).toFixed(1)}` : `H${x(cost).toFixed(1)}V${y(wrong).toFixed(1)}`; });
      parts.push(svg("path", { d: path, fill: "none", stroke: isLead ? style.colour : "var(--st-border-color)", "stroke-width": isChosen ? 4 : isLead ? 2.5 : 1.2, "stroke-dasharray": isLead ? style.dash : "" }));
    }
    parts.push(svg("line", { class: "cursor", x1: x(this.budget), x2: x(this.budget), y1: top, y2: height - bottom }));
    if (!isSecret) {
      const at = [x(state.spent), y(state.wrong)];
      parts.push(svg("circle", { cx: at[0], cy: at[1], r: 0.6 * size, fill: "var(--st-background-color)", stroke: this.isHand ? "var(--st-text-color)" : this.styles[chosen].colour, "stroke-width": 4 }));
      if (this.isHand) parts.push(svg("text", { x: at[0] + size, y: at[1] - 0.4 * size, "font-weight": 700 }, "you"));
    }
    for (const name of isSecret ? [] : ["A", "B"]) {
      const pin = this.pinText(name) && this.pinOf(name);
      if (pin) parts.push(svg("circle", { cx: x(pin.state.spent), cy: y(pin.state.wrong), r: 0.75 * size, fill: "var(--st-background-color)", stroke: "var(--st-text-color)", "stroke-width": 2 }),
        svg("text", { class: "pinned", x: x(pin.state.spent), y: y(pin.state.wrong) + 0.35 * size }, name));
    }
    chart.replaceChildren(...parts);
    chart.setAttribute("aria-label", `Share of ${task.wrong} against cost for ${data.methods.length} methods; the line marks the budget.`);
  },
  exportCsv() {
    const rows = [`method,cost_kind,cost,${this.task.csv}`];
    for (const m of this.data.methods) for (const [cost, wrong] of this.curve(m)) rows.push([m.name, this.kind, cost, wrong, this.things].join(","));
    this.saveRows(rows);
  },
  picture() {
    const copy = this.chart.cloneNode(true), style = getComputedStyle(this.root);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", this.chart.clientWidth);
    copy.setAttribute("height", this.chart.clientHeight);
    copy.style.background = style.getPropertyValue("--st-background-color");
    const rules = [`text{fill:${style.color};font:${style.fontSize} sans-serif}`, ".grid{stroke:#8888}", `.cursor{stroke:${style.color};stroke-dasharray:5 4}`].join("");
    copy.prepend(svg("style", {}, rules));
    return new XMLSerializer().serializeToString(copy).replace(/var\((--st-[a-z-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  },
  exportSvg() { this.saveText(this.picture(), "svg"); },
  exportPng() {
    const image = new Image(), scale = 2, copy = node("canvas", { width: this.chart.clientWidth * scale, height: this.chart.clientHeight * scale });
    image.onload = () => {
      copy.getContext("2d").drawImage(image, 0, 0, copy.width, copy.height);
      copy.toBlob((blob) => this.save(blob, "png"));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.picture())}`;
  },
};
