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


@share(120, kernels=False, **common.UNCHANGED)  # each of every features, light and dark
def result_blocks(
    name: str, features: str, palette: Palette, scale: float, height: float, _shown: blocks.Shown
) -> list[blocks.Block]:
    """What a stored result is shown as, by `layout.look`; charts are made once, when first asked for."""
    look = {"palette": palette, "scale": scale, "height": height}
    return [_once(block) for block in _shown.blocks(common.result(name), features, look)]


@share(1, kernels=False, **common.UNCHANGED)
def statements(_read: Callable[[], Any]) -> Any:
    """What the statements come to, as `_read` says it."""
    return _read()


def rows_of(frame: pd.DataFrame) -> pa.Table:
    """A frame as a browser takes it: Streamlit would make it anew in every run."""
    return dataframe_util.convert_pandas_df_to_arrow_table(frame)


def make_charts(drawn: list[blocks.Block]) -> None:
    """Make the charts of `result_blocks` before somebody asks for them."""
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
