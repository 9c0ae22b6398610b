"""Three sets of people from their originals: miniatures made here, and the numbers of the originals."""

import numpy as np
import pytest
import scipy.io
from PIL import Image

from spcviz.problems.pose.data import buffy as data
from spcviz.problems.pose.data import pictures, prepare
from spcviz.registry import catalogue
from spcviz.shared.bring.original import OriginalError

COUNTS = {2: 4, 3: 8, 4: 4, 5: 2, 6: 3}
"""Number of frames in each episode of the small Buffy: dev has clip 1."""


def bring(name, folder, tmp_path):
    return list(catalogue.prepare(name, folder, tmp_path / "data"))


def shading(width, height):
    """Red encodes x, green encodes y: any crop shows where it is from."""
    image = np.zeros((height, width, 3), np.uint8)
    image[..., 0] = np.linspace(0, 250, width)[None]
    image[..., 1] = np.linspace(0, 250, height)[:, None]
    image[..., 2] = 128
    return Image.fromarray(image)


def table_of(tmp_path, name):
    with np.load(tmp_path / "data" / name / "annotations.npz", allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


# ---- Buffy Stickmen


def a_person(rng):
    """(sticks (6, 2, 2), joints (10, 2)): upright, ends of sticks in random order."""
    x, y = rng.uniform(250, 450), rng.uniform(60, 90)
    joints = dict(
        zip(
            prepare.BUFFY_JOINTS,
            np.array(
                [
                    [x, y], [x, y + 60], [x - 40, y + 70], [x - 50, y + 120], [x + 40, y + 70],
                    [x + 55, y + 115], [x - 30, y + 150], [x + 60, y + 160], [x - 20, y + 180],
                    [x + 20, y + 180],
                ]
            ),
        )
    )  # fmt: skip
    hips = (joints["l_hip"] + joints["r_hip"]) / 2
    gap = np.array([0, 2.0])  # sticks do not quite touch
    ends = [
        (joints["neck"] + gap, hips),
        (joints["l_shoulder"], joints["l_elbow"] - gap), (joints["r_shoulder"], joints["r_elbow"] - gap),
        (joints["l_elbow"] + gap, joints["l_wrist"]), (joints["r_elbow"] + gap, joints["r_wrist"]),
        (joints["neck"] - gap, joints["head_top"]),
    ]  # fmt: skip
    sticks = np.array([pair[:: rng.choice((1, -1))] for pair in ends])
    return sticks, np.array(list(joints.values()))


@pytest.fixture
def buffy(tmp_path):
    """Buffy Stickmen V3.0 as small as it gets, with the pose release's labels; (folder, sticks, joints)."""
    rng = np.random.default_rng(0)
    root, all_sticks, all_joints = tmp_path / "code-full" / "BUFFY", [], []
    (root / "data").mkdir(parents=True)
    (root / "labels").mkdir()
    for episode, count in COUNTS.items():
        images, text, labels = root / "images" / f"buffy_s5e{episode}_original", "", []
        images.mkdir(parents=True)
        for n in range(count):
            sticks, joints = a_person(rng)
            sticks, joints = sticks.round(2), joints.round(2)
            shading(720, 405).save(images / f"{7 * n + 63:06d}.jpg", quality=95)
            rows = "".join(" " + " ".join(map(str, stick.ravel())) + " \n" for stick in sticks)
            text += f"{7 * n + 63}\n{rows}"
            labels.append(joints)
            all_sticks.append(sticks)
        (root / "data" / f"buffy_s5e{episode}_sticks.txt").write_text(text)
        scipy.io.savemat(
            root / "labels" / f"buffy_s5e{episode}_labels.mat", {"labels": np.stack(labels, axis=2)}
        )
        all_joints += labels
    return root, np.array(all_sticks), np.array(all_joints)


def test_buffy_is_read_by_its_loader(buffy, tmp_path):
    root, sticks, joints = buffy
    lines = bring("pose_buffy", root.parents[1], tmp_path)
    assert lines == ["21 frames, 6 clips", f"{tmp_path / 'data' / 'pose_buffy'}: ready"]
    table = table_of(tmp_path, "pose_buffy")
    np.testing.assert_array_equal(table["joints_original"], joints)
    np.testing.assert_array_equal(table["sticks_original"], sticks)
    assert table["clip"][:5].tolist() == ["s5e2_000"] * 4 + ["s5e3_000"]
    parts = {split: data.load_buffy(tmp_path / "data", split) for split in ("train", "dev", "test")}
    assert {split: len(part.names) for split, part in parts.items()} == {"train": 8, "dev": 4, "test": 9}
    assert parts["test"].names[0] == "s5e2_000063.jpg"


def test_crops_show_the_window_around_the_person(buffy, tmp_path):
    """The crop's colours tell from which pixel of the frame each of its pixels is."""
    root, _, joints = buffy
    bring("pose_buffy", root, tmp_path)
    test = data.load_buffy(tmp_path / "data", "test")
    head, hips = joints[0, 0], joints[0, 8:10].mean(axis=0)
    side = 2 * np.linalg.norm(head - hips)
    left = (head[0] + joints[0, 1, 0] + hips[0]) / 3 - side / 2
    top = head[1] - 0.15 * side
    rows, columns = np.mgrid[60:200:20, 20:220:20]
    x, y = left + (columns + 0.5) * side / 240, top + (rows + 0.5) * side / 240
    is_inside = (x > 5) & (x < 715) & (y > 5) & (y < 400)
    seen = test.images[0][rows, columns].astype(float)
    assert is_inside.mean() > 0.5
    assert np.abs(seen[..., 0] - x * 250 / 720)[is_inside].max() < 5
    assert np.abs(seen[..., 1] - y * 250 / 405)[is_inside].max() < 5
    neck = (joints[0, 1] + [0, 2] - [left, top]) * 240 / side
    np.testing.assert_allclose(test.limbs[0, 0, 0], neck, atol=1e-9)


def test_without_labels_the_sticks_tell_the_joints(buffy, tmp_path):
    root, sticks, joints = buffy
    for path in (root / "labels").iterdir():
        path.unlink()
    lines = bring("pose_buffy", root, tmp_path)
    assert lines[0].startswith("no labels/buffy_s5eE_labels.mat")
    assert "read off the sticks" in lines[1]
    derived = prepare.joints_of(sticks)
    np.testing.assert_allclose(derived[:, :8], joints[:, :8], atol=0.011)
    np.testing.assert_allclose(derived[:, 8:].mean(axis=1), joints[:, 8:].mean(axis=1), atol=0.011)
    assert len(data.load_buffy(tmp_path / "data", "train").names) == 8


@pytest.mark.parametrize(
    "name",
    ["data/buffy_s5e6_sticks.txt", "images/buffy_s5e4_original/000070.jpg", "labels/buffy_s5e5_labels.mat"],
)
def test_buffy_with_a_file_missing(buffy, tmp_path, name):
    (buffy[0] / name).unlink()
    with pytest.raises(OriginalError, match=f"{name} is missing"):
        bring("pose_buffy", buffy[0], tmp_path)
    assert list((tmp_path / "data").glob("*")) == []


def test_buffy_with_files_of_another_form(buffy, tmp_path):
    path = buffy[0] / "data" / "buffy_s5e2_sticks.txt"
    text = path.read_text()
    for wrong, message in (
        (text + "1 2 3", "must hold 25 numbers a frame, got 103 numbers"),
        ("", "got 0 numbers"),
        (text.replace("63", "im63", 1), "must hold numbers, got something else"),
    ):
        path.write_text(wrong)
        with pytest.raises(OriginalError, match=message):
            bring("pose_buffy", buffy[0], tmp_path)
    path.write_text(text)
    labels = buffy[0] / "labels" / "buffy_s5e2_labels.mat"
    scipy.io.savemat(labels, {"labels": np.zeros((10, 2, 5))})
    with pytest.raises(OriginalError, match=r"labels of shape \(10, 2, 4\), got \(10, 2, 5\)"):
        bring("pose_buffy", buffy[0], tmp_path)


def test_the_sticks_that_are_here_are_the_prepared_ones(shared_data):
    """The original's five text files give exactly the numbers of the data folder."""
    folder = shared_data / "pose_buffy"
    read = [prepare.read_sticks(folder / f"buffy_s5e{e}_sticks.txt") for e in prepare.EPISODES]
    sticks = np.concatenate([part for _, part in read])
    episode = np.repeat(prepare.EPISODES, [len(frames) for frames, _ in read])
    frame = np.concatenate([frames for frames, _ in read])
    files = np.array([f"s5e{e}_{f:06d}.jpg" for e, f in zip(episode, frame)])
    with np.load(folder / "annotations.npz") as stored:
        joints = stored["joints_original"]
        ours = prepare._buffy_table(files, episode, frame, joints, prepare.windows_of(joints))
        np.testing.assert_array_equal(sticks, stored["sticks_original"])
        for key in set(ours) - {"joints_crop240", "crop_window_xys"}:
            assert (ours[key] == stored[key]).all(), key
        for key in ("joints_crop240", "crop_window_xys"):
            np.testing.assert_allclose(ours[key], stored[key], rtol=0, atol=1e-9)


def test_how_near_sticks_alone_come(shared_data):
    """Joints read off the real sticks against the pose release's labels, and the resulting windows."""
    with np.load(shared_data / "pose_buffy" / "annotations.npz") as stored:
        joints, sticks = stored["joints_original"], stored["sticks_original"]
    derived = prepare.joints_of(sticks)
    apart = np.linalg.norm(derived - joints, axis=-1)[:, :8]  # of all joints but the hips
    assert (apart < 1e-6).mean() > 0.998
    ours, theirs = prepare.windows_of(derived), prepare.windows_of(joints)
    share = ours[:, 2] / theirs[:, 2] - 1
    low, middle, high = np.percentile(share, [5, 50, 95])
    assert -0.11 < low < high < 0.1  # as `buffy` tells users without labels
    assert abs(middle) < 0.03
    off = np.linalg.norm((ours - theirs)[:, :2] + (ours - theirs)[:, 2:] / 2, axis=1) / theirs[:, 2]
    assert np.percentile(off, 90) < 0.04


# ---- PARSE


@pytest.fixture
def parse(tmp_path):
    """PARSE with three pictures, the second too large; (folder, joints)."""
    folder = tmp_path / "original" / "people_all"
    folder.mkdir(parents=True)
    sizes = [(130, 212), (300, 400), (240, 100)]
    joints = np.random.default_rng(1).uniform(10, 90, (3, 14, 2))
    for k, size in enumerate(sizes, start=1):
        shading(*size).save(folder / f"im{k:04d}.jpg")
    scipy.io.savemat(folder / "labels.mat", {"ptsAll": joints.transpose(1, 2, 0)})
    return folder, joints


def test_parse_keeps_small_pictures_and_shrinks_large_ones(parse, tmp_path, monkeypatch):
    monkeypatch.setattr(prepare, "N_PARSE_TRAIN", 2)
    folder, joints = parse
    bring("pose_parse", folder.parent, tmp_path)
    place, table = tmp_path / "data" / "pose_parse" / "images", table_of(tmp_path, "pose_parse")
    assert (place / "im0001.jpg").read_bytes() == (folder / "im0001.jpg").read_bytes()
    assert (place / "im0003.jpg").read_bytes() == (folder / "im0003.jpg").read_bytes()
    with Image.open(place / "im0002.jpg") as small:
        assert small.size == (180, 240)
        colour = np.asarray(small)[120, 90].astype(int)
    assert np.abs(colour - [125, 125, 128]).max() < 4
    assert table["original_whf"].tolist() == [[130, 212, 1], [300, 400, 0.6], [240, 100, 1]]
    np.testing.assert_allclose(table["joints"], joints * np.array([1, 0.6, 1])[:, None, None])
    np.testing.assert_array_equal(table["joints_original"], joints)
    assert table["split"].tolist() == ["train", "train", "test"]


def test_parse_is_read_by_its_loader(tmp_path):
    folder = tmp_path / "original"
    folder.mkdir()
    person = an_upright_person()
    shading(160, 230).save(folder / "im0001.jpg")
    scipy.io.savemat(folder / "labels.mat", {"ptsAll": person[:, :, None]})
    bring("pose_parse", folder, tmp_path)
    clips = pictures.load_pictures(tmp_path / "data", "pose_parse")
    assert clips.names == ("im0001.jpg",)
    assert np.isfinite(clips.limbs).all()


def an_upright_person():
    """(14, 2) in the order of `prepare.JOINTS`."""
    x, y = 80.0, 30.0
    return np.array(
        [
            [x - 20, y + 190], [x - 20, y + 140], [x - 15, y + 90], [x + 15, y + 90], [x + 20, y + 140],
            [x + 20, y + 190], [x - 30, y + 80], [x - 35, y + 55], [x - 25, y + 30], [x + 25, y + 30],
            [x + 35, y + 55], [x + 30, y + 80], [x, y + 25], [x, y],
        ]
    )  # fmt: skip


def test_parse_that_is_not_there(parse, tmp_path):
    folder, joints = parse
    (folder / "im0003.jpg").unlink()
    with pytest.raises(OriginalError, match=r"im0003\.jpg is missing"):
        bring("pose_parse", folder, tmp_path)
    scipy.io.savemat(folder / "labels.mat", {"points": joints})
    with pytest.raises(OriginalError, match="must hold an array ptsAll"):
        bring("pose_parse", folder, tmp_path)
    (folder / "labels.mat").unlink()
    with pytest.raises(OriginalError, match=r"labels\.mat is missing"):
        bring("pose_parse", folder, tmp_path)


def test_parse_as_it_lies_in_the_data_folder(shared_data, tmp_path):
    """The original, rebuilt from its own pictures (235 of 305 are stored as they were) and joints."""
    kept, folder = shared_data / "pose_parse", tmp_path / "original"
    folder.mkdir()
    with np.load(kept / "annotations.npz") as stored:
        theirs = {key: stored[key] for key in stored.files}
    is_small = theirs["original_whf"][:, 2] == 1
    for k, (width, height, share) in enumerate(theirs["original_whf"], start=1):
        path = kept / "images" / f"im{k:04d}.jpg"
        if share == 1:
            (folder / path.name).write_bytes(path.read_bytes())
        else:
            with Image.open(path) as small:
                small.resize((int(width), int(height))).save(folder / path.name, quality=92)
    scipy.io.savemat(folder / "labels.mat", {"ptsAll": theirs["joints_original"].transpose(1, 2, 0)})
    bring("pose_parse", folder, tmp_path)
    ours, place = table_of(tmp_path, "pose_parse"), tmp_path / "data" / "pose_parse" / "images"
    assert set(ours) == set(theirs)
    for key in ours:
        assert (ours[key] == theirs[key]).all(), key
    assert is_small.sum() == 235
    for k, same in enumerate(is_small, start=1):
        name = f"im{k:04d}.jpg"
        if same:
            assert (place / name).read_bytes() == (kept / "images" / name).read_bytes()
        with Image.open(place / name) as our, Image.open(kept / "images" / name) as their:
            assert our.size == their.size


# ---- Leeds Sports Pose Extended


@pytest.fixture
def lspet(tmp_path):
    """LSPET with four pictures: the second hides an elbow, the third a knee, the fourth is large."""
    root = tmp_path / "original"
    (root / "images").mkdir(parents=True)
    joints = np.stack([an_upright_person()] * 4)
    joints[3] *= 3
    visible = np.ones((4, 14))
    visible[1, prepare.JOINTS.index("l_elbow")] = 0
    visible[2, prepare.JOINTS.index("r_ankle")] = 0
    joints[2, prepare.JOINTS.index("r_ankle")] = -500  # invisible joints carry no information
    for k, size in enumerate([(160, 230), (160, 230), (160, 230), (480, 690)], start=1):
        shading(*size).save(root / "images" / f"im{k:05d}.jpg", quality=95)
    table = np.concatenate([joints, visible[..., None]], axis=2)
    scipy.io.savemat(root / "joints.mat", {"joints": table.transpose(1, 2, 0)})
    return root, joints


def test_lspet_is_cut_around_the_visible_joints(lspet, tmp_path):
    root, joints = lspet
    lines = bring("pose_lspet", root.parent, tmp_path)
    assert lines[0] == "3 pictures of 4"
    place, table = tmp_path / "data" / "pose_lspet" / "images", table_of(tmp_path, "pose_lspet")
    assert table["files"].tolist() == ["im00001.jpg", "im00003.jpg", "im00004.jpg"]
    assert table["visible"].sum(axis=1).tolist() == [14, 13, 14]
    # The person is 190 high: 48 pixels around it, x 45 .. 115, y 30 .. 220 in a picture of 160 x 230.
    assert table["crop_x0y0f"][0].tolist() == [0, 0, 1]
    assert table["crop_x0y0f"][2].tolist() == [11, 0, 240 / 690]
    moved = (joints[3] - [11, 0]) * 240 / 690
    np.testing.assert_allclose(table["joints"][2], moved)
    with Image.open(place / "im00004.jpg") as small:
        assert small.size == (round(458 * 240 / 690), 240)
        colour = np.asarray(small)[120, 80].astype(float)
    x, y = 11 + 80.5 * 690 / 240, 120.5 * 690 / 240
    assert np.abs(colour[:2] - [x * 250 / 480, y * 250 / 690]).max() < 5
    clips = pictures.load_pictures(tmp_path / "data", "pose_lspet")
    assert clips.names == ("im00001.jpg", "im00003.jpg", "im00004.jpg")


def test_lspet_keeps_as_many_as_were_kept(lspet, tmp_path, monkeypatch):
    monkeypatch.setattr(prepare, "N_LSPET", 2)
    (lspet[0] / "images" / "im00004.jpg").unlink()  # not needed in this case
    assert bring("pose_lspet", lspet[0], tmp_path)[0] == "2 pictures of 4"


def test_lspet_that_is_not_there(lspet, tmp_path):
    root, _ = lspet
    shading(5, 5).save(root / "images" / "im00004.jpg")
    with pytest.raises(OriginalError, match=r"im00004\.jpg must show the joints, got a picture of \(5, 5\)"):
        bring("pose_lspet", root, tmp_path)
    (root / "images" / "im00003.jpg").unlink()
    with pytest.raises(OriginalError, match=r"images/im00003\.jpg is missing"):
        bring("pose_lspet", root, tmp_path)
    (root / "joints.mat").unlink()
    with pytest.raises(OriginalError, match=r"joints\.mat is missing"):
        bring("pose_lspet", root, tmp_path)


def test_boxes_as_they_lie_in_the_data_folder(shared_data):
    """From the original's joints, all 2000 cuts: left and top exactly, right and bottom unless clipped."""
    folder = shared_data / "pose_lspet"
    with np.load(folder / "annotations.npz") as stored:
        move, visible = stored["crop_x0y0f"], stored["visible"]
        joints = stored["joints"] / move[:, None, 2:] + move[:, None, :2]
        sizes = [Image.open(folder / "images" / name).size for name in stored["files"]]
        assert visible[:, prepare._UPPER].all()
        assert tuple(stored["joint_names"]) == prepare.JOINTS
    boxes = prepare.boxes_of(joints, visible)
    assert (boxes[:, :2] == move[:, :2]).all()
    right_bottom = np.array(sizes) / move[:, 2:] + move[:, :2]
    room = boxes[:, 2:] - right_bottom
    assert (room >= -0.6 / move[:, 2:].min()).all()
    assert (np.abs(room) < 0.6 / move[:, 2:].min()).mean() > 0.7
    assert (np.abs(np.array(sizes).max(axis=1)[move[:, 2] < 1] - 240) == 0).all()
