"""Signing clips: 20 short videos of five people, with the joints that a neural network found on each frame.

They ship with the repository (Intel IoT Developer Kit, CC BY 4.0; cache/data/signs/ATTRIBUTION.txt): 30
frames a second, real motion, hands in front of face and chest. Joints are MediaPipe's: a *reference*, not
annotation by people. A joint counts if its visibility is at least `VISIBLE`; hips are guesses where the
picture ends. Left is the picture's left, whereas the network's is the person's. A clip's window scales the
reference's median shoulders, torso and upper arms to Buffy's and puts the shoulders where they are in Buffy's
crops. So, like those crops, it knows where the person is.
"""

import io
import zipfile
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import av
import numpy as np
from cachetools.func import lru_cache

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body, pictures
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, shipped_path

ADDRESS = "https://github.com/intel-iot-devkit/sample-videos (folder asl_gestures, commit 5797889)"
ATTRIBUTION = "Intel IoT Developer Kit sample videos, CC BY 4.0"
SHIPPED = CACHE / "data" / "signs" / "pose_signs.zip"
SHIPPED_SHA256 = "a1153c521a8b68f422cb0919946804604b05fba11682f1f17ff2e8ac48e8e1b9"
PERSONS = ("A", "B", "C", "D", "E")
VISIBLE = 0.5  # least visibility, by the network's estimate, of a joint that counts
SHOULDERS = (120.8, 84.2)  # middle between them in Buffy's crops of 240: mean of her training episodes
SIZES = {"shoulders": 64.3, "torso": body.LENGTHS[0], "upper arms": body.LENGTHS[1]}  # Buffy's medians, px
_ENDS = (  # joints of the person whose mean is each end of a limb, in the order of `body.PARTS`
    (("l_shoulder", "r_shoulder"), ("l_hip", "r_hip")),
    (("r_shoulder",), ("r_elbow",)),
    (("l_shoulder",), ("l_elbow",)),
    (("r_elbow",), ("r_wrist",)),
    (("l_elbow",), ("l_wrist",)),
)


class Reference(NamedTuple):
    """Persons, frames and joints of the clips."""

    clips: tuple  # clips, persons: one for each clip; persons are ``"A"`` .. ``"E"``
    persons: tuple
    start: np.ndarray  # (21,): frames of clip c are ``start[c] : start[c + 1]``
    joint_names: tuple  # nine; ``l_`` and ``r_`` are the person's own sides
    joints: np.ndarray  # (1323, 9, 2): x, y in pixels of 640 x 480
    visibility: np.ndarray  # (1323, 9): 0 .. 1


class SignClip(NamedTuple):
    """A clip in the convention of Buffy's crops."""

    name: str
    person: str
    images: np.ndarray  # (N, 240, 240, 3), uint8: black outside the video's picture
    limbs: np.ndarray  # (N, 5, 2, 2): the reference; a torso runs from mid-shoulders to mid-hips
    is_seen: np.ndarray  # (N, 5): limbs all of whose joints count (`VISIBLE`)
    frames: np.ndarray  # (N,): numbers in the video
    window: tuple  # (x, y, side): its centre and side in pixels of the video


class PersonFold(NamedTuple):
    """One person left out."""

    person: str
    train: tuple  # train, test: names of clips; all of `test` are of the person, none of `train`
    test: tuple


@lru_cache(maxsize=1)
def load_reference() -> Reference:
    """People and joints of all clips, read-only; `NoCacheError` without the repository they come with."""
    with (
        zipfile.ZipFile(shipped_path(SHIPPED)) as packed,
        np.load(io.BytesIO(packed.read("reference.npz")), allow_pickle=False) as stored,
    ):
        table = {name: stored[name] for name in stored.files}
    texts = {name: tuple(table[name].tolist()) for name in ("clips", "persons", "joint_names")}
    start = np.concatenate([[0], np.cumsum(table["n_frames"])])
    reference = Reference(
        start=start, joints=table["joints"].astype(float), visibility=table["visibility"], **texts
    )
    for array in (reference.start, reference.joints, reference.visibility):
        array.flags.writeable = False
    return reference


