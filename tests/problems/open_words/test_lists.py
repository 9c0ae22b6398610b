"""Stored lists of test words are those that the stored models read now."""

import json
import shutil

import pytest
from numpy.testing import assert_array_equal

from spcviz.problems.letters.model.stored import load_ocr
from spcviz.problems.letters.page import live
from spcviz.problems.open_words.model import lists
from spcviz.shared.folders import MODELS
from spcviz.store import StoreError


def test_the_stored_list_is_what_the_model_reads():
    assert_array_equal(lists.load(MODELS, "ocr-raw"), live.word_readings(load_ocr(MODELS, "raw")))


@pytest.mark.parametrize("name", ["ocr-raw", "ocr-hog", "ocr-fourier", "open-fourier", "open-raw"])
def test_every_model_has_its_list(name):
    assert lists.load(MODELS, name).shape[0] == 6


def test_a_list_of_another_model_counts_as_missing(tmp_path):
    for path in [*MODELS.glob("open-lists.*"), MODELS / "ocr-raw.json"]:
        shutil.copy(path, tmp_path)
    assert lists.load(tmp_path, "ocr-raw").shape[0] == 6
    manifest = json.loads((tmp_path / "ocr-raw.json").read_text())
    (tmp_path / "ocr-raw.json").write_text(json.dumps(manifest | {"sha256": "0" * 64}))
    with pytest.raises(StoreError, match="run: python -m spcviz train open-lists"):
        lists.load(tmp_path, "ocr-raw")
    with pytest.raises(StoreError):
        lists.load(tmp_path, "ocr-hog")


def test_training_again_gives_the_same(tmp_path):
    for path in MODELS.glob("ocr-raw.*"):
        shutil.copy(path, tmp_path)
    seen = []
    run = type("Run", (), {"models": tmp_path, "tick": seen.append})
    (said,) = lists.train(run)
    assert said.endswith("ocr-raw")
    assert seen == ["ocr-raw"]
    assert_array_equal(lists.load(tmp_path, "ocr-raw"), lists.load(MODELS, "ocr-raw"))
