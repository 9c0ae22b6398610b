"""Rendered clips of an articulated upper body: every joint known, every frame a function of one seed.

The clips are dense in time, whereas real ones are 4 frames long. The body has the proportions of the
annotated people (`pose.LENGTHS`), cloth that turns with the limbs, smooth random swings and foreshortened
arms. A photograph from an installed package drifts behind it, an object may pass in front, and pictures are
blurred and noisy.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy import ndimage

from spcviz.engine import checks
from spcviz.problems.pose.data import body as pose

PHOTOGRAPHS = (
    ("sklearn", "datasets/images/china.jpg"),
    ("sklearn", "datasets/images/flower.jpg"),
    ("skimage", "data/coffee.png"),
    ("skimage", "data/chelsea.png"),
    ("skimage", "data/rocket.jpg"),
    ("skimage", "data/motorcycle_left.png"),
)
_WIDTHS = {"upper arm": (11.0, 8.5), "lower arm": (8.0, 6.0)}
MAX_FRAMES = 300
STRIDE = 3  # flow between adjacent frames says little: arms move 2 to 3 pixels in one frame


class RenderedClip(NamedTuple):
    """A clip with its truth."""

    images: np.ndarray  # (N, 240, 240, 3), uint8
    limbs: np.ndarray  # (N, 5, 2, 2): as in `buffy.PoseClips`
    is_hidden: np.ndarray  # (N, 5): limbs whose middle lies behind the passing object


def render_clip(seed: int, n_frames: int = 20, *, occlusion: bool = True, every: int = 1) -> RenderedClip:
    """A rendered clip of 1 to 300 frames, determined by the seed; only every `every`-th frame is drawn.

    >>> clip = render_clip(0, 2)
    >>> clip.images.shape, clip.limbs.shape
    ((2, 240, 240, 3), (2, 5, 2, 2))
    >>> bool((render_clip(0, 4, every=3).images == render_clip(0, 4).images[::3]).all())
    True
    """
    seed = checks.integer("seed", seed, 0, 2**32 - 1)
    n_frames = checks.integer("n_frames", n_frames, 1, MAX_FRAMES)
    every = checks.integer("every", every, 1, MAX_FRAMES)
    rng = np.random.default_rng(seed)
    body, scene = _body(rng), _scene(rng)
    limbs = _motion(rng, body, n_frames)
    camera = np.stack([_swing(rng, n_frames, 25.0, 30.0), _swing(rng, n_frames, 18.0, 30.0)], axis=1)
    blur = rng.uniform(0.3, 1.1)
    passing = _passer(rng, n_frames) if occlusion and rng.random() < 0.5 else None
    shape, drawn = (pose.SIDE, pose.SIDE), range(0, n_frames, every)
    images = np.empty((len(drawn), *shape, 3), dtype=np.uint8)
    is_hidden = np.zeros((len(drawn), len(pose.PARTS)), dtype=bool)
    for f in range(n_frames):
        noise = rng.normal(0, 3.0, shape)
        if f % every:
            continue
        at = f // every
        picture = _background(scene, camera[f])
        _draw_body(picture, body, limbs[f])
        if passing is not None:
            picture, is_hidden[at] = _cover(picture, passing, f, limbs[f])
        picture = ndimage.gaussian_filter(picture, (blur, blur, 0))
        speed = camera[f] - camera[max(f - 1, 0)]
        picture = ndimage.uniform_filter1d(picture, 1 + int(min(4, abs(speed[0]))), axis=1)
        picture += noise[..., None]
        images[at] = np.clip(np.rint(picture), 0, 255)
    return RenderedClip(images, limbs[::every], is_hidden)


def photograph(number):
    """A photograph that ships with an installed package, (H, W, 3) float."""
    package, path = PHOTOGRAPHS[number]
    folder = Path(find_spec(package).origin).parent  # located without the second that an import takes
    with Image.open(folder / path) as picture:
        return np.asarray(picture.convert("RGB"), dtype=float)


def _swing(rng, n, size, period):
    """A smooth random curve: three sines of random phase, standard deviation about `size`."""
    t = np.arange(n)
    waves = [np.sin(2 * np.pi * (t / (period * rng.uniform(0.6, 2.5)) + rng.random())) for _ in range(3)]
    return size * np.sqrt(2 / 3) * np.sum(waves, axis=0)


def _body(rng):
    skin = np.array([225, 180, 150]) * rng.uniform(0.35, 1.08) + rng.normal(0, 6, 3)
    return {
        "skin": skin,
        "hair": rng.uniform(10, 150) * np.array([1.0, 0.8, 0.55]),
        "shirt": _cloth(rng),
        "has_sleeves": rng.random() < 0.7,
        "fold": ndimage.gaussian_filter(rng.normal(0, 1, (96, 96)), 4) * 60,
        "shoulders": rng.uniform(0.82, 1.15) * 31.0,
        "stout": rng.uniform(0.85, 1.25),
        "light": rng.uniform(0, 2 * np.pi),
    }


def _cloth(rng):
    """A 64 x 64 tile of cloth."""
    colour, other = rng.uniform(15, 235, 3), rng.uniform(15, 235, 3)
    y, x = np.mgrid[:64, :64]
    wide = rng.integers(4, 16)
    across, down = (x // wide) % 2, (y // wide) % 2
    share = (0.0 * x, across, down, 0.5 * (across + down))[rng.integers(0, 4)] * rng.uniform(0.25, 1.0)
    tile = colour + share[..., None] * (other - colour)
    return tile + rng.normal(0, 5, (64, 64, 1))


def _scene(rng):
    """A part of a photograph, larger than the picture."""
    picture = photograph(int(rng.integers(0, len(PHOTOGRAPHS))))
    if rng.random() < 0.5:
        picture = picture[:, ::-1]
    zoom = 420 / min(picture.shape[:2])
    side = [max(360, round(n * zoom)) for n in picture.shape[:2]]
    small = Image.fromarray(picture.astype(np.uint8)).resize(side[::-1], Image.Resampling.BILINEAR)
    at = rng.integers(0, side[0] - 355), rng.integers(0, side[1] - 355)
    part = np.asarray(small, dtype=float)[at[0] : at[0] + 360, at[1] : at[1] + 360]
    return ndimage.gaussian_filter(part, (rng.uniform(0, 1.5),) * 2 + (0,)) * rng.uniform(0.55, 1.05)


def _background(scene, camera):
    shift = np.clip(60 + camera[::-1], 0, 119)
    low = np.floor(shift).astype(int)
    return scene[low[0] : low[0] + pose.SIDE, low[1] : low[1] + pose.SIDE].copy()


def _motion(rng, body, n):
    """Limbs of every frame: a leaning torso, swinging arms, elbows that bend, foreshortening."""
    limbs = np.empty((n, len(pose.PARTS), 2, 2))
    lean = np.pi / 2 + _swing(rng, n, 0.06, 40.0)
    neck = np.stack([120 + _swing(rng, n, 6.0, 35.0), 100 + _swing(rng, n, 4.0, 35.0)], axis=1)
    along = np.stack([np.cos(lean), np.sin(lean)], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)  # to the picture's left
    limbs[:, 0] = np.stack([neck, neck + pose.LENGTHS[0] * along], axis=1)
    turned = 1 - np.abs(_swing(rng, n, 0.08, 40.0))
    for side, sign in ((0, 1.0), (1, -1.0)):
        shoulder = neck + sign * (body["shoulders"] * turned)[:, None] * across + 6 * along
        swing, bend = rng.normal(0.35, 0.35), rng.uniform(-0.3, 1.9)
        upper = lean + sign * np.clip(swing + _swing(rng, n, 0.28, 30.0), -0.5, 1.9)
        inward = np.clip(bend + _swing(rng, n, 0.45, 26.0), -0.3, 2.4)
        lower = upper - sign * inward
        for part, angle, inner in ((1 + side, upper, None), (3 + side, lower, 1 + side)):
            share = np.clip(rng.uniform(0.82, 1.12) + _swing(rng, n, 0.07, 30.0), 0.6, 1.2)
            start = shoulder if inner is None else limbs[:, inner, 1]
            step = (pose.LENGTHS[part] * share)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
            limbs[:, part] = np.stack([start, start + step], axis=1)
    return limbs


def _draw_body(picture, body, limbs):
    """Torso, then head, then the arms over both."""
    neck, hips = limbs[0]
    shoulders = np.stack([limbs[1, 0], limbs[2, 0]])
    wide = np.linalg.norm(shoulders[0] - shoulders[1]) / 2
    ends = neck - 0.04 * (hips - neck), hips + 0.6 * (hips - neck)
    _capsule(picture, body, *ends, wide, wide, "shirt", trunk=True)
    up = (neck - hips) / np.linalg.norm(neck - hips)
    _capsule(picture, body, neck - 2 * up, neck + 10 * up, 9, 9, "skin")
    _capsule(picture, body, neck + 20 * up, neck + 33 * up, 15.5, 17.5, "hair")
    _capsule(picture, body, neck + 16 * up, neck + 25 * up, 11, 14.5, "skin")
    right = np.array([-up[1], up[0]])
    for sign in (-1, 1):
        eye = neck + 25 * up + sign * 5.5 * right
        _capsule(picture, body, eye, eye + 0.5 * right, 1.6, 1.6, "eye")
    for side in (1, 2):
        widths = np.multiply(_WIDTHS["upper arm"], body["stout"] ** 0.5)
        _capsule(picture, body, *limbs[side], *widths, "shirt")
        what = "shirt" if body["has_sleeves"] else "skin"
        _capsule(picture, body, *limbs[side + 2], *_WIDTHS["lower arm"], what)
        along = limbs[side + 2, 1] - limbs[side + 2, 0]
        hand = along / max(np.linalg.norm(along), 1e-9)
        _capsule(picture, body, limbs[side + 2, 1], limbs[side + 2, 1] + 9 * hand, 6.0, 4.5, "skin")


def _capsule(picture, body, start, end, wide_start, wide_end, what, trunk=False):
    """A round-ended limb with cloth or skin on it; cloth coordinates turn with the limb."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    reach = max(wide_start, wide_end) + 2
    x0, y0 = np.clip(np.floor(np.minimum(start, end) - reach), 0, pose.SIDE).astype(int)
    x1, y1 = np.clip(np.ceil(np.maximum(start, end) + reach), 0, pose.SIDE).astype(int)
    if x0 >= x1 or y0 >= y1:
        return
    y, x = np.mgrid[y0:y1, x0:x1]
    along = end - start
    length = max(float(np.linalg.norm(along)), 1e-6)
    u = along / length
    s = (x - start[0]) * u[0] + (y - start[1]) * u[1]
    t = (y - start[1]) * u[0] - (x - start[0]) * u[1]
    share = np.clip(s / length, 0, 1)
    wide = wide_start + share * (wide_end - wide_start)
    off = np.hypot(s - share * length, t)
    if trunk:  # sloping shoulders, a waist, no round ends
        wide = wide * np.interp(share, [0, 0.1, 0.2, 0.6, 1], [0.3, 0.95, 1.0, 0.8 * body["stout"], 0.95])
        off = np.abs(t) + 1e3 * (np.abs(s - share * length) > 0.5)
    inside = np.clip(wide - off + 0.5, 0, 1)[..., None]
    colour = {"skin": body["skin"], "hair": body["hair"], "eye": np.full(3, 30.0)}.get(what)
    if colour is None:
        colour = body["shirt"][s.astype(int) % 64, t.astype(int) % 64]
        colour = colour + body["fold"][s.astype(int) % 96, t.astype(int) % 96][..., None]
    bent = np.clip(t / np.maximum(wide, 1e-6), -1, 1)
    facing = u[0] * np.sin(body["light"]) - u[1] * np.cos(body["light"])
    shade = 1.0 - (0.16 if trunk else 0.30) * bent**2 + 0.12 * bent * facing
    area = picture[y0:y1, x0:x1]
    area += inside * (colour * shade[..., None] - area)


def _passer(rng, n):
    """Something in front: a bar of cloth that crosses the picture, from the left or from the right."""
    at = np.linspace(rng.uniform(-60, 40), rng.uniform(150, 300), n)
    at = at if rng.random() < 0.5 else at[::-1]
    return {"x": at, "wide": rng.uniform(14, 40), "top": rng.uniform(60, 170), "cloth": _cloth(rng)}


def _cover(picture, passing, frame, limbs):
    """(picture with the object, which limbs' middles it hides)."""
    x = np.arange(pose.SIDE)
    left, top = passing["x"][frame], passing["top"]
    columns = np.clip(np.minimum(x - left, left + passing["wide"] - x) + 0.5, 0, 1)
    rows = np.clip(x - top + 0.5, 0, 1)
    mask = (rows[:, None] * columns)[..., None]
    cloth = passing["cloth"][x[:, None] % 64, (x - int(left)) % 64]
    middle = limbs.mean(axis=1)
    hidden = (middle[:, 0] > left) & (middle[:, 0] < left + passing["wide"]) & (middle[:, 1] > top)
    return picture + mask * (cloth - picture), hidden
