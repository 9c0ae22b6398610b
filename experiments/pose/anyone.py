"""The result pose-people: the stored model on five kinds of pictures that it was never trained on.

*buffy*: the test episodes, cropped as annotated; *jittered*: the same, with windows as uncertain as a
detector's; *signs*: one of five people at a time, whom neither model nor detectors have seen, with a
network's joints as truth; *lspet*: 200 athletes, chosen by a rule (`face_on`) from a set that the detectors
did not learn from; *astronaut*: one photograph without truth. Each is compared with a mean pose that ignores
the picture: Buffy's, and for a signing person also that of the other four.
"""

from pathlib import Path

import numpy as np

from experiments.pose import measure, reproduce
from experiments.pose.follow import clip_error
from spcviz.problems.pose.data import body, pictures, signs
from spcviz.problems.pose.data import buffy as pose_data
from spcviz.problems.pose.model import stored
from spcviz.problems.pose.page import live
from spcviz.registry.problem import Run
from spcviz.shared.folders import shipped_path
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute
from spcviz.shared.work.jobs import run_all

SOURCE = "Weiss (2013), thesis, section 5.5.2, on other people"
SETS = ("buffy", "jittered", *(f"signs, {person}" for person in signs.PERSONS), "lspet", "astronaut")
"""Sets of pictures that are measured, one job each."""
SIGNS_EVERY, BUFFY_EVERY = 9, 2
N_LSPET = 200
LEAST_SHOULDERS = 0.5  # of the torso's length; people standing sideways show less
N_GALLERY = 3
MODULES = ("experiments.pose.anyone",)
UPPER = 3  # torso and upper arms: the model's limbs


def reproduce_people(run: Run) -> dict:
    """The table of the first ``run.folds`` of `SETS`; quick: a sixth of the pictures."""
    names, quick = SETS[: run.folds], run.quick
    jobs = [(name, str(run.models), str(run.work), quick) for name in names]
    made = dict(zip(names, run_all(run.executor, of_set, jobs, run.tick)))
    mean = reproduce.mean_pose()
    rows, fold_rows, gallery = [], [], []
    for kind in dict.fromkeys(name.split(",")[0] for name in made):
        parts = {name: part for name, part in made.items() if name.split(",")[0] == kind}
        rows.append(_row(kind, parts, mean))
        for name, part in parts.items():
            fold_rows.append({"fold": name, "rows": [_row(name, {name: part}, mean)]})
            gallery += _failures(name, part)
    return describe(
        "pose-people", SOURCE, rows, baselines=[], fold_rows=fold_rows, gallery=gallery,
        settings={
            "signs_every": SIGNS_EVERY, "buffy_every": BUFFY_EVERY, "n_lspet": N_LSPET, "quick": quick,
            "lspet_rule": f"upright ({np.degrees(pictures.MAX_LEAN):.0f} degrees), window of at least "
            f"{pictures.MIN_SIDE:g} pixels, torso and upper arms seen, shoulders at least "
            f"{LEAST_SHOULDERS:g} of the torso apart; the first {N_LSPET} by file name",
            "attribution": signs.ATTRIBUTION,
            "never_trained_on": "pose-buffy's detectors learn from Buffy's episodes 3 and 4 and PARSE",
        },
        data=data_read(),
        random_state=stored.RANDOM_STATE,
    )  # fmt: skip


def data_read():
    """The data of the table, for its digests: a dict of dicts of arrays."""
    read = {name: pictures_of(name) for name in ("buffy", "lspet", "astronaut")}
    out = {f"pose_{name}": {"images": clips.images, "limbs": clips.limbs} for name, clips in read.items()}
    out["pose_buffy"]["train_limbs"] = pose_data.load_buffy(stored.data_folder(), "train").limbs  # of `mean`
    reference = signs.load_reference()
    video = np.frombuffer(shipped_path(signs.SHIPPED).read_bytes(), dtype=np.uint8)
    seen = {"joints": reference.joints, "visibility": reference.visibility, "video": video}
    return out | {"pose_signs": seen}


def face_on(data):
    """The first `N_LSPET` pictures of LSPET that pass the rule: `PoseClips`."""
    clips = pictures.load_pictures(data, "pose_lspet")
    limbs = clips.limbs[:, :UPPER]
    torso = np.linalg.norm(limbs[:, 0, 1] - limbs[:, 0, 0], axis=1)
    apart = np.linalg.norm(limbs[:, 2, 0] - limbs[:, 1, 0], axis=1)
    is_seen = np.isfinite(limbs).all(axis=(1, 2, 3))
    rows = np.flatnonzero(is_seen & (apart >= LEAST_SHOULDERS * torso))
    return clips.pick(rows[np.argsort(np.array(clips.names)[rows], kind="stable")][:N_LSPET])


