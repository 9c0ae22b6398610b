"""Plain functions for the numbers of pages: who offers them, what they refuse, what their Python imports.

That they return the page's numbers is tested where each page's Python is run (`web/exporting/test_paper.py`).
"""

import ast
import inspect
import re

import pytest

from spcviz import engine, registry, scenes
from spcviz.engine.errors import ArgumentError
from spcviz.registry.problem import Problem
from spcviz.web.exporting import paper
from spcviz.web.ui import navigation

PUBLIC = {"numpy", "pathlib", "spcviz.scenes", *(f"spcviz.engine.{name}" for name in engine.__all__)}
ADDRESSES = [
    *navigation.names(),
    "letters?features=hog&order=2&a1=0.3",
    "sweep?by=definition&promise=mean",
    "tagging?view=compare",
    "loopy?show=errors&rows=5",
    "pose?show=bought",
    "exact_inference?show=ink",
    "joint_beats_separate?show=clean",
    "policy?vocabulary=ocr",
    "trade_off?task=arms",
    "trade_off?task=parsing",
    "trade_off?task=scene",
    "scene?kind=rendered",
]


WORDS = ("course", "tours")
"""Pages that compute nothing and have no picture."""


def imported(lines):
    """Dotted names of all modules and names that some lines import."""
    for node in ast.walk(ast.parse(lines)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            is_package = node.module in ("spcviz", "spcviz.engine")
            yield from (f"{node.module}.{alias.name}" if is_package else node.module for alias in node.names)


@pytest.mark.parametrize("address", WORDS)
def test_a_page_of_words_has_no_python(address):
    with pytest.raises(ArgumentError, match="no lines for it"):
        paper.python(address)


@pytest.mark.parametrize("address", [address for address in ADDRESSES if address not in WORDS])
def test_the_python_of_a_page_imports_what_is_public(address):
    lines = paper.python(address)
    names = set(imported(lines))
    if address.partition("?")[0] == "tables":  # statements come with a clone, and the first line says so
        assert "Run this in a clone" in lines.splitlines()[0]
        names = {name for name in names if not name.startswith("experiments.")} - {"experiments.statements"}
    assert names <= PUBLIC, names - PUBLIC
    called = {node.attr for node in ast.walk(ast.parse(lines)) if is_of_scenes(node)}
    assert called <= set(scenes.__all__)


def is_of_scenes(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "scenes"


def test_every_function_is_documented_typed_and_imported_by_its_name():
    """Every function in the module's table, which type checkers see; a problem may offer more."""
    listed = set(re.findall(r"`(\w+)`", scenes.__doc__.partition("====\n")[2].rpartition("\n====")[0]))
    (block,) = (node for node in ast.parse(inspect.getsource(scenes)).body if isinstance(node, ast.If))
    seen = {alias.name for node in block.body for alias in node.names}
    assert listed == seen | {"page"}
    assert listed <= set(scenes.__all__)
    assert set(registry.scenes()) | {"page"} == set(scenes.__all__)
    for name in listed:
        function = getattr(scenes, name)
        said, signature = inspect.getdoc(function), inspect.signature(function)
        assert "Returns\n-------" in said, name
        assert "Raises\n------" in said, name
        assert signature.return_annotation is not inspect.Signature.empty, name
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty, (name, parameter)
            assert parameter.name in said, (name, parameter.name)


def test_a_name_that_is_not_offered_is_none():
    with pytest.raises(AttributeError, match="has no attribute 'lettres'"):
        scenes.lettres  # noqa: B018


def test_two_problems_cannot_offer_one_name(monkeypatch):
    one, other = (Problem(name, name, scenes=(f"same={name}:f",)) for name in ("one", "other"))
    monkeypatch.setattr(registry, "problems", lambda: [one, other])
    with pytest.raises(ArgumentError, match="the scene 'same' is offered twice, as one:f and as other:f"):
        registry.scenes()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("letters", {"word": -1}, "word must be"),
        ("letters", {"word": 10**9}, "word must be"),
        ("letters", {"word": 0, "features": "eyes"}, "features must be one of open, open_raw"),
        ("letters", {"word": 0, "order": 0}, "order must be"),
        (
            "letters",
            {"word": 0, "order": 1, "alphas": [0.1, 0.2]},
            "alphas must hold at most one",
        ),
        ("letters", {"word": 0, "alphas": [2.0]}, "alphas must be"),
        ("letters", {"word": 0, "rule": "best"}, "rule must be one of mean_max, margin"),
        ("write", {"ink": ""}, "text must begin with b or s"),
        ("write", {"ink": "b~~"}, "ink holds no letter that can be read"),
        ("sweep", {"level": 99}, "level must be"),
        ("sweep", {"tolerance": 2}, "tolerance must satisfy"),
        ("sweep", {"guarantee": "surely"}, "guarantee must be"),
        ("policy", {"word": 10**6}, "word must be"),
        ("policy", {"word": 0, "vocabulary": "open words"}, "vocabulary must be one of dev, open, ocr"),
        ("policy", {"word": 0, "spend": 1.5}, "spend must satisfy"),
        ("policy", {"word": 0, "kind": "euros"}, "kind must be one of units, us"),
        ("policy", {"word": 0, "q": 1.0}, "q must satisfy"),
        ("tagging", {"text": ""}, "."),
        ("tagging", {"text": "Birds sing.", "alphas": [None] * 4}, "at most one for each of 3"),
        ("tagging", {"text": "Birds sing.", "rule": "median"}, "rule must be one of"),
        ("parsing", {"words": []}, "words must be 1 to 50 texts, got 0"),
        ("parsing", {"words": ["a", " "]}, "words must be 1 to 50 texts"),
        ("parsing", {"words": ["Birds", "sing"], "heads": [2]}, "one for each of 2 words"),
        ("parsing", {"words": ["Birds", "sing"], "heads": [3, 0]}, "must be from 0 to 2, got 3"),
        ("hybrid", {"word": 0, "data": "own"}, "data must be one of"),
        ("hybrid", {"word": 10**7}, "word must be"),
        ("hybrid", {"word": 0, "hand": "x"}, "hand must be like"),
        ("exact_inference", {"word": -1}, "word_id must be"),
        ("joint_beats_separate", {"name": "../horse"}, "name must be one of horse"),
        ("joint_beats_separate", {"noise": 7}, "noise must"),
        ("pose", {"kind": "film"}, "kind must be one of signs"),
        ("pose", {"name": "../etc"}, "etc"),
        ("pose", {"kind": "rendered", "name": "one"}, "name must be"),
        ("pose", {"method": "all"}, "method must be one of single"),
        ("arms", {"spend": 2}, "spend must satisfy"),
        ("scene", {"kind": "photo"}, "kind must be one of road"),
        ("scene", {"kind": "rendered", "seed": -1}, "seed must be"),
        ("random_grid", {"rng": 0}, "rng must be a numpy.random.Generator"),
        ("trade_off", {"task": "letters"}, "task must be a problem whose page/scenes.py has batch"),
        ("trade_off", {"task": "os"}, "task must be a problem"),
        ("trade_off", {"task": "words", "clips": 3}, "words has no choice 'clips'; it has vocabulary, words"),
        ("trade_off", {"task": "words", "budget": -0.1}, "budget must satisfy"),
        ("trade_off", {"task": "words", "words": 10**6}, "n_words must be"),
    ],
)
def test_what_there_is_not_is_refused_by_a_sentence(name, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        getattr(scenes, name)(**arguments)


def test_letters_tuned_by_margins_are_those_of_the_page():
    """The page's other rule gives other numbers, and its Python says so."""
    from spcviz.problems.letters.page import cached

    lines = paper.python("letters?rule=margin&order=2")
    (call,) = (line for line in lines.splitlines() if "scenes.letters(" in line)
    assert "rule='margin'" in call
    word = int(call.partition("letters(")[2].partition(",")[0])
    trace = cached.letters_trace(word, "open", 2, (None, None), "margin")
    found = scenes.letters(word, order=2, rule="margin")
    # The page's margins are stored: with other threads, matrices of 32 bits are added up in another order.
    assert [level.alpha for level in found] == pytest.approx(
        [level.alpha for level in trace.levels], rel=1e-5
    )
    assert [level.n_candidates for level in found] == [len(level.max_marginal) for level in trace.levels]
    assert found != scenes.letters(word, order=2)
