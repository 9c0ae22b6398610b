"""Pictures and clips for the Pose page, and what the cascade does to each of their frames."""

import base64
import contextlib
import io
import time

import numpy as np
from PIL import Image
from skimage import data as skimage_data

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose import body, cascade, data, render
from spcviz.problems.pose.models import load_pose
from spcviz.problems.pose.pictures import window
from spcviz.problems.pose.shown import PoseFrame, PoseLevel, PosePart, PoseScene
from spcviz.store import StoreError

ASTRONAUT = (225.0, 327.0, 800.0)
"""Centre and side of the window in scikit-image's picture."""

THUMBNAIL = 60
N_TOP = 4
APART_PX, APART_ANGLE = 12.0, np.pi / 6
"""Two of the top hypotheses differ by at least one of these."""


def warmup(models):
    """Compile what the Pose page calls, on one picture, if a model is stored."""
    with contextlib.suppress(StoreError):
        model = load_pose(models)
        image = window(skimage_data.astronaut(), *ASTRONAUT)
        watch(model, [scores_of(model, image)])


def rendered_scene(seed, n_frames):
    """A rendered clip; see `render.render_clip`."""
    clip = render.render_clip(seed, n_frames)
    return _scene(f"Rendered clip {seed}", clip.images, clip.limbs)


def strided_scene(seed, n_frames):
    """A rendered clip as the models of arms know them: every third frame."""
    clip = render.render_clip(seed, render.STRIDE * n_frames, every=render.STRIDE)
    return _scene(f"Rendered clip {seed}, every third frame of a person moving", clip.images, clip.limbs)


def astronaut_scene():
    """Eileen Collins, from scikit-image: no truth."""
    image = window(skimage_data.astronaut(), *ASTRONAUT)
    return _scene("Astronaut Eileen Collins (NASA), from scikit-image", image[None], None)


def buffy_scene(folder, number):
    """A test clip of Buffy Stickmen.

    Raises
    ------
    ArgumentError
        The data is not there, or has no such clip.
    """
    clips = data.load_buffy(folder, "test")
    numbers = np.unique(clips.clips)
    at = checks.integer("number", number, 0, len(numbers) - 1)
    chosen = clips.chosen(clips.clips == numbers[at])
    return _scene(f"Buffy Stickmen, {chosen.names[0].split('.')[0]} and on", chosen.images, chosen.limbs)


def upload_scene(frames, x, y, size):
    """A visitor's frames through one square window.

    Parameters
    ----------
    frames : ndarray, shape (N, H, W, 3), uint8
    x, y : float
        Centre of the window, shares of the picture's width and height.
    size : float
        Side of the window, a share of the picture's shorter side.

    Returns
    -------
    PoseScene

    Raises
    ------
    ArgumentError
    """
    x, y = checks.number("x", x, 0, 1), checks.number("y", y, 0, 1)
    size = checks.number("size", size, 0.1, 3)
    tall, wide = frames.shape[1:3]
    images = np.stack([window(frame, x * wide, y * tall, size * min(tall, wide)) for frame in frames])
    return _scene("Your upload", images, None)


def _scene(title, images, truth):
    pictures = tuple(_jpeg(Image.fromarray(image), 88) for image in images)
    small = (Image.fromarray(image).resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX) for image in images)
    images = np.ascontiguousarray(images)
    images.setflags(write=False)
    return PoseScene(title, images, pictures, tuple(_jpeg(picture, 70) for picture in small), truth)


def _jpeg(picture, quality):
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()


def scores_of(model, image):
    """(detector scores of one frame as float16, seconds)."""
    start = time.perf_counter()
    fine = next(cascade.detect(model, [image]))
    return fine.astype(np.float16), time.perf_counter() - start


def watch(model, scores, method="single", alpha=None):
    """The cascade over one frame or a clip, as the page draws it.

    Parameters
    ----------
    model : cascade.PoseModel
    scores : list of (ndarray, float)
        One for each frame, as from `scores_of`.
    method : str
        A key of `cascade.SUB_MODELS`.
    alpha : float, optional
        One alpha for all levels; the tuned ones by default.

    Returns
    -------
    list of PoseFrame

    Raises
    ------
    ArgumentError
    """
    if method not in cascade.SUB_MODELS:
        raise ArgumentError(f"method must be one of {', '.join(cascade.SUB_MODELS)}, got {method!r}")
    alphas = model.alphas[method]
    if alpha is not None:
        alphas = np.full(body.N_LEVELS, checks.fraction("alpha", alpha))
    n = model.geometry.n_parts
    start, seconds = time.perf_counter(), 0.0
    frames = [[] for _ in scores]
    run = cascade.run_cascade(model, [own for own, _ in scores], method, alphas)
    for number, level in enumerate(run):  # turned one by one: the levels of a long clip are large
        seconds += time.perf_counter() - start
        for f, levels in enumerate(frames):
            levels.append(_level(level, number, range(f * n, (f + 1) * n), alphas[number]))
        start = time.perf_counter()
    out = []
    for f, levels in enumerate(frames):
        top = np.stack([top_limbs(level, f * n + part, part) for part in range(n)])
        out.append(PoseFrame(tuple(levels), top[:, 0], top, scores[f][1], seconds / len(frames)))
    return out


def _level(level, number, variables, alpha):
    """One level of one frame."""
    cells = body.grid(number)
    parts = tuple(_part(level, number, v, part) for part, v in enumerate(variables))
    threshold = level.threshold - level.best
    return PoseLevel(cells.rows, cells.columns, body.N_ANGLES, parts, threshold, float(alpha))


def _part(level, number, variable, part):
    at = level.of(variable)
    order = np.argsort(level.summed[at], kind="stable")
    limbs = body.limbs_of(number, part, level.states[at][order])
    each = np.stack([own[at][order] for own in level.each])
    return PosePart(
        limbs.astype(np.float32),
        (level.summed[at][order] - level.best).astype(np.float32),
        level.keep[at][order],
        (each - each.max(axis=1, keepdims=True)).astype(np.float32),
    )


def top_limbs(level, variable, part, n_top=N_TOP, number=body.N_LEVELS - 1):
    """The best limbs of a level that differ in place or angle, best first.

    Parameters
    ----------
    level : coarse_to_fine.Level
    variable, part : int
    n_top : int
    number : int
        Which level it is.

    Returns
    -------
    ndarray, shape (n_top, 2, 2)
        The last is repeated if there are fewer.
    """
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
