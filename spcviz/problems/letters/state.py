"""State of the pages Home, Letters and Write in their addresses."""

from spcviz.problems.letters.shown import FIRST_ORDER, FIRST_WORD
from spcviz.web.ui.state import MAX_ORDER, StateTable, choice, flag, lattice_fields, real, text, whole

LETTERS = StateTable(
    whole("word", FIRST_WORD, 0, 10_000_000),
    text("features", "open", r"[a-z0-9_]{1,24}"),
    whole("order", FIRST_ORDER, 1, MAX_ORDER),
    *lattice_fields(MAX_ORDER, rf"[a-z]{{1,{MAX_ORDER}}}"),
    choice("which", "all", ("all", "wrong")),
    whole("seed", 0, 0, 999_999),
    choice("view", "lattice", ("lattice", "bars")),
    choice("rule", "mean_max", ("mean_max", "margin")),
    opening={"level": 3},
)
"""The Letters page. An absent alpha is the tuned one."""

HOME = StateTable(choice("show", "story", ("story", "end")), real("a", None, 0.0, 1.0))

MAX_INK = 6000
WRITE = StateTable(
    text("ink", "", rf"(?:[bs][A-Za-z0-9_.~-]{{0,{MAX_INK}}})?", longest=MAX_INK),
    flag("example", False),
    text("truth", "", r"[a-z]{0,20}"),
    text("features", "open", r"[a-z0-9_]{1,24}"),
    whole("order", FIRST_ORDER, 1, MAX_ORDER),
    *lattice_fields(MAX_ORDER, rf"[a-z]{{1,{MAX_ORDER}}}"),
    opening={"example": 1},
)
"""The Write page; `ink` is the whole drawing (see `spcviz.problems.open_words.data.drawings`). Without ink
the page shows an `example` to draw over, or empty boxes."""
