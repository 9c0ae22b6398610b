"""State of the page Your data in its address: choices, and the digest of the file they belong to."""

from functools import partial

import streamlit as st

from spcviz.io.cells import SEPARATORS
from spcviz.io.source import ENCODINGS
from spcviz.problems.budgets.spending import BROWSER_FIELDS
from spcviz.problems.own_data.model.files import How
from spcviz.problems.own_data.page import cached
from spcviz.problems.own_data.page.cached import Settings
from spcviz.scores.making import SUBWORDS
from spcviz.scores.schemes import SCHEMES
from spcviz.web.ui import layout
from spcviz.web.ui.state import LOWEST_ALPHA, StateTable, choice, lattice_fields, real, text, whole

VIEWS = {
    "lattice": "One sentence, step by step",
    "sweep": "Every threshold at once",
    "scores": "How good it is",
    "errors": "What it gets wrong",
    "own": "A sentence of your own",
    "runs": "Runs, and two compared",
    "weights": "What it has learned",
    "curve": "Would more data help?",
    "sure": "How sure it is",
    "compare": "SPC and CRF at equal loss",
    "budget": "A budget for features",
    "take": "Take it away",
}
N_LEVELS = 5
HEADERS = {"auto": None, "yes": True, "no": False}
FOUND_OUT = {"separator": "auto", "header": "auto", "encoding": "auto", "scheme": "auto"}
FOUND_OUT["subwords"] = "first"
"""How a file is read by default."""
SPENT = {field.name: field for field in BROWSER_FIELDS}
BUDGET = {name: "policy" if name == "method" else name for name in SPENT if not name.startswith("pin_")}
"""Names of the budget view's fields that the browser owns -> their names in this page's address."""
TABLE = StateTable(
    choice("example", "ewt", cached.EXAMPLES),
    text("file", "", r"(?:[0-9a-f]{12})?"),
    text("model", "", r"(?:[0-9a-f]{12})?"),
    choice("view", "lattice", VIEWS),
    choice("method", "cascade", cached.METHODS),
    whole("order", 3, 2, N_LEVELS),
    text("template", cached.DEFAULT, r"[a-z0-9\[\]+ -]{1,400}"),
    choice("separator", "auto", SEPARATORS),
    choice("header", "auto", HEADERS),
    choice("encoding", "auto", ("auto", *ENCODINGS)),
    choice("scheme", "auto", ("auto", *SCHEMES)),
    choice("subwords", "first", SUBWORDS),
    text("columns", "", r"(?:[0-9]{1,3}(?:-[0-9]{1,3})?)?"),
    whole("held", 30, 10, 60),
    whole("seed", 0, 0, 999_999),
    real("tol", 5.0, 0.0, 100.0),
    whole("passes", 10, 1, 50),
    whole("sentence", -1, 0, 1_000_000),
    *lattice_fields(N_LEVELS, r"[^\x00-\x1f]{1,200}"),
    choice("by", "event", ("event", "definition")),
    real("alpha", None, LOWEST_ALPHA, 1.0),
    *(SPENT[name]._replace(name=alias) for name, alias in BUDGET.items()),
    choice("steps", "given", cached.STEPS),
)
ANEW = {"sentence": -1, "level": 1, "cell": "", "alpha": None}
ANEW |= {f"a{n}": None for n in range(1, N_LEVELS + 1)}
"""Fields that another file, or another model, resets."""


def settings_of(state: dict) -> Settings:
    """Settings of the model that the address requests; those that a method does not use are the defaults."""
    usual = Settings()
    is_cascade = state["method"] == "cascade"
    return Settings(
        method=state["method"],
        order=state["order"] if is_cascade else usual.order,
        template=" ".join(state["template"].split()),
        held=state["held"],
        seed=state["seed"],
        tolerance=round(state["tol"] / 100, 9),
        passes=usual.passes if state["method"] == "crf" else state["passes"],
    )


def how_of(state: dict) -> How:
    """How the address requests the file to be read."""
    return How(
        state["separator"], HEADERS[state["header"]], state["encoding"], state["scheme"], state["subwords"]
    )


tied = partial(layout.bind, TABLE, "data")


def read() -> dict:
    """The state in the address."""
    return TABLE.parse(st.query_params)
