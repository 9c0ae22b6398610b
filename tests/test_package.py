"""The installed package: README's snippet runs, and messages name what is missing."""

import email
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import spcviz
from experiments import report
from spcviz import cli, scenes
from spcviz.commands import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILT_FROM = ("spcviz", "app.py", "pages", ".streamlit", "setup.py", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel built from a copy, so that no build folder is left in the project; nothing is fetched."""
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("wheel")
    for name in BUILT_FROM:
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--no-index", "--wheel-dir", folder / "out", folder], check=True)
    (built,) = (folder / "out").iterdir()
    return zipfile.ZipFile(built)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A function that runs Python where the package is installed, away from any repository."""
    site = tmp_path_factory.mktemp("site-packages")
    wheel.extractall(site)

    def run(*arguments):
        # Kernels are cached by their content, not their path: those of this clone are found there, too.
        return subprocess.run(
            [sys.executable, *arguments], cwd=site.parent, env=os.environ | {"PYTHONPATH": str(site)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution, built as a packager would; nothing is fetched."""
    pytest.importorskip("setuptools", minversion="77")
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("sdist")
    for name in BUILT_FROM:
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder / "out", folder]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = (folder / "out").glob("*.tar.gz")
    return built


USED = """
import spcviz, sys
from spcviz.sequences.crfsuite import CRF
X, y = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]], [["DT", "NN"]] * 3
tagger = spcviz.StructuredPerceptron(max_iter=3, random_state=0).fit(X, y)
spcviz.save(tagger, "model")
print(spcviz.load("model").predict([[["a"], ["dog"]]]), spcviz.__version__, spcviz.__file__)
assert CRF(c2=0.1, max_iterations=5).fit(X, y).predict(X[:1]) == y[:1]
lattice = spcviz.from_emissions([[[0.0, 1.0], [2.0, 0.0]]], [[0.0, 0.5], [0.1, 0.0]]).prune(0.5)
assert "streamlit" not in sys.modules
"""


def test_the_sources_build_install_and_work_where_nothing_else_is(sdist, tmp_path):
    """The source distribution, installed into an empty folder and used from another, without a repository."""
    site, home = tmp_path / "site", tmp_path / "home"
    home.mkdir()
    options = ("--quiet", "--no-deps", "--no-compile", "--no-build-isolation", "--no-index")
    command = [sys.executable, "-m", "pip", "install", *options, "--target", site, sdist]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", USED],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split("\n")[0] == f"[['DT', 'NN']] {spcviz.__version__} {site / 'spcviz/__init__.py'}"


def test_the_sources_hold_the_package_and_the_app_and_nothing_that_is_not_theirs(sdist, wheel):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "setup.py", "README.md", "LICENSE", "app.py", ".streamlit/config.toml"} <= names
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert {name.removeprefix("spcviz/app/") for name in held} <= names
    assert not [name for name in names if name.startswith(("cache", "tests", "node_modules"))]


def test_the_snippet_of_the_readme(monkeypatch, capsys):
    (snippet,) = re.findall("```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(ROOT)
    names = {}
    exec(snippet, names)
    printed = re.findall(r"^print\(.*\)  # (.*)$", snippet, re.MULTILINE)
    assert len(printed) == snippet.count("print(")
    assert capsys.readouterr().out.splitlines() == printed
    assert names["tagger"].score(names["X"][200:], names["corpus"].labels[200:]) > 0.75
    limit = names["filtering"].threshold(names["tables"].unary, 0.5)
    (states,) = names["left"].states()
    assert np.array_equal(states, names["filtering"].keep(names["tables"].unary, limit))
    assert names["triples"].n_arcs > names["left"].n_arcs > states.sum()


def test_the_readme_is_short_and_shows_what_there_is():
    assert len(README.splitlines()) <= 110
    headings = {report.anchor(title) for title in re.findall("^#+ (.*)$", README, re.MULTILINE)}
    for link in re.findall(r"\]\(([^):]+)\)", README):
        assert link[1:] in headings if link.startswith("#") else (ROOT / link).exists(), link


def test_the_package_and_its_pages_want_what_the_requirements_say():
    wanted = map(Requirement, (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())
    light, extras = PROJECT["project"]["dependencies"], PROJECT["project"]["optional-dependencies"]
    assert sorted(map(str, wanted)) == sorted(str(Requirement(one)) for one in [*light, *extras["app"]])
    for_tests = (ROOT / "tests/requirements.txt").read_text(encoding="utf-8").splitlines()
    assert {*extras["cluster"], *extras["docs"]} <= set(for_tests)


def test_the_version_is_written_once():
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "spcviz.__version__"}
    assert f"version: {spcviz.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {spcviz.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    there = (path.relative_to(ROOT) for path in (ROOT / "spcviz").rglob("*.*") if path.is_file())
    # The guide for developers of the project stays in the repository.
    of_package = {path.as_posix() for path in there if ".pyc" not in path.name and path.suffix != ".md"}
    pages = (path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").rglob("*.py"))
    of_app = {f"spcviz/app/{name}" for name in ("app.py", ".streamlit/config.toml", *pages)}
    assert held == of_package | of_app


def test_the_wheel_is_under_mit_since_it_carries_neither_models_nor_data(wheel):
    held = wheel.namelist()
    assert not [
        name
        for name in held
        if (name.endswith((".npz", ".zip", ".png", ".jpg")) and not name.endswith("/serving/preview.jpg"))
        or name.startswith("cache")
    ]
    (licence,) = (name for name in held if name.endswith("/LICENSE"))
    assert "cache/models/LICENSES.md" in wheel.read(licence).decode()


def test_the_wheel_asks_for_the_requirements_and_brings_the_command(wheel):
    (about,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    metadata = email.message_from_bytes(wheel.read(about))
    asked = [Requirement(one) for one in metadata.get_all("Requires-Dist")]
    light = {one.name for one in asked if not one.marker or "extra" not in str(one.marker)}
    assert light == {"numpy", "numba", "scipy", "scikit-learn", "threadpoolctl", "tqdm", "cachetools"}
    assert metadata.get_all("Provides-Extra") == ["app", "tables", "cluster", "notebook", "docs"]
    assert metadata["License-Expression"] == "MIT"
    (scripts,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert "spcviz = spcviz.cli:main" in wheel.read(scripts).decode()


WORKING = ("--help", "data", "reproduce --help")
LACKING = (
    "train ocr",
    "train ocr --models .",
    "models",
    "warmup",
    "reproduce grid",
    "train scene",
    "bench engine --repeats 1",
    "bench",
)
ALL = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from spcviz import cli

said = {}
for command in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = cli.main(command.split())
        except SystemExit as left:
            status = left.code
    said[command] = status, out.getvalue(), err.getvalue()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(installed):
    """{command: (status, output, errors)} of commands run one after the other in one process."""
    done = installed("-c", ALL, json.dumps([*WORKING, *LACKING]))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", WORKING)
def test_an_installed_command_works(said, command):
    status, out, err = said[command]
    assert not status, err
    assert "usage: " in out or "handwritten words" in out


@pytest.mark.parametrize("command", LACKING)
def test_an_installed_command_says_what_it_lacks(said, command):
    status, _, err = said[command]
    assert status == 1
    assert "run this in a clone of the repository" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert "site-packages" in err.splitlines()[-1]


def test_a_process_of_its_own_says_the_same(installed, said):
    for command in ("data", "models"):
        done = installed("-m", "spcviz", command)
        assert [done.returncode, done.stdout, done.stderr] == said[command]


SCENE = """
from spcviz import scenes
for level in scenes.letters(0, features="hog", order=2):
    print(level.order, level.n_kept, level.n_candidates, level.reading)
"""


def test_the_python_of_a_scene_says_what_an_installed_package_lacks(installed, monkeypatch):
    """Without the models of a clone: one sentence, whose last line says what to do."""
    last = installed("-c", SCENE).stderr.splitlines()[-1]
    assert last.startswith("spcviz.shared.folders.NoCacheError: ")
    assert last.endswith(
        "run this in a clone of the repository, or let SPCVIZ_CACHE name the folder cache of one"
    )
    monkeypatch.setenv("SPCVIZ_CACHE", str(ROOT))  # the clone, but not its folder cache
    last = installed("-c", SCENE).stderr.splitlines()[-1]
    assert f"SPCVIZ_CACHE is '{ROOT}'; let it name the folder cache of a clone" in last


def test_the_python_of_a_scene_runs_in_an_installed_package(installed, monkeypatch):
    """With the folder `cache` of a clone it prints the same numbers as in the clone."""
    monkeypatch.setenv("SPCVIZ_CACHE", str(ROOT / "cache"))
    done = installed("-c", SCENE)
    assert done.returncode == 0, done.stderr[-2000:]
    here = scenes.letters(0, features="hog", order=2)
    said = [f"{level.order} {level.n_kept} {level.n_candidates} {level.reading}" for level in here]
    assert done.stdout.splitlines() == said


def test_a_command_says_which_package_it_lacks(installed):
    """As after `pip install spcviz`, without the packages of the pages: here their imports fail."""
    lacking = "import sys\nfor name in ('plotly', 'pandas', 'streamlit'): sys.modules[name] = None\n"
    done = installed(
        "-c", f"{lacking}from spcviz.cli import main\nsys.exit(main(['export', 'letters', 'out.html']))"
    )
    assert done.returncode == 1
    assert 'python -m pip install "spcviz[app]" brings it' in done.stderr
    assert "Traceback" not in done.stderr


def test_the_installed_app_has_the_pages_that_want_nothing_stored(installed):
    script = (
        "from streamlit.testing.v1 import AppTest\nfrom spcviz.shared.folders import APP\n"
        "from spcviz.web.ui import navigation\nprint(*APP.parts[-2:])\n"
        "for name, path in navigation.names().items():\n"
        "    at = AppTest.from_file(APP / 'app.py', default_timeout=120).run()\n"
        "    at = at.switch_page(str(APP / path)).run() if name else at\n"
        "    print(name or 'home', [own.value for own in (*at.exception, *at.error)])\n"
    )
    done = installed("-c", script)
    assert done.returncode == 0, done.stderr
    folder, *pages = done.stdout.splitlines()
    assert folder == "spcviz app"
    assert {"home []", "data []", "loopy []", "joint_beats_separate []"} <= set(pages)
    assert all(line.endswith(" []") for line in pages), pages


def test_an_installed_app_with_a_clones_cache_offers_what_it_can_show(installed, monkeypatch):
    monkeypatch.setenv("SPCVIZ_CACHE", str(ROOT / "cache"))
    done = installed("-c", "from spcviz.web.ui import navigation\nprint(*navigation.names())")
    assert done.returncode == 0, done.stderr
    names = set(done.stdout.split())
    assert {"letters", "pose", "trade_off"} <= names
    assert "tables" not in names, "no wheel has the statements that it reads"


def test_the_command_app_starts_the_server_with_the_file_of_one_s_own(monkeypatch, tmp_path, capsys):
    """The command that runs Streamlit, and where the page finds the file."""
    asked = []

    class Server:
        def __init__(self, command, env):
            asked.append((command, env))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def wait(self):
            return 3

    monkeypatch.setattr(app.subprocess, "Popen", Server)
    monkeypatch.chdir(tmp_path)
    Path("own.conll").write_text("a DT\n", encoding="utf-8")
    assert cli.main(["app", "own.conll", "--port", "9000"]) == 3
    command, environment = asked.pop()
    assert command[1:5] == ["-m", "streamlit", "run", str(ROOT / "app.py")]
    assert environment["SPCVIZ_OPEN_FILE"] == str(tmp_path / "own.conll")
    assert capsys.readouterr().out == "http://localhost:9000/data\n"
    assert cli.main(["app"]) == 3
    assert app.OPEN_FILE not in asked.pop()[1]
    assert cli.main(["app", "none.conll"]) == 1
    assert "spcviz: FILE must be a file, got 'none.conll'" in capsys.readouterr().err
    assert cli.main(["app", "--port", "0"]) == 1
    assert "--port must be a whole number from 1 to 65535, got 0" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "streamlit", None)
    assert cli.main(["app"]) == 1
    assert (
        'needs the package streamlit; python -m pip install "spcviz[app]" brings it'
        in capsys.readouterr().err
    )


def test_an_installed_engine_computes(installed):
    script = (
        "import numpy as np\nfrom spcviz.engine import chain\n"
        "print(chain.decode(np.eye(2), np.zeros((2, 2))).score)"
    )
    done = installed("-c", script)
    assert done.stdout == "2.0\n", done.stderr
