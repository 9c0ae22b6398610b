"""Thousands of damaged files, kills and full disks: the old model, the new one, or a refusal."""

import collections
import concurrent.futures
import errno
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from spcviz import store
from spcviz.engine.errors import ArgumentError
from spcviz.store import atomic

ABOUT = {
    "kind": "cascade",
    "version": 1,
    "settings": {"order": 3, "features": "raw"},
    "data_digest": "d" * 64,
    "random_state": 7,
    "metrics": {"char_accuracy": 98.5},
}
N_MUTATIONS = 2400
N_KILLS = 80
ROOT = Path(__file__).parents[2]
FORKS_WRITERS = """
import json, os, sys
from pathlib import Path
from tests.store.test_damage import save_for_ever
for line in sys.stdin:
    folder, step = json.loads(line)
    writer = os.fork()
    if writer == 0:
        save_for_ever(Path(folder), step)
    print(writer, flush=True)
    os.waitpid(writer, 0)
    print("gone", flush=True)
"""


def save(folder, name="ocr", value=1.0):
    rng = np.random.default_rng(0)
    arrays = {"weights": value * rng.normal(size=(26, 9)), "pairwise": np.eye(26), "alphas": np.ones(3)}
    return store.save_model(folder, name, arrays, **ABOUT)


def content(folder, name="ocr"):
    model = store.load_model(folder, name, kind="cascade", version=1)
    return store.digest_of_arrays(model.arrays), model.manifest


def content_or_refusal(folder):
    try:
        return content(folder), ""
    except store.StoreError as error:
        return None, str(error)


def mutate(draw, files, other):
    """A damaged copy of the files of a model; `files` and `other` are {name: bytes}."""
    files = dict(files)
    name = draw.choice(sorted(files))
    data = bytearray(files[name])
    at = draw.randrange(len(data))
    kind = draw.choice(
        ["flip", "byte", "truncate", "delete", "insert", "cut", "zero", "swap", "edit", "other"]
    )
    if kind == "flip":
        data[at] ^= 1 << draw.randrange(8)
    elif kind == "byte":
        data[at] = draw.randrange(256)
    elif kind == "truncate":
        del data[at:]
    elif kind == "delete":
        del files[name]
        return kind, files
    elif kind == "insert":
        data[at:at] = draw.randbytes(draw.randrange(1, 20))
    elif kind == "cut":
        del data[at : at + draw.randrange(1, 50)]
    elif kind == "zero":
        data[at : at + 4096] = bytes(len(data[at : at + 4096]))
    elif kind == "swap":
        first, second = files
        files[first], files[second] = files[second], files[first]
        return kind, files
    elif kind == "edit":  # one digit or word of the manifest, still JSON
        name = "ocr.json"
        text = files[name].decode()
        places = [i for i, letter in enumerate(text) if letter.isdigit()]
        place = draw.choice(places)
        files[name] = (text[:place] + draw.choice("0123456789") + text[place + 1 :]).encode()
        return kind, files
    else:  # a whole file of another, equally valid, version
        suffix = Path(name).suffix
        data = next(value for key, value in other.items() if key.endswith(suffix))
    files[name] = bytes(data)
    return kind, files


def damages(tmp_path, seeds):
    """Damage a model once for each seed; yield the outcome: refused or identical."""
    for folder, value in (("a", 1.0), ("b", 2.0)):
        save(tmp_path / folder, value=value)
    whole, other = ({p.name: p.read_bytes() for p in (tmp_path / f).iterdir()} for f in "ab")
    expected, folder = content(tmp_path / "a"), tmp_path / "a"
    for seed in seeds:
        kind, files = mutate(random.Random(seed), whole, other)
        for path in folder.iterdir():
            path.unlink()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        loaded, message = content_or_refusal(folder)
        if loaded is None:
            assert message.endswith("; repair with: python -m spcviz train ocr"), (seed, kind)
        else:
            assert loaded == expected, f"mutation {seed} ({kind}) went unnoticed"
        yield "identical" if loaded else "refused"


def test_damage_is_refused_or_harmless(tmp_path):
    outcomes = collections.Counter(damages(tmp_path, range(N_MUTATIONS)))
    assert outcomes["refused"] > 0.8 * N_MUTATIONS, outcomes