def load_signs(names: Sequence[str] | None = None, *, every: int = 1) -> list[SignClip]:
    """Clips in the pose model's format, every `every`-th frame from the first; all 20 take 229 MB.

    >>> (clip,) = load_signs(["eat"], every=10)
    >>> clip.person, clip.images.shape, clip.limbs.shape
    ('D', (5, 240, 240, 3), (5, 5, 2, 2))
    """
    reference = load_reference()
    names = reference.clips if names is None else tuple(names)
    every = checks.integer("every", every, 1, 300)
    for name in names:
        if name not in reference.clips:
            raise ArgumentError(f"names must be of {', '.join(reference.clips)}, got {name!r}")
    return [_clip(name, every) for name in names]


def _clip(name, every):
    reference, rows = load_reference(), rows_of(name)
    limbs = reference_limbs(reference, rows)
    x, y, side = window_of(limbs)
    images = [pictures.window(frame, x, y, side) for frame in read_frames(name, every)]
    limbs = (limbs - (x - side / 2, y - side / 2)) * (body.SIDE / side)
    seen = is_seen(reference, rows)
    return SignClip(
        name, reference.persons[reference.clips.index(name)], np.stack(images), limbs[::every], seen[::every],
        np.arange(len(limbs))[::every], (x, y, side),
    )  # fmt: skip


def rows_of(name):
    """The slice of the reference that holds a clip's frames."""
    reference = load_reference()
    number = reference.clips.index(name)
    return slice(*reference.start[number : number + 2])


def read_frames(name, every):
    """Yield every `every`-th frame of a clip as it was filmed."""
    with zipfile.ZipFile(shipped_path(SHIPPED)) as packed:
        video = packed.read(f"{name}.mkv")
    with av.open(io.BytesIO(video)) as container:
        for frame in islice(container.decode(container.streams.video[0]), 0, None, every):
            yield frame.to_ndarray(format="rgb24")


def reference_limbs(reference, rows):
    """Limbs in pixels of the video, (N, 5, 2, 2), sides by the picture."""
    at = reference.joint_names.index
    ends = [
        [reference.joints[rows, [at(name) for name in names]].mean(axis=1) for names in limb]
        for limb in _ENDS
    ]
    return np.moveaxis(np.array(ends), 2, 0)


def is_seen(reference, rows):
    """Whether all joints of a limb have a visibility of at least `VISIBLE`, (N, 5)."""
    at = reference.joint_names.index
    clear = reference.visibility[rows] >= VISIBLE
    return np.stack(
        [clear[:, [at(n) for names in limb for n in names]].all(axis=1) for limb in _ENDS], axis=1
    )


def joints_left():
    """On how many frames each joint counts: {name: (count, number of frames)}.

    >>> joints_left()["l_wrist"]
    (1277, 1323)
    """
    reference = load_reference()
    clear = (reference.visibility >= VISIBLE).sum(axis=0).tolist()
    return {name: (n, len(reference.joints)) for name, n in zip(reference.joint_names, clear)}


def window_of(limbs: np.ndarray) -> tuple[float, ...]:
    """(x, y, side), pixels, of the window of limbs (N, 5, 2, 2): geometric mean over the lengths `SIZES`."""
    lengths = np.median(np.linalg.norm(limbs[:, :, 1] - limbs[:, :, 0], axis=2), axis=0)
    shoulders = limbs[:, 1:3, 0]
    apart = np.median(np.linalg.norm(shoulders[:, 1] - shoulders[:, 0], axis=1))
    sizes = {"shoulders": apart, "torso": lengths[0], "upper arms": lengths[1:3].mean()}
    share = np.exp(np.mean([np.log(sizes[key] / SIZES[key]) for key in SIZES]))
    middle = np.median(shoulders.mean(axis=1), axis=0)
    x, y = middle + share * (body.SIDE / 2 - np.array(SHOULDERS))
    return float(x), float(y), float(share * body.SIDE)


def folds() -> list[PersonFold]:
    """Five folds, each leaving out one person.

    >>> [(fold.person, len(fold.test)) for fold in folds()]
    [('A', 6), ('B', 5), ('C', 4), ('D', 3), ('E', 2)]
    """
    reference = load_reference()
    of = dict(zip(reference.clips, reference.persons))
    return [
        PersonFold(one, tuple(c for c in of if of[c] != one), tuple(c for c in of if of[c] == one))
        for one in PERSONS
    ]


DATA_SETS = (
    *pictures.DATA_SETS,
    DataSet(
        "pose_signs",
        "20 clips of 5 people signing, 1323 frames at 30 a second, with reference joints by a neural network",
        f"{ADDRESS}; {ATTRIBUTION}",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="CC BY 4.0",
        weights="attribution",
    ),
)
