"""Pose on video: limb hypotheses thin out from 10 x 10 cells to 80 x 80, frame by frame."""

import time

import streamlit as st

from spcviz.figures.arms import clip as budgets
from spcviz.figures.arms import clip_text as tell
from spcviz.figures.common.theme import CONFIG
from spcviz.figures.pose import charts as figures
from spcviz.figures.pose import tables
from spcviz.figures.pose import text as say
from spcviz.ui import layout
from spcviz.ui.cached import arms as bought
from spcviz.ui.cached import common
from spcviz.ui.cached import pose as cached
from spcviz.ui.state import StateTable, choice, flag, real, whole

SHOWS = {
    "level": "Before and after",
    "all": "All levels",
    "top": "Best guess, top 4",
    "three": "Three sub-models",
    "four": "Four models of arms",
    "bought": "What each frame bought",
    "thesis": "Fig. 5.5",
}
SCENES = {"rendered": "Rendered clip", "astronaut": "Astronaut"}
SCENES |= {"buffy": "Buffy test clip"} if cached.has_buffy() else {}
SCENES |= {"upload": "Your own"}
ARMS = ("four", "bought")
N_FRAMES, N_BUFFY = 12, 69
UNSEEN = 20_000  # clips of these seeds and on: models of arms learned from others
TABLE = StateTable(
    choice("show", "level", SHOWS),
    choice("scene", "rendered", SCENES),
    whole("seed", 5, 0, 999_999),
    whole("clip", 0, 0, N_BUFFY - 1),
    whole("frame", 0, 0, 299),
    whole("level", 3, 0, 6),
    real("alpha", None, 0.0, 1.0),
    choice("method", "single", say.METHODS),
    flag("truth", True),
    real("spend", 0.1, 0.0, 1.0),
    real("x", 0.5, 0.0, 1.0),
    real("y", 0.5, 0.0, 1.0),
    real("size", 1.0, 0.2, 2.0),
    flag("controls", True),
)
PLOT = layout.PLOT | {"config": CONFIG}


def tie(name, state, **forget):
    return layout.tied(TABLE, "pose", name, state, **forget)


def slide(label, low, high, step, name, state):
    """A slider of a real number."""
    tied = tie(name, state) | {"label_visibility": "visible"}
    st.slider(label, low, high, step=step, width=170, help=say.HELP.get(name, say.WINDOW), **tied)


def controls(state):
    """What to look at, and how."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        layout.segments("Show", SHOWS, tie("show", state), say.HELP["show"])
        if state["show"] != "thesis":
            layout.segments("Picture", SCENES, tie("scene", state, frame=0), say.HELP["scene"])
    if state["show"] == "thesis":
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if state["scene"] == "rendered":
            another = {"seed": (state["seed"] + 1) % 1_000_000, "frame": 0}
            st.button("Another clip", icon=":material/casino:", help=say.HELP["seed"],
                      on_click=lambda: TABLE.write(**another))  # fmt: skip
        if state["scene"] == "buffy":
            st.selectbox("Clip", range(N_BUFFY), width=110, **tie("clip", state, frame=0))
        if state["scene"] == "upload":
            for label, name, low, high in (("Window: across", "x", 0.0, 1.0), ("down", "y", 0.0, 1.0),
                                           ("size", "size", 0.2, 2.0)):  # fmt: skip
                slide(label, low, high, 0.01, name, state)
        if state["show"] == "bought":
            tied = tie("spend", state) | {"label_visibility": "visible"}
            st.slider(
                "Share of the time that may be spent", 0.0, 1.0, step=0.01, help=tell.SPEND_HELP, **tied
            )
        elif state["show"] != "four":
            cascade_controls(state)
        if state["scene"] in ("rendered", "buffy"):
            st.toggle("Truth", key="pose_truth", value=bool(state["truth"]), help=say.HELP["truth"],
                      on_change=lambda: TABLE.write(truth=int(st.session_state["pose_truth"])))  # fmt: skip


def cascade_controls(state):
    """Level, method and threshold."""
    if state["show"] in ("level", "three"):
        st.selectbox("Level", range(7), width=90, help=say.HELP["level"], **tie("level", state))
    if state["show"] != "three":
        layout.segments("Method", say.METHODS, tie("method", state), say.HELP["method"])
    is_own = st.toggle("My own α", state["alpha"] is not None, key="pose_own_alpha", on_change=toggled,
                       help=say.HELP["alpha"])  # fmt: skip
    if is_own and state["alpha"] is not None:
        slide("Threshold setting α", 0.0, 1.0, 0.01, "alpha", state)


def toggled():
    """One alpha for all levels, or the tuned ones."""
    TABLE.write(alpha=0.5 if st.session_state["pose_own_alpha"] else None)


def uploaded(state):
    """A visitor's scene, or None with a word on why."""
    st.caption(f"{tell.TRAINED_ON if state['show'] in ARMS else say.TRAINED_ON} {say.WINDOW}")
    file = st.file_uploader("A picture or a short clip, at most 20 MB", key="pose_file", max_upload_size=20)
    if file is None:
        return None
    try:
        return cached.upload_scene(file.getvalue(), state["x"], state["y"], state["size"])
    except cached.UploadError as error:
        st.warning(str(error), icon=":material/broken_image:")
        return None


