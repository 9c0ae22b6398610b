// Pens that draw pictures: on the canvas of the page, or as SVG with the same marks for a file.

/** Pen that paints on a 2-D canvas context. */
export function canvasPen(context, font) {
  const paint = (style) => {
    if (style.fill) { context.fillStyle = style.fill; context.fill(); }
    if (style.stroke) {
      context.strokeStyle = style.stroke;
      context.lineWidth = style.width || 1;
      context.setLineDash(style.dash || []);
      context.stroke();
    }
  };
  return {
    rects(list, style) {
      context.beginPath();
      for (let i = 0; i < list.length; i += 4) {
        if (style.radius) context.roundRect(list[i], list[i + 1], list[i + 2], list[i + 3], style.radius);
        else context.rect(list[i], list[i + 1], list[i + 2], list[i + 3]);
      }
      paint(style);
    },
    lines(list, style) {
      context.beginPath();
      for (let i = 0; i < list.length; i += 4) {
        context.moveTo(list[i], list[i + 1]);
        context.lineTo(list[i + 2], list[i + 3]);
      }
      paint(style);
    },
    poly(points, style) {
      context.beginPath();
      for (let i = 0; i < points.length; i += 2) {
        if (i) context.lineTo(points[i], points[i + 1]);
        else context.moveTo(points[i], points[i + 1]);
      }
      if (style.close) context.closePath();
      context.lineJoin = "round";
      paint(style);
    },
    text(text, x, y, style) {
      context.font = `${style.bold ? 700 : 400} ${style.size}px ${font}`;
      context.textAlign = style.align || "left";
      context.textBaseline = "middle";
      if (style.halo) {
        context.strokeStyle = style.halo;
        context.lineWidth = style.size * 0.28;
        context.lineJoin = "round";
        context.setLineDash([]);
        context.strokeText(text, x, y);
      }
      context.fillStyle = style.fill;
      context.fillText(text, x, y);
    },
    measure(text, size, bold) {
      context.font = `${bold ? 700 : 400} ${size}px ${font}`;
      return context.measureText(text).width;
    },
  };
}

/** Pen that collects SVG elements; `finish()` gives the file's text. */
export function svgPen(width, height, font, background, measure) {
  const out = [];
  const f = (v) => +v.toFixed(2);
  const esc = (t) => String(t).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const look = (s) => `fill="${s.fill || "none"}"` + (s.stroke ? ` stroke="${s.stroke}" stroke-width="${s.width || 1}"`
    : "") + (s.stroke && s.dash && s.dash.length ? ` stroke-dasharray="${s.dash.join(" ")}"` : "");
  return {
    rects(list, style) {
      if (style.radius) {
        for (let i = 0; i < list.length; i += 4) {
          out.push(`<rect x="${f(list[i])}" y="${f(list[i + 1])}" width="${f(Math.max(0, list[i + 2]))}" height="${
            f(Math.max(0, list[i + 3]))}" rx="${style.radius}" ${look(style)}/>`);
        }
        return;
      }
      let d = "";
      for (let i = 0; i < list.length; i += 4) {
        d += `M${f(list[i])} ${f(list[i + 1])}h${f(list[i + 2])}v${f(list[i + 3])}h${f(-list[i + 2])}z`;
      }
      if (d) out.push(`<path d="${d}" ${look(style)}/>`);
    },
    lines(list, style) {
      let d = "";
      for (let i = 0; i < list.length; i += 4) {
        d += `M${f(list[i])} ${f(list[i + 1])}L${f(list[i + 2])} ${f(list[i + 3])}`;
      }
      if (d) out.push(`<path d="${d}" ${look(style)}/>`);
    },
    poly(points, style) {
      let d = "";
      for (let i = 0; i < points.length; i += 2) d += `${i ? "L" : "M"}${f(points[i])} ${f(points[i + 1])}`;
      out.push(`<path d="${d}${style.close ? "z" : ""}" stroke-linejoin="round" ${look(style)}/>`);
    },
    text(text, x, y, style) {
      const anchor = { left: "start", center: "middle", right: "end" }[style.align || "left"];
      const halo = style.halo
        ? ` stroke="${style.halo}" stroke-width="${f(style.size * 0.28)}" paint-order="stroke" stroke-linejoin="round"` : "";
      out.push(`<text x="${f(x)}" y="${f(y)}" font-size="${f(style.size)}" font-weight="${style.bold ? 700 : 400}" ` +
        `text-anchor="${anchor}" dominant-baseline="central" fill="${style.fill}"${halo}>${esc(text)}</text>`);
    },
    measure,
    /** A group moved to a place; with a `span`, a share of a loop's time, it is visible only then. */
    open(x, y, display, span, ms) {
      const place = x || y ? ` transform="translate(${f(x)} ${f(y)})"` : "", shown = display ? ` display="${display}"` : "";
      const times = span && (span[0] > 0 ? [0, ...span] : [0, span[1]]).filter((t) => t < 1), values = span && (span[0] > 0 ? ["none", "inline", "none"] : ["inline", "none"]).slice(0, times.length);
      const moves = span ? `<animate attributeName="display" calcMode="discrete" dur="${f(ms / 1000)}s" repeatCount="indefinite" keyTimes="${times.map((t) => +t.toFixed(4)).join(";")}" values="${values.join(";")}"/>` : "";
      out.push(`<g${place}${shown}>${moves}`);
    },
    close() { out.push("</g>"); },
    finish: (title) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="${esc(font).replace(/"/g, "'")}"><title>${esc(title)}</title>` +
      `<rect width="100%" height="100%" fill="${background}"/>${out.join("\n")}</svg>`,
  };
}
