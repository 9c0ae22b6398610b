"""Pose on video: limb hypotheses thin out from 10 x 10 cells to 80 x 80, frame by frame."""

import streamlit as st

from spcviz.problems.arms.page import cached as bought
from spcviz.problems.arms.page import clip_text as tell
from spcviz.problems.pose.page import cached, facts
from spcviz.problems.pose.page import text as say
from spcviz.problems.pose.paper import anyone_shown, tables
from spcviz.problems.pose.view.component import on_demand, pose_payload, show_pose
from spcviz.web.cached import common
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout, results
from spcviz.web.ui.state import LOWEST_ALPHA, StateTable, choice, flag, real, text, whole
from spcviz.web.view.mount import live_view

KEY = "pose_picture"
STORIES = {"cascade": "Clips", "people": "Does it work?", "thesis": "Fig. 5.5"}
PICTURES = ("level", "heat", "all", "top", "three")
ARMS, OWN = ("four", "bought"), ("camera", "upload")
SCENES = {"signs": "People signing"} if cached.SIGNS else {}
SCENES |= {"camera": "Your camera", "upload": "Your own", "astronaut": "Astronaut"}
SCENES |= {"buffy": "Buffy"} if cached.has_buffy() else {}
SCENES |= {"rendered": "Rendered"}
OPENING = "signs", cached.FIRST, "single"
N_LEVELS = 7
UNSEEN = 20_000  # clips of these seeds and on: models of arms learned from others
ALPHAS = tuple(f"a{level}" for level in range(N_LEVELS))
TABLE = StateTable(
    choice("show", "level", (*PICTURES, *ARMS, "people", "thesis")),
    choice("scene", next(iter(SCENES)), SCENES, elsewhere="buffy"),
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
).narrow(sign=cached.SIGNS)
WINDOW = ("x", "y", "size")
VIEW = ("show", "frame", "level", "cell", "truth", "spend")
PLOT = layout.PLOT | {"config": CONFIG}
SAID = {"method": say.METHODS.get, "show": lambda show: STORIES.get(show, "")}
NEW_CLIP = {"frame": 0, "cell": ""}


def tie(name, state, **forget):
    return layout.tied(TABLE, "pose", name, state, **forget)


def slide(label, low, high, step, name, state):
    """A slider of a real number."""
    tied = tie(name, state) | {"label_visibility": "visible"}
    st.slider(label, low, high, step=step, width=170, help=say.HELP.get(name, say.WINDOW), **tied)


def told():
    """Which story was chosen."""
    story = st.session_state["pose_story"]
    TABLE.write(show="level" if story == "cascade" else story)


def controls(state):
    """What to look at, and how."""
    story = state["show"] if state["show"] in STORIES else "cascade"
    st.session_state["pose_story"] = story
    hidden = {"label_visibility": "collapsed" if layout.is_projected() else "visible"}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tied = {"key": "pose_story", "on_change": told} | hidden
        if story == "cascade":
            kinds = {"format_func": SCENES.get, "width": 200, "help": say.HELP["scene"]}
            st.selectbox("Picture", list(SCENES), **kinds, **tie("scene", state, **NEW_CLIP))
            which_clip(state)
        with layout.more(TABLE, state, SAID):
            layout.segments("Show", STORIES, tied, say.HELP["show"])
            layout.segments("Method", say.METHODS, tie("method", state, cell=""), say.HELP["method"])


def which_clip(state):
    """Which clip of the chosen kind."""
    if state["scene"] == "signs":
        st.selectbox("Sign", cached.SIGNS, width=140, **tie("sign", state, **NEW_CLIP))
    if state["scene"] == "rendered":
        another = {"seed": (state["seed"] + 1) % 1_000_000} | NEW_CLIP
        st.button("Another clip", icon=":material/casino:", help=say.HELP["seed"],
                  on_click=lambda: TABLE.write(**another))  # fmt: skip
    if state["scene"] == "buffy":
        st.selectbox("Clip", range(cached.N_BUFFY), width=110, **tie("clip", state, **NEW_CLIP))


