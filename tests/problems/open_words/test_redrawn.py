"""The stored result on redrawn letters: the Write page's first reader reads them as the originals."""

import json

import pytest

from spcviz.shared.folders import RESULTS

PATH = RESULTS / "ocr-open.json"


@pytest.mark.skipif(not PATH.exists(), reason="not made: python -m spcviz reproduce ocr-open")
def test_redrawn_letters_read_as_the_originals_do():
    rows = json.loads(PATH.read_text(encoding="utf-8"))["redrawn"]
    assert all(row["letters"] >= 30 for row in rows)
    (fourier,) = (row for row in rows if row["features"] == "fourier")
    assert fourier["by_cascade_redrawn"] >= fourier["by_cascade"] - 2.0
