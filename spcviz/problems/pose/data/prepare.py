"""Prepare three data sets of people from their originals, as `pose.data.buffy` and `pictures` read them.

Buffy Stickmen: windows as in `pictures`, 240 x 240 pixels; joints from the labels of Yang and Ramanan's pose
release if present, else from the sticks' ends. PARSE: shrunk to 240 pixels. LSPET: the first 2000 pictures
with head, neck and arms visible, cropped around the visible joints (plus 20 % and 10 pixels), shrunk to 240.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from spcviz.problems.pose.data import body
from spcviz.problems.pose.data.pictures import window
from spcviz.shared.bring import original
from spcviz.shared.bring.original import OriginalError, Source

_RELEASE = "https://codeload.github.com/vislab2013/eecs592/zip/be1a3e5cd950dc8aaba70ce64c25627b6e58eaa7"
RELEASE_SOURCES = (Source("pose-release.zip", _RELEASE, is_packed=True),)  # 1.3: Buffy Stickmen V3.0, PARSE
_LSPET = "https://sam.johnson.io/research/lspet_dataset.zip"
LSPET_SOURCES = (Source("lspet_dataset.zip", _LSPET, is_packed=True),)
EPISODES, TRAIN_EPISODES = (2, 3, 4, 5, 6), (3, 4)
CLIP = 4  # consecutive frames of an episode that make a clip
STICKS = ("torso", "l_upper_arm", "r_upper_arm", "l_lower_arm", "r_lower_arm", "head")
BUFFY_JOINTS = (
    "head_top", "neck", "l_shoulder", "l_elbow", "r_shoulder", "r_elbow", "l_wrist", "r_wrist",
    "l_hip", "r_hip",
)  # fmt: skip
JOINTS = (  # of PARSE and LSPET, in their order
    "r_ankle", "r_knee", "r_hip", "l_hip", "l_knee", "l_ankle", "r_wrist", "r_elbow", "r_shoulder",
    "l_shoulder", "l_elbow", "l_wrist", "neck", "head_top",
)  # fmt: skip
_UPPER = slice(6, 14)  # wrists, elbows, shoulders, neck, head
N_LSPET, N_PARSE_TRAIN = 2000, 100
LONGEST = 240
MARGIN, MARGIN_PX = 0.2, 10


def buffy(folder: Path, place: Path) -> Iterator[str]:
    """Prepare Buffy Stickmen V3.0, alone or from the pose release, then with its labels; see `DataSet`."""
    root = original.root_of(folder, f"data/{_sticks_name(EPISODES[0])}")
    texts = original.all_there(root, [f"data/{_sticks_name(episode)}" for episode in EPISODES])
    read = [read_sticks(path) for path in texts]
    episode = np.repeat(EPISODES, [len(frames) for frames, _ in read])
    frame, sticks = (np.concatenate(parts) for parts in zip(*read))
    names = [f"images/buffy_s5e{e}_original/{f:06d}.jpg" for e, f in zip(episode, frame)]
    paths = original.all_there(root, names)
    labels = original.root_of(folder, f"labels/{_labels_name(EPISODES[0])}", is_needed=False)
    if labels is None:
        joints = joints_of(sticks)
        yield "no labels/buffy_s5eE_labels.mat (they come with Yang and Ramanan's pose release): joints are"
        yield "  read off the sticks; hips differ, so windows are up to about 10 % larger or smaller"
    else:
        joints = _read_joints(labels, [len(frames) for frames, _ in read])
    windows = windows_of(joints)
    files = np.array([f"s5e{e}_{f:06d}.jpg" for e, f in zip(episode, frame)])
    sizes = []
    (place / "crops").mkdir()
    for path, name, (left, top, side) in original.steps(list(zip(paths, files, windows)), "Buffy"):
        image = original.picture(path)
        sizes.append(image.size)
        crop = window(np.asarray(image), left + side / 2, top + side / 2, side)
        Image.fromarray(crop).save(place / "crops" / name, quality=92)
    table = _buffy_table(files, episode, frame, joints, windows)
    table |= {"sticks_original": sticks, "original_size_wh": np.array(sizes)}
    np.savez_compressed(place / "annotations.npz", **table)
    yield f"{len(files)} frames, {len(set(table['clip']))} clips"


def _sticks_name(episode):
    return f"buffy_s5e{episode}_sticks.txt"


def _labels_name(episode):
    return f"buffy_s5e{episode}_labels.mat"


def read_sticks(path: Path) -> tuple[np.ndarray]:
    """Frame numbers (N,) and sticks (N, 6, 2, 2), ``[frame, stick, end, x or y]``, in pixels."""
    per_frame = 1 + 4 * len(STICKS)
    try:
        numbers = np.array(path.read_text(encoding="ascii").split(), dtype=float)
    except ValueError as error:
        raise OriginalError(f"{path} must hold numbers, got something else: {error}") from error
    if len(numbers) == 0 or len(numbers) % per_frame:
        raise OriginalError(f"{path} must hold {per_frame} numbers a frame, got {len(numbers)} numbers")
    rows = numbers.reshape(-1, per_frame)
    return rows[:, 0].astype(int), rows[:, 1:].reshape(-1, len(STICKS), 2, 2)


def _read_joints(root, counts):
    """Joints of the pose release, all episodes concatenated."""
    paths = original.all_there(root, [f"labels/{_labels_name(episode)}" for episode in EPISODES])
    shapes = [(len(BUFFY_JOINTS), 2, n) for n in counts]
    read = [original.matrix(path, "labels", shape) for path, shape in zip(paths, shapes)]
    return np.concatenate([labels.transpose(2, 0, 1) for labels in read])


def joints_of(sticks: np.ndarray) -> np.ndarray:
    """Joints (N, 10, 2) where the nearest ends of two sticks meet; both hips: the torso's end."""
    torso, upper_left, upper_right, lower_left, lower_right, head = np.moveaxis(sticks, 1, 0)
    hips, neck, top = _meeting(torso, head)
    left = _meeting(upper_left, lower_left)
    right = _meeting(upper_right, lower_right)
    return np.stack([top, neck, *left[:2], *right[:2], left[2], right[2], hips, hips], axis=1)


