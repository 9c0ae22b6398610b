"""Cached calls of Paper tables: a stored result as tables and charts."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa
from streamlit import dataframe_util

from spcviz.web.cached import common
from spcviz.web.cached.sharing import share
from spcviz.web.figures import blocks
from spcviz.web.figures.palette import Palette


@share(120, kernels=False, **common.UNCHANGED)  # each result with all its features, light and dark
def result_blocks(
    name: str, features: str, palette: Palette, scale: float, height: float, _shown: blocks.Shown
) -> list[blocks.Block]:
    """A stored result as blocks, drawn as `layout.look` says; charts are made once, at first use."""
    look = {"palette": palette, "scale": scale, "height": height}
    return [_once(block) for block in _shown.blocks(common.result(name), features, look)]


@share(1, kernels=False, **common.UNCHANGED)
def statements(_read: Callable[[], Any]) -> Any:
    """The outcomes of the statements, as `_read` returns them."""
    return _read()


def rows_of(frame: pd.DataFrame) -> pa.Table:
    """Convert a frame to what a browser receives: Streamlit would do so again in every run."""
    return dataframe_util.convert_pandas_df_to_arrow_table(frame)


def make_charts(drawn: list[blocks.Block]) -> None:
    """Make the charts of `result_blocks` before they are requested."""
    for block in drawn:
        for one in block.charts if isinstance(block, blocks.Charts) else [block]:
            if isinstance(one, blocks.Chart):
                one.make()


def _once(block: Any) -> Any:
    """A block whose charts and rows are made once."""
    if isinstance(block, blocks.Table):
        return block._replace(rows=rows_of(block.frame))
    if isinstance(block, blocks.Chart):
        return block._replace(make=cache(block.make))
    if isinstance(block, blocks.Charts):
        return block._replace(charts=tuple(map(_once, block.charts)))
    return block
