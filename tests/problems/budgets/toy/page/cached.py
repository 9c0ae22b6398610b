"""Cached calls about colours, and the task that the Trade-off page needs."""

from collections.abc import Sequence

from spcviz.problems.budgets.task import TradeTask
from spcviz.problems.toy.page import live
from spcviz.web.cached.sharing import share
from spcviz.web.figures.palette import by_theme, tiers


@share(8)
def traded(size, seed):
    """A random batch under every method."""
    return live.compare(size, seed)


def pack(colours: Sequence[str]) -> dict[str, list[str]]:
    """The states' colours, for the browser."""
    return {"colours": list(colours)}


TRADE = TradeTask(
    label="Colours in fog",
    asks="which chains deserve a clear look?",
    free="a chain's **colours in fog**",
    examples="chains",
    batches={20: "20 chains", 40: "40 chains"},
    make=lambda state: traded(state["size"], state["seed"]),
    identity=("size", "seed"),
    cost_help="Units: 1 buys a clear look at one dot.",
    origin="Random chains of colours; nothing was learned.",
    colours=by_theme(tiers),
    pack=pack,
)