def save_for_ever(folder, step):
    for now in itertools.count(step):
        arrays = {"step": np.full(20_000, now), "noise": np.random.default_rng(now).normal(size=5_000)}
        store.save_model(folder, "ocr", arrays, **{**ABOUT, "settings": {"step": now}})


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
def test_kill_while_writing(tmp_path):
    """Writers are killed at random moments; they leave a whole model, never an older one."""
    steps, interrupted = zip(*kills(tmp_path, N_KILLS))
    # Low, because a busy machine finishes few saves in 20 ms; still both kinds of kill must have happened.
    assert steps[-1] > N_KILLS / 20
    assert sum(interrupted) > N_KILLS / 10, "hardly any kill came in the middle of a save"
    save(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2, "what killed writers left behind has to go"


def kills(tmp_path, n, seed=0):
    """Kill `n` writers; yield (the stored step, whether the kill came in the middle of a save)."""
    # One Python forks every writer: a fresh one for each would take minutes.
    server = subprocess.Popen(
        [sys.executable, "-c", FORKS_WRITERS],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},  # no fork with threads
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    rng, last = random.Random(seed), 0
    store.save_model(tmp_path, "ocr", {"step": np.zeros(1)}, **{**ABOUT, "settings": {"step": 0}})
    for _ in range(n):
        before = os.stat(tmp_path).st_mtime_ns
        print(json.dumps([str(tmp_path), last + 1]), file=server.stdin, flush=True)
        writer = int(server.stdout.readline())
        while os.stat(tmp_path).st_mtime_ns == before:  # until it has begun
            time.sleep(0.0005)
        time.sleep(rng.random() * 0.02)
        os.kill(writer, signal.SIGKILL)
        assert server.stdout.readline() == "gone\n"
        is_interrupted = len(list(tmp_path.iterdir())) > 2
        model = store.load_model(tmp_path, "ocr", kind="cascade", version=1)
        step = model.manifest["settings"]["step"]
        assert (model.arrays["step"] == step).all()
        assert step >= last
        last = step
        yield step, is_interrupted
    server.communicate()


def test_writers_at_the_same_time(tmp_path):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda value: save(tmp_path, value=value % 3), range(60)))
    assert content(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_full_disk_keeps_a_whole_version(tmp_path, monkeypatch, call, after):
    save(tmp_path)
    old, left = content(tmp_path), itertools.count(after, -1)
    real = getattr(os, call)

    def fail(*arguments):
        if next(left) <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(atomic.os, call, fail)
        message = ""
        try:
            save(tmp_path, value=2.0)
        except store.StoreError as error:
            message = str(error)
    n_calls = {"write": 2, "fsync": 4, "replace": 2}[call]  # number of calls in a save
    if after >= n_calls:
        assert message == ""
    else:
        assert message.endswith(
            "cannot be written (No space left on device); no whole version was lost; "
            "repair with: python -m spcviz train ocr"
        )
    # The last fsync is of the folder, when the new manifest is already in its place.
    assert (content(tmp_path) == old) == (after < n_calls and (call, after) != ("fsync", 3))
    assert content(tmp_path)
    assert not list(tmp_path.glob(".*.tmp"))


def test_short_writes_are_completed(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(atomic.os, "write", lambda handle, data: real(handle, bytes(data[:7])))
    path = store.write_json_atomic(tmp_path / "new" / "a.json", {"b": list(range(50))})
    assert json.loads(path.read_text()) == {"b": list(range(50))}


def test_write_json_atomic(tmp_path):
    path = tmp_path / "rows.json"
    rows = {"rows": [{"order": np.int64(3), "loss": np.float64(0.5), "per_fold": np.arange(2)}], "ö": None}
    assert store.write_json_atomic(path, rows) == path
    assert path.read_text(encoding="utf-8").splitlines()[-2:] == [' "ö": null', "}"]
    for bad, what in ((float("inf"), "Out of range float"), ({1, 2}, r"set \{1, 2\} is not JSON")):
        with pytest.raises(
            ArgumentError, match=rf"^obj must be plain JSON without NaN or infinities: {what}"
        ):
            store.write_json_atomic(path, {"rows": bad})
    assert json.loads(path.read_text())["rows"][0]["per_fold"] == [0, 1]


def test_a_row_of_a_result_is_a_line_and_a_long_one_is_broken(tmp_path):
    row, long = {"order": 3, "kept": [[1, 2], [3]]}, {"kept": list(range(400)), "of": [{"a": 1}]}
    path = store.write_json_atomic(tmp_path / "rows.json", {"rows": [row, long], "about": {"order": [1]}})
    text = path.read_text()
    assert json.loads(text) == {"rows": [row, long], "about": {"order": [1]}}
    assert f"  {json.dumps(row)},\n" in text
    assert f'   "kept": {json.dumps(long["kept"])},\n   "of": [\n    {{"a": 1}}\n   ]\n  }}\n' in text
    assert ' "about": {\n  "order": [1]\n }\n' in text


def test_digest_of_arrays_sees_everything():
    a = np.arange(6, dtype=np.int64)
    variants = [
        {"a": a},
        {"b": a},
        {"a": a.reshape(2, 3)},
        {"a": a.astype(np.uint64)},
        {"a": a[::-1]},
        {"a": a, "b": a},
        {"a": np.array([0.0])},
        {"a": np.array([-0.0])},
        {},
    ]
    assert len({store.digest_of_arrays(v) for v in variants}) == len(variants)
    assert store.digest_of_arrays({"a": a}) == store.digest_of_arrays({"a": a.astype(">i8")})
    with pytest.raises(ArgumentError, match=r"^array 'a' must be bool, integer or float"):
        store.digest_of_arrays({"a": np.array(["x"])})
