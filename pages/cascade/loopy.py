"""Loopy grids: all combs of a grid against loopy belief propagation, on one live instance."""

import streamlit as st

from spcviz.problems.grids.page import cached, maps, python
from spcviz.problems.grids.page import charts as figures
from spcviz.problems.grids.page import panels as pictures
from spcviz.problems.grids.page import text as say
from spcviz.problems.grids.page.shown import OPENING
from spcviz.web.cached import common
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout, navigation, results
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
TABLES = "pages/results/tables.py"
LOOK = layout.look(500, 640)
PLOT = layout.PLOT | {"config": CONFIG}


def read():
    """The page's state.

    An address that says nothing becomes that of the first grid. One that says something but not which view is
    from before there was a view of the grid itself, as is a tour's; these mean the errors.
    """
    if "show" not in st.query_params:
        is_old = {*TABLE.fields, "tour"} & set(st.query_params)
        st.query_params.update({"show": "errors"} if is_old else TABLE.encode(OPENING))
    state = TABLE.read()
    n, sides = state["rows"] * state["columns"], state["rows"] + state["columns"]
    state |= {"show": state["show"] or "errors", "k": min(state["k"], state["classes"])}
    return state | {"variable": min(state["variable"], n - 1), "comb": min(state["comb"], sides - 1)}


def tie(name, state):
    return layout.tied(TABLE, "loopy", name, state)


def preset(name):
    """A button's callback: the grid of a preset; what is shown stays unless the preset says."""
    chosen = {key: TABLE.defaults[key] for key in (*OF_GRID, "comb", "k")} | PRESETS[name]
    TABLE.write(**{"variable": chosen["rows"] * chosen["columns"] // 2} | chosen | {"controls": 1})


def controls(state):
    """One slider, the view, another grid; everything else behind a button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
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


def clicked():
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


def drawn(figure, said, *, can_click=False):
    """A chart with its sentence."""
    more = {"key": "loopy_map", "on_select": clicked, "selection_mode": "points"} if can_click else {}
    st.plotly_chart(figure, alt=said, **more, **PLOT)
    st.markdown(said)


def grid(state, live, beliefs):
    """The grid itself, four times, and who is wrong where."""
    shown = pictures.panels(live, beliefs, state["comb"])
    touring.offer(say.panel_facts, live, shown)
    with st.container(key="loopy_grid"):
        st.html(pictures.side_by_side(live, shown, LOOK["palette"]))
        st.markdown(say.grids(live, beliefs, shown))
    if layout.is_projected():
        return
    st.caption(say.grids_note(live))
    if all(state[name] == OPENING[name] for name in ("rows", "columns", "classes", "seed")):
        with results.said_if_damaged("grid"):
            st.caption(say.chosen(common.result("grid")))


def keep_best(state, live):
    """How many states every variable keeps."""
    ks = {"format_func": lambda n: f"K = {n}", "help": "How many states every variable keeps."}
    st.selectbox("Keep the best", CLASSES[: live.summed.shape[1]], **ks, **tie("k", state))


def errors(state, live, beliefs):
    chart, side = st.columns([4, 1], gap="medium")
    with side:
        keep_best(state, live)
    layout.numbers(side, say.error_figures(live, beliefs, state["k"]))
    with chart:
        drawn(figures.errors(live, beliefs, **LOOK), say.compared(live, beliefs, state["k"]))


def strengths(state, live):
    chart, side = st.columns([4, 1], gap="medium")
    with side:
        keep_best(state, live)
    k, of = state["k"], [state[name] for name in ("rows", "columns", "classes", "seed", "kind", "damping")]
    with chart:
        sweep = cached.strength_sweep(*of)
        touring.offer(say.strength_facts, sweep, k)
        drawn(figures.strengths(sweep, k, state["strength"], **LOOK), say.strengths(sweep, k))


def combs(state, live, beliefs):
    pick_variable(state, live, with_comb=True)
    at, look = (state["comb"], state["variable"]), layout.look(470, 525)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        drawn(maps.combs(live, *at, **look), say.combs(live), can_click=True)
    with right:
        drawn(figures.rankings(live, beliefs, *at, **look), say.ranking(live, beliefs, *at))


def agreement(state, live):
    chart, side = st.columns([4, 1], gap="medium")
    touring.offer(say.agreement_facts, live)
    layout.numbers(side, say.agreement_figures(live))
    with chart:
        drawn(maps.agreement(live, state["variable"], **LOOK), say.agreement(live), can_click=True)


def pruning(state, live, pruned):
    chart, side = st.columns([4, 1], gap="medium")
    touring.offer(say.pruning_facts, live, pruned)
    layout.numbers(side, say.pruning_figures(live, pruned))
    with chart:
        figure = maps.falling(live, pruned, state["variable"], **LOOK)
        drawn(figure, say.pruning(live, pruned), can_click=True)


def thesis(result):
    """The reproduced figure."""
    if not (result and result.get("settings")):
        return st.info(say.MISSING)
    drawn(figures.thesis(result, **LOOK), say.thesis(result))
    return st.page_link(
        navigation.file_of(TABLES), label="All numbers, beside the paper's", query_params={"table": "grid"}
    )


def story():
    """Controls, cached calls, a figure."""
    state = read()
    if layout.has_controls(state):
        controls(state)
    touring.offer_python(python.lines(state))
    show, of = state["show"], tuple(state[name] for name in OF_GRID)
    if show == "thesis":
        with results.said_if_damaged("grid"):
            return thesis(common.result("grid"))
        return None
    live = cached.live_grid(*of)
    touring.offer(say.grid_facts, live)
    if show == "pruning":
        return pruning(state, live, cached.grid_pruned(*of, state["alpha"]))
    if show == "agreement":
        return agreement(state, live)
    if show == "strength":
        return strengths(state, live)
    beliefs = cached.grid_beliefs(*of, state["kind"], state["damping"])
    touring.offer(say.error_facts, live, beliefs, state["k"])
    if show != "messages":
        return {"grid": grid, "combs": combs, "errors": errors}[show](state, live, beliefs)
    pick_variable(state, live)
    touring.offer(say.oscillation_facts, beliefs, state["variable"])
    said = say.oscillation(beliefs, live, state["variable"])
    drawn(figures.messages(beliefs, state["variable"], **layout.look(500, 560)), said)


layout.use_the_room()
if not layout.is_projected():
    st.markdown(say.INTRODUCTION)
touring.by_itself(story)()