def pictures_of(name, quick=False):
    """Pictures of one of `SETS`, as `PoseClips`; the astronaut's limbs are nan."""
    step = 6 if quick else 1
    if name == "astronaut":
        image = live.scene_of("astronaut", 0, 1).images
        return pose_data.PoseClips(image, np.full((1, 5, 2, 2), np.nan), np.zeros(1, int), ("astronaut",))
    if name.startswith("signs"):
        person = name.split(", ")[1]
        fold = next(fold for fold in signs.folds() if fold.person == person)
        clips = signs.load_signs(fold.test, every=SIGNS_EVERY)
        sure = np.concatenate([clip.is_seen[:, :UPPER].all(axis=1) for clip in clips])
        return pose_data.PoseClips(
            np.concatenate([clip.images for clip in clips]),
            np.concatenate([clip.limbs for clip in clips]),
            np.repeat(np.arange(len(clips)), [len(clip.frames) for clip in clips]),
            tuple(f"{clip.name} {frame}" for clip in clips for frame in clip.frames),
        ).pick(np.flatnonzero(sure)[::step])
    if name == "lspet":
        facing = face_on(stored.data_folder())
        return facing.pick(np.arange(0, len(facing.clips), step))
    test = pose_data.load_buffy(stored.data_folder(), "test")
    if name == "jittered":
        test = pose_data.jitter_clips(test, np.random.default_rng(reproduce.JITTER_SEED))
    return test.pick(np.arange(0, len(test.clips), BUFFY_EVERY * step))


def of_set(name: str, folder: str | Path, work: str | Path | None = None, quick: bool = False) -> dict:
    """Run the stored model on one of `SETS`: arrays of `measure.Measured`, limbs, clips and names."""
    model = stored.load_pose(folder)
    key = {"set": name, "model": stored.digest_of(model), "quick": quick}
    clips = pictures_of(name, quick)
    key |= {"data": clips.digest()}

    def make():
        limbs = np.nan_to_num(clips.limbs, nan=body.SIDE / 2)
        measured = measure.measure(model, clips.images, limbs)
        return {"found": measured.found, "best": measured.best[:, -1]}

    arrays = load_or_compute(work, f"pose-people-{name.replace(', ', '-')}", key, MODULES, make, ARRAYS)
    return arrays | {"limbs": clips.limbs[:, :UPPER], "clips": clips.clips, "names": clips.names}


def _row(name, parts, mean):
    """Figures of one set over all its parts together; None where no truth is known."""
    join = {key: np.concatenate([part[key] for part in parts.values()]) for key in ("found", "best", "limbs")}
    clips = np.concatenate([100 * n + part["clips"] for n, part in enumerate(parts.values())])
    out = {"data": name, "n_pictures": len(clips), "n_clips": len(np.unique(clips))}
    known = np.isfinite(join["limbs"]).all()
    near, top, reachable = (join["found"][:, -1, what, :UPPER] for what in (1, 2, 4))
    others = [_other_people(part, parts) for part in parts.values()] if len(parts) > 1 else []
    columns = {"survivors_pcp25": near, "top4_pcp25": top, "unpruned_pcp25": reachable}
    columns["best_pcp50"] = body.is_correct(join["best"], join["limbs"], 0.5)
    columns["mean_pose_pcp50"] = body.is_correct(mean, join["limbs"], 0.5)
    if others:
        columns["mean_pose_of_others_pcp50"] = np.concatenate(others)
    for key, values in columns.items():
        out[key] = round(100 * float(values.mean()), 2) if known else None
        error = clip_error(100.0 * values.mean(axis=1), clips) if known else float("nan")
        out[f"{key}_stderr"] = round(error, 2) if np.isfinite(error) else None
    return out


def _other_people(part, parts):
    """Whether the mean pose of all other parts is right on one part's pictures."""
    rest = np.concatenate([other["limbs"] for other in parts.values() if other is not part])
    return body.is_correct(rest.mean(axis=0), part["limbs"], 0.5)


def _failures(name, arrays):
    """The pictures of a set whose best guess is farthest off, with a sentence each: a list of dict."""
    if not np.isfinite(arrays["limbs"]).all():
        return []
    off = np.linalg.norm(arrays["best"] - arrays["limbs"], axis=-1).max(axis=-1)
    worst, out = np.argsort(-off.max(axis=1), kind="stable"), []
    for f in worst[: 1 if "," in name else N_GALLERY]:
        part = int(off[f].argmax())
        out.append({
            "data": name, "picture": str(arrays["names"][f]), "index": int(f),
            "limbs": np.round(arrays["best"][f], 1).tolist(),
            "truth": np.round(arrays["limbs"][f], 1).tolist(),
            "said": failure(body.PARTS[part], float(off[f, part]), arrays["found"][f, :, :, part]),
        })  # fmt: skip
    return out


def failure(limb: str, off: float, survival: np.ndarray):
    """One sentence on why a limb is `off` pixels, from its `measure.Measured.found` (7, 7) by level.

    >>> survival = np.ones((7, 7))
    >>> failure("torso", 40.0, survival)
    'The torso is 40 pixels off, though one of the four best is near the truth: it was ranked wrongly.'
    >>> survival[3:, 1:3] = 0
    >>> failure("torso", 40.0, survival)
    'The torso is 40 pixels off: level 3 pruned every state near the truth.'
    """
    sentence = f"The {limb} is {off:.0f} pixels off"
    if not survival[-1, 4]:
        return f"{sentence}: limbs have one length, and none of this length is near the truth."
    lost = np.flatnonzero((survival[:, 4] > 0) & (survival[:, 1] == 0))
    if len(lost) and not survival[-1, 1]:
        return f"{sentence}: level {lost[0]} pruned every state near the truth."
    if survival[-1, 2]:
        return f"{sentence}, though one of the four best is near the truth: it was ranked wrongly."
    return f"{sentence}: a state near the truth survives, but is not among the four best."
