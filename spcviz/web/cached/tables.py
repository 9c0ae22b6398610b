"""Cached calls of the Paper tables page."""

from functools import cache

from spcviz.web.cached import common
from spcviz.web.cached.shared import shared
from spcviz.web.figures import blocks


@shared(48, kernels=False, seconds=300)
def result_blocks(
    name: str, features: str, palette, scale: float, height: float, _shown: blocks.Shown
) -> list[blocks.Block]:
    """What a stored result is shown as; each chart is made once, when it is first asked for.

    `features` is one of its sets of features; `palette`, `scale` and `height` are those of
    `spcviz.web.ui.layout.look`; `_shown` says how the result is shown.
    """
    look = {"palette": palette, "scale": scale, "height": height}
    return [_once(block) for block in _shown.blocks(common.result(name), features, look)]


@shared(1, kernels=False, seconds=300)
def all_claims(_read):
    """What all claims come to, as `_read` says it."""
    return _read()


def _once(block):
    """A block whose charts are made once."""
    if isinstance(block, blocks.Chart):
        return block._replace(make=cache(block.make))
    if isinstance(block, blocks.Charts):
        return block._replace(charts=tuple(map(_once, block.charts)))
    return block
