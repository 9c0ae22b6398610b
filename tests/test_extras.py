"""Without the packages of an extra everything else works, and code that needs one names the extra."""

import ast
import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from spcviz.engine import extras

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IMPORTED_AS = {"scikit-image": "skimage", "pillow": "PIL", "scikit-learn": "sklearn"}
COME_ALONG = {"llvmlite", "joblib"}  # dependencies of numba and scikit-learn


def names_of(requirements):
    """Packages in some requirements, by their import names."""
    names = (Requirement(one).name for one in requirements)
    return {IMPORTED_AS.get(name, name) for name in names}


def test_the_table_has_every_extra_and_every_package_of_it():
    declared = {name: names_of(asked) for name, asked in PROJECT["optional-dependencies"].items()}
    known = {name: set(packages) for name, packages in extras._EXTRAS.items()}
    assert set(known) == set(declared)
    assert all(declared[name] <= known[name] for name in declared)


def imported(path):
    """Top-level names of everything that a file imports, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def test_nothing_is_imported_that_neither_the_library_nor_an_extra_brings():
    brought = names_of(PROJECT["dependencies"]) | COME_ALONG | set().union(*extras._EXTRAS.values())
    known = brought | set(sys.stdlib_module_names) | {"spcviz"}
    for path in (ROOT / "spcviz").rglob("*.py"):
        assert set(imported(path)) <= known, path


def test_a_package_is_told_by_either_of_its_names():
    for name in ("PIL", "pillow", "skimage", "scikit-image", "streamlit"):
        assert extras.how_to_install(name) == 'python -m pip install "spcviz[app]"'
    with pytest.raises(extras.MissingPackageError) as caught, extras.name_extra("A page"):
        raise ModuleNotFoundError("", name="PIL.Image")
    assert str(caught.value).startswith("A page needs the package pillow; python -m pip")
    assert caught.value.name == "PIL"
    with pytest.raises(ModuleNotFoundError) as caught, extras.name_extra("A page"):
        importlib.import_module("spcviz.no_such_module")
    assert not isinstance(caught.value, extras.MissingPackageError)
    with (
        pytest.raises(extras.MissingPackageError) as caught,
        extras.name_extra("outer"),
        extras.name_extra("inner"),
    ):
        raise ModuleNotFoundError("", name="pdoc")
    assert str(caught.value).startswith("inner needs the package pdoc")


USED = """
import importlib, io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
import numpy as np
import spcviz, spcviz.engine, spcviz.sequences.crfsuite
from spcviz import cli
from spcviz.commands.docs import DOORS
from spcviz.engine import extras

folder, commands = Path(sys.argv[1]), json.loads(sys.argv[2])
for door in DOORS:
    module = importlib.import_module(door)
    for name in module.__all__:
        getattr(module, name)
for name in spcviz.engine.__all__:
    getattr(spcviz.engine, name)

X, y = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]], [["DT", "NN"]] * 3
for tagger in (spcviz.StructuredPerceptron(max_iter=2, random_state=0), spcviz.ChainCRF(max_iter=5)):
    spcviz.save(tagger.fit(X, y), folder / "model")
    assert spcviz.load(folder / "model").predict([[["a"], ["dog"]]]) == [["DT", "NN"]]
scores = spcviz.from_emissions(np.eye(3)[None].repeat(4, axis=0))
left = scores.prune(0.5)
verdict = scores.verdict(scores.decode(), 0.5)
said = {"verdict": verdict._repr_html_() is None and verdict._repr_png_() is None, "text": repr(verdict)}
things = {"show": lambda: spcviz.show(left), "left": left.show, "scores": scores.show, "judged": verdict.show,
          "tagger": lambda: tagger.show(X[0]), "parquet": lambda: spcviz.read_conll(b"PAR1" + bytes(20)),
          "excel": lambda: spcviz.read_conll(Path(sys.argv[3]).read_bytes())}
for name, thing in things.items():
    try:
        thing()
        said[name] = ""
    except Exception as error:
        said[name] = f"{type(error).__name__}: {error}"
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = cli.main(command.split())
        except SystemExit as left:
            status = left.code
    said[command] = [status, out.getvalue(), err.getvalue()]
print(json.dumps(said))
"""

NAMES = (
    "train", "reproduce", "report", "bench", "warmup", "kernels", "models", "data", "export", "site", "docs",
    "app",
)  # fmt: skip
COMMANDS = {  # a command line, and the extra that it needs, if any
    "--help": None,
    **{f"{name} --help": None for name in NAMES},
    "kernels list": None,
    "models list": None,
    "data": "app",
    "data get none": "app",
    "data prepare none {folder}": "app",
    "train budget --quick --models {folder}": "app",
    "train first-scenes --check": "app",
    "reproduce grid --quick --scheduler tcp://[::1]:9 --work {folder}/w --json {folder}/r.json": "cluster",
    "report --check": "app",
    "export letters {folder}/a.html": "app",
    "export loopy {folder}/a.svg": "app",
    "export write {folder}/a.webp": "app",
    "site {folder}/site --only": "app",
    "docs {folder}/docs": "docs",
    "app --port 9150": "app",
}


def used_without(missing, tmp_path):
    """Output of doors and commands where neither they nor their children can import some packages."""
    blocking = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in sorted(missing))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(blocking)
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["dog", "NN"])
    book.save(tmp_path / "book.xlsx")
    commands = {command.format(folder=tmp_path): extra for command, extra in COMMANDS.items()}
    changed = {
        "PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{ROOT}",
        "NUMBA_DISABLE_JIT": "1",
        "SPCVIZ_JIT_DIR": str(tmp_path / "jit"),
    }
    # A command whose extra is installed would do its work: run only those that lack a package or need none.
    asked = [
        name for name, extra in commands.items() if extra is None or set(extras._EXTRAS[extra]) & missing
    ]
    arguments = [str(tmp_path), json.dumps(asked), str(tmp_path / "book.xlsx")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", USED, *arguments],
        cwd=tmp_path, env=os.environ | changed, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), {name: commands[name] for name in asked}


@pytest.mark.parametrize("installed", ["alone", "tables", "cluster", "docs", "notebook"])
def test_with_one_extra_or_none_doors_and_commands_work_or_name_the_extra(installed, tmp_path):
    there = set(extras._EXTRAS.get(installed, ()))
    missing = set().union(*extras._EXTRAS.values()) - there
    said, commands = used_without(missing, tmp_path)
    for name in ("show", "left", "scores", "judged", "tagger"):
        assert re.fullmatch(
            r"MissingPackageError: spcviz\.show needs the package \S+; "
            r'python -m pip install "spcviz\[app\]" brings it',
            said[name],
        ), (name, said[name])
    assert said["verdict"]
    assert "labels" in said["text"]
    for name in ("parquet", "excel"):
        names_extra = 'python -m pip install "spcviz[tables]"' in said[name]
        assert names_extra == (installed != "tables"), said[name]
    assert said["excel"] if installed != "tables" else not said["excel"]
    for command, extra in commands.items():
        status, out, err = said[command]
        if extra is None:
            assert (status, err) == (0, ""), (command, err)
            assert out, command
        else:
            assert status == 1, (command, out, err)
            how = rf'python -m pip install "spcviz\[{extra}\]" brings it'
            assert re.search(rf"spcviz: \S.* needs the package \S+; {how}$", err, re.MULTILINE), (
                command,
                err,
            )
            assert "Traceback" not in err, command
            assert not out, (command, out)