def _meeting(first, second):
    """(far end of the first, meeting point, far end of the second), each of shape (N, 2)."""
    rows = np.arange(len(first))
    apart = np.linalg.norm(first[:, :, None] - second[:, None], axis=-1)
    near, other = np.divmod(apart.reshape(-1, 4).argmin(axis=1), 2)
    meeting = (first[rows, near] + second[rows, other]) / 2
    return first[rows, 1 - near], meeting, second[rows, 1 - other]


def windows_of(joints):
    """(left, top, side) of the square around each person, shape (N, 3), pixels of the original."""
    head, neck = joints[:, 0], joints[:, 1]
    hips = joints[:, 8:10].mean(axis=1)
    side = 2 * np.linalg.norm(head - hips, axis=1)
    left = (head + neck + hips)[:, 0] / 3 - side / 2
    top = np.minimum(head[:, 1], neck[:, 1]) - 0.15 * side  # if the person lies down, the neck may be higher
    return np.stack([left, top, side], axis=1)


def _buffy_table(files, episode, frame, joints, windows):
    in_crop = (joints - windows[:, None, :2]) * (body.SIDE / windows[:, None, 2:])
    counts = np.concatenate([np.arange(n) for n in np.unique(episode, return_counts=True)[1]])
    return {
        "files": files,
        "episode": episode,
        "frame": frame,
        "split": np.where(np.isin(episode, TRAIN_EPISODES), "train", "test"),
        "clip": np.array([f"s5e{e}_{n // CLIP:03d}" for e, n in zip(episode, counts)]),
        "joint_names": np.array(BUFFY_JOINTS),
        "joints_original": joints,
        "joints_crop240": in_crop,
        "joint_in_crop": ((in_crop >= 0) & (in_crop < body.SIDE)).all(axis=-1),
        "crop_window_xys": windows,
        "stick_names": np.array(STICKS),
    }


