"""Finding and reading the files of an original."""

import numpy as np
import pytest
import scipy.io
from PIL import Image

from spcviz.shared.bring import original
from spcviz.shared.bring.original import OriginalError


def test_the_root_is_found_however_deep_it_was_unpacked(tmp_path):
    deep = tmp_path / "a" / "b" / "data"
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("")
    assert original.root_of(tmp_path, "data/x.txt") == tmp_path / "a" / "b"
    assert original.root_of(tmp_path / "a" / "b", "data/x.txt") == tmp_path / "a" / "b"
    assert original.root_of(tmp_path, "x.txt") == deep
    assert original.root_of(tmp_path, "y.txt", is_needed=False) is None


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(
        OriginalError, match=r"must be the original distribution, got '.*': data/x\.txt is missing$"
    ):
        original.root_of(tmp_path, "data/x.txt")
    (tmp_path / "x.zip").write_text("")
    with pytest.raises(OriginalError, match=r"is missing \(unpack x\.zip first\)"):
        original.root_of(tmp_path, "data/x.txt")
    (tmp_path / "b").write_text("")
    assert original.all_there(tmp_path, ["b"]) == [tmp_path / "b"]
    with pytest.raises(OriginalError, match="a is missing, and 1 more"):
        original.all_there(tmp_path, ["a", "b", "c"])
    with pytest.raises(OriginalError, match=r"c is missing$"):
        original.all_there(tmp_path, ["b", "c"])


def test_pictures(tmp_path):
    Image.new("L", (3, 2), 7).save(tmp_path / "grey.png")
    assert np.asarray(original.picture(tmp_path / "grey.png")).tolist() == [[[7, 7, 7]] * 3] * 2
    (tmp_path / "text.png").write_text("no picture")
    Image.new("L", (3, 2)).save(tmp_path / "a.gif")
    data = (tmp_path / "grey.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(data[: len(data) // 2])
    for name in ("text.png", "a.gif", "cut.png"):
        with pytest.raises(OriginalError, match=f"{name} must be a picture, got one that cannot be read"):
            original.picture(tmp_path / name)


def test_matrices(tmp_path):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"points": np.arange(12).reshape(2, 3, 2), "one": np.zeros((2, 3, 1))})
    assert original.matrix(path, "points", (2, 3, None)).dtype == float
    assert original.matrix(path, "one", (2, 3, 1)).shape == (2, 3, 1)
    with pytest.raises(OriginalError, match=r"an array points of shape \(3, 3, None\), got \(2, 3, 2\)"):
        original.matrix(path, "points", (3, 3, None))
    with pytest.raises(OriginalError, match=r"an array labels of shape .* got none"):
        original.matrix(path, "labels", (2, 3, None))
    path.write_text("no matrix, but long enough that it might be one, who knows, it goes on " * 4)
    with pytest.raises(OriginalError, match="must be a MATLAB file, got one that cannot be read"):
        original.matrix(path, "points", (2, 3, None))
