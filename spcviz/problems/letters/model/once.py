"""A wrapper of a handwriting model that reads no letter image twice: most of the work of reading a word."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


class ReadOnce:
    """Stands in for a model and remembers at most `most` images; `n_read` counts those it has read."""

    def __init__(self, model, most: int):
        self.model, self.most, self.rows, self.n_read = model, most, {}, 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def features(self, pixels: ArrayLike, lengths: Sequence[int]):
        """As the model's own; rows may differ from it in the last bits, as batches of other sizes do."""
        pixels = np.ascontiguousarray(pixels, dtype=np.uint8)
        names = [image.tobytes() for image in pixels]
        known = self.rows
        fresh = {name: i for i, name in enumerate(names) if name not in known}
        if fresh:
            if len(known) + len(fresh) > self.most:
                fresh, known = {name: i for i, name in enumerate(names)}, {}
            read = self.model.read(pixels[list(fresh.values())])
            self.rows = known = known | dict(zip(fresh, read))  # a new one: other threads read the old
            self.n_read += len(fresh)
        return self.model.seen(np.array([known[name] for name in names]), lengths)
