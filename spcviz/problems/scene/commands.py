"""What the command line does with scenes; each function takes a `spcviz.problems.problem.Run`."""

from dataclasses import asdict

from spcviz.problems.scene import models, tables, train
from spcviz.store import digest_of_arrays


def train_all(run):
    """Train the anytime predictor and the inference machine on CamVid; yields a line when they are stored."""
    lab = train.Lab(run.quick, run.work, run.tick)
    steps, risk, ms = lab.sim()
    model = models.SceneModel(lab.vocabulary, steps, ms, lab.him("him"))
    scenes, _ = lab.scenes()
    path = models.save(
        run.models,
        model,
        settings=asdict(lab.settings),
        metrics={"held_out_risk": float(risk[-1]), "modelled_ms": float(ms.sum())},
        data_digest=digest_of_arrays({"counts": scenes.counts, "size": scenes.structure.size}),
    )
    yield f"{path}: {len(steps)} steps, {ms.sum():.0f} modelled ms, held-out risk {risk[-1]:.3f}"


def table(run):
    """Tables 1 and 2, Figs. 2 and 4."""
    return tables.reproduce_scene(run)
