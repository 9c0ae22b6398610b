"""A visitor's own picture or snapshot on the page Pose on video, seen through a window that can be moved."""

import streamlit as st

from spcviz.problems.pose.controls.choices import NEW_CLIP
from spcviz.problems.pose.page import cached
from spcviz.problems.pose.page import text as say
from spcviz.problems.pose.page.shown import PoseScene
from spcviz.web.ui import layout
from spcviz.web.ui.state import StateTable

KINDS = ("camera", "upload")
WINDOW = ("x", "y", "size")


def scene_of(table: StateTable, state: dict, trained_on: str) -> PoseScene | None:
    """A file or snapshot as a scene, or None after a warning that says why; `trained_on` stands above it."""
    if state["scene"] == "camera":
        file = _snapshot(table)
    else:
        st.caption(f"{trained_on} {say.WINDOW}")
        file = st.file_uploader(
            "A picture or a short clip, at most 20 MB", key="pose_file", max_upload_size=20
        )
    if file is None:
        return None
    try:
        return _windowed(table, state, file.getvalue())
    except cached.UploadError as error:
        st.warning(str(error), icon=":material/broken_image:")
        return None


def _snapshot(table):
    """What the camera took; a new one, through the same window, by a button."""
    taken = st.session_state.setdefault("pose_snaps", 0)
    key = f"pose_camera_{taken}"

    def again():
        st.session_state["pose_snaps"] = taken + 1
        table.write(**NEW_CLIP)

    st.caption(f"{say.CAMERA} {say.WINDOW}")
    with st.expander("Camera", expanded=st.session_state.get(key) is None):
        file = st.camera_input("Stand facing the camera, head to hips", key=key)
    if file is not None:
        st.button("Snap again", icon=":material/photo_camera:", on_click=again)
    return file


def _windowed(table, state, data):
    """A file through a window: found by the search, corrected by sliders."""
    best, rows = cached.find_person(data), cached.finder_rows()
    filled = state | {name: best[name] if state[name] is None else state[name] for name in WINDOW}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, name, low, high in (("Window: across", "x", 0.0, 1.0), ("down", "y", 0.0, 1.0),
                                       ("size", "size", 0.2, 2.0)):  # fmt: skip
            tied = layout.tied(table, "pose", name, filled) | {"label_visibility": "visible"}
            st.slider(label, low, high, step=0.01, width=170, help=say.HELP.get(name, say.WINDOW), **tied)
        if best["score"] is not None:
            forget = dict.fromkeys(WINDOW)
            st.button("Find the person", icon=":material/person_search:", help=say.found_how(rows),
                      on_click=lambda: table.write(**forget))  # fmt: skip
    if best["score"] is not None:
        if best["score"] < best["threshold"]:
            st.warning(say.nobody(best, rows), icon=":material/person_off:")
        if not layout.is_projected():
            st.caption(say.found_how(rows))
    return cached.upload_scene(data, *(filled[name] for name in WINDOW))
