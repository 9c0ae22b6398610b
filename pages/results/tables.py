"""Paper tables: each reproduced result beside the paper's numbers, with what falls short."""

import json
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from spcviz.figures import tables as figures
from spcviz.figures.theme import CONFIG
from spcviz.ui import cached, navigation, theme
from spcviz.ui.state import StateTable, choice, flag, text

IS_PROJECTED = st.context.is_embedded
SCALE, HEIGHT = (1.6, 640) if IS_PROJECTED else (1.0, 430)
LOOK = {"palette": theme.palette(st.context.theme.type), "scale": SCALE, "height": HEIGHT}
LABELS = "collapsed" if IS_PROJECTED else "visible"


class Renderer(NamedTuple):
    """How a result is shown: its title, and a function of (result, features)."""

    title: str
    show: Callable


def orders(result, features):
    """Thesis Table 4.3."""
    st.plotly_chart(figures.accuracy_figure(result, **LOOK), theme=None, config=CONFIG)
    st.markdown(figures.dictionary_sentence(result, features))
    table(figures.orders_frame(result, features), f"ocr-orders-{features}")
    st.markdown("##### What it costs")
    st.markdown(figures.cost_sentence(result, features))
    st.plotly_chart(figures.cost_figure(result, **LOOK), theme=None, config=CONFIG)


def sweep(result, features):
    """Filters against each other: the curves are on the Sweep page."""
    if navigation.exists("pages/cascade/sweep.py"):
        st.page_link(
            "pages/cascade/sweep.py", label="The curves are on the Sweep page", icon=":material/tune:",
            query_params={"show": "filters", "features": features},
        )  # fmt: skip
    table(figures.sweep_frame(result, features), f"ocr-sweep-{features}")


def anything(result, features):
    """A result that has no renderer of its own yet."""
    table(figures.any_frame(result), result["name"])


RENDERERS = {
    "ocr-orders": Renderer("Handwriting, orders 1 to 6 (Table 4.3)", orders),
    "ocr-sweep": Renderer("Handwriting, three filters (summary 5.2)", sweep),
}
NAMES = [*RENDERERS, *(name for name in cached.results_found() if name not in RENDERERS)]
TABLE = StateTable(
    choice("table", NAMES[0], NAMES), text("features", "raw", r"[a-z0-9_]{1,24}"), flag("controls", True)
)


def table(frame, name):
    """A frame with its download."""
    formats = {c: st.column_config.NumberColumn(format=figures.number_format(c)) for c in frame.columns}
    st.dataframe(frame, column_config=formats, placeholder="")
    st.download_button(
        "CSV", lambda: frame.to_csv(), f"{name}.csv", "text/csv", icon=":material/download:", key=f"csv_{name}",
        on_click="ignore", help="This table as text with commas.",
    )  # fmt: skip


def origin(result):
    """Data, command, machine, and the whole file."""
    st.markdown("##### How to repeat it")
    st.code(figures.command_of(result), language="bash")
    st.caption(figures.origin_sentence(result))
    st.download_button(
        "JSON: everything, settings and held-out figures too", lambda: json.dumps(result, indent=1),
        f"{result['name']}.json", "application/json", icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def controls(state, features):
    """Which table, which features."""

    def widget(name, **forget):
        key = f"tables_{name}"
        st.session_state[key] = state[name]
        return {
            "key": key,
            "on_change": lambda: TABLE.write(**{name: st.session_state[key]}, **forget),
            "label_visibility": LABELS,
            "required": True,
        }

    def title(name):
        return RENDERERS[name].title if name in RENDERERS else name

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control("Result", NAMES, format_func=title, **widget("table", features="raw"))
        if len(features) > 1:
            names = figures.FEATURES
            st.segmented_control(
                "What it sees", features, format_func=lambda f: names.get(f, f), **widget("features")
            )


def page():
    """Choices, then one result."""
    asked = TABLE.parse(st.query_params)
    result = cached.result(asked["table"])
    if result is not None and not figures.is_usable(result):
        result = None
    features = figures.features_of(result) if result else []
    state = (TABLE.narrow(features=features) if features else TABLE).read()
    if state["controls"]:
        controls(state, features)
    if result is None:
        st.info(
            "This result is not stored here, or its file cannot be read. Make it with: "
            f"`python -m spcviz reproduce {state['table']}` (`--quick --folds 1` for a first look)."
        )
        return
    st.caption(f"**Paper**: {result.get('source', 'not said')}. **Measured**: by this project, see below.")
    short = figures.shortfalls(result) if state["table"] == "ocr-orders" else []
    RENDERERS.get(state["table"], Renderer("", anything)).show(result, state["features"])
    if short:
        st.markdown("##### What falls short")
        st.markdown("\n".join(f"- {sentence}" for sentence in short))
    origin(result)


st.html(
    f"<style>.stMainBlockContainer {{padding: {'1rem 2rem 0' if IS_PROJECTED else '3rem 2rem 1rem'}}}</style>"
)
if not IS_PROJECTED:
    st.markdown(
        "#### Paper tables\n"
        "What the papers report beside what this project measures. Every number says which of the two it is: "
        "**paper** (copied) or **measured** (here, by the command under the table)."
    )
page()
