"""Pose on video: limb hypotheses thin out from 10 x 10 cells to 80 x 80, frame by frame."""

import streamlit as st

from spcviz.problems.arms.page import cached as bought
from spcviz.problems.arms.page import scenes as tell
from spcviz.problems.pose import choices
from spcviz.problems.pose.choices import ALPHAS, ARMS
from spcviz.problems.pose.page import cached, scenes
from spcviz.problems.pose.page import text as say
from spcviz.problems.pose.view.component import on_demand, pose_payload, show_pose
from spcviz.web.cached import common, ownership
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui import layout
from spcviz.web.ui.layout import veil
from spcviz.web.view.mount import live_view

KEY = "pose_picture"
UNSEEN = 20_000  # first seed of the clips that models of arms did not learn from
OPENING = "signs", cached.FIRST, "single"
SCENES = choices.scenes()
TABLE = choices.table_of(SCENES)
VIEW = ("show", "frame", "level", "cell", "truth", "spend")


def chosen_scene(state):
    """The picture or clip of the address; None where there is none yet."""
    if state["scene"] in choices.KINDS:
        return choices.scene_of(TABLE, state)
    return cached.pose_scene(*name_scene(state), cached.N_FRAMES)


def is_own(state):
    """Whether the clip is a visitor's own."""
    return state["scene"] in choices.KINDS


def name_scene(state):
    """Kind and name of the scene of the address, as `cached.pose_scene` takes them."""
    kind = state["scene"]
    name = {"signs": state["sign"], "rendered": state["seed"], "buffy": state["clip"]}.get(kind, 0)
    is_strided = kind == "rendered" and state["show"] in ARMS
    return ("strided", UNSEEN + name) if is_strided else (kind, name)


def method_of(state):
    """The method in force: the picture of three sub-models needs one that has three."""
    return "ensemble" if state["show"] == "three" and state["method"] == "single" else state["method"]


def from_picture():
    """The component's callback: write what was set in the browser to the address."""
    view = live_view(KEY)
    if view:
        TABLE.write(**dict(zip(ALPHAS, view["alphas"])), **{name: view[name] for name in VIEW})


def is_tuned(state):
    """Whether all alphas are the tuned ones."""
    return all(state[name] is None for name in ALPHAS)


def find_clip(state):
    """The clip of the address, if it was computed before; else None."""
    if not is_tuned(state):
        return None
    of = *name_scene(state), method_of(state)
    return (cached.first_clip() if of == OPENING else None) or cached.known_clip(*of)


def anew():
    """End this run and begin another: `st.rerun` does not end a run if another is already pending."""
    st.rerun()
    st.stop()


@st.fragment
@common.tells_of_damage
def clip_of():
    """The clip after the cascade, and its arms: a fragment, rerun when a control is released."""
    state = TABLE.parse(st.query_params)
    is_arms = state["show"] in ARMS
    trained = tell.TRAINED_ON if is_arms else say.TRAINED_ON
    clip = find_clip(state)
    if clip is None:
        scene = chosen_scene(state)
        if scene is None:
            st.caption(choices.notes(trained))
            return
        clip = filter_clip(state, scene)
    arms = bought.known_budget(clip.pictures, is_own(state)) if bought.HAS_ARMS else None
    if is_arms and bought.HAS_ARMS and arms is None:
        show_arms(state, clip)
        read_arms(state)
        anew()
    st.session_state["pose_seen"] = (clip.title, clip.method)
    touring.offer_brought(is_own(state))
    touring.offer(say.facts, clip, state)
    questions.offer(state, say.values, clip, state)
    if not is_own(state):
        alphas = [state[name] for name in ALPHAS]
        touring.offer_python(scenes.pose_lines(state, name_scene(state), alphas, clip.method))
    if arms is not None and is_arms:
        touring.offer(tell.facts, arms, tell.step_of(arms, state["spend"]))
    show_arms(state, clip, arms)
    if not layout.is_projected():
        st.caption(f"{clip.title}. {clip.credit} {choices.notes(trained) if is_own(state) else trained}")


def show_arms(state, clip, arms=None):
    """The component, or the frame alone while a question asks what will happen to it."""
    if "kept" in questions.hidden_parts():
        frame = min(state["frame"], len(clip.pictures) - 1)
        veil(say.waits(clip, state), pictures=clip.pictures[frame : frame + 1], alt="The frame")
        return
    with ownership.showing(is_own(state)):
        payload = pose_payload(
            clip, names=say.NAMES, lengths=cached.LENGTHS, controls=bool(state["controls"]), arms=arms,
            has_arms=bought.HAS_ARMS,
        )  # fmt: skip
    view = {name: state[name] for name in VIEW}
    view["alphas"] = [state[name] for name in ALPHAS]
    show_pose(payload, key=KEY, view=view, on_change=from_picture, later=on_demand(payload[1], view))


def filter_clip(state, scene):
    """A clip after the cascade; its first frame is shown while the others are computed."""
    method = method_of(state)
    of, seen = (scene, method, tuple(state[name] for name in ALPHAS)), (scene.title, method)
    is_new = st.session_state.get("pose_seen") != seen
    is_early = is_new and method == "single" and len(scene.images) > 1 and state["frame"] == 0
    if is_early:
        show_arms(state, cached.pose_clip(*of, lambda share: None, most=1, own=is_own(state)))
    with st.empty():
        bar = st.progress(0.0, say.WAIT)
        clip = cached.pose_clip(*of, bar.progress, own=is_own(state))
        bar.empty()
    if is_tuned(state):
        cached.keep_clip(*name_scene(state), clip)
    if is_early:
        st.session_state["pose_seen"] = seen
        anew()
    return clip


def read_arms(state):
    """Compute and store both arms of the clip that is shown, with a progress bar."""
    scene = cached.thin_scene(chosen_scene(state), state["method"])
    with st.empty():
        bar = st.progress(0.0, tell.WAIT)
        bought.pose_budget(scene, bar.progress, is_own(state))
        bar.empty()


def page():
    """Controls, cached calls, a picture."""
    state = TABLE.read()
    is_arms = state["show"] in ARMS
    layout.introduce(tell.INTRODUCTION if is_arms else say.INTRODUCTION)
    if layout.has_controls(state):
        choices.show(TABLE, state, SCENES)
    if state["show"] == "thesis":
        return choices.thesis()
    if state["show"] == "people":
        return choices.does_it_work()
    if not cached.HAS_POSE:
        return st.info(common.why_missing(say.MISSING, cached.NAME))
    layout.missing(TABLE, {"scene": lambda _kind: say.NOT_HERE})
    if is_arms and not bought.HAS_ARMS:
        st.info(common.why_missing(tell.MISSING, bought.NAME))
    try:
        clip_of()
    except common.StoreError as error:
        return st.error(str(error))
    return None


layout.use_the_room(is_whole=True)
page()
