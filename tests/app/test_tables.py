"""The Paper tables page, driven through app.py."""

import json

import pytest

from experiments.statements import OWN, PAPERS
from experiments.statements.rules import MEANINGS
from spcviz import registry
from spcviz.shared.folders import RESULTS
from spcviz.web.cached import common
from spcviz.web.ui import results as page_results
from tests.app.driver import open_page
from tests.problems.arms import test_charts
from tests.problems.grids.test_tables_shown import GRID
from tests.problems.letters.paper.test_tables_shown import RESULT, SWEEP

PAGE = "pages/results/tables.py"


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty folder of results."""
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    common.result.clear()
    page_results.statements.clear()
    page_results.result_blocks.clear()
    yield tmp_path / "results"
    common.result.clear()
    page_results.statements.clear()
    page_results.result_blocks.clear()


def visit(**params):
    return open_page(PAGE, **params)


def said(at):
    return "\n".join(m.value for m in [*at.markdown, *at.caption])


def test_a_table_with_everything_around_it(results):
    (results / "ocr-orders.json").write_text(json.dumps(RESULT))
    at = visit(table="ocr-orders")
    assert len(at.get("plotly_chart")) == 2
    assert "**Statements that read it**: Each higher order reads more letters" in said(at)
    assert at.code[0].value.startswith("python -m spcviz reproduce ocr-orders")
    assert [b.proto.label.split(":")[0] for b in at.get("download_button")] == ["CSV", "JSON"]
    assert at.dataframe[0].value.loc["2-grams", "letters right %, paper"] == 85.0


def test_another_feature_set(results):
    (results / "ocr-orders.json").write_text(json.dumps(RESULT))
    at = visit(features="hog")  # an address from before the overview: it meant the first result
    assert at.query_params["table"] == "ocr-orders"
    assert list(at.dataframe[0].value.index) == ["1-grams"]
    group = next(g for g in at.get("button_group") if g.key == "tables_features")
    at = group.set_value("raw").run()
    assert not at.exception
    assert len(at.dataframe[0].value) == 5


def test_a_result_that_is_missing_names_its_command(results):
    at = visit(table="ocr-orders")
    assert "python -m spcviz reproduce ocr-orders" in at.info[0].value
    at = at.selectbox(key="tables_table").set_value("ocr-sweep").run()
    assert not at.exception
    assert "python -m spcviz reproduce ocr-sweep" in at.info[0].value


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"name": "ocr-orders", "rows": [{"order": 1}]}'])
def test_a_damaged_file_counts_as_missing(results, content):
    (results / "ocr-orders.json").write_text(content)
    assert "python -m spcviz reproduce" in visit(table="ocr-orders").info[0].value


def test_the_filters_link_to_their_curves(results):
    (results / "ocr-sweep.json").write_text(json.dumps(SWEEP))
    at = visit(table="ocr-sweep")
    assert any("Sweep page" in link.proto.label for link in at.get("page_link"))
    assert len(at.dataframe[0].value) == 2


def test_the_grid_beside_the_paper_s_numbers(results):
    (results / "grid.json").write_text(json.dumps(GRID))
    at = visit(table="grid")
    assert len(at.get("plotly_chart")) == 1
    errors, agreement = (frame.value for frame in at.dataframe)
    assert errors.loc[1, "LBP %, measured"] == pytest.approx(40)
    assert agreement.loc["median agreement of the combs", "paper"] == 0.38
    assert "holds" in said(at)
    assert "Where combs agree more the ensemble errs less" in said(at)
    assert any("One grid, live" in link.proto.label for link in at.get("page_link"))


def test_a_result_without_a_renderer_is_shown_as_it_is(results):
    new = {"name": "new-thing", "rows": [{"cost": 1.5, "list": [1]}], "source": "somebody"}
    (results / "new-thing.json").write_text(json.dumps(new))
    at = visit(table="new-thing")
    assert list(at.dataframe[0].value.columns) == ["cost"]
    assert "somebody" in said(at)


@pytest.mark.parametrize(
    "params", [{"table": "../x"}, {"features": "none"}, {"table": ""}, {"controls": "7"}]
)
def test_bad_values_of_the_address_are_dropped(results, params):
    (results / "ocr-orders.json").write_text(json.dumps(RESULT))
    at = visit(**params)
    assert not set(params) & set(at.query_params)
    assert at.dataframe if "features" in params else "documents, 36 statements" in said(at)


def test_without_controls(results):
    (results / "ocr-orders.json").write_text(json.dumps(RESULT))
    assert not visit(controls="0").get("button_group")


@pytest.mark.parametrize(
    ("name", "n_frames"), [("dms-ocr", 2), ("policy-ocr", 2), ("constrained-ocr", 4), ("budget-ocr", 1)]
)
def test_budget_results_are_drawn_and_put_into_words(name, n_frames):
    at = visit(table=name)
    assert len(at.get("plotly_chart")) == (4 if name == "dms-ocr" else 2)
    assert "Means over 10 test folds" in said(at)
    assert len(at.dataframe) == n_frames


@pytest.mark.parametrize(("name", "n_charts", "n_frames"), [("dms-pose", 10, 3), ("policy-pose", 2, 4)])
def test_budgets_on_arms_are_drawn_and_put_into_words(results, name, n_charts, n_frames):
    made = {"dms-pose": test_charts.dms, "policy-pose": test_charts.policy}[name]()
    (results / f"{name}.json").write_text(json.dumps(made))
    at = visit(table=name)
    assert len(at.get("plotly_chart")) == n_charts
    assert len(at.dataframe) == n_frames
    assert "Rendered clips have exact truth" in said(at)


def test_the_menu_follows_from_the_list_of_problems(results):
    (results / "aa-unclaimed.json").write_text("{}")
    menu = visit().selectbox(key="tables_table")
    assert menu.options == [
        "Overview: all statements",
        *(row.title for row in registry.results().values()),
        "aa-unclaimed",
    ]


def test_the_page_opens_with_all_statements_in_the_documents_order():
    at = visit()
    papers, own = (block.proto.body for block in at.get("html") if "statements" in block.proto.body)
    assert "Five documents, 36 statements: " in said(at)
    places = [papers.index(one.text.replace("'", "&#x27;")) for one in PAPERS]
    assert places == sorted(places)
    assert all(one.text.replace("'", "&#x27;") in own for one in OWN)
    assert '<a href="./tables?table=grid">The ensemble errs less' in papers
    for verdict, meaning in MEANINGS.items():
        assert f"*{verdict}*: {meaning}" in said(at)
    assert "[Loopy grids (Fig. 5.3)](./tables?table=grid)" in said(at)
    assert not at.info
    at = at.selectbox(key="tables_table").set_value("grid").run()
    assert not at.exception
    assert len(at.dataframe) == 2


def test_the_overview_names_what_is_not_stored_or_damaged(results):
    (results / "grid.json").write_text('{"name": "grid", "rows": [{"method": 5}]}')
    (papers, _) = (b.proto.body for b in visit().get("html") if "statements" in b.proto.body)
    assert papers.count("grid.json is damaged") == 3
    assert papers.count("tagging.json is not stored") == 5
    assert "make it with: python -m spcviz reproduce tagging" in papers


@pytest.mark.parametrize("name", [name for name in registry.results() if (RESULTS / f"{name}.json").exists()])
def test_every_stored_result_is_drawn(name):
    at = visit(table=name)
    assert not at.info
    assert at.dataframe
