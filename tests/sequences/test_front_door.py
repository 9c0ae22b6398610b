"""`import spcviz` is quick, imports nothing before it is needed, and lists what exists."""

import importlib.util
import subprocess
import sys

import pytest

import spcviz


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_nothing_is_imported_before_it_is_asked_for():
    heavy = {"numpy", "numba", "sklearn", "typing"}
    code = f"import sys, spcviz; dir(spcviz); print(sorted({heavy} & set(sys.modules)))"
    assert run(code) == "[]"
    assert (
        run("import spcviz as sp; print(sp.StructuredPerceptron.__module__)") == "spcviz.sequences.perceptron"
    )


def test_every_name_is_there_and_told():
    assert {"StructuredPerceptron", "ChainCRF", "CascadeTagger", "__version__"} <= set(dir(spcviz))
    for name in spcviz.__all__:
        home = spcviz._HOME.get(name)
        if home is None or importlib.util.find_spec(home) is not None:
            assert getattr(spcviz, name) is not None
        if name != "__version__":
            assert f"`{name}`" in spcviz.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'spcviz' has no attribute 'Tagger'"):
        spcviz.Tagger  # noqa: B018
