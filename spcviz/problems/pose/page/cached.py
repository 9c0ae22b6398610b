"""Cached calls of the Pose page: clips and visitors' pictures, level by level; clips computed earlier."""

import hashlib
from collections.abc import Callable

import numpy as np
from PIL import Image

from spcviz.problems.pose.data import body, signs
from spcviz.problems.pose.data import buffy as data
from spcviz.problems.pose.model import finder, finder_train, stored
from spcviz.problems.pose.page import live, shelf, trace
from spcviz.problems.pose.shown import ClipTrace, PoseScene
from spcviz.shared.folders import MODELS, data_folder
from spcviz.shared.uploading.uploads import UploadError
from spcviz.web.cached import threads, visitor_files
from spcviz.web.cached.common import STORED
from spcviz.web.cached.sharing import kernels_first, share

NAME = stored.NAME
HAS_POSE = NAME in STORED
SIGNS = signs.load_reference().clips if signs.SHIPPED.is_file() else ()  # signing clips that are installed
SHELVED = ("signs", "rendered", "astronaut", "buffy")  # kinds of clips that everybody can choose
N_FRAMES, N_BUFFY = shelf.N_FRAMES, shelf.N_BUFFY
LENGTHS, FIRST = body.LENGTHS, shelf.SIGN
HAS_FINDER = finder_train.NAME in STORED
MIDDLE = {"x": 0.5, "y": 0.5, "size": 1.0, "score": None, "threshold": None}
N_LOOKED = 3  # frames of a clip that are searched for the person


def has_buffy():
    """Whether the real clips are installed."""
    return shelf.has_buffy(data_folder())


@share(1)
def _pose_model():
    return stored.load_pose(MODELS)


@share(8, "Making the clip ...", kernels=False)
def pose_scene(kind, name, n_frames):
    """A clip to look at; see `spcviz.problems.pose.page.live.scene_of`."""
    return live.scene_of(kind, name, n_frames, data_folder())


@share(4, "Reading your file ...", kernels=False, own=True)
def _upload(digest, _data):
    return visitor_files.outcome(lambda: (digest, visitor_files.read(_data)))


def _frames_of(data):
    """(digest, frames) of a visitor's file; raises `UploadError`."""
    upload, wrong = visitor_files.call_by_digest(_upload, data)
    if wrong:
        raise UploadError(wrong)
    return upload


@share(1, kernels=False)
def _finder():
    return finder_train.load(MODELS)


def finder_rows():
    """How often the search for the person is right, see `finder_train.row_of`; empty without one."""
    return _finder()[1] if HAS_FINDER else []


def find_person(data) -> dict:
    """The window of the person in a visitor's file, its score and the threshold; raises `UploadError`."""
    if not HAS_FINDER:
        return MIDDLE
    return _person_window(*_frames_of(data))


@share(4, "Looking for the person ...", kernels=False, own=True)
def _person_window(digest, _frames):
    model, _ = _finder()
    looked = _frames[np.unique(np.linspace(0, len(_frames) - 1, N_LOOKED).astype(int))]
    guesses = threads.map_in_pool(lambda frame: finder.find(model, frame), looked)
    best = max(guesses, key=lambda guess: guess.score)
    tall, wide = _frames.shape[1:3]
    place = np.clip([best.x / wide, best.y / tall], 0, 1).round(2).tolist()
    size = float(np.clip(best.side / min(tall, wide), 0.2, 2.0))
    window = {"x": place[0], "y": place[1], "size": round(size, 2)}
    return window | {"score": best.score, "threshold": model.threshold}


def upload_scene(data, x, y, size):
    """A visitor's file cropped by a window; raises `UploadError`."""
    _, frames = _frames_of(data)
    return live.upload_scene(frames, x, y, size)


@share(40, kernels=False)
def failure_picture(kind: str, picture: str):
    """A picture of the gallery of ``pose-people`` as a data URI, None if its data are not installed."""
    if kind.startswith("signs"):
        name, _, number = picture.rpartition(" ")
        (clip,) = signs.load_signs([name])
        return live.data_uri(clip.images[int(number)])
    if kind == "buffy" and has_buffy():
        return live.data_uri(np.asarray(Image.open(data_folder() / data.FOLDER / "crops" / picture)))
    return None


