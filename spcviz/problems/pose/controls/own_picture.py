"""Upload or snapshot on the page Pose on video, cropped by a window that can be moved.

The choice takes one line above the picture; the notes on it are below (`notes`).
"""

import streamlit as st

from spcviz.problems.pose.controls.choices import NEW_CLIP
from spcviz.problems.pose.page import cached
from spcviz.problems.pose.page import text as say
from spcviz.problems.pose.shown import PoseScene
from spcviz.web.ui import layout
from spcviz.web.ui.state import StateTable

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
