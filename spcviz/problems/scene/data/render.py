"""Street scenes with the class of every pixel: a vanishing road, houses, trees, cars, people.

They are not photographs, and nothing is learned from them: they show what the predictors do where the truth
is known exactly, and they let tests run without data.
"""

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from spcviz.engine.errors import ArgumentError
from spcviz.problems.scene.data.camvid import SIZE, VOID
from spcviz.problems.scene.shown import CLASSES

_CLASS = {name: number for number, name in enumerate(CLASSES)}
_ROUGH = {"Sky": 0.4, "Building": 3, "Road": 1.5, "Pavement": 2, "Tree": 16, "Fence": 5, "Car": 1.5}  # noise


class _Canvas:
    """A picture and its labels, drawn together."""

    def __init__(self, rng):
        self.rng = rng
        self.picture, self.labels = Image.new("RGB", SIZE), Image.new("L", SIZE, VOID)
        self._both = [(ImageDraw.Draw(self.picture), 0), (ImageDraw.Draw(self.labels), 1)]

    def polygon(self, name, points, colour):
        for draw, is_label in self._both:
            draw.polygon([tuple(p) for p in points], fill=_CLASS[name] if is_label else colour)

    def box(self, name, x, y, wide, tall, colour):
        self.polygon(name, [(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)], colour)

    def ellipse(self, name, x, y, wide, tall, colour):
        for draw, is_label in self._both:
            fill = _CLASS[name] if is_label else colour
            draw.ellipse([x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2], fill=fill)

    def shade(self, low, high):
        """A random grey, faintly coloured."""
        grey = self.rng.uniform(low, high)
        return tuple(int(np.clip(grey + self.rng.normal(0, 8), 0, 255)) for _ in range(3))


