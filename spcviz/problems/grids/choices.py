"""Controls of the page Loopy grids: its state, presets, sliders, the variable and the comb."""

import streamlit as st

from spcviz.problems.grids.page import maps
from spcviz.problems.grids.page import text as say
from spcviz.problems.grids.shown import OPENING
from spcviz.web.ui import layout
from spcviz.web.ui.state import StateTable, choice, flag, real, whole

KINDS = {"sum": "sum-product", "max": "max-product"}
SINGULAR = {"rows": "row", "columns": "column", "classes": "class"}
SIDES, CLASSES = list(range(1, 12)), list(range(1, 9))
TABLE = StateTable(
    choice("show", "", say.SHOWS),
    whole("rows", 5, 1, 11),
    whole("columns", 5, 1, 11),
    whole("classes", 4, 1, 8),
    real("strength", 10.0, 0.0, 40.0),
    whole("seed", 3, 0, 999_999),
    whole("comb", 0, 0, 21),
    whole("variable", 8, 0, 120),
    whole("k", 2, 1, 8),
    real("alpha", 0.5, 0.0, 1.0),
    choice("kind", "sum", KINDS),
    real("damping", 0.0, 0.0, 0.95),
    flag("controls", True),
)
PRESETS = {
    "LBP fails before one's eyes": OPENING,
    "LBP fails, the combs hold": TABLE.defaults | {"show": "errors"},
    "Weak coupling: LBP wins": {"strength": 4.0, "seed": 0},
    "Six combs: 3 × 3": {"show": "combs", "rows": 3, "columns": 3, "classes": 3, "strength": 6.0, "seed": 0},
    "The thesis: 11 × 11": {"rows": 11, "columns": 11, "classes": 8, "strength": 25.0, "seed": 9},
}
SAID = {
    "kind": KINDS.get,
    "damping": "damping {:g}".format,
}
OF_GRID = ("rows", "columns", "classes", "strength", "seed")


def read():
    """The page's state: `OPENING` if the address is empty, the errors if an old link or tour has no view."""
    if "show" not in st.query_params:
        is_old = {*TABLE.fields, "tour"} & set(st.query_params)
        st.query_params.update({"show": "errors"} if is_old else TABLE.encode(OPENING))
    state = TABLE.read()
    n, sides = state["rows"] * state["columns"], state["rows"] + state["columns"]
    state |= {"show": state["show"] or "errors", "k": min(state["k"], state["classes"])}
    return state | {"variable": min(state["variable"], n - 1), "comb": min(state["comb"], sides - 1)}


def tie(name, state):
    return layout.bind(TABLE, "loopy", name, state)


def preset(name):
    """A button's callback: the grid of a preset; the view stays unless the preset names one."""
    chosen = {key: TABLE.defaults[key] for key in (*OF_GRID, "comb", "k")} | PRESETS[name]
    TABLE.write(**{"variable": chosen["rows"] * chosen["columns"] // 2} | chosen | {"controls": 1})


def controls(state):
    """One slider, the view, another grid; everything else behind a button."""
    with layout.choices():
        if state["show"] != "thesis":
            slide("Coupling ω", 40.0, 0.5, "%g", "strength", state, width=380)
        if state["show"] == "pruning":
            slide("Threshold α", 1.0, 0.01, "%.2f", "alpha", state)
        views = {"format_func": say.SHOWS.get, "width": 190, "help": say.HELP["show"]}
        st.selectbox("Show", list(say.SHOWS), **views, **tie("show", state))
        if state["show"] != "thesis":
            st.button(
                "Another grid",
                icon=":material/casino:",
                help=say.HELP["seed"],
                on_click=lambda: TABLE.write(seed=(state["seed"] + 1) % 1_000_000),
            )
        with layout.more(TABLE, state, SAID):
            more(state)


def more(state):
    """Presets; the grid's size; how belief propagation is run."""
    for name in PRESETS:
        st.button(name, on_click=preset, args=(name,), width="stretch")
    if state["show"] == "thesis":
        return
    for name, sizes in (("rows", SIDES), ("columns", SIDES), ("classes", CLASSES)):
        of = {"format_func": lambda n, name=name: f"{n} {name if n > 1 else SINGULAR[name]}"}
        st.selectbox(name.capitalize(), sizes, help=say.HELP[name], **of, **tie(name, state))
    if state["show"] == "grid":
        names = {p: maps.comb_name(state["rows"], p) for p in range(state["rows"] + state["columns"])}
        st.selectbox("Comb with spine", list(names), format_func=names.get, **tie("comb", state))
    if state["show"] in ("grid", "errors", "messages", "combs", "strength"):
        layout.segments("Messages", KINDS, tie("kind", state), say.HELP["kind"])
        slide("Damping", 0.95, 0.05, "%.2f", "damping", state)


def slide(label, most, step, form, name, state, width=180):
    """A slider; without a label its value is cut off."""
    tied = tie(name, state) | {"label_visibility": "visible"}
    st.slider(label, 0.0, most, step=step, format=form, width=width, help=say.HELP[name], **tied)


def on_click():
    """A node, cell or comb was clicked."""
    points = st.session_state["loopy_map"]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    if data:
        comb, variable = data.values() if isinstance(data, dict) else data
        TABLE.write(variable=int(variable), **({"comb": int(comb)} if comb >= 0 else {}))


def pick_variable(state, live, with_comb=False):
    """The same choice without a mouse."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {v: maps.place(live, v) for v in range(len(live.summed))}
        of = {"format_func": names.get, "width": 220, "help": say.HELP["variable"]}
        st.selectbox("Variable", list(names), **of, **tie("variable", state))
        if with_comb:
            names = {p: maps.comb_name(live, p) for p in range(len(live.combs))}
            of = {"format_func": names.get, "width": 180, "help": say.HELP["comb"]}
            st.selectbox("Comb with spine", list(names), **of, **tie("comb", state))


def keep_best(state, live):
    """How many states every variable keeps."""
    ks = {"format_func": lambda n: f"K = {n}", "help": "How many states every variable keeps."}
    st.selectbox("Keep the best", CLASSES[: live.summed.shape[1]], **ks, **tie("k", state))
