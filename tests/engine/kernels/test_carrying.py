"""Compiled kernels taken over by a second clone, a file or an image; and what is refused."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels import carrying, kernel_cache

ROOT = Path(__file__).parents[3]
COUNTED = """
import json, sys
sys.path.insert(0, {root!r})
from numba.core import event
compiled = []
class Count(event.Listener):
    def on_start(self, event):
        compiled.append(1)
    def on_end(self, event):
        pass
event.register("numba:compile", Count())
import spcviz
from spcviz.engine import checks
from spcviz.engine.kernels import kernel_cache
assert spcviz.__file__.startswith({root!r})
checks.scores("x", [0.0, 2.0], 1)
about = kernel_cache.folder().name, kernel_cache.on_carried(), kernel_cache.complaints()
print(json.dumps([len(compiled), *about]))
"""


def run(root, folder, **more):
    """(kernels compiled, name of the folder, whether it is carried, complaints) of a separate process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "SPCVIZ_"))}
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.format(root=str(root))], cwd=root, capture_output=True, text=True,
        env=kept | {"SPCVIZ_JIT_DIR": str(folder)} | more, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """(folder with some compiled kernels, how many were compiled)."""
    folder = tmp_path_factory.mktemp("jit")
    n, name, _, _ = run(ROOT, folder)
    assert n > 0
    return folder / name, n


