"""Everything that follows from the list of problems: what it names exists, and nothing else does."""

import inspect
from pathlib import Path

import pytest

from benchmarks import BENCHES
from spcviz import cli, problems, registry
from spcviz.shared.folders import MODELS, RESULTS, ROOT
from spcviz.store import list_models, repair_command

ALL = registry.problems()
ROWS = [(problem.name, row) for problem in ALL for row in (*problem.trains, *problem.results)]


@pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.name)
def test_what_a_problem_names_is_there(problem):
    init = f"spcviz/problems/{problem.name}/__init__.py"
    assert problem.name in registry.PROBLEMS, f"{init} must say the name of its folder, got {problem.name!r}"
    missing = [page.path for page in problem.pages if not (ROOT / page.path).is_file()]
    assert not missing, f"{init} names pages of which there is no file: {missing}"
    for dotted in filter(None, (problem.data, problem.warmup, *(row.make for row in problem.trains))):
        try:
            assert registry.load(dotted)
        except (ImportError, AttributeError) as error:
            pytest.fail(f"{init} names {dotted}, which is not there: {error}")
    for row in problem.results:
        assert list(inspect.signature(registry.load(row.make)).parameters) == ["run"]


def test_pages_lie_in_sections():
    """A page directly in pages/ would be found by Streamlit's old navigation and by-pass app.py."""
    outside = [path.name for path in (ROOT / "pages").glob("*.py")]
    assert not outside, f"move into pages/<section>, and name so in PROBLEM: {outside}"


def test_every_folder_is_in_the_list_and_nothing_heavy_is_imported_for_it():
    folder = Path(problems.__file__).parent
    folders = {p.parent.name for p in folder.glob("*/__init__.py") if "PROBLEM = " in p.read_text()}
    unlisted, empty = folders - set(registry.PROBLEMS), set(registry.PROBLEMS) - folders
    assert not unlisted, f"add to PROBLEMS in spcviz/registry/__init__.py: {unlisted}"
    assert not empty, f"spcviz/problems/<name>/__init__.py must hold PROBLEM = Problem(...), for: {empty}"


def test_names_are_given_once():
    assert len(registry.results()) == sum(len(problem.results) for problem in ALL)
    assert len({page.path for page in registry.pages()}) == len(registry.pages())
    assert len({entry.name for entry in registry.data_sets()}) == len(registry.data_sets())


def test_every_stored_result_is_of_some_problem_or_benchmark():
    known = {*registry.results(), *(f"bench-{name}" for name in BENCHES)}
    assert {path.stem for path in RESULTS.glob("*.json")} <= known


@pytest.mark.parametrize("name", BENCHES)
def test_what_a_benchmark_names_is_there(name):
    row = BENCHES[name]
    options = {option.replace("-", "_") for option in row.options}
    assert set(inspect.signature(registry.load(row.make)).parameters) == {*options, "tick"}
    assert callable(registry.load(row.text))


@pytest.mark.parametrize("status", list_models(MODELS), ids=lambda status: status.name)
def test_what_a_store_recommends_is_a_command(status):
    words = repair_command(status.name).split()
    assert words[:3] == ["python", "-m", "spcviz"]
    assert cli._parser().parse_args(words[3:]).target in registry.trainings()


@pytest.mark.parametrize("is_stored", [True, False])
def test_warm_up_runs_every_story_with_and_without_models(tmp_path, monkeypatch, is_stored):
    from spcviz.problems.words.page import live

    ran = []
    monkeypatch.setattr(live, "trace_word", lambda model, word: ran.append(word))
    registry.load_kernels(MODELS if is_stored else tmp_path)
    assert len(ran) == is_stored
