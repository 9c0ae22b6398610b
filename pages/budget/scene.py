"""Scenes at any time: a street picture whose labels get sharper as time is spent."""

from functools import partial

import streamlit as st

from spcviz.problems.scene.page import cached, scenes
from spcviz.problems.scene.page import text as say
from spcviz.problems.scene.shown import FIRST_SEED
from spcviz.problems.scene.shown import N_CAMVID as N_ELSEWHERE
from spcviz.problems.scene.view.component import SHOWN, VIEW_NAMES, opening_share, scene_payload, show_scene
from spcviz.web.cached import common, ownership
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui import layout
from spcviz.web.ui.callbacks import commit_drag
from spcviz.web.ui.layout import photograph, veil
from spcviz.web.ui.state import StateTable, choice, flag, real, whole

KEY = "scene"
N_CAMVID = len(cached.camvid_names())
KINDS = {"road": "A photograph", "rendered": "Rendered street"}
KINDS |= {"camvid": "CamVid test picture"} if N_CAMVID else {}
KINDS |= {"upload": "Your own", "camera": "Your camera"}
FORMER = {"china": "A temple"}  # links may request it; it is no street
TABLE = StateTable(
    choice("kind", "road", KINDS | FORMER, elsewhere="camvid"),
    whole("seed", FIRST_SEED, 0, 999_999),
    whole("number", 0, 0, (N_CAMVID or N_ELSEWHERE) - 1),
    real("spend", 0.55, 0.0, 1.0),
    choice("show", "labels", SHOWN),
    flag("controls", True),
    opening={"spend": 0.12},
)


tie = partial(layout.bind, TABLE, "scene")


def pick(state):
    """The choice of the picture."""
    with layout.choices():
        former = {kind: label for kind, label in FORMER.items() if kind == state["kind"]}
        kinds = KINDS | former
        of = {"format_func": kinds.get, "width": 220, "help": say.KIND_HELP}
        st.selectbox("Picture", list(kinds), **of, **tie("kind", state))
        if state["kind"] == "rendered":
            another = {"seed": (state["seed"] + 1) % 1_000_000}
            st.button("Another street", icon=":material/casino:", on_click=lambda: TABLE.write(**another))
        if state["kind"] == "camvid":
            st.number_input("Number", 0, N_CAMVID - 1, width=150, **tie("number", state))


def visitors():
    """A visitor's file or snapshot, or None."""
    if TABLE.read()["kind"] == "camera":
        take = partial(st.camera_input, "A street is best")
        return layout.upload_box("Camera", lambda key: take(key=key), "scene_camera")
    bring = partial(st.file_uploader, "A picture, at most 20 MB", max_upload_size=20)
    return layout.upload_box("Your picture", lambda key: bring(key=key), "scene_file")


def find_trajectories(state):
    """The trajectories on the picture, or None after a warning that says why."""
    kind = state["kind"]
    if kind not in ("upload", "camera"):
        return cached.label_picture(kind, {"rendered": state["seed"], "camvid": state["number"]}.get(kind, 0))
    file = visitors()
    if file is None:
        st.caption(say.TRAINED_ON)
        return None
    course, wrong = cached.own(file.getvalue())
    if wrong:
        st.warning(wrong, icon=":material/broken_image:")
    return course


@st.fragment
@common.tells_of_damage
def scene():
    """The choices and the picture."""
    state = TABLE.read()
    if layout.has_controls(state):
        pick(state)
    layout.missing(TABLE, {"kind": say.missing})
    is_brought = state["kind"] in ("upload", "camera")
    touring.offer_brought(is_brought)
    course = find_trajectories(state)
    if course is None:
        return
    touring.offer(say.facts, course, state)
    questions.offer(state, say.values, course, state)
    touring.offer_python(scenes.scene_lines(state))
    if "later" in questions.hidden_parts():
        veil(say.waits(course, state), pictures=photograph(course.picture), alt="The street")
        return
    identity = f"{state['kind']}|{course.title}|{course.atoms.shape}|{int(course.picture[::7, ::5].sum())}"
    with ownership.showing(is_brought):
        sent, parts = scene_payload(course, identity)
    # Nothing was requested: open where the page makes its point, with an answer before the rival has any.
    view = state | {"spend": opening_share(course)} if state == TABLE.first_scene else state
    show_scene((sent, parts), key=KEY, view=view, on_change=commit_drag(TABLE, KEY, VIEW_NAMES))
    if not layout.is_projected():
        st.caption(f"{course.title}. {course.credit} {say.TRAINED_ON}")


def none_stored():
    """Message that there is no model, or what is wrong with it."""
    st.info(common.why_missing(say.MISSING, cached.NAME))


layout.show_page(common.tells_of_damage(scene) if cached.HAS_SCENE else none_stored, say.INTRODUCTION)