def scrubber(state, n):
    """Frame and play; returns whether it is playing."""
    if n < 2:
        return False
    playing = st.session_state.get("pose_playing", False) and state["frame"] < n - 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, icon = ("Pause", ":material/pause:") if playing else ("Play", ":material/play_arrow:")
        st.button(
            label, icon=icon, shortcut="Space", key="pose_play", on_click=play, args=(state, n, not playing)
        )
        st.select_slider(
            "Frame",
            range(n),
            format_func=lambda at: str(at + 1),
            help=say.HELP["frame"],
            **tie("frame", state),
        )
    return playing


def play(state, n, on):
    """From here on, or from the start again at the end."""
    st.session_state["pose_playing"] = on
    if on and state["frame"] >= n - 1:
        TABLE.write(frame=0)


def drawn(figure, said):
    """A chart with its sentences."""
    st.plotly_chart(figure, alt=said.replace("*", ""), **PLOT)
    st.markdown(said)


def look(height, projected):
    return layout.look(height, projected)


def shown(state, scene, frame):
    """The chosen view of one frame."""
    at, number, show = state["frame"], state["level"], state["show"]
    truth = scene.truth[at][: len(frame.best)] if scene.truth is not None and state["truth"] else None
    size = look(640, 760) if show == "all" else look(470, 640)
    which = figures.view(show, frame, number, say.SUB_MODELS, scale=size["scale"])
    drawn(
        figures.panels(scene.pictures[at], which, truth=truth, **size), say.view(show, frame, number, truth)
    )
    if show == "all":
        st.plotly_chart(figures.kept_by_level(frame, **look(280, 300)), **PLOT)


def filtered(state, scene):
    """The chosen frame after the cascade; with progress where every frame of the clip is needed."""
    method = "ensemble" if state["show"] == "three" else state["method"]
    if method != "single" and len(scene.images) > 1:
        with st.empty():
            bar = st.progress(0.0, "Features and detectors of every frame ...")
            frame = cached.pose_frame(scene.images, state["frame"], method, state["alpha"], bar.progress)
            bar.empty()
            return frame
    return cached.pose_frame(scene.images, state["frame"], method, state["alpha"])


def arms(state, scene):
    """The chosen view of both arms: four models, or one budget."""
    with st.empty():
        bar = st.progress(0.0, tell.WAIT)
        budget = bought.pose_budget(scene, bar.progress)
        bar.empty()
    at, size = state["frame"], look(470, 590)
    draw = size | {"with_truth": bool(state["truth"])}
    has_truth = budget.truth is not None and draw["with_truth"]
    left, right = st.columns([0.4, 0.6])
    step = tell.step_of(budget, state["spend"]) if state["show"] == "bought" else None
    left.plotly_chart(budgets.overlay(budget, scene.pictures[at], at, step=step, **draw), key="arms", **PLOT)
    if step is not None:
        right.plotly_chart(budgets.bought(budget, scene.thumbnails, at, step, **draw), key="bought", **PLOT)
        said = tell.bought(budget, step, has_truth)
    else:
        if has_truth and len(scene.images) > 1:
            right.plotly_chart(budgets.error_by_frame(budget, at, **size), key="errors", **PLOT)
        said = tell.four(budget, at, has_truth)
    st.markdown(said)


def thesis():
    """The reproduced figure."""
    result = common.result("pose-cascade")
    if not tables.is_usable(result):
        st.info(tables.MISSING)
        return
    drawn(tables.levels_figure(result, **look(430, 560)), tables.sentence(result))


def page():
    """Controls, cached calls, a figure."""
    state = TABLE.read()
    if not layout.is_projected():
        st.markdown(tell.INTRODUCTION if state["show"] in ARMS else say.INTRODUCTION)
    if state["controls"]:
        controls(state)
    if state["show"] == "thesis":
        return thesis()
    if not (bought.HAS_ARMS if state["show"] in ARMS else cached.HAS_POSE):
        return st.info(tell.MISSING if state["show"] in ARMS else say.MISSING)
    if state["scene"] == "upload":
        scene = uploaded(state)
        if scene is None:
            return None
    else:
        scene = chosen_scene(state)
    n = len(scene.images)
    state |= {"frame": min(state["frame"], n - 1)}
    playing = scrubber(state, n) if state["controls"] else False
    try:
        if state["show"] in ARMS:
            arms(state, scene)
        else:
            shown(state, scene, filtered(state, scene))
    except common.StoreError as error:
        return st.error(str(error))
    title = f"{scene.title}, frame {state['frame'] + 1} of {n}." if n > 1 else f"{scene.title}."
    trained_on = tell.TRAINED_ON if state["show"] in ARMS else say.TRAINED_ON
    st.caption(f"{title} {'' if state['scene'] == 'upload' else trained_on}")
    if playing:
        time.sleep(0.25)
        TABLE.write(frame=state["frame"] + 1)
        st.rerun()
    return None


def chosen_scene(state):
    """The picture or clip of the address."""
    kind = state["scene"]
    if kind == "rendered" and state["show"] in ARMS:
        return cached.pose_scene("strided", UNSEEN + state["seed"], N_FRAMES)
    return cached.pose_scene(kind, {"rendered": state["seed"], "buffy": state["clip"]}.get(kind, 0), N_FRAMES)


layout.use_the_room()
page()
