"""Paper tables: each reproduced result beside the paper's numbers, with what falls short."""

import json
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from spcviz.figures.arms import charts, tables
from spcviz.figures.arms import text as arms_text
from spcviz.figures.common.theme import CONFIG
from spcviz.figures.grids import charts as grids
from spcviz.figures.grids import text as loopy_text
from spcviz.figures.letters import tables as figures
from spcviz.figures.letters import tables_text as say
from spcviz.figures.pose import result as pose_figures
from spcviz.figures.tagging import charts as tagging_figures
from spcviz.figures.words import charts as spending
from spcviz.figures.words import text as spending_text
from spcviz.ui import layout, navigation
from spcviz.ui.cached import common
from spcviz.ui.state import StateTable, choice, flag, text

LOOK = layout.look(430)
PLOT = layout.PLOT | {"config": CONFIG}


class Renderer(NamedTuple):
    """How a result is shown: its title, what each of its rows must have, a function of (result, features)."""

    title: str
    needs: tuple
    show: Callable


def orders(result, features):
    """Thesis Table 4.3."""
    st.plotly_chart(figures.accuracy_figure(result, **LOOK), **PLOT)
    st.markdown(say.dictionary_sentence(result, features))
    table(figures.orders_frame(result, features), f"ocr-orders-{features}")
    st.markdown("##### What it costs")
    st.markdown(say.cost_sentence(result, features))
    st.plotly_chart(figures.cost_figure(result, **LOOK), **PLOT)
    st.markdown("##### What falls short")
    st.markdown("\n".join(f"- {s}" for s in say.shortfalls(result)) or "Nothing against the paper.")
    st.caption(say.FILTER_LOSS_NOTE)


def sweep(result, features):
    """Filters against each other: the curves are on the Sweep page."""
    if navigation.exists("pages/cascade/sweep.py"):
        st.page_link(
            "pages/cascade/sweep.py", label="The curves are on the Sweep page", icon=":material/tune:",
            query_params={"show": "filters", "features": features},
        )  # fmt: skip
    st.markdown(
        "n-grams that each filter must keep if at most so many words may lose their truth: points of the "
        "curves on "
        "test words. The Sweep page chooses thresholds on development words instead, as one has to in "
        "practice."
    )
    table(figures.sweep_frame(result, features), f"ocr-sweep-{features}")


def tagging(result, features):
    """Thesis Table 4.2."""
    table(figures.tagging_frame(result, features), f"tagging-{features}")
    st.caption(
        "The paper measured all of the Wall Street Journal with word-tag features, in milliseconds of its "
        "day; here Full is this project's own vectorised exact Viterbi over all trigrams, and all methods "
        "were timed in turns in one run. Thresholds were chosen on held-out sentences."
    )
    for data in dict.fromkeys(row["data"] for row in result["rows"] if row["features"] == features):
        st.markdown(f"##### Filters against each other: {figures.TAGGING_DATA.get(data, data)}")
        said = tagging_figures.curves_text(result, features, data)
        chart = tagging_figures.curves(result, features, data, **LOOK)
        st.plotly_chart(chart, alt=said, key=f"tagging_{data}", **PLOT)
        st.markdown(said)
    if navigation.exists("pages/cascade/tagging.py"):
        st.page_link("pages/cascade/tagging.py", label="One sentence, live", icon=":material/sell:")


def grid(result, features):
    """Loopy grids: Fig. 5.3 and the agreement of the combs."""
    said = loopy_text.thesis(result)
    st.plotly_chart(grids.thesis(result, **LOOK), alt=said, **PLOT)
    st.markdown(said)
    table(figures.grid_frame(result), "grid")
    st.markdown("##### Do the combs agree?")
    table(figures.grid_agreement_frame(result), "grid-agreement")
    st.markdown("##### What differs from the paper")
    st.markdown("\n".join(f"- {s}" for s in say.grid_shortfalls(result)) or "Nothing that it states.")
    if navigation.exists("pages/cascade/loopy.py"):
        st.page_link("pages/cascade/loopy.py", label="One grid, live", icon=":material/grid_on:")


def budget(result, features):
    """What a budget buys."""
    st.plotly_chart(spending.trade_off_figure(result, **LOOK), **PLOT)
    st.plotly_chart(spending.trade_off_figure(result, axis="us", tolerances=True, **LOOK), **PLOT)
    if result["name"] == "dms-ocr":
        st.plotly_chart(spending.speedup_figure(result, **LOOK), **PLOT)
        st.plotly_chart(spending.stopping_figure(result, **LOOK), **PLOT)
    st.markdown("\n".join(f"- {sentence}" for sentence in spending_text.sentences(result)))
    table(spending.curves_frame(result), result["name"])
    st.caption(spending_text.UNITS_NOTE)


def pose_cascade(result, features):
    """Thesis Fig. 5.5(c)."""
    st.plotly_chart(pose_figures.levels_figure(result, **LOOK), **PLOT)
    st.markdown(pose_figures.sentence(result))
    table(pose_figures.levels_frame(result), "pose-cascade")
    st.markdown("##### The best guess")
    table(pose_figures.guesses_frame(result), "pose-cascade-guesses")
    st.caption("The window of annotated crops knows where the person is; a jittered one only about.")


