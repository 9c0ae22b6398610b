"""What the command line does with scenes; each function takes a `spcviz.problems.problem.Run`."""

from dataclasses import asdict

import numpy as np

from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import parts, stored, train
from spcviz.problems.scene.page import trade
from spcviz.problems.scene.page.shown import TIERS
from spcviz.problems.scene.paper import costs, reproduce, trade_tables
from spcviz.store import digest_of_arrays


def train_all(run):
    """Train the anytime predictor, the machines and their selector on CamVid; yields a line when stored."""
    lab = train.Lab(run.quick, run.work, run.tick)
    steps, risk, ms = lab.sim()
    machines = {name: lab.him(name) for name in train.LIMITED}
    new = parts.scenes("val", camvid.names_of("val"), lab.vocabulary, run.work)
    rng = np.random.default_rng(train.RANDOM_STATE)
    chooser = trade.learn(trade.look(new, [machines[tier.key] for tier in TIERS]), rng)
    model = stored.SceneModel(lab.vocabulary, steps, ms, machines.pop("him"), machines, chooser)
    scenes, _ = lab.scenes()
    path = stored.save(
        run.models,
        model,
        settings=asdict(lab.settings),
        metrics={"held_out_risk": float(risk[-1]), "modelled_ms": float(ms.sum())},
        data_digest=digest_of_arrays({"counts": scenes.counts, "size": scenes.structure.size}),
    )
    yield f"{path}: {len(steps)} steps, {ms.sum():.0f} modelled ms, held-out risk {risk[-1]:.3f}"


def table(run):
    """Tables 1 and 2, Figs. 2 and 4."""
    return reproduce.reproduce_scene(run)


def pieces(run):
    """Table 2, and the prices that the anytime predictor learns with."""
    return costs.reproduce(run)


def shared(run):
    """One budget for all test pictures (thesis, Algorithm 3)."""
    return trade_tables.reproduce(run)
