"""Cached calls about the shipped tours: numbers of their scenes, for handouts and speakers, and pictures."""

import io

from PIL import Image

from spcviz.web.cached.shared import shared
from spcviz.web.tours import tour


@shared(1, kernels=False)
def known_facts():
    """{(tour, code of a scene): {name: text}}: filled by whoever gets there first; one entry a scene."""
    return {}


@shared(40, kernels=False)
def picture(name: str) -> bytes | None:
    """The small picture of a tour that ships as a JPEG, None if there is none: of a WebP Streamlit would make
    one in every run.
    """
    path = tour.picture(name)
    if path is None:
        return None
    file = io.BytesIO()
    Image.open(path).convert("RGB").save(file, "JPEG", quality=85)
    return file.getvalue()