def street(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A street's picture (180, 240, 3) and truth, determined by the seed; raises `ArgumentError`.

    >>> picture, truth = street(3)
    >>> picture.shape, bool((truth == 3).mean() > 0.1)
    ((180, 240, 3), True)
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise ArgumentError(f"seed must be a whole number of at least 0, got {seed!r}")
    canvas = _Canvas(np.random.default_rng([seed, 20]))
    rng, (wide, tall) = canvas.rng, SIZE
    x, y = rng.uniform(0.4, 0.6) * wide, rng.uniform(0.42, 0.52) * tall  # the vanishing point
    canvas.box("Sky", 0, 0, wide, tall, tuple(int(v) for v in rng.uniform((150, 175, 200), (215, 225, 240))))
    for side in (-1, 1):
        _houses(canvas, side, x, y)
    _ground(canvas, x, y)
    for _ in range(rng.integers(2, 5)):
        _tree(canvas, rng.choice((-1, 1)), x, y)
    if rng.random() < 0.6:
        _fence(canvas, rng.choice((-1, 1)), x, y)
    things = [_pole, _pole, _walker, _walker, _cyclist, *[_car] * int(rng.integers(2, 4))]
    for near, thing in sorted(zip(rng.uniform(0.12, 0.75, len(things)), range(len(things)))):
        things[thing](canvas, rng.choice((-1, 1)), x, y, near)
    return _finish_canvas(canvas)


def _at(x, y, across, near):
    """A ground point's place in the picture: `across` in half widths of the road, `near` 0 far .. 1 here."""
    wide, tall = SIZE
    return x + across * near * wide * 0.62, y + near * (tall - y) * 1.02


def _houses(canvas, side, x, y):
    """A row of houses from the camera to the vanishing point, with windows."""
    rng, near = canvas.rng, 1.5
    while near > 0.12:
        far = near * rng.uniform(0.5, 0.8)
        high = rng.uniform(0.9, 2.1) * SIZE[1] * 0.55
        colour = canvas.shade(75, 185)
        (x0, y0), (x1, y1) = (_at(x, y, side * 1.75, n) for n in (near, far))
        top0, top1 = y - high * near, y - high * far
        canvas.polygon("Building", [(x0, y0), (x1, y1), (x1, top1), (x0, top0)], colour)
        dark = tuple(int(0.6 * v) for v in colour)
        for row in range(1, 4):
            for column in range(4):
                a, b = ((column + edge) / 4 for edge in (0.25, 0.7))
                up, down = (row + 0.15) / 4.3, (row + 0.6) / 4.3
                corners = [
                    (x0 + (x1 - x0) * u, (1 - v) * (y0 + (y1 - y0) * u) + v * (top0 + (top1 - top0) * u))
                    for u, v in ((a, up), (b, up), (b, down), (a, down))
                ]
                canvas.polygon("Building", corners, dark)
        near = far


def _ground(canvas, x, y):
    """Road, its middle line, and a pavement on either side."""
    wide = SIZE[0]
    ends = {across: _at(x, y, across, 1.4) for across in (-1.8, -1, 1, 1.8)}
    canvas.polygon("Pavement", [(x - 2, y), (x + 2, y), ends[1.8], ends[-1.8]], canvas.shade(130, 175))
    canvas.polygon("Road", [(x - 2, y), (x + 2, y), ends[1], ends[-1]], canvas.shade(75, 120))
    for near in np.linspace(0.15, 1, 6):
        (a, b), (c, d) = _at(x, y, 0, near), _at(x, y, 0, near * 1.12)
        thick = max(0.6, near * wide * 0.012)
        corners = [(a - thick, b), (a + thick, b), (c + thick, d), (c - thick, d)]
        canvas.polygon("Road", corners, (205, 205, 200))


def _tree(canvas, side, x, y):
    rng = canvas.rng
    near = rng.uniform(0.2, 0.7)
    foot, size = _at(x, y, side * rng.uniform(1.35, 1.7), near), near * SIZE[1] * rng.uniform(0.5, 0.8)
    canvas.box("Tree", foot[0] - size * 0.05, foot[1] - size, size * 0.1, size, (70, 55, 40))
    for _ in range(14):
        dx, dy = rng.normal(0, 0.24 * size), rng.normal(0, 0.2 * size)
        green = tuple(int(v) for v in rng.uniform((30, 60, 20), (80, 120, 55)))
        canvas.ellipse("Tree", foot[0] + dx, foot[1] - size - dy, 0.45 * size, 0.4 * size, green)


def _fence(canvas, side, x, y):
    a, b = _at(x, y, side * 1.6, 0.25), _at(x, y, side * 1.6, 0.8)
    high = 0.2 * SIZE[1]
    points = [a, b, (b[0], b[1] - high * 0.8), (a[0], a[1] - high * 0.25)]
    canvas.polygon("Fence", points, canvas.shade(60, 110))


def _pole(canvas, side, x, y, near):
    foot, high = _at(x, y, side * 1.1, near), near * SIZE[1] * 1.05
    thick = max(1.5, near * 5)
    canvas.box("Pole", foot[0] - thick / 2, foot[1] - high, thick, high, canvas.shade(60, 120))
    if canvas.rng.random() < 0.6:
        size = max(4, near * 22)
        colour = [(200, 40, 40), (40, 70, 180), (225, 200, 60)][canvas.rng.integers(3)]
        canvas.ellipse("Sign", foot[0], foot[1] - high * 0.8, size, size, colour)


def _car(canvas, side, x, y, near):
    foot, size = _at(x, y, side * canvas.rng.uniform(0.35, 0.8), near), near * SIZE[0] * 0.5
    colour = tuple(int(v) for v in canvas.rng.uniform(20, 220, 3))
    left, top = foot[0] - size / 2, foot[1] - 0.62 * size
    canvas.box("Car", left, top + 0.28 * size, size, 0.26 * size, colour)
    roof = [(0.12, 0.28), (0.24, 0), (0.76, 0), (0.88, 0.28)]
    canvas.polygon("Car", [(left + a * size, top + b * size) for a, b in roof], colour)
    glass = [(0.2, 0.26), (0.28, 0.05), (0.72, 0.05), (0.8, 0.26)]
    canvas.polygon("Car", [(left + a * size, top + b * size) for a, b in glass], (45, 55, 65))
    for at in (0.18, 0.82):
        canvas.ellipse("Car", left + at * size, top + 0.55 * size, 0.18 * size, 0.18 * size, (25, 25, 25))


def _walker(canvas, side, x, y, near, name="Pedestrian"):
    foot, high = _at(x, y, side * canvas.rng.uniform(1.1, 1.5), near), near * SIZE[1] * 0.5
    wide, at = high * 0.26, foot[0]
    canvas.box(name, at - wide * 0.35, foot[1] - high * 0.45, wide * 0.7, high * 0.45, canvas.shade(25, 80))
    shirt = tuple(int(v) for v in canvas.rng.uniform(40, 210, 3))
    canvas.box(name, at - wide / 2, foot[1] - high * 0.84, wide, high * 0.42, shirt)
    canvas.ellipse(name, at, foot[1] - high * 0.92, wide * 0.55, wide * 0.6, (190, 150, 125))


def _cyclist(canvas, side, x, y, near):
    foot, size = _at(x, y, side * 0.9, near), near * SIZE[1] * 0.24
    for at in (-0.6, 0.6):
        canvas.ellipse("Bicyclist", foot[0] + at * size, foot[1] - size / 2, size, size, (35, 35, 40))
    canvas.box(
        "Bicyclist", foot[0] - 0.6 * size, foot[1] - size * 1.1, 1.2 * size, size * 0.25, (150, 40, 40)
    )
    canvas.box("Bicyclist", foot[0] - 0.3 * size, foot[1] - size * 2, size * 0.6, size, canvas.shade(60, 190))
    canvas.ellipse("Bicyclist", foot[0], foot[1] - size * 2.2, size * 0.5, size * 0.5, (190, 150, 125))


def _finish_canvas(canvas):
    """Light from above, noise by class, and a lens's blur."""
    rng, labels = canvas.rng, np.asarray(canvas.labels)
    picture = np.asarray(canvas.picture).astype(float)
    rough = np.full(len(CLASSES) + 1, 3.0)
    for name, noise in _ROUGH.items():
        rough[_CLASS[name]] = noise
    fine = rng.normal(size=labels.shape) + ndimage.gaussian_filter(rng.normal(size=labels.shape), 2) * 4
    picture += (rough[labels] * fine)[..., None]
    picture *= np.linspace(1.06, 0.92, labels.shape[0])[:, None, None]
    picture = ndimage.gaussian_filter(picture, (0.6, 0.6, 0))
    return np.clip(picture, 0, 255).astype(np.uint8), labels.copy()
