"""The clips that the Pose page offers, computed once on a machine and then read from a file.

A clip takes one to six seconds of processor time, and a class chooses dozens at once. Each is stored in the
work folder, keyed by clip, method, digests of model and data, and the code (`disk_cache`), so it is never
stale; alphas are the tuned ones. `python -m spcviz train pose-clips` fills the shelf before a class; the app
fills it while it is idle.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spcviz.problems.pose.data import buffy as data
from spcviz.problems.pose.data import signs
from spcviz.problems.pose.model import stored
from spcviz.problems.pose.page import live, trace
from spcviz.problems.pose.shown import ClipTrace, PoseScene
from spcviz.shared.folders import WORK, data_folder
from spcviz.shared.work.disk_cache import UNREADABLE, Form, path_of
from spcviz.store.atomic import write_bytes_atomic
from spcviz.store.errors import DamagedError
from spcviz.store.manifest import model_digest
from spcviz.store.raw import pieces_of, value_of

NAME, FOLDER = "pose-clip", "pose-clips"
SIGN = "thanks"  # the page's first clip, chosen by eye: plain, a hand moves to the face and away
MODULES = ("spcviz.problems.pose.page.shelf", "spcviz.problems.pose.page.trace")
METHODS = ("single", "torso", "ensemble")
MOST_FRAMES = {"single": 24, "torso": 10, "ensemble": 10}  # a browser gets at most 3 MB
N_FRAMES, FIRST_SEED, N_SEEDS, N_BUFFY = 12, 5, 12, 69
MOST_BYTES = 400_000_000  # of all clips; the oldest are deleted first


class Asked(NamedTuple):
    """A clip that everybody can choose."""

    kind: str  # {"signs", "rendered", "astronaut", "buffy"}
    name: str | int  # a word, a seed, a number
    method: str  # one of `METHODS`


def scene_of(asked: Asked, folder: str | Path | None = None) -> PoseScene:
    """The frames of a clip that are shown under its method; raises `ArgumentError`."""
    scene = live.scene_of(asked.kind, asked.name, N_FRAMES, folder)
    return live.thin_scene(scene, MOST_FRAMES[asked.method])


def is_offered(asked):
    """Whether a clip has a place on the shelf: there are a million rendered clips."""
    return asked.kind != "rendered" or FIRST_SEED <= asked.name < FIRST_SEED + N_SEEDS


def has_buffy(folder):
    """Whether a data folder has the real clips."""
    return folder is not None and (Path(folder) / data.FOLDER).is_dir()


def list_clips(has_buffy: bool, within: int = 3) -> list[Asked]:
    """Clips with a place that are at most `within` choices from the page's opening one, nearest first."""
    names = {"signs": signs.load_reference().clips, "astronaut": (0,)}
    names |= {"rendered": range(FIRST_SEED, FIRST_SEED + N_SEEDS), "buffy": range(N_BUFFY * has_buffy)}
    every = [
        Asked(kind, name, method) for kind, clips in names.items() for name in clips for method in METHODS
    ]

    def steps(asked):
        opening = {"signs": SIGN, "rendered": FIRST_SEED}.get(asked.kind, 0)
        return (asked.kind != "signs") + (asked.name != opening) + (asked.method != "single")

    return sorted((asked for asked in every if steps(asked) <= within), key=steps)


def place(asked: Asked, folder: str | Path | None = None, *, of_models: Path, work: Path = WORK):
    """The path of a clip, whether or not it exists."""
    origin = {"signs": signs.SHIPPED_SHA256, "buffy": _digest_of(folder) if asked.kind == "buffy" else ""}
    key = [*asked, MOST_FRAMES[asked.method], N_FRAMES, origin.get(asked.kind, "")]
    return path_of(Path(work) / FOLDER, NAME, [*key, model_digest(of_models, stored.NAME)], MODULES, CLIP)


@cache
def _digest_of(folder):
    """Digest of the pictures' table and of their sizes."""
    below = Path(folder) / data.FOLDER
    digest = hashlib.sha256((below / "annotations.npz").read_bytes())
    for path in sorted((below / "crops").iterdir()):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
    return digest.hexdigest()


def take(path):
    """The clip stored at a path, or None if it is missing or damaged."""
    with contextlib.suppress(*UNREADABLE):
        return CLIP.read(path)
    return None


def put(path: Path, clip: ClipTrace):
    """Store a clip at a path from `place`; does nothing if nothing can be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        CLIP.write(path, clip)
        _drop_oldest(path.parent)


def _write(path, clip):
    """Write all arrays as they lie in memory, and a SHA-256: a hundred arrays in a millisecond."""
    data = b"".join(pieces_of(clip, ClipTrace))
    write_bytes_atomic(path, data + hashlib.sha256(data).digest())


def _read(path):
    whole = path.read_bytes()
    data = memoryview(whole)[:-32]
    if hashlib.sha256(data).digest() != whole[-32:]:
        raise DamagedError("does not have its SHA-256")
    return value_of(data, ClipTrace)


CLIP = Form(".clip", _write, _read, lambda clip: clip)  # how a `ClipTrace` is stored


def _drop_oldest(folder):
    stats = ((path.stat(), path) for path in folder.glob(f"{NAME}-*{CLIP.suffix}"))
    files = sorted((stat.st_mtime, stat.st_size, path) for stat, path in stats)
    left = sum(size for _, size, _ in files)
    for _, size, path in files:
        if left <= MOST_BYTES:
            break
        os.unlink(path)
        left -= size


def work_out(model, asked: Asked, folder: str | Path | None = None) -> ClipTrace:
    """A clip with all its levels, under the tuned alphas."""
    scene = scene_of(asked, folder)
    fine, seconds = zip(*(live.scores_of(model, image) for image in scene.images))
    if asked.method == "single":
        runs = [trace.run_levels(model, [scores]) for scores in fine]
    else:
        runs = [trace.run_levels(model, fine, asked.method)]
    levels = trace.join_levels([run_levels for run_levels, _ in runs])
    spent = float(sum(seconds)), float(sum(run_seconds for _, run_seconds in runs))
    return trace.clip_trace(scene, asked.method, levels, spent)


def fill(
    model, folder: Path | None, *, of_models: Path, work: Path = WORK, within: int = 3
) -> Iterator[tuple[Asked, Path]]:
    """Compute every clip with a place that is not stored yet; stops if nothing can be stored."""
    for asked in list_clips(has_buffy(folder), within):
        path = place(asked, folder, of_models=of_models, work=work)
        if not path.is_file():
            put(path, work_out(model, asked, folder))
            if not path.is_file():
                return
            yield asked, path


def train(run):
    """Fill the shelf; a command of `PROBLEM.trains`, yields a line for each clip."""
    model = stored.load_pose(run.models)
    for asked, path in fill(model, data_folder(), of_models=run.models, work=run.work):
        run.tick(f"{asked.kind} {asked.name}, {asked.method}")
        yield f"{path}: {asked.kind} {asked.name}, {asked.method}"
