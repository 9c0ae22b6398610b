"""Paper tables: the papers' statements and figures, each next to its reproduction here."""

import json

import streamlit as st

from spcviz.shared import folders
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.figures import stored_results
from spcviz.web.figures.stored_results import command_of, features_of, is_usable, origin_sentence
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout, navigation, results
from spcviz.web.ui.layout import veil
from spcviz.web.ui.state import StateTable, choice, flag, text

# A wheel has neither statements nor results, and does not offer this page.
STATEMENTS, PAGES, EVIDENCE, READINGS = (
    folders.load_module(f"experiments.statements{name}") for name in ("", ".pages", ".evidence", ".readings")
)
LOOK = layout.look(results.HEIGHT)
NAMES = results.names()
OVERVIEW = "overview"
TABLE = StateTable(
    choice("table", OVERVIEW, (OVERVIEW, *NAMES)),
    text("features", results.FEATURES, r"[a-z0-9_]{1,24}"),
    flag("controls", True),
)


def words(block):
    """Sentences in Markdown."""
    if block.markdown:
        st.markdown(block.markdown)


def readings():
    """The readings of all statements: (of the documents, our own)."""
    evidence = EVIDENCE.Evidence(common.result)
    every = STATEMENTS.PAPERS, STATEMENTS.OWN
    return tuple(READINGS.read(statements, evidence, is_strict=False) for statements in every)


def overview():
    """All statements in the documents' order, our own, then links to the tables of all results."""
    papers, own = results.statements(readings)
    questions.offer({"table": OVERVIEW, "failing": 0, **READINGS.count_held(papers)})
    if "verdicts" in questions.hidden_parts():
        veil("All verdicts stay hidden until you have guessed.")
        return
    st.markdown(PAGES.opening(papers))
    st.html(PAGES.table_html(papers))
    st.markdown(f"## What we found out ourselves\n{PAGES.OWN_OPENING}")
    st.html(PAGES.table_html(own))
    ways = (f"- [{results.title(name)}](./tables?table={name})" for name in NAMES)
    st.markdown("\n".join(["## A table a result", *ways]))


def chart(block):
    """One chart."""
    st.plotly_chart(block.make(), alt=block.alt, key=block.key, config=CONFIG, **layout.PLOT)


def charts(block):
    """Charts side by side."""
    for column, one_chart in zip(st.columns(len(block.charts)), block.charts, strict=True):
        with column:
            chart(one_chart)


def table(block):
    """A frame with its download."""
    frame, name = block.frame, block.name
    formats = {
        c: st.column_config.NumberColumn(format=stored_results.number_format(c, block.decimals))
        for c in frame.select_dtypes("number").columns
    }
    st.dataframe(block.rows, column_config=formats, placeholder="–")
    download(frame, name)


def download(frame, name):
    """A button that downloads a table."""
    st.download_button(
        "CSV", lambda: frame.to_csv().encode("utf-8-sig"), f"{name}.csv", "text/csv",
        icon=":material/download:",
        key=f"csv_{name}", on_click="ignore", help="This table as text with commas.",
    )  # fmt: skip


def link(block):
    """A link to another page, if that page exists here."""
    if navigation.exists(block.path):
        st.page_link(
            navigation.file_of(block.path), label=block.label, icon=block.icon, query_params=block.query
        )


DRAW = {
    stored_results.Heading: lambda block: st.markdown(f"## {block.text}"),
    stored_results.Text: words,
    stored_results.Note: lambda block: st.caption(block.markdown),
    stored_results.ChartBlock: chart,
    stored_results.Charts: charts,
    stored_results.Table: table,
    stored_results.Link: link,
}


def origin(result):
    """Data, command, machine, and the whole file."""
    st.markdown("## How to repeat it")
    st.code(command_of(result), language="bash")
    st.caption(origin_sentence(result))
    st.download_button(
        "JSON: everything, settings and held-out figures too", lambda: json.dumps(result, indent=1),
        f"{result['name']}.json", "application/json", icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def title(name):
    """The name of an entry in the menu."""
    return "Overview: all statements" if name == OVERVIEW else results.title(name)


def controls(state, labels):
    """Choices of table and features: `labels` maps sets of features to their names."""
    with layout.choices():
        tie = layout.bind(TABLE, "tables", "table", state, features=results.FEATURES)
        st.selectbox("Result", [OVERVIEW, *NAMES], format_func=title, width=420, **tie)
        if len(labels) > 1:
            layout.segments("What it sees", labels, layout.bind(TABLE, "tables", "features", state))


def body(result, name, features, shown):
    """One result."""
    st.caption(f"**Paper**: {result.get('source', 'not said')}. **Measured**: by this project, see below.")
    papers, _ = results.statements(readings)
    questions.offer({"table": name, "failing": len(READINGS.failing(papers, name))})
    if of_it := [one for one in [*STATEMENTS.PAPERS, *STATEMENTS.OWN] if name in one.results]:
        st.caption(f"**Statements that read it**: {'; '.join(one.text for one in of_it)}.")
    for block in results.draw_result(name, features, LOOK):
        DRAW[type(block)](block)
    for note in shown.notes(result):
        st.caption(note)
    origin(result)


def page():
    """Choices, then all statements or one result."""
    if "features" in st.query_params and "table" not in st.query_params:
        st.query_params["table"] = NAMES[0]  # what such an address meant before there was an overview
    name = TABLE.parse(st.query_params)["table"]
    touring.offer_python(PAGES.python("" if name == OVERVIEW else name))
    if name == OVERVIEW:
        if layout.has_controls(TABLE.read()):
            controls(TABLE.read(), {})
        return overview()
    shown, place, is_here, features = results.find_shown(name), st.container(), False, []
    with results.said_if_damaged(name):
        is_here = is_usable(result := common.result(name), shown.needs)
        if not is_here:
            st.info(
                "This result is not stored here, or its file cannot be read. Make it with: "
                f"`python -m spcviz reproduce {name}`."
            )
        features = features_of(result) if is_here else []
    state = (TABLE.narrow(features=features) if features else TABLE).read()
    with place:
        if layout.has_controls(state):
            controls(state, {feature: shown.features.get(feature, feature) for feature in features})
    if is_here:
        with results.said_if_damaged(name):
            body(result, name, state["features"], shown)
    return None


layout.show_page(
    touring.by_itself(page),
    "# Paper tables\n"
    "What the papers report beside what this project measures. Every number says which of the two it is: "
    "**paper** (copied) or **measured** (here, by the command under the table).",
    is_whole=False,
)
