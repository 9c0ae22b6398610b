"""The About text of the app: the data that its models learned from, and their licences."""

from functools import cache
from importlib import metadata

from spcviz.registry import licences
from spcviz.shared.folders import MODELS

RESTRICTED = (
    "Models that find poses and label streets learned from data for research: they may be used for personal "
    "and research purposes only. About, in the menu at the top right, says which."
)
"""A sentence shown on Home."""


@cache
def version() -> str:
    """The package's version; a clone that was never installed does not know it."""
    try:
        return metadata.version("spcviz")
    except metadata.PackageNotFoundError:
        return "of a clone"


def menu() -> dict[str, str]:
    """The ``menu_items`` of `st.set_page_config`."""
    owed = licences.summary(MODELS)
    where = f"What each model learned from stands in `cache/models/{licences.FILE}`."
    return {"About": f"**spcviz**: structured prediction cascades, live.\n\n{owed}\n\n{where}"}
