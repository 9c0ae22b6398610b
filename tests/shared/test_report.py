"""Reproduced results have the common form: provenance, machine, CPU seconds."""

import json
import os

import numpy as np
import pytest

from spcviz.shared import report
from spcviz.store import digest_of_arrays

DATA = {"ocr": {"pixels": np.eye(3, dtype=np.uint8), "labels": np.arange(3)}}
KEYS = ["name", "source", "rows", "baselines", "settings", "data_digests", "machine", "fold_rows"]


def described(**changes):
    about = {"baselines": [{"b": 2}], "settings": {"folds": 1}, "data": DATA}
    return report.describe("a-table", "A paper, Table 1", [{"a": 1.0}], **about | changes)


def test_the_contract():
    result = described()
    assert list(result) == KEYS
    assert result["name"] == "a-table"
    assert result["source"] == "A paper, Table 1"
    assert result["rows"] == [{"a": 1.0}]
    assert result["baselines"] == [{"b": 2}]
    assert result["settings"] == {"folds": 1}
    assert result["fold_rows"] == []
    assert described(fold_rows=[{"fold": 3, "rows": [1]}])["fold_rows"] == [{"fold": "3", "rows": [1]}]
    assert json.loads(json.dumps(result)) == result
    assert described(seed=3)["seed"] == 3


def test_digests_follow_every_byte_of_the_data():
    assert described()["data_digests"] == {"ocr": digest_of_arrays(DATA["ocr"])}
    changed = {"ocr": DATA["ocr"] | {"labels": np.array([0, 1, 3])}}
    assert described(data=changed)["data_digests"] != described()["data_digests"]
    assert set(described(data=DATA | {"other": DATA["ocr"]})["data_digests"]) == {"ocr", "other"}


def test_the_machine():
    machine = report.machine()
    assert list(machine) == ["cpu", "cores", "python", "system"]
    assert machine["cores"] == os.cpu_count()
    assert machine["cpu"]


@pytest.mark.parametrize("content", [None, "", "no such line\n"])
def test_a_machine_without_cpuinfo(monkeypatch, tmp_path, content):
    path = tmp_path / "cpuinfo"
    if content is not None:
        path.write_text(content)
    monkeypatch.setattr("builtins.open", lambda *_, **__: path.open(encoding="utf-8"))
    assert report.machine()["cpu"] == (report.platform.processor() or report.platform.machine())
