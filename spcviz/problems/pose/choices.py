"""Controls of the page Pose on video: its state, the clip, one's own picture, panels of measured results.

A visitor's own picture is chosen in one line above it; the notes on it (`notes`) stand below.
"""

import streamlit as st

from spcviz.problems.pose.page import cached
from spcviz.problems.pose.page import text as say
from spcviz.problems.pose.paper import result as paper_result
from spcviz.problems.pose.paper import tables
from spcviz.problems.pose.shown import PoseScene
from spcviz.web.cached import common
from spcviz.web.figures.theme import CONFIG
from spcviz.web.ui import layout, results
from spcviz.web.ui.state import LOWEST_ALPHA, StateTable, choice, flag, real, text, whole

STORIES = {"cascade": "Clips", "people": "Does it work?", "thesis": "Fig. 5.5"}
PICTURES = ("level", "heat", "all", "top", "three")
ARMS = ("four", "bought")
N_LEVELS = 7
ALPHAS = tuple(f"a{level}" for level in range(N_LEVELS))
SAID = {"method": say.METHODS.get, "show": lambda show: STORIES.get(show, "")}
NEW_CLIP = {"frame": 0, "cell": ""}


def scenes() -> dict[str, str]:
    """Kinds of pictures and clips available here, with their names in the menu."""
    always = {"camera": "Your camera", "upload": "Your own", "astronaut": "Astronaut"}
    signs = {"signs": "People signing"} if cached.SIGNS else {}
    return signs | always | ({"buffy": "Buffy"} if cached.has_buffy() else {}) | {"rendered": "Rendered"}


def table_of(kinds: dict[str, str]) -> StateTable:
    """The page's state in the address, for these kinds of pictures."""
    return StateTable(
        choice("show", "level", (*PICTURES, *ARMS, "people", "thesis")),
        choice("scene", next(iter(kinds)), kinds, elsewhere="buffy"),
        text("sign", cached.FIRST, "[a-z]{1,12}"),
        whole("seed", 5, 0, 999_999),
        whole("clip", 0, 0, cached.N_BUFFY - 1),
        whole("frame", 0, 0, 299),
        whole("level", 3, 0, N_LEVELS - 1),
        *(real(name, None, LOWEST_ALPHA, 1.0) for name in ALPHAS),
        text("cell", "", "(?:[0-4]-[0-9]{1,6})?"),
        choice("method", "single", say.METHODS),
        flag("truth", True),
        real("spend", 0.1, 0.0, 1.0),
        *(real(name, None, 0.0, 1.0) for name in ("x", "y")),
        real("size", None, 0.2, 2.0),
        flag("controls", True),
        opening={"level": 0},
    ).narrow(sign=cached.SIGNS)


def show(table: StateTable, state: dict, kinds: dict[str, str]) -> None:
    """The row of choices: the picture; behind a button, what to show and by which method."""

    def changed():
        view = st.session_state["pose_story"]
        table.write(show="level" if view == "cascade" else view)

    def tie(name, **forget):
        return layout.bind(table, "pose", name, state, **forget)

    view = state["show"] if state["show"] in STORIES else "cascade"
    st.session_state["pose_story"] = view
    hidden = {"label_visibility": "collapsed" if layout.is_projected() else "visible"}
    with layout.choices():
        if view == "cascade":
            of = {"format_func": kinds.get, "width": 200, "help": say.HELP["scene"]}
            st.selectbox("Picture", list(kinds), **of, **tie("scene", **NEW_CLIP))
            _which_clip(table, state, tie)
        with layout.more(table, state, SAID):
            tied = {"key": "pose_story", "on_change": changed} | hidden
            layout.segments("Show", STORIES, tied, say.HELP["show"])
            layout.segments("Method", say.METHODS, tie("method", cell=""), say.HELP["method"])


def _which_clip(table, state, tie):
    if state["scene"] == "signs":
        st.selectbox("Sign", cached.SIGNS, width=140, **tie("sign", **NEW_CLIP))
    if state["scene"] == "rendered":
        another = {"seed": (state["seed"] + 1) % 1_000_000} | NEW_CLIP
        st.button("Another clip", icon=":material/casino:", help=say.HELP["seed"],
                  on_click=lambda: table.write(**another))  # fmt: skip
    if state["scene"] == "buffy":
        st.selectbox("Clip", range(cached.N_BUFFY), width=110, **tie("clip", **NEW_CLIP))