def parse(folder: Path, place: Path) -> Iterator[str]:
    """Prepare PARSE from labels.mat (an array ptsAll) and im0001.jpg and so on; see `DataSet.prepare`."""
    labels = original.root_of(folder, "labels.mat") / "labels.mat"
    joints = original.matrix(labels, "ptsAll", (len(JOINTS), 2, None)).transpose(2, 0, 1)
    names = [f"im{number:04d}.jpg" for number in range(1, len(joints) + 1)]
    beside = original.root_of(labels.parent, names[0], is_needed=False)
    paths = original.all_there(beside or original.root_of(folder, names[0]), names)
    (place / "images").mkdir()
    sizes = []
    for path in original.steps(paths, "PARSE"):
        image = original.picture(path)
        share = min(1.0, LONGEST / max(image.size))
        sizes.append((*image.size, share))
        if share == 1:
            original.copy_file(path, place / "images" / path.name)
        else:
            _shrunk(image, share).save(place / "images" / path.name, quality=92)
    shares = np.array(sizes, dtype=float)
    np.savez_compressed(
        place / "annotations.npz", joints=joints * shares[:, 2, None, None], joints_original=joints,
        original_whf=shares, joint_names=np.array(JOINTS),
        split=np.where(np.arange(len(joints)) < N_PARSE_TRAIN, "train", "test"),
    )  # fmt: skip
    yield f"{len(names)} pictures"


def _shrunk(image, share):
    size = [max(1, round(n * share)) for n in image.size]
    return image.resize(size, Image.Resampling.LANCZOS)


def lspet(folder: Path, place: Path) -> Iterator[str]:
    """Prepare a part of Leeds Sports Pose Extended from joints.mat and images/im00001.jpg and so on."""
    root = original.root_of(folder, "joints.mat")
    table = original.matrix(root / "joints.mat", "joints", (len(JOINTS), 3, None)).transpose(2, 0, 1)
    joints, visible = table[..., :2], table[..., 2] != 0
    chosen = np.flatnonzero(visible[:, _UPPER].all(axis=1))[:N_LSPET]
    joints, visible = joints[chosen], visible[chosen]
    files = np.array([f"im{number + 1:05d}.jpg" for number in chosen])
    paths = original.all_there(root, [f"images/{name}" for name in files])
    boxes = boxes_of(joints, visible)
    (place / "images").mkdir()
    moves = []
    for path, box in original.steps(list(zip(paths, boxes)), "LSPET"):
        image = original.picture(path)
        left, top, right, bottom = (int(n) for n in (*box[:2], *np.minimum(box[2:], image.size)))
        if not (left < right and top < bottom):
            raise OriginalError(f"{path} must show the joints, got a picture of {image.size} pixels")
        image = image.crop((left, top, right, bottom))
        share = min(1.0, LONGEST / max(image.size))
        moves.append((left, top, share))
        _shrunk(image, share).save(place / "images" / path.name, quality=90)
    moves = np.array(moves, dtype=float).reshape(-1, 3)
    np.savez_compressed(
        place / "annotations.npz", files=files, visible=visible, crop_x0y0f=moves,
        joints=(joints - moves[:, None, :2]) * moves[:, None, 2:], joint_names=np.array(JOINTS),
    )  # fmt: skip
    yield f"{len(files)} pictures of {len(table)}"


def boxes_of(joints: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """(left, top, right, bottom) of crops, whole pixels (N, 4); right and bottom may lie outside."""
    seen = visible[..., None]
    low = np.where(seen, joints, np.inf).min(axis=1)
    high = np.where(seen, joints, -np.inf).max(axis=1)
    margin = MARGIN * (high - low).max(axis=1, keepdims=True) + MARGIN_PX
    return np.concatenate([np.floor(np.maximum(low - margin, 0)), np.ceil(high + margin)], axis=1)
