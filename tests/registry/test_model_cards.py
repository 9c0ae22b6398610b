"""Cards of stored models: one for each, true to its manifest, whatever that holds."""

import json
import re

import pytest

from experiments import report
from spcviz.registry import licences, model_cards
from spcviz.shared.folders import MODELS, ROOT
from spcviz.store import list_models

NAMES = [status.name for status in list_models(MODELS)]
TEXT = (ROOT / "docs" / model_cards.FILE).read_text(encoding="utf-8")
CARDS = dict(re.findall(r"^## `(\S+)`\n\n(.*?)(?=\n\n## |\Z)", TEXT, re.M | re.S))


def test_there_is_a_card_for_each_model_and_report_writes_them():
    assert list(CARDS) == NAMES
    assert report.CLASS.with_name(model_cards.FILE) in report.files()
    assert model_cards.text(MODELS) == TEXT, "run: python -m spcviz report"


@pytest.mark.parametrize("name", NAMES)
def test_a_card_says_what_its_manifest_says(name):
    manifest = json.loads((MODELS / f"{name}.json").read_bytes())
    rows = dict(re.findall(r"^\| ([^|]+) \| (.*) \|$", CARDS[name], re.M))
    assert rows["digest"] == manifest["sha256"][:12]
    assert rows["what may be done with it"] == licences.of(name)["weights"]
    assert rows["kind"].startswith(f"{manifest['kind']}, version {manifest['version']}, ")
    assert f"random state {manifest['random_state']}" in rows["made by"]
    assert all(f"{data}: " in rows["learned from"] for data in manifest["licence"]["data"])
    assert rows["shown on"]
    for key, value in manifest["metrics"].items():
        if isinstance(value, float):
            assert f"{key} {value:.4g}" in rows["measured"]


def test_whatever_stands_in_a_manifest_a_card_is_one_table():
    manifest = json.loads((MODELS / "ocr-hog.json").read_bytes())
    manifest["licence"] = {}
    manifest["settings"] = {
        "a|b": "x\ny",
        "deep": {"on": True, "none": None},
        "long": list(range(9)),
        "no": [],
    }
    manifest["metrics"] = {"rows": [[1.0, 2.0]], "few": [1.0, 2.5]}
    said = model_cards.card(manifest)
    assert "| settings | a\\|b x y; deep.on yes |" in said
    assert "| measured | few 1 / 2.5 |" in said
    assert "learned from" not in said
    assert all(line.startswith("|") for line in said.split("\n")[2:])
