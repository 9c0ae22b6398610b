"""Pictures of people cropped as Buffy's are: the window, and two sets to learn limbs from.

PARSE (305 people) and a part of Leeds Sports Pose Extended (2000), with 14 joints. The window is Buffy's: its
side is twice the distance from the top of the head to the hips, and the head begins 15 % below the window's
upper edge. Bodies that lean or lie are left out, as are limbs with a joint invisible or outside. Left is the
picture's: whichever shoulder is further left.
"""

from pathlib import Path

import numpy as np
from PIL import Image

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body
from spcviz.problems.pose.data.buffy import FOLDER, ORIGIN, PoseClips, annotations
from spcviz.registry.problem import DataSet

ORIGINS = {
    "pose_parse": "https://www.ics.uci.edu/~dramanan/papers/parse/ (Ramanan 2006)",
    "pose_lspet": "http://sam.johnson.io/research/lspet.html (Johnson and Everingham 2011), 2000 of 10000",
}
MAX_LEAN = np.pi / 6
MIN_SIDE = 90.0  # smaller windows, in pixels of the stored picture, show little but blur when enlarged to 240
_SIDES = (("l_shoulder", "l_elbow", "l_wrist"), ("r_shoulder", "r_elbow", "r_wrist"))


def load_pictures(data: Path, name: str, *, max_lean: float = MAX_LEAN) -> PoseClips:
    """Upright people of one of `ORIGINS`, one clip each; unknown limbs are nan."""
    if name not in ORIGINS:
        raise ArgumentError(f"name must be one of {', '.join(ORIGINS)}, got {name!r}")
    max_lean = checks.number("max_lean", max_lean, 0, np.pi)
    folder = Path(data) / name
    table = annotations(folder, ORIGINS[name])
    names = [str(joint) for joint in table["joint_names"]]
    joints = table["joints"].astype(float)
    if "visible" in table:
        joints = np.where(table["visible"][..., None], joints, np.nan)
    joints = {joint: joints[:, i] for i, joint in enumerate(names)}
    files = table.get("files", np.array([f"im{i:04d}.jpg" for i in range(1, len(table["joints"]) + 1)]))
    windows, is_upright = _windows(joints, max_lean)
    rows = np.flatnonzero(is_upright)
    corner, side = windows[:, None, None, :2], windows[:, None, None, 2:]
    limbs = (_limbs(joints) - corner) * (body.SIDE / side)
    images = np.stack([_crop_picture(folder / "images" / files[i], *windows[i]) for i in rows])
    limbs = limbs[rows]
    is_inside = ((limbs >= 0) & (limbs < body.SIDE)).all(axis=(2, 3))
    limbs[~is_inside] = np.nan
    return PoseClips(images, limbs, np.arange(len(rows)), tuple(files[rows].tolist()))


def _windows(joints, max_lean):
    """((left, top, side) of every window, whether its person is upright and large enough)."""
    head, neck = joints["head_top"], joints["neck"]
    hips = (joints["l_hip"] + joints["r_hip"]) / 2
    side = 2 * np.linalg.norm(hips - head, axis=1)
    left = (head + neck + hips)[:, 0] / 3 - side / 2
    top = head[:, 1] - 0.15 * side
    down = hips - neck
    lean = np.abs(np.arctan2(down[:, 0], down[:, 1]))
    is_upright = (lean <= max_lean) & (head[:, 1] < neck[:, 1]) & (side >= MIN_SIDE)  # nan: no
    return np.stack([left, top, side], axis=1), is_upright


def _limbs(joints):
    """(N, 5, 2, 2) in the order of `body.PARTS`."""
    hips = (joints["l_hip"] + joints["r_hip"]) / 2
    first, second = (np.stack([joints[name] for name in side], axis=1) for side in _SIDES)
    swap = (first[:, 0, 0] > second[:, 0, 0])[:, None, None]
    arms = np.where(swap, second, first), np.where(swap, first, second)
    limbs = [np.stack([joints["neck"], hips], axis=1)]
    limbs += [arm[:, k : k + 2] for k in (0, 1) for arm in arms]
    return np.stack(limbs, axis=1)


def _crop_picture(path, left, top, side):
    with Image.open(path) as picture:
        return window(np.asarray(picture.convert("RGB")), left + side / 2, top + side / 2, side)


def window(image: np.ndarray, x: float, y: float, side: float) -> np.ndarray:
    """A square of a picture (H, W, 3) about (x, y) as 240 x 240 pixels; black outside the picture.

    >>> window(np.full((100, 100, 3), 9, np.uint8), 50, 50, 200)[[0, 120], [0, 120], 0].tolist()
    [0, 9]
    """
    share = side / body.SIDE
    affine = (share, 0.0, x - side / 2, 0.0, share, y - side / 2)
    picture = Image.fromarray(image)
    if share > 1:  # shrink first: sampling alone would alias
        small = [max(1, round(n / share)) for n in picture.size]
        picture = picture.resize(small, Image.Resampling.BOX)
        affine = (1.0, 0.0, (x - side / 2) / share, 0.0, 1.0, (y - side / 2) / share)
    size = (body.SIDE, body.SIDE)
    return np.asarray(picture.transform(size, Image.Transform.AFFINE, affine, Image.Resampling.BILINEAR))


DATA_SETS = (
    DataSet(
        "pose_buffy",
        "748 television frames with the sticks of an upper body, in clips of 4; research use only",
        ORIGIN,
        FOLDER,
        licence="none stated: frames of a television series, for research; cite the makers, do not pass on",
        sources="spcviz.problems.pose.data.prepare:RELEASE_SOURCES",
        prepare="spcviz.problems.pose.data.prepare:buffy",
        weights="research",
    ),
    DataSet(
        "pose_parse",
        "305 people with 14 joints; the upright ones teach limb detectors",
        ORIGINS["pose_parse"],
        "pose_parse",
        licence="none stated: photographs of several people, for research; cite Ramanan 2006",
        sources="spcviz.problems.pose.data.prepare:RELEASE_SOURCES",
        prepare="spcviz.problems.pose.data.prepare:parse",
        weights="research",
    ),
    DataSet(
        "pose_lspet",
        "athletes with 14 joints; the upright ones teach the lower arms' detector; research use",
        ORIGINS["pose_lspet"],
        "pose_lspet",
        licence="none stated: photographs from Flickr, for research; cite Johnson and Everingham 2011",
        sources="spcviz.problems.pose.data.prepare:LSPET_SOURCES",
        prepare="spcviz.problems.pose.data.prepare:lspet",
        weights="research",
    ),
)
