"""The digest that names a folder of kernels: which changes in the sources change it."""

import shutil
from pathlib import Path

import pytest

from spcviz.engine.kernels import kernel_cache

ROOT = Path(__file__).parents[3]

MODULES = {
    "engine/kernels/jit.py": "import numba\nFLAGS = 1\n",
    "engine/plain.py": "LIMIT = 3\n",
    "engine/unused.py": "LIMIT = 4\n",
    "problems/deep/kernels.py": "from spcviz.engine.kernels.jit import kernel\n"
    "from spcviz.engine.plain import LIMIT\n"
    '@kernel\ndef f(x):\n    """Adds."""\n    return x + LIMIT\n',
}


@pytest.fixture
def package(tmp_path):
    """A miniature package: kernels two folders down, and a constant that they compile in."""
    for name, source in MODULES.items():
        path = tmp_path / "spcviz" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("engine/kernels/jit.py", "FLAGS = 1", "FLAGS = 2"),
        ("problems/deep/kernels.py", "x + LIMIT", "x - LIMIT"),
        ("engine/plain.py", "LIMIT = 3", "LIMIT = 5"),
    ],
)
def test_changed_code_at_any_depth_changes_the_digest(package, name, old, new):
    before, path = kernel_cache.kernel_digest(package), package / "spcviz" / name
    path.write_text(path.read_text().replace(old, new))
    assert kernel_cache.kernel_digest(package) != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("problems/deep/kernels.py", "Adds.", "Adds a limit."),
        ("problems/deep/kernels.py", "return x + LIMIT", "return (x +  LIMIT)  # why not"),
        ("engine/unused.py", "LIMIT = 4", "LIMIT = 5"),  # no kernel can see it
    ],
)
def test_changed_sentences_compile_nothing_anew(package, name, old, new):
    before, path = kernel_cache.kernel_digest(package), package / "spcviz" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert kernel_cache.kernel_digest(package) == before


def test_another_checkout_of_the_same_code_has_the_same_folder(package, tmp_path_factory):
    """A kernel's sources name its folder, not their location."""
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(package / "spcviz", other / "spcviz")
    assert kernel_cache.kernel_digest(other) == kernel_cache.kernel_digest(package)


def test_every_file_that_compiles_is_in_the_digest():
    """Files are found by their imports; a file that compiles in another way would be missed."""
    package = ROOT / "spcviz"
    compiling = {p for p in package.rglob("*.py") if "@kernel" in (text := p.read_text()) or "njit" in text}
    assert len(compiling) > 25
    missed = {p for p in compiling if not kernel_cache._HOLDS_KERNELS.search(p.read_bytes())}
    assert not missed


def test_a_damaged_note_of_the_digest_is_made_anew(tmp_path):
    digest = kernel_cache._remembered_digest(tmp_path)
    (note,) = tmp_path.iterdir()
    note.write_text("gibberish")
    assert (
        kernel_cache._remembered_digest(tmp_path)
        == digest
        == note.read_text()
        == kernel_cache.kernel_digest()
    )