KINDS = ("camera", "upload")
WINDOW = ("x", "y", "size")


def scene_of(table: StateTable, state: dict) -> PoseScene | None:
    """A file or snapshot as a scene, or None after a warning that says why."""
    with st.container(horizontal=True):
        file = _snapshot(table) if state["scene"] == "camera" else _upload()
        place = st.container(horizontal=True, width="content")
    if file is None:
        return None
    try:
        return _bind_window(table, state, file.getvalue(), place)
    except cached.UploadError as error:
        st.warning(str(error), icon=":material/broken_image:")
        return None


def notes(trained_on: str) -> str:
    """The notes on a visitor's picture: what the model has learned, and how the window was found."""
    rows = cached.finder_rows()
    search = f" {say.found_how(rows)} {say.found_nobody(rows)}" if rows else ""
    return f"{trained_on} {say.NOBODY_THERE} {say.WINDOW}{search}"


def _upload():
    def bring(key):
        label = "A picture or a short clip, at most 20 MB"
        return st.file_uploader(label, key=key, max_upload_size=20)

    return layout.upload_box("Your picture or clip", bring, "pose_file")


def _snapshot(table):
    """The camera's snapshot; a button takes a new one through the same window."""
    taken = st.session_state.setdefault("pose_snaps", 0)

    def again():
        st.session_state["pose_snaps"] = taken + 1
        table.write(**NEW_CLIP)

    def take(key):
        st.caption(say.CAMERA)
        file = st.camera_input("Stand facing the camera, head to hips", key=key)
        st.caption(say.NO_CAMERA)
        return file

    file = layout.upload_box("Camera", take, f"pose_camera_{taken}")
    if file is not None:
        st.button("Snap again", icon=":material/photo_camera:", on_click=again)
    return file


def _bind_window(table, state, data, place):
    """Crop a file by a window: the search finds it, sliders behind a button in `place` correct it."""
    best, rows = cached.find_person(data), cached.finder_rows()
    filled = state | {name: best[name] if state[name] is None else state[name] for name in WINDOW}
    with place.popover("Window", icon=":material/crop:"):
        for label, name, low, high in (("Window: across", "x", 0.0, 1.0), ("down", "y", 0.0, 1.0),
                                       ("size", "size", 0.2, 2.0)):  # fmt: skip
            tied = layout.bind(table, "pose", name, filled) | {"label_visibility": "visible"}
            st.slider(label, low, high, step=0.01, width=220, help=say.HELP.get(name, say.WINDOW), **tied)
    if best["score"] is not None:
        forget = dict.fromkeys(WINDOW)
        place.button("Find the person", icon=":material/person_search:", help=say.found_how(rows),
                     on_click=lambda: table.write(**forget))  # fmt: skip
        if best["score"] < best["threshold"]:
            st.warning(say.nobody(best), icon=":material/person_off:")
    return cached.upload_scene(data, *(filled[name] for name in WINDOW))


def thesis() -> None:
    """The reproduced figure."""
    with results.said_if_damaged("pose-cascade"):
        result = common.result("pose-cascade")
        if not tables.is_usable(result):
            st.info(tables.MISSING)
            return
        figure, sentence = tables.levels_figure(result, **layout.look(430, 560)), tables.sentence(result)
        st.plotly_chart(figure, alt=sentence.replace("*", ""), **layout.PLOT, config=CONFIG)
        st.markdown(sentence)


def does_it_work() -> None:
    """Pictures never trained on: the table, and a gallery of failures."""
    with results.said_if_damaged("pose-people"):
        result = common.result("pose-people")
        if not result:
            st.info(paper_result.MISSING)
            return
        st.markdown(paper_result.sentence(result))
        st.dataframe(paper_result.frame(result))
        st.caption(paper_result.note(result))
        st.markdown(paper_result.GALLERY)
        columns = st.columns(4)
        shown = [
            (failure, cached.failure_picture(failure["data"], failure["picture"]))
            for failure in result["gallery"]
        ]
        for at, (failure, picture) in enumerate(row for row in shown if row[1]):
            caption = paper_result.failure_said(failure)
            columns[at % 4].image(paper_result.failure_svg(failure, picture), caption=caption)
        without = [failure for failure, picture in shown if not picture]
        if without:
            st.markdown(paper_result.without_pictures(without))
