"""What the pages Letters and Write keep in their addresses."""

from spcviz.problems.letters.page.shown import FIRST_WORD
from spcviz.web.ui.state import MAX_ORDER, StateTable, choice, flag, lattice_fields, text, whole

LETTERS = StateTable(
    whole("word", -1, 0, 10_000_000),
    text("features", "open", r"[a-z0-9_]{1,24}"),
    whole("order", 4, 1, MAX_ORDER),
    *lattice_fields(MAX_ORDER, rf"[a-z]{{1,{MAX_ORDER}}}"),
    choice("which", "all", ("all", "wrong")),
    whole("seed", 0, 0, 999_999),
    choice("view", "lattice", ("lattice", "bars")),
    opening={"word": FIRST_WORD},
)
"""The Letters page. An absent alpha is the tuned one; word -1 is what links mean that name no word."""

MAX_INK = 6000
WRITE = StateTable(
    text("ink", "", rf"(?:[bs][A-Za-z0-9_.~-]{{0,{MAX_INK}}})?", longest=MAX_INK),
    flag("example", False),
    text("truth", "", r"[a-z]{0,20}"),
    text("features", "open", r"[a-z0-9_]{1,24}"),
    whole("order", 4, 1, MAX_ORDER),
    *lattice_fields(MAX_ORDER, rf"[a-z]{{1,{MAX_ORDER}}}"),
    opening={"example": 1},
)
"""The Write page; `ink` is the whole drawing (see `spcviz.problems.open_words.data.written`). Without ink the
page shows an `example` to draw over, or empty boxes."""
