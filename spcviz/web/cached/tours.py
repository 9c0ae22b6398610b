"""Cached calls about the shipped tours: numbers of their scenes, for handouts and speakers, and pictures."""

from spcviz.web.cached.shared import shared
from spcviz.web.tours import tour
from spcviz.web.view import served


@shared(1, kernels=False)
def known_facts():
    """{(tour, code of a scene): {name: text}}: filled by whoever gets there first; one entry a scene."""
    return {}


@shared(40, kernels=False)
def picture(name: str) -> str:
    """The address of the small picture of a tour that ships, "" if there is none."""
    path = tour.picture(name)
    return "" if path is None else served.publish_file(f"tour-{name}.webp", path.read_bytes(), "image/webp")
