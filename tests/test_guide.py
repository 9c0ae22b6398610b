"""The developer guide is a true map: every folder, file, module and function it names exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "spcviz" / "README.md").read_text(encoding="utf-8")
FILE = re.compile(r"[\w*<>/.-]+\.(?:py|js|css|json|toml|md)")
# A path starts at the repository, the package, the problems, one of the problems, or the tests.
BASES = ("", "spcviz/", "spcviz/problems/", "spcviz/problems/*/", "tests/")


def is_there(pattern):
    """Whether a path, in which ``*`` matches anything, names a file or folder."""
    return any(ROOT.glob(pattern.strip("/")))


def quoted(guide):
    """Words in code quotes, without the brackets and commas around them."""
    prose = re.sub(r"```.*?```", "", guide, flags=re.DOTALL).replace("``", "`")
    for text in re.findall(r"`([^`\n]+)`", prose):
        yield from (word.strip("'\"(),:;=") for word in text.split())


def missing_paths(guide):
    """Files and folders in code quotes that do not exist; a bare name may be in any folder."""
    for word in quoted(guide):
        path = re.sub(r"<\w+>|NAME", "*", word)
        if word.startswith("http") or not ("/" in path or FILE.fullmatch(path)):
            continue
        module, _, name = path.rpartition(".")
        if "/" not in path:
            is_known = any(any((ROOT / top).rglob(path)) for top in ("spcviz", "experiments", "tests"))
            is_known |= is_there(path)
        elif FILE.fullmatch(path) or "/" not in module:
            is_known = any(is_there(base + path) for base in BASES)
        else:  # a function of a module
            modules = (found for base in BASES for found in ROOT.glob(f"{base}{module}.py"))
            is_known = any(defines(found, name) for found in modules)
        if not is_known:
            yield word


def defines(path, name):
    source = path.read_text(encoding="utf-8")
    return re.search(
        rf"^ *(?:def|class) {name}\b|^{name}\b|^from .* import .*\b{name}\b", source, re.MULTILINE
    )


def missing_names(guide):
    """``module.name`` and modules to run, in code quotes, that do not exist."""
    for word in quoted(guide):
        if re.fullmatch(r"(?:spcviz|benchmarks|experiments)(?:\.\w+)+", word):
            path = word.replace(".", "/")
            if not (is_there(f"{path}.py") or is_there(f"{path}/__init__.py")):
                yield word
        elif not FILE.fullmatch(word) and (pair := re.match(r"([a-z_]+)\.([a-z_]+)(?:\(|$)", word)):
            found = list((ROOT / "spcviz").rglob(f"{pair[1]}.py"))
            if found and not any(defines(path, pair[2]) for path in found):
                yield word


def missing_in_picture(guide):
    """Folders and files of the diagram that are not where it draws them."""
    base = ""
    for line in guide.split("```")[1].splitlines():
        words = re.findall(r"[\w*<>/.]+(?:/|\.py|\.js)(?![\w/])", line)
        names = [re.sub(r"<\w+>", "*", word) for word in words]
        if not names:
            continue
        is_inner = line.startswith("   ")
        if not is_inner:
            base = names[0] if names[0].startswith("spcviz/") else ""
        folders = [base + name for name in names if name.endswith("/")] if is_inner else [base]
        for name in names:
            places = [base + name, name, f"spcviz/{name}", *(f"{folder}{name}" for folder in folders)]
            if not any(map(is_there, places)):
                yield f"{base}: {name}"


def test_what_the_guide_names_is_there():
    assert not [*missing_paths(GUIDE), *missing_names(GUIDE), *missing_in_picture(GUIDE)]


@pytest.mark.parametrize(
    ("before", "after", "find"),
    [
        ("web/cached/first.py", "web/cached/firsts.py", missing_paths),
        ("web/figures/theme.figure", "web/figures/theme.figures", missing_paths),
        ("kinds.py", "kindly.py", missing_paths),
        ("touring.offer_python", "touring.offer_pythons", missing_names),
        ("benchmarks.app.preview", "benchmarks.app.previews", missing_names),
        ("first_html.py", "last_html.py", missing_in_picture),
        ("   |  lattice/", "   |  lattices/", missing_in_picture),
        ("spcviz/store/  ", "spcviz/stores/  ", missing_in_picture),
    ],
)
def test_a_name_that_is_not_there_is_found(before, after, find):
    assert before in GUIDE
    assert [*find(GUIDE.replace(before, after))] != []


# The guide's sentence on sizes, as rules: names that several problems have, and folders.
SLOTS = {
    "cached", "component", "pays", "prepare", "scenes", "shown", "state", "text",  # of a problem
    "errors", "__main__",
}  # fmt: skip
FOLDERS = ("spcviz/commands/", "pages/")
IDEAS = {
    "app.py": "what streamlit runs",
    "experiments/budgets.py": "what two problems' results about budgets must have",
    "spcviz/engine/kernels/announcing.py": "loaded only by who wants the line",
    "spcviz/engine/prepared.py": "a door of an earlier version",
    "spcviz/sequences/input_types.py": "types for checkers",
    "spcviz/shared/linear.py": "the stored form of four problems' models",
    "spcviz/web/ui/about.py": "whose data the models learned from",
}


def n_lines(pattern, *more):
    """{path: number of lines} of the package and its neighbours, without `__init__.py` files."""
    tops = ("spcviz", "benchmarks", "experiments", "pages", *more)
    paths = [ROOT / "app.py", *(path for top in tops for path in (ROOT / top).rglob(pattern))]
    return {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in paths
        if path.name != "__init__.py" and path.match(pattern)
    }


@pytest.mark.parametrize("pattern", ["*.py", "*.js", "*.mjs"])
def test_a_file_is_read_in_a_scroll(pattern):
    lines = n_lines(pattern, "tests")
    assert lines or pattern == "*.mjs"
    assert {path: n for path, n in lines.items() if n > 400} == {}


def test_small_files_are_those_that_a_rule_names():
    small = {path for path, n in n_lines("*.py").items() if n < 40}
    by_rule = {path for path in small if Path(path).stem in SLOTS or path.startswith(FOLDERS)}
    assert small - by_rule == IDEAS.keys()


def test_the_walks_have_as_many_files_as_they_say():
    numbers = {"eight": 8, "nine": 9, "ten": 10, "eleven": 11}
    walks = re.findall(r"\*\*[^*]+\*\* \([^)]*?(\w+) files\)\.(.*)", GUIDE)
    assert len(walks) == 4
    for number, text in walks:
        without = re.sub(r"\([^()]*\)|`web/lattice/component.py` packs", "", text)
        assert len(re.findall(r"`[\w/]+\.(?:py|js)`", without)) == numbers[number], text