def uploaded(state):
    """A visitor's file or snapshot as a scene, or None after a warning that says why."""
    if state["scene"] == "camera":
        file = snapshot()
    else:
        st.caption(f"{tell.TRAINED_ON if state['show'] in ARMS else say.TRAINED_ON} {say.WINDOW}")
        file = st.file_uploader(
            "A picture or a short clip, at most 20 MB", key="pose_file", max_upload_size=20
        )
    if file is None:
        return None
    try:
        return windowed(state, file.getvalue())
    except cached.UploadError as error:
        st.warning(str(error), icon=":material/broken_image:")
        return None


def snapshot():
    """What the camera took; a new one by a button."""
    taken = st.session_state.setdefault("pose_snaps", 0)
    key = f"pose_camera_{taken}"
    st.caption(f"{say.CAMERA} {say.WINDOW}")
    with st.expander("Camera", expanded=st.session_state.get(key) is None):
        file = st.camera_input("Stand facing the camera, head to hips", key=key)
    if file is not None:
        st.button("Snap again", icon=":material/photo_camera:", on_click=again, args=(taken,))
    return file


def again(taken):
    """Another snapshot in place of the last, through the same window."""
    st.session_state["pose_snaps"] = taken + 1
    TABLE.write(**NEW_CLIP)


def windowed(state, data):
    """A file through a window: found by the search, corrected by sliders."""
    found, rows = cached.find_person(data), cached.finder_rows()
    own = state | {name: found[name] if state[name] is None else state[name] for name in WINDOW}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, name, low, high in (("Window: across", "x", 0.0, 1.0), ("down", "y", 0.0, 1.0),
                                       ("size", "size", 0.2, 2.0)):  # fmt: skip
            slide(label, low, high, 0.01, name, own)
        if found["score"] is not None:
            forget = dict.fromkeys(WINDOW)
            st.button("Find the person", icon=":material/person_search:", help=say.found_how(rows),
                      on_click=lambda: TABLE.write(**forget))  # fmt: skip
    if found["score"] is not None:
        if found["score"] < found["threshold"]:
            st.warning(say.nobody(found, rows), icon=":material/person_off:")
        if not layout.is_projected():
            st.caption(say.found_how(rows))
    return cached.upload_scene(data, *(own[name] for name in WINDOW))


def chosen_scene(state):
    """The picture or clip of the address; None where there is none yet."""
    return uploaded(state) if state["scene"] in OWN else cached.pose_scene(*named(state), cached.N_FRAMES)


def named(state):
    """Kind and name of the scene of the address, as `cached.pose_scene` takes them."""
    kind = state["scene"]
    name = {"signs": state["sign"], "rendered": state["seed"], "buffy": state["clip"]}.get(kind, 0)
    is_strided = kind == "rendered" and state["show"] in ARMS
    return ("strided", UNSEEN + name) if is_strided else (kind, name)


def method_of(state):
    """The method in force: the picture of three sub-models needs one that has three."""
    return "ensemble" if state["show"] == "three" and state["method"] == "single" else state["method"]


def from_picture():
    """The component's callback: what was set in the browser goes to the address."""
    view = live_view(KEY)
    if view:
        TABLE.write(**dict(zip(ALPHAS, view["alphas"])), **{name: view[name] for name in VIEW})


def is_tuned(state):
    """Whether all alphas are the tuned ones."""
    return all(state[name] is None for name in ALPHAS)


def known(state):
    """The clip of the address, if it was worked out before; else None."""
    if not is_tuned(state):
        return None
    asked = *named(state), method_of(state)
    return (cached.first_clip() if asked == OPENING else None) or cached.known_clip(*asked)


def anew():
    """End this run and begin another: `st.rerun` does not end a run where another is on its way."""
    st.rerun()
    st.stop()


@st.fragment
@common.tells_of_damage
def clip_of():
    """The clip after the cascade, and its arms: a fragment, rerun when something is let go of."""
    state = TABLE.parse(st.query_params)
    is_arms = state["show"] in ARMS
    clip = known(state)
    if clip is None:
        scene = chosen_scene(state)
        if scene is None:
            return
        clip = filtered(state, scene)
    arms = bought.known_budget(clip.pictures) if bought.HAS_ARMS else None
    if is_arms and bought.HAS_ARMS and arms is None:
        shown(state, clip)
        read_arms(state)
        anew()
    st.session_state["pose_seen"] = (clip.title, clip.method)
    touring.offer(facts.clip, clip, state)
    if arms is not None and is_arms:
        touring.offer(tell.facts, arms, tell.step_of(arms, state["spend"]))
    shown(state, clip, arms)
    if not layout.is_projected():
        trained = tell.TRAINED_ON if is_arms else say.TRAINED_ON
        st.caption(f"{clip.title}. {clip.credit} {'' if state['scene'] in OWN else trained}")


