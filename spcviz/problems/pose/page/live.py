"""Run pictures and clips through the pose cascade, frame by frame, for the Pose page."""

import base64
import io
import time
from pathlib import Path

import numpy as np
from PIL import Image
from skimage import data as skimage_data

from spcviz.engine import checks
from spcviz.problems.pose.data import body, buffy, render, signs
from spcviz.problems.pose.data.pictures import window
from spcviz.problems.pose.model import cascade
from spcviz.problems.pose.shown import PoseScene

ASTRONAUT = (225.0, 327.0, 800.0)  # centre and side of the window in scikit-image's picture
SIGN_EVERY, SIGN_RATE = 3, 30.0
THUMBNAIL = 60
N_TOP = 4
APART_PX, APART_ANGLE = 12.0, np.pi / 6  # two of the top hypotheses differ by at least one of these


def sign_scene(name):
    """A signing clip, ten frames a second, with the reference where the network was confident of it."""
    (clip,) = signs.load_signs([name], every=SIGN_EVERY)
    limbs = np.where(clip.is_seen[..., None, None], clip.limbs, np.nan)
    scene = _scene(f"Signing clip “{name}”, person {clip.person}", clip.images, limbs)
    rate = SIGN_RATE / SIGN_EVERY
    return scene._replace(truth_name="reference", rate=rate, credit=signs.ATTRIBUTION)


def scene_of(kind: str, name: str | int, n_frames: int, folder: str | Path | None = None) -> PoseScene:
    """A clip of a kind that everybody can choose, by its word, seed or number; raises `ArgumentError`."""
    if kind == "signs":
        return sign_scene(name)
    if kind == "astronaut":
        image = window(skimage_data.astronaut(), *ASTRONAUT)
        return _scene("Astronaut Eileen Collins (NASA), from scikit-image", image[None], None)
    if kind == "buffy":
        clip = buffy.load_buffy(folder, "test", name)
        title = f"Buffy Stickmen, {clip.names[0].split('.')[0]} and on"
    elif kind == "strided":  # clips as the models of arms use them
        clip = render.render_clip(name, render.STRIDE * n_frames, every=render.STRIDE)
        title = f"Rendered clip {name}, every third frame of a person moving"
    else:
        clip, title = render.render_clip(name, n_frames), f"Rendered clip {name}"
    return _scene(title, clip.images, clip.limbs)


def upload_scene(frames: np.ndarray, x: float, y: float, size: float) -> PoseScene:
    """Frames cropped by a window about (x, y), shares of the sides; `size`, a share of the shorter one."""
    x, y = checks.number("x", x, 0, 1), checks.number("y", y, 0, 1)
    size = checks.number("size", size, 0.1, 3)
    tall, wide = frames.shape[1:3]
    images = np.stack([window(frame, x * wide, y * tall, size * min(tall, wide)) for frame in frames])
    return _scene("Your upload", images, None)


def thin_scene(scene, most):
    """A scene with only every k-th frame, the least k that leaves at most `most`.

    >>> scene = sign_scene("eat")
    >>> len(scene.images), len(thin_scene(scene, 6).images), thin_scene(scene, 6).rate
    (16, 6, 3.3333333333333335)
    """
    step = -(-len(scene.images) // checks.integer("most", most, 1, len(scene.images) + 1000))
    if step == 1:
        return scene
    truth = None if scene.truth is None else scene.truth[::step]
    return scene._replace(
        images=scene.images[::step], pictures=scene.pictures[::step], thumbnails=scene.thumbnails[::step],
        truth=truth, rate=scene.rate / step,
    )  # fmt: skip


def _scene(title, images, truth):
    pictures = tuple(data_uri(image) for image in images)
    small = (Image.fromarray(image).resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX) for image in images)
    images = np.ascontiguousarray(images)
    images.setflags(write=False)
    return PoseScene(
        title, images, pictures, tuple(data_uri(np.asarray(image), 70) for image in small), truth
    )


def data_uri(image, quality=84):
    """A picture (H, W, 3) of bytes as a JPEG for browsers."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()


def scores_of(model, image):
    """(detector scores of one frame as float16, seconds of this thread's processor time)."""
    start = time.thread_time()
    fine = next(cascade.detect(model, [image]))
    return fine.astype(np.float16), time.thread_time() - start


def top_limbs(
    level, variable: int, part: int, n_top: int = N_TOP, number: int = body.N_LEVELS - 1
) -> np.ndarray:
    """The level's best limbs that differ in place or angle, (n_top, 2, 2); the last is repeated."""
    at = level.of(variable)
    states = level.states[at][level.keep[at]]
    states = states[np.argsort(-level.summed[at][level.keep[at]], kind="stable")]
    x, y, angle = body.grid(number).centres(states).T
    chosen, free = [], np.ones(len(states), dtype=bool)
    while free.any() and len(chosen) < n_top:
        i = int(free.argmax())
        chosen.append(states[i])
        turn = np.abs((angle - angle[i] + np.pi) % (2 * np.pi) - np.pi)
        free &= (np.hypot(x - x[i], y - y[i]) >= APART_PX) | (turn >= APART_ANGLE - 1e-9)
    chosen += [chosen[-1]] * (n_top - len(chosen))
    return body.limbs_of(number, part, np.array(chosen))