def pose_ensemble(result, features):
    """Thesis Fig. 5.5(a, b)."""
    st.markdown(pose_figures.ensemble_sentence(result))
    table(pose_figures.ensemble_frame(result), "pose-ensemble")


def dms_pose(result, features):
    """Thesis Fig. 6.2 to 6.4."""
    for clips in charts.clips_of(result):
        st.markdown(f"##### {charts.CLIPS.get(clips, clips)}")
        both_joints(charts.speedup_figure, result, f"speed_{clips}", clips=clips)
        st.plotly_chart(charts.stopping_figure(result, clips=clips, **LOOK), key=f"stops_{clips}", **PLOT)
        both_joints(charts.accuracy_figure, result, f"within_{clips}", clips=clips)
    findings(result)
    table(tables.curves_frame(result), "dms-pose")
    st.caption(arms_text.NOTE)


def policy_pose(result, features):
    """Thesis Table 7.1 and Fig. 7.2."""
    both_joints(charts.time_figure, result, "time")
    findings(result)
    st.markdown("##### Table 7.1")
    table(tables.table_frame(result), "policy-pose")
    st.markdown("##### All curves")
    table(tables.curves_frame(result), "policy-pose-curves")
    st.caption(arms_text.NOTE)


def findings(result):
    """Sentences, and who is better than whom."""
    st.markdown("\n".join(f"- {sentence}" for sentence in arms_text.sentences(result)))
    st.markdown("##### Who is better")
    table(tables.gaps_frame(result), f"{result['name']}-gaps")


def both_joints(draw, result, key, **more):
    """A chart of elbows beside one of wrists."""
    for column, joint in zip(st.columns(2), charts.JOINTS, strict=True):
        column.plotly_chart(draw(result, joint=joint, **more, **LOOK), key=f"{key}_{joint}", **PLOT)


def anything(result, features):
    """A result that has no renderer of its own yet."""
    table(figures.any_frame(result), result["name"])


RENDERERS = {
    "ocr-orders": Renderer("Handwriting, orders 1 to 6 (Table 4.3)", say.ORDERS_NEED, orders),
    "ocr-sweep": Renderer("Handwriting, three filters (summary 5.2)", say.SWEEP_NEEDS, sweep),
    "tagging": Renderer("Tagging, four methods (Table 4.2)", ("data", "method", "features"), tagging),
    "grid": Renderer("Loopy grids (Fig. 5.3)", say.GRID_NEEDS, grid),
    "pose-cascade": Renderer("Pose, level by level (Fig. 5.5c)", pose_figures.NEEDS, pose_cascade),
    "pose-ensemble": Renderer("Pose over time (Fig. 5.5a, b)", pose_figures.ENSEMBLE_NEEDS, pose_ensemble),
    "dms-pose": Renderer(arms_text.TITLES["dms-pose"], charts.NEEDS, dms_pose),
    "policy-pose": Renderer(arms_text.TITLES["policy-pose"], charts.NEEDS, policy_pose),
} | {name: Renderer(title, spending.NEEDS, budget) for name, title in spending_text.TITLES.items()}
NAMES = [*RENDERERS, *(name for name in common.results_found() if name not in RENDERERS)]
TABLE = StateTable(
    choice("table", NAMES[0], NAMES), text("features", "raw", r"[a-z0-9_]{1,24}"), flag("controls", True)
)


def table(frame, name):
    """A frame with its download."""
    numbers = frame.select_dtypes("number").columns
    formats = {c: st.column_config.NumberColumn(format=figures.number_format(c)) for c in numbers}
    st.dataframe(frame, column_config=formats, placeholder="–")
    st.download_button(
        "CSV", lambda: frame.to_csv(), f"{name}.csv", "text/csv", icon=":material/download:",
        key=f"csv_{name}", on_click="ignore", help="This table as text with commas.",
    )  # fmt: skip


def origin(result):
    """Data, command, machine, and the whole file."""
    st.markdown("##### How to repeat it")
    st.code(say.command_of(result), language="bash")
    st.caption(say.origin_sentence(result))
    st.download_button(
        "JSON: everything, settings and held-out figures too", lambda: json.dumps(result, indent=1),
        f"{result['name']}.json", "application/json", icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def controls(state, features):
    """Which table, which features."""
    titles = {name: RENDERERS[name].title if name in RENDERERS else name for name in NAMES}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tie = layout.tied(TABLE, "tables", "table", state, features="raw")
        st.selectbox("Result", NAMES, format_func=titles.get, width=420, **tie)
        if len(features) > 1:
            labels = {name: figures.FEATURES.get(name, name) for name in features}
            layout.segments("What it sees", labels, layout.tied(TABLE, "tables", "features", state))


def page():
    """Choices, then one result."""
    name = TABLE.parse(st.query_params)["table"]
    renderer = RENDERERS.get(name, Renderer(name, (), anything))
    result = common.result(name)
    result = result if say.is_usable(result, renderer.needs) else None
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
    renderer.show(result, state["features"])
    origin(result)


layout.use_the_room()
if not layout.is_projected():
    st.markdown(
        "#### Paper tables\n"
        "What the papers report beside what this project measures. Every number says which of the two it is: "
        "**paper** (copied) or **measured** (here, by the command under the table)."
    )
page()
