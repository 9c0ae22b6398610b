"""What the stored result says of redrawn letters: they read as the originals do."""

import json

import pytest

from spcviz.problems.common.folders import RESULTS

PATH = RESULTS / "ocr-open.json"


@pytest.mark.skipif(not PATH.exists(), reason="not made: python -m spcviz reproduce ocr-open")
def test_redrawn_letters_read_as_the_originals_do():
    for row in json.loads(PATH.read_text(encoding="utf-8"))["redrawn"]:
        assert row["letters"] >= 30
        assert row["by_cascade_redrawn"] >= row["by_cascade"] - 2.0