@share(1, "Looking at every frame ...", stored=ClipTrace)
def first_clip():
    """The clip that the page opens with, under the tuned alphas."""
    return pose_clip(pose_scene("signs", FIRST, 0), "single", (None,) * body.N_LEVELS, lambda share: None)


def _is_own(own, *_):
    return own


@share(120, kernels=False, own=_is_own)
def _pose_scores(own, digest, _image):
    return live.scores_of(_pose_model(), _image)


@share(240, kernels=False, own=_is_own)
def _frame_levels(own, digest, alphas, _scores):
    return trace.run_levels(_pose_model(), [_scores], "single", alphas)


@share(6, kernels=False, own=_is_own)
def _clip_levels(own, digests, method, alphas, _scores):
    return trace.run_levels(_pose_model(), _scores, method, alphas, threads.map_in_pool)


@share(12, kernels=False, own=_is_own)
def _assemble_trace(own, digests, method, alphas, title, _scene, _runs, _seconds):
    return trace.clip_trace(_scene, method, trace.join_levels(_runs), _seconds)


def thin_scene(scene, method):
    """The frames of a scene that are shown under a method."""
    return live.thin_scene(scene, shelf.MOST_FRAMES[method])


@share(64, kernels=False, seconds=1800)  # 0.7 MB each, enough for all that are loaded ahead
def _on_shelf(path):
    return shelf.take(path)


def known_clip(kind: str, name: str | int, method: str) -> ClipTrace | None:
    """A clip under the tuned alphas that was computed before, else None."""
    path = _place(kind, name, method)
    return _on_shelf(path) if path is not None and path.is_file() else None


def keep_clip(kind, name, clip):
    """Store a clip under the tuned alphas for later callers, if it is one that everybody can choose."""
    path = _place(kind, name, clip.method)
    if path is None:
        return
    was_damaged = path.is_file()
    shelf.put(path, clip)
    if was_damaged:
        _on_shelf.clear()


def _place(kind, name, method):
    asked = shelf.Asked(kind, name, method)
    is_ours = kind in SHELVED and shelf.is_offered(asked)
    return shelf.place(asked, data_folder(), of_models=MODELS) if is_ours else None


def pose_clip(
    scene: PoseScene,
    method: str,
    alphas: tuple[float, ...] | None,
    progress: Callable,
    most: int | None = None,
    own: bool = False,
) -> ClipTrace:
    """The first `most` frames after the cascade (alphas None: tuned); `progress` is given the share done.

    With `own`, they are a visitor's.
    """
    kernels_first(__name__)
    scene = thin_scene(scene, method)
    images = scene.images[:most]
    digests = tuple(hashlib.sha256(image.tobytes()).hexdigest() for image in images)

    def frame(digest, image):
        scores = _pose_scores(own, digest, image)
        return scores, _frame_levels(own, digest, alphas, scores[0]) if method == "single" else None

    done = []
    for one in threads.map_in_pool(frame, digests, images):
        done.append(one)
        progress(len(done) / len(digests))
    scored, runs = zip(*done)
    if method != "single":
        runs = [_clip_levels(own, digests, method, alphas, [scores for scores, _ in scored])]
    seconds = float(np.sum([s for _, s in scored])), float(np.sum([s for _, s in runs]))
    levels = [run_levels for run_levels, _ in runs]
    return _assemble_trace(own, digests, method, alphas, scene.title, scene, levels, seconds)


def fill():
    """Compute the first clip's detector scores: its trace is stored, but other alphas should not wait."""
    if HAS_POSE:
        first_clip()
        _place("astronaut", 0, "single")  # the digest of the code takes half a second, once
        scene = pose_scene("signs", FIRST, 0)
        pose_clip(scene, "single", (None,) * body.N_LEVELS, lambda share: None)


def fill_more():
    """Compute clips at most two choices away, one after the other; the app requests the next while idle."""
    if HAS_POSE:
        yield from shelf.fill(_pose_model(), data_folder(), of_models=MODELS, within=2)
