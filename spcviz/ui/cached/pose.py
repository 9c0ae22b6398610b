"""Cached calls of the Pose page."""

import hashlib

import streamlit as st

from spcviz.problems.common import uploads
from spcviz.problems.common.folders import MODELS, data_folder
from spcviz.problems.common.uploads import UploadError
from spcviz.problems.pose import data, live, models
from spcviz.ui.cached.common import STORED

HAS_POSE = models.NAME in STORED


def has_buffy():
    """Whether the real clips are here."""
    folder = data_folder()
    return folder is not None and (folder / data.FOLDER).is_dir()


@st.cache_resource(max_entries=1, show_spinner=False)
def _pose_model():
    return models.load_pose(MODELS)


@st.cache_resource(max_entries=8, show_spinner="Making the clip ...")
def pose_scene(kind, number, n_frames):
    """A clip to look at; see `spcviz.problems.pose.live`."""
    if kind == "strided":
        return live.strided_scene(number, n_frames)
    if kind == "astronaut":
        return live.astronaut_scene()
    if kind == "buffy":
        return live.buffy_scene(data_folder(), number)
    return live.rendered_scene(number, n_frames)


@st.cache_resource(max_entries=4, show_spinner="Reading your file ...", ttl=1800)
def _upload(digest, _data):
    return uploads.read_upload(_data)


def upload_scene(data, x, y, size):
    """A visitor's file through a window; raises `UploadError`."""
    frames = _upload(hashlib.sha256(data).hexdigest(), data)
    return live.upload_scene(frames, x, y, size)


@st.cache_resource(max_entries=120, show_spinner=False, ttl=1800)
def _pose_scores(digest, _image):
    return live.scores_of(_pose_model(), _image)


def _watched(digests, method, alpha, images):
    scores = [_pose_scores(*one) for one in zip(digests, images)]
    return live.watch(_pose_model(), scores, method, alpha)


@st.cache_resource(max_entries=40, show_spinner=False, ttl=1800)
def _pose_watched(digest, alpha, _image):
    return _watched([digest], "single", alpha, [_image])[0]


@st.cache_resource(max_entries=4, show_spinner=False, ttl=1800)
def _pose_clip_watched(digests, method, alpha, _images):
    return _watched(digests, method, alpha, _images)  # a megabyte a frame: few clips are kept


def pose_frame(images, at, method, alpha, progress=None):
    """One frame after the cascade, a `PoseFrame`; methods over time need all frames.

    Parameters
    ----------
    images : ndarray, shape (N, 240, 240, 3)
    at : int
    method : str
    alpha : float or None
    progress : callable, optional
        Called with the share of frames whose detectors have run.
    """
    own = range(len(images)) if method != "single" else [at]
    digests = []
    for done, i in enumerate(own):
        digests.append(hashlib.sha256(images[i].tobytes()).hexdigest())
        _pose_scores(digests[-1], images[i])
        if progress is not None:
            progress((done + 1) / len(own))
    if method == "single":
        return _pose_watched(digests[0], alpha, images[at])
    return _pose_clip_watched(tuple(digests), method, alpha, images)[at]


__all__ = ["HAS_POSE", "UploadError", "has_buffy", "pose_frame", "pose_scene", "upload_scene"]
