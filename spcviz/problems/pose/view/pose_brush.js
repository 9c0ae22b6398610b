// Paints pictures with all limbs over them, reusing earlier paintings: a frame of a drag repaints only changes.

import { SIDE } from "./pose_core.js";
import { looks, strengthOf, widthOf } from "./pose_draw.js";
import { paintChanges, stamp, topLines } from "./pose_raster.js";
import { toRgb } from "../../../web/view/elements.js";

const MOST_BACKDROPS = 24, MOST_MAPS = 12;
const FALL_MS = 420, FALL_PX = 26, FALL_STRENGTH = 0.75, FALL_WIDTH = 1.2;

/** The entry cached under a key, made if it is missing; beyond `most` entries the oldest is evicted. */
function recall(store, key, most, make) {
  const entry = store.get(key) || make();
  store.delete(key);
  store.set(key, entry);
  for (const old of store.keys()) if (store.size > most) store.delete(old);
  return entry;
}

export class Brush {
  backdrops = new Map();
  maps = new Map();
  slots = new Map();
  numbers = new WeakMap();
  nImages = 0;

  numberOf(image) {
    if (!this.numbers.has(image)) this.numbers.set(image, ++this.nImages);
    return this.numbers.get(image);
  }

  /** A panel in the canvas's own pixels. */
  boxOf(context, { x, y, wide, high, left, top, scale }) {
    const ratio = context.getTransform().a, X = Math.round(ratio * x), Y = Math.round(ratio * y);
    return { X, Y, W: Math.max(1, Math.round(ratio * wide)), H: Math.max(1, Math.round(ratio * high)), left: ratio * left - X, top: ratio * top - Y, scale: ratio * scale, ratio };
  }

  /** A frame in its panel, darkened by a veil, as a canvas of the panel's size. */
  under(image, box, veil) {
    const isHere = Boolean(image && image.complete && image.naturalWidth), key = [isHere ? this.numberOf(image) : 0, Object.values(box), veil].join("|");
    return recall(this.backdrops, key, MOST_BACKDROPS, () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: box.W, height: box.H }), context = canvas.getContext("2d", { willReadFrequently: true });
      context.fillStyle = looks.BLACK;
      context.fillRect(0, 0, box.W, box.H);
      if (isHere) context.drawImage(image, box.left, box.top, box.scale * SIDE, box.scale * SIDE);
      context.globalAlpha = veil;
      context.fillRect(0, 0, box.W, box.H);
      return { key, canvas, pixels: null, context };
    });
  }

  put(context, picture, { X, Y }) {
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(picture, X, Y);
    context.restore();
  }

  backdrop(context, image, panel, veil) {
    const box = this.boxOf(context, panel);
    this.put(context, this.under(image, box, veil).canvas, box);
  }

  /** Paint all limbs of a level over a frame; returns whether any is still falling.
   *
   *  `slot` is the panel's place on the page: painting continues on the last picture there. */
  limbs(context, slot, panel, { image, veil }, { key, lines, shades, least, colours, unit, withFallen, falling }) {
    const box = this.boxOf(context, panel), under = this.under(image, box, veil), name = `${under.key} ${key} ${withFallen}`;
    const colour = colours.map(toRgb), thick = unit * box.ratio;
    const tops = recall(this.maps, `${key} ${Object.values(box)} ${unit}`, MOST_MAPS, () => lines.map((limb, p) => topLines(placeLines(limb.ends, box), Array.from(shades[p], (s) => thick * widthOf(s)), box.W, box.H)));
    const limbs = lines.map((limb, p) => ({ top: tops[p], cut: firstOver(limb.codes, least), colour: colour[p], strength: Array.from(shades[p], strengthOf) }));
    under.pixels = under.pixels || under.context.getImageData(0, 0, box.W, box.H).data;
    let painting = this.slots.get(slot);
    const isSame = painting && painting.name === name;
    if (!isSame) {
      painting = painting && painting.W === box.W && painting.H === box.H ? painting : { image: new ImageData(box.W, box.H), W: box.W, H: box.H };
      this.slots.set(slot, Object.assign(painting, { name, cuts: null }));
    }
    if (painting.wasMoving) painting.image.data.set(painting.still);
    const fallen = { colour: toRgb(looks.GREY), strength: withFallen ? looks.FALLEN : 0 };
    paintChanges(painting.image.data, under.pixels, limbs, fallen, painting.cuts);
    painting.cuts = limbs.map(({ cut }) => cut);
    painting.wasMoving = this.drop(painting, box, falling, colour, thick);
    context.putImageData(painting.image, box.X, box.Y);
    return painting.wasMoving;
  }

  /** Let limbs that have just been pruned drop out of the picture; returns whether any is still falling. */
  drop(painting, box, falling, colour, thick) {
    const now = performance.now(), moving = falling.filter(({ at }) => now - at < FALL_MS);
    if (!moving.length) return false;
    painting.still = painting.still && painting.still.length === painting.image.data.length ? painting.still : new Uint8ClampedArray(painting.image.data.length);
    painting.still.set(painting.image.data);
    for (const { at, part, ends } of moving) {
      const t = (now - at) / FALL_MS, low = placeLines(ends, { ...box, top: box.top + box.scale * FALL_PX * t * t });
      stamp(painting.image.data, low, FALL_WIDTH * thick, colour[part], FALL_STRENGTH * (1 - t), box.W, box.H);
    }
    return true;
  }
}

/** Convert lines from pixels of a frame to those of its panel. */
function placeLines(ends, { left, top, scale }) {
  return Float32Array.from(ends, (coordinate, i) => scale * coordinate + (i % 2 ? top : left));
}

/** Number of the ascending codes that lie below `least`. */
function firstOver(codes, least) {
  let n = 0;
  while (n < codes.length && codes[n] < least) n++;
  return n;
}
