"""Cached calls of the Spaces page."""

from spcviz.problems.spaces.page import live
from spcviz.problems.spaces.page.live import Reading
from spcviz.web.cached.sharing import share


@share(200, stored=Reading)
def reading(text):
    """A text with its spaces forgotten and put back."""
    return live.read(text)
