"""Stored results with damaged content: every page that shows one opens, with a sentence in its place."""

import copy
import json
import tempfile
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from experiments import report
from spcviz.engine.errors import SpcvizError
from spcviz.problems.letters.page import cached
from spcviz.shared.folders import RESULTS
from spcviz.web.cached import common
from spcviz.web.ui import results
from tests.app.driver import open_home

TABLES = "pages/results/tables.py"
READ_BY = {
    "ocr-open": ("pages/cascade/letters.py", {}),
    "ocr-sweep": ("pages/cascade/sweep.py", {"show": "filters", "features": "raw"}),
    "grid": ("pages/cascade/loopy.py", {"show": "thesis"}),
    "pose-cascade": ("pages/cascade/pose.py", {"show": "thesis"}),
    "pose-people": ("pages/cascade/pose.py", {"show": "people"}),
}
"""Results that a page other than Paper tables shows, and where."""
PLACES = {"results": "", "readme": "none", "class_file": "none"}
JUNK = (None, 5, -1, 0, 1e308, float("nan"), True, "", "x", "<b>", [], {}, [5], {"a": 5}, [None], "é" * 500)
NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


@cache
def whole(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


@cache
def app():
    """One visitor for all cases: a new one takes a second."""
    return open_home()


def damaged(rng, name):
    """A result's text with up to three changes at any depth, sometimes truncated."""
    result = copy.deepcopy(whole(name))
    for _ in range(int(rng.integers(1, 4))):
        _change(rng, result)
    text = json.dumps(result)
    return text[: int(rng.integers(len(text)))] if rng.random() < 0.1 else text


def _change(rng, at):
    """Replace, remove, add or rename one value at some depth."""
    while True:
        keys = list(at) if isinstance(at, dict) else range(len(at))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.75:
            at = at[key]
            continue
        what = rng.random()
        if what < 0.7:
            at[key] = copy.deepcopy(JUNK[int(rng.integers(len(JUNK)))])
        elif what < 0.9:
            del at[key]
        elif isinstance(at, list):
            at.append(copy.deepcopy(at[key]))
        else:
            at["unknown"] = at.pop(key)
        return


def visit(page, **params):
    at = app()
    at.switch_page(page)
    at.query_params.clear()
    for name, value in params.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, (page, params, at.exception[0].value[:300])
    assert not at.error, (page, params, at.error[0].value[:300])
    return at


def open_result(name, text):
    """Open pages and the report with a text in place of a result; returns their sentences."""
    said = []
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(common, "RESULTS", Path(folder)):
        (Path(folder) / f"{name}.json").write_text(text, encoding="utf-8")
        for kept in (common.result, results.result_blocks, cached.filters_tuned):
            kept.clear()
        try:
            for page, params in ((TABLES, {"table": name}), READ_BY.get(name, (None, None))):
                if page:
                    said += [info.value for info in visit(page, **params).info]
            with_report = {name: Path(folder) / where for name, where in PLACES.items()}
            try:
                report.files(**with_report)
            except SpcvizError as error:
                said.append(str(error))
        finally:
            for kept in (common.result, results.result_blocks, cached.filters_tuned):
                kept.clear()
    return said


def check_damaged(seed):
    """One damaged result (for `bench robust`)."""
    rng = np.random.default_rng(seed)
    name = NAMES[int(rng.integers(len(NAMES)))]
    for said in open_result(name, damaged(rng, name)):
        assert "Traceback" not in said


@pytest.mark.parametrize(
    "rows", ['"rows": 5', '"rows": []', '"rows": [5]', '"rows": [{"features": 5}]', '"row']
)
@pytest.mark.parametrize("name", [*READ_BY, "tagging"])
def test_a_result_of_the_right_type_with_the_wrong_content_gets_a_sentence(name, rows):
    text = f'{{"name": "{name}", {rows}' + ("}" if rows.endswith(("5", "]")) else "")
    said = open_result(name, text)
    n = sum(f"python -m spcviz reproduce {name}" in sentence for sentence in said)
    assert n >= 1 + (name in READ_BY), said


def test_every_entry_of_the_tables_opens_without_rows():
    for name in NAMES:
        said = open_result(name, json.dumps(whole(name) | {"rows": 5}))
        assert any(
            f"{name}.json must have a list of objects" in sentence.replace("\\", "") for sentence in said
        ), name


@pytest.mark.parametrize("seed", range(6))
def test_random_changes_at_any_depth_are_survived(seed):
    check_damaged(seed)


@pytest.mark.parametrize("name", list(READ_BY))
def test_the_results_that_stand_are_shown(name):
    """Otherwise the tests above would hold for pages that show nothing."""
    assert open_result(name, json.dumps(whole(name))) == []