def test_a_second_clone_compiles_nothing_and_a_changed_kernel_does(compiled, tmp_path):
    folder, n = compiled
    shutil.copytree(ROOT / "spcviz", tmp_path / "spcviz", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(tmp_path, folder.parent)[:2] == [0, folder.name]
    path = tmp_path / "spcviz/engine/checks.py"
    text = path.read_text()
    path.write_text(
        f"# A line of words before everything.\n{text}".replace("Index of the first", "Where the first")
    )
    assert run(tmp_path, folder.parent)[:2] == [0, folder.name]
    path.write_text(text.replace("bad, most = 0,", "bad, most = 1 - 1,"))
    changed, name, _, _ = run(tmp_path, folder.parent)
    assert changed == n
    assert name != folder.name


def exported(folder):
    file = io.BytesIO()
    return carrying.export_kernels(folder, carrying.this_platform(folder.name), file), file


def written(path, file, change=lambda name, content: content, **platform):
    """A copy of the archive with some contents changed."""
    with zipfile.ZipFile(file) as given, zipfile.ZipFile(path, "w") as archive:
        for name in given.namelist():
            content = change(name, given.read(name))
            if name == "kernels.json" and platform:
                about = json.loads(content)
                about["platform"] |= platform
                content = json.dumps(about)
            archive.writestr(name, content)
    return path


def test_an_exported_file_is_all_that_another_machine_needs(compiled, tmp_path):
    folder, _ = compiled
    n, file = exported(folder)
    path = written(tmp_path / "kernels.zip", file)
    here = carrying.this_platform(folder.name)
    other = tmp_path / folder.name
    other.mkdir()
    assert carrying.import_kernels(other, here, path) == (n, 0)
    assert carrying.import_kernels(other, here, path) == (0, n)
    kernel_cache.Sums(other).add()  # as `kernels import` does before it ends
    assert run(ROOT, tmp_path)[0] == 0
    (other / next(iter(other.rglob("*.nbc")))).unlink()
    assert carrying.import_kernels(other, here, path)[0] == 0  # its index exists: nothing of it is replaced


@pytest.mark.parametrize("field", carrying.Platform._fields)
def test_kernels_of_another_platform_are_refused(compiled, tmp_path, field):
    folder, _ = compiled
    path = written(tmp_path / "kernels.zip", exported(folder)[1], **{field: "another"})
    with pytest.raises(ArgumentError, match=f"must be of the same {field} as this machine's.*got 'another'"):
        carrying.import_kernels(tmp_path, carrying.this_platform(folder.name), path)
    assert [p.name for p in tmp_path.iterdir()] == ["kernels.zip"]


def hostile(about, content=b"x"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("kernels.json", about if isinstance(about, str | bytes) else json.dumps(about))
        archive.writestr("a/b.nbc", content)
    return file.getvalue()


HERE = carrying.this_platform("0" * 16)._asdict()
SUM = hashlib.sha256(b"x").hexdigest()
HOSTILE = {
    "no archive": (b"PK no", "a damaged one"),
    "empty": (b"", "a damaged one"),
    "no manifest": (hostile("{}"), "must be a file that kernels export has written"),
    "a manifest that is no JSON": (hostile(b"\xff{"), "must be a file that kernels export has written"),
    "nested": (hostile("[" * 100_000), "must be a file that kernels export has written"),
    "sums of another kind": (
        hostile({"platform": HERE, "sums": {"a/b.nbc": 3}}),
        "kernels export has written",
    ),
    "a way out": (
        hostile({"platform": HERE, "sums": {"../b.nbc": SUM}}),
        "compiled kernels only, got '../b.nbc'",
    ),
    "an absolute name": (hostile({"platform": HERE, "sums": {"/b.nbc": SUM}}), "compiled kernels only"),
    "another kind of file": (hostile({"platform": HERE, "sums": {"a/b.py": SUM}}), "compiled kernels only"),
    "one that is not there": (
        hostile({"platform": HERE, "sums": {"a/c.nbc": SUM}}),
        "must hold 'a/c.nbc', got none",
    ),
    "other bytes": (hostile({"platform": HERE, "sums": {"a/b.nbc": "0" * 64}}), "got another 'a/b.nbc'"),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_file_that_is_no_export_is_refused_and_leaves_nothing(tmp_path, content, message):
    path, folder = tmp_path / "kernels.zip", tmp_path / "kept"
    path.write_bytes(content)
    with pytest.raises(ArgumentError, match=message):
        carrying.import_kernels(folder, carrying.this_platform("0" * 16), path)
    assert not folder.exists()


def test_a_damaged_archive_is_refused(compiled, tmp_path):
    content = exported(compiled[0])[1].getvalue()
    for damaged in (content[: len(content) // 2], content.replace(content[200:260], bytes(60))):
        (tmp_path / "kernels.zip").write_bytes(damaged)
        with pytest.raises(ArgumentError, match=r"kernels\.zip: must be "):
            carrying.import_kernels(
                tmp_path, carrying.this_platform(compiled[0].name), tmp_path / "kernels.zip"
            )


def test_nothing_to_export_says_how_to_compile(tmp_path):
    with pytest.raises(ArgumentError, match="must hold compiled kernels, got none; python -m spcviz warmup"):
        exported(tmp_path)


def test_the_commands_name_what_is_wrong(tmp_path, capsys):
    assert cli.main(["kernels", "import", str(tmp_path / "none.zip")]) == 1
    assert cli.main(["kernels", "export", str(tmp_path / "none" / "k.zip")]) == 1
    said = capsys.readouterr().err
    assert "FILE must be a file, got " in said
    assert "FILE must be in a folder that there is, got " in said


@pytest.mark.skipif(not carrying.has_baseline(), reason="an older or another processor")
def test_a_process_starts_with_what_an_image_carries_until_its_own_are_ready(tmp_path):
    baseline, own = tmp_path / "carried", tmp_path / "own"
    n, name, _, _ = run(ROOT, baseline, **carrying.baseline_environment())
    assert n > 0
    (baseline / name / "letters.ready").write_text("1.0")
    environment = {carrying.CARRIED: str(baseline)}
    assert run(ROOT, own, **environment) == [0, f"{name}-carried", True, []]
    # on request a process compiles for this very processor, and the next one uses those kernels
    assert run(ROOT, own, **{carrying.CARRIED: ""})[:3] == [n, name, False]
    (own / name / "letters.ready").write_text("1.0")
    assert run(ROOT, own, **environment) == [0, name, False, []]
    (baseline / name).chmod(0o777)
    (own / name / "letters.ready").unlink()
    *_, is_carried, complaints = run(ROOT, own, **environment)
    assert not is_carried
    assert "must be writable by its owner alone" in complaints[0]
