"""What the Tagging page keeps in its address."""

from spcviz.problems.tagging.data.examples import FIRST, GARDEN_PATH
from spcviz.web.ui.state import StateTable, choice, lattice_fields, text

MAX_TEXT = 300
TAGGING = StateTable(
    text("text", GARDEN_PATH, rf"[^\x00-\x1f\x7f]{{1,{MAX_TEXT}}}"),
    *lattice_fields(3, r"[^\x00-\x1f]{1,20}"),
    choice("view", "lattice", ("lattice", "words", "compare")),
    opening={"text": FIRST, "view": "words", "level": 2},
)
"""The Tagging page. An absent alpha is the tuned one; links that name no text mean the garden path, and those
that name no view the lattice: before there was the sentence itself."""
