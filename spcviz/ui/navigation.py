"""Every page of the app, in the order of the side bar. A page whose file is missing is left out."""

from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

ROOT = Path(__file__).parents[2]
HOME = "pages/start/home.py"
ICON = ROOT / "spcviz" / "ui" / "icon.svg"  # a Material icon would be fetched from the network


class PageInfo(NamedTuple):
    """One row of the table: side bar section, file, name in the side bar, Material icon."""

    section: str
    path: str
    title: str
    icon: str


PAGES = (
    PageInfo("Start", HOME, "Home", ":material/home:"),
    PageInfo("Learn", "pages/learn/exact_inference.py", "Exact inference", ":material/route:"),
    PageInfo("Learn", "pages/learn/joint_beats_separate.py", "Joint beats separate", ":material/visibility:"),
    PageInfo("The cascade", "pages/cascade/letters.py", "Letters", ":material/draw:"),
    PageInfo("The cascade", "pages/cascade/tagging.py", "Tagging", ":material/sell:"),
    PageInfo("The cascade", "pages/cascade/sweep.py", "Sweep", ":material/tune:"),
    PageInfo("The cascade", "pages/cascade/loopy.py", "Loopy grids", ":material/grid_on:"),
    PageInfo("The cascade", "pages/cascade/pose.py", "Pose on video", ":material/accessibility_new:"),
    PageInfo("Budgets", "pages/budget/trade_off.py", "Trade-off", ":material/savings:"),
    PageInfo("Budgets", "pages/budget/policy.py", "Policy", ":material/travel_explore:"),
    PageInfo("Results", "pages/results/tables.py", "Paper tables", ":material/table_chart:"),
)


def use_own_pages():
    """Tell streamlit that the folder ``pages`` is ours, before the first visitor comes.

    A folder of that name switches streamlit's older scheme on until `st.navigation` is first called;
    under it the first visitor's deep link would meet a dialog "Page not found".
    """
    PagesManager.uses_pages_directory = False


def exists(path):
    """True if the page's file is there, so that a link to it leads somewhere."""
    return (ROOT / path).is_file()


def sections():
    """What `st.navigation` takes.

    Returns
    -------
    dict of str to list of StreamlitPage
    """
    found = {}
    for page in PAGES:
        if exists(page.path):
            shown = st.Page(ROOT / page.path, title=page.title, icon=page.icon, default=page.path == HOME)
            found.setdefault(page.section, []).append(shown)
    return found
