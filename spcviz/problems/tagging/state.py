"""State of the Tagging page, as its address holds it."""

from spcviz.problems.tagging.data.examples import FIRST
from spcviz.web.ui.state import StateTable, choice, lattice_fields, text

MAX_TEXT = 300
TAGGING = StateTable(
    text("text", FIRST, rf"[^\x00-\x1f\x7f]{{1,{MAX_TEXT}}}"),
    *lattice_fields(3, r"[^\x00-\x1f]{1,20}"),
    choice("view", "words", ("lattice", "words", "compare")),
    choice("rule", "mean_max", ("mean_max", "margin")),
    opening={"level": 2},
)
"""State of the Tagging page; an absent alpha is the tuned one."""