def shown(state, clip, arms=None):
    """The component."""
    payload = pose_payload(
        clip, names=say.NAMES, lengths=cached.LENGTHS, controls=bool(state["controls"]), arms=arms,
        has_arms=bought.HAS_ARMS,
    )  # fmt: skip
    view = {name: state[name] for name in VIEW}
    view["alphas"] = [state[name] for name in ALPHAS]
    show_pose(payload, key=KEY, view=view, on_change=from_picture, later=on_demand(payload[1], view))


def filtered(state, scene):
    """A clip after the cascade; its first frame is shown while the others are worked out."""
    method = method_of(state)
    asked, seen = (scene, method, tuple(state[name] for name in ALPHAS)), (scene.title, method)
    is_new = st.session_state.get("pose_seen") != seen
    is_early = is_new and method == "single" and len(scene.images) > 1 and state["frame"] == 0
    if is_early:
        shown(state, cached.pose_clip(*asked, lambda share: None, most=1))
    with st.empty():
        bar = st.progress(0.0, say.WAIT)
        clip = cached.pose_clip(*asked, bar.progress)
        bar.empty()
    if is_tuned(state):
        cached.keep_clip(*named(state), clip)
    if is_early:
        st.session_state["pose_seen"] = seen
        anew()
    return clip


def read_arms(state):
    """Both arms of the clip that is shown: worked out, with progress, and kept."""
    scene = cached.thinned(chosen_scene(state), state["method"])
    with st.empty():
        bar = st.progress(0.0, tell.WAIT)
        bought.pose_budget(scene, bar.progress)
        bar.empty()


def drawn(figure, said):
    """A chart with its sentences."""
    st.plotly_chart(figure, alt=said.replace("*", ""), **PLOT)
    st.markdown(said)


def thesis():
    """The reproduced figure."""
    with results.said_if_damaged("pose-cascade"):
        reproduced(common.result("pose-cascade"))


def reproduced(result):
    """The same, from what is stored."""
    if not tables.is_usable(result):
        st.info(tables.MISSING)
        return
    drawn(tables.levels_figure(result, **layout.look(430, 560)), tables.sentence(result))


def does_it_work():
    """Pictures never trained on: the table, and a gallery of what fails."""
    with results.said_if_damaged("pose-people"):
        tested(common.result("pose-people"))


def tested(result):
    """The same, from what is stored."""
    if not result:
        st.info(anyone_shown.MISSING)
        return
    st.markdown(anyone_shown.sentence(result))
    st.dataframe(anyone_shown.frame(result))
    st.caption(anyone_shown.note(result))
    st.markdown(anyone_shown.GALLERY)
    columns = st.columns(4)
    shown = [(own, cached.failure_picture(own["data"], own["picture"])) for own in result["gallery"]]
    for at, (own, picture) in enumerate(row for row in shown if row[1]):
        columns[at % 4].image(anyone_shown.failure_svg(own, picture), caption=anyone_shown.failure_said(own))
    without = [own for own, picture in shown if not picture]
    if without:
        st.markdown(anyone_shown.without_pictures(without))


def page():
    """Controls, cached calls, a picture."""
    state = TABLE.read()
    is_arms = state["show"] in ARMS
    if not layout.is_projected():
        st.markdown(tell.INTRODUCTION if is_arms else say.INTRODUCTION)
    if layout.has_controls(state):
        controls(state)
    if state["show"] == "thesis":
        return thesis()
    if state["show"] == "people":
        return does_it_work()
    if not cached.HAS_POSE:
        return st.info(say.MISSING)
    layout.missing(TABLE, {"scene": lambda _kind: say.NOT_HERE})
    if is_arms and not bought.HAS_ARMS:
        st.info(tell.MISSING)
    try:
        clip_of()
    except common.StoreError as error:
        return st.error(str(error))
    return None


layout.use_the_room(is_whole=True)
page()
