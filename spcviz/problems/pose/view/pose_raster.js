// Draws many limbs in a few milliseconds: the topmost line at every pixel is found once, alpha then only selects.
//
// A canvas strokes 400 crossing lines in 3 ms a path, 50 ms a picture. Here lines are stamped weakest first
// into a map of ranks (0: no line, i + 1: line i). Because the weakest lines fall first, a pixel whose topmost
// line has fallen has no other left: the map serves every alpha, and when alpha moves, only the pixels of the
// lines between the old and the new threshold are repainted. Plain arrays: node imports this file as it is
// (tests/problems/pose).

/** Visit the pixels of a line along its major axis, up to `half` to either side, with the share that it covers. */
function walk(x1, y1, x2, y2, half, wide, high, visit) {
  const isFlat = Math.abs(x2 - x1) >= Math.abs(y2 - y1), [a1, b1, a2, b2] = isFlat ? [x1, y1, x2, y2] : [y1, x1, y2, x2];
  const [nA, nB] = isFlat ? [wide, high] : [high, wide], slope = a2 === a1 ? 0 : (b2 - b1) / (a2 - a1), reach = half * Math.hypot(1, slope);
  const from = Math.max(0, Math.round(Math.min(a1, a2))), to = Math.min(nA - 1, Math.round(Math.max(a1, a2)) - 1);
  for (let a = from; a <= to; a++) {
    const middle = b1 + slope * (a + 0.5 - a1) - 0.5, last = Math.min(nB - 1, Math.floor(middle + reach + 0.5));
    for (let b = Math.max(0, Math.ceil(middle - reach - 0.5)); b <= last; b++) {
      const cover = Math.min(1, reach + 0.5 - Math.abs(b - middle));
      if (cover > 0) visit(isFlat ? b * wide + a : a * wide + b, cover);
    }
  }
}

/** The topmost line at every pixel of a picture.
 *
 *  ends    four numbers a line, weakest line first, pixels of the picture
 *  widths  of each line
 *  Returns rank (0: none, i + 1: line i) and cover (0 .. 255: how much of the pixel it covers), and the pixels by
 *  rank: those of line i are order[start[i]] .. order[start[i + 1] - 1]. */
export function topLines(ends, widths, wide, high) {
  const n = widths.length, rank = new Uint16Array(wide * high), cover = new Uint8Array(wide * high);
  for (let i = 0; i < n; i++) {
    walk(ends[4 * i], ends[4 * i + 1], ends[4 * i + 2], ends[4 * i + 3], widths[i] / 2, wide, high, (at, share) => {
      const coverage = Math.round(255 * share);
      if (coverage < 128 && coverage <= cover[at]) return; // the faint edge of a line does not erase the line under it
      rank[at] = i + 1;
      cover[at] = coverage;
    });
  }
  const start = new Int32Array(n + 2);
  for (let at = 0; at < rank.length; at++) if (rank[at]) start[rank[at]]++;
  for (let i = 1; i <= n + 1; i++) start[i] += start[i - 1];
  const next = start.slice(), order = new Int32Array(start[n]);
  for (let at = 0; at < rank.length; at++) if (rank[at]) order[next[rank[at] - 1]++] = at;
  return { rank, cover, start, order, n };
}

/** Paint some pixels: the background, and over it the topmost line of every limb.
 *
 *  out, under  RGBA
 *  limbs       { top, cut, colour: [r, g, b], strength: opacity by line } each; lines from `cut` on survive
 *  fallen      { colour, strength } of a line that has fallen */
export function paintPixels(out, under, limbs, fallen, pixels, from, to) {
  for (let i = from; i < to; i++) {
    const at = pixels[i], base = 4 * at;
    let r = under[base], g = under[base + 1], b = under[base + 2];
    for (const { top, cut, colour, strength } of limbs) {
      const rank = top.rank[at];
      if (!rank) continue;
      const stands = rank > cut, c = stands ? colour : fallen.colour, a = (stands ? strength[rank - 1] : fallen.strength) * top.cover[at] / 255;
      r += a * (c[0] - r);
      g += a * (c[1] - g);
      b += a * (c[2] - b);
    }
    out[base] = r;
    out[base + 1] = g;
    out[base + 2] = b;
    out[base + 3] = 255;
  }
}

/** Paint the pixels that changed since the cuts were `before`; everything if that is null. */
export function paintChanges(out, under, limbs, fallen, before) {
  if (!before) out.set(under);
  limbs.forEach(({ top, cut }, p) => {
    const [low, high] = before ? [Math.min(cut, before[p]), Math.max(cut, before[p])] : [0, top.n];
    paintPixels(out, under, limbs, fallen, top.order, top.start[low], top.start[high]);
  });
}

/** Draw lines over a picture, all of one style. */
export function stamp(out, ends, width, colour, strength, wide, high) {
  for (let i = 0; i < ends.length; i += 4) {
    walk(ends[i], ends[i + 1], ends[i + 2], ends[i + 3], width / 2, wide, high, (at, share) => {
      for (let c = 0; c < 3; c++) out[4 * at + c] += strength * share * (colour[c] - out[4 * at + c]);
    });
  }
}
