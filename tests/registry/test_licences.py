"""Licences: every stored model states what its data allow, and all texts for users say the same."""

import json
import re
import shutil

import pytest

from experiments import report
from spcviz import cli, registry, store
from spcviz.registry import licences
from spcviz.shared.folders import MODELS, RESULTS, ROOT
from spcviz.web.ui import about

STORED = [path.stem for path in sorted(MODELS.glob("*.json"))]
RESEARCH = {
    *("budget-pose", "pose-arms", "pose-buffy", "pose-finder", "pose-hand-set"),
    "scene-camvid",
}
ABOUT = {"kind": "k", "version": 1, "settings": {}, "data_digest": "", "random_state": 0, "metrics": {}}


def manifest(name, folder=MODELS):
    return json.loads((folder / f"{name}.json").read_bytes())


@pytest.fixture
def copies(tmp_path):
    """Two models as they were before they stated a licence."""
    for name in ("pose-finder", "ocr-raw"):
        written = manifest(name)
        del written["licence"]
        (tmp_path / f"{name}.json").write_text(json.dumps(written))
        (npz,) = MODELS.glob(f"{name}.*.npz")
        shutil.copy(npz, tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", STORED)
def test_a_stored_model_says_what_it_owes(name):
    licence = manifest(name)["licence"]
    assert licence.pop("sha256")
    assert licence == licences.of(name)
    assert licence["weights"] in licences.WEIGHTS.values()
    for about_set in licence["data"].values():
        assert all(about_set.values())


def test_what_learned_from_data_for_research_is_for_research_only():
    names = {name for name in STORED if manifest(name)["licence"]["weights"] == licences.WEIGHTS["research"]}
    assert names == RESEARCH


def test_settings_that_name_a_source_agree():
    """Settings stored with the weights name no source that the licence leaves out."""
    known = {entry.name: entry.origin for entry in registry.data_sets()}
    for name in STORED:
        written, said = json.dumps(manifest(name)["settings"]), manifest(name)["licence"]["data"]
        for key, origin in known.items():
            if origin.split(" (")[0] in written and key != "pose_signs":
                assert key in said or any(origin.split(" (")[0] in known[data] for data in said), (name, key)


def test_the_file_has_a_row_for_each_model_and_names_its_data():
    text = (MODELS / licences.FILE).read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9_-]+)` \| (.*) \|$", text, re.MULTILINE))
    assert sorted(rows) == STORED
    for name, row in rows.items():
        licence = manifest(name)["licence"]
        assert row.endswith(f"**{licence['weights']}**")
        assert all(f"{key}: {said['licence']}" in row for key, said in licence["data"].items())


def test_report_writes_it_where_models_stand_beside_the_results(tmp_path, copies):
    (tmp_path / "cache" / "results").mkdir(parents=True)
    path = tmp_path / "cache" / "models" / licences.FILE
    assert path not in report.files(tmp_path / "cache" / "results", tmp_path / "none.md")
    shutil.copytree(copies, path.parent, ignore=shutil.ignore_patterns("cache"))
    wanted = report.files(tmp_path / "cache" / "results", tmp_path / "none.md")[path]
    assert "| **licence not said; make it anew: python -m spcviz train pose** |" in wanted
    assert (MODELS / licences.FILE) in report.files(RESULTS)


def test_a_licence_changes_nothing_else_of_a_model(copies):
    before = {name: manifest(name, copies) for name in ("ocr-raw", "pose-finder")}
    assert licences.stamp(copies) == ["ocr-raw", "pose-finder"]
    assert licences.stamp(copies) == []
    for name, was in before.items():
        now = store.verify_model(copies, name)
        assert now.pop("licence")["weights"] == licences.of(name)["weights"]
        assert now == was


def test_training_writes_it(tmp_path, monkeypatch):
    def make(run):
        yield store.save_model(run.models, "ocr-raw", {}, **ABOUT)

    monkeypatch.setattr(registry, "load", lambda dotted: make if "letters" in dotted else 0)
    monkeypatch.setattr(licences, "of", lambda name: {"weights": name})
    assert cli.main(["train", "ocr", "--models", str(tmp_path)]) == 0
    assert manifest("ocr-raw", tmp_path)["licence"]["weights"] == "ocr-raw"


@pytest.mark.parametrize(
    "change",
    [
        lambda written: written["licence"].update(weights="MIT, like the code"),
        lambda written: written["licence"]["data"].clear(),
        lambda written: written["licence"].pop("sha256"),
        lambda written: written.update(licence="free"),
    ],
)
def test_a_licence_that_somebody_changed_is_refused(copies, change):
    licences.stamp(copies)
    written = manifest("pose-finder", copies)
    change(written)
    (copies / "pose-finder.json").write_text(json.dumps(written))
    with pytest.raises(store.StoreError, match="the digest of its licence is wrong; repair with: python -m"):
        store.verify_model(copies, "pose-finder")


@pytest.mark.parametrize("licence", [{}, "MIT", None, {"weights": float("nan")}])
def test_what_is_no_licence_is_refused(copies, licence):
    with pytest.raises(ValueError, match="licence must be"):
        store.set_licence(copies, "ocr-raw", licence)


def test_the_readme_the_licence_and_the_app_name_what_is_for_research_only():
    readme = (ROOT / "LICENSES.md").read_text(encoding="utf-8")
    research = readme[readme.index("nothing commercial") : readme.index("CC BY-SA 4.0:")]
    named = [pattern.replace("*", "") for pattern in re.findall("`([a-z*-]+)`", research)]
    assert {name for name in STORED if name.startswith(tuple(named))} == RESEARCH
    assert f"cache/models/{licences.FILE}" in readme
    assert f"cache/models/{licences.FILE}" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    said = about.menu()["About"]
    (line,) = (line for line in said.splitlines() if line.startswith(f"- {licences.WEIGHTS['research']}: "))
    assert set(line.partition(": ")[2].split(", ")) == RESEARCH


def test_a_folder_without_models_and_one_that_says_nothing(tmp_path, copies):
    assert licences.summary(tmp_path / "none") == "The code is under the MIT licence."
    assert licences.summary(copies).endswith(f"- {licences.NOT_SAID}: ocr-raw, pose-finder")
