"""What the command line does with parsing; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.parsing import measure, models, tables, times
from spcviz.problems.parsing import parser as parsers
from spcviz.problems.parsing import policies as policy
from spcviz.problems.parsing.data import load_sentences


def train(run):
    """Train parser and policies on the English Web Treebank; yields a line when they are stored."""
    parts = tables.trained("ewt", run.quick, run.work, run.tick, with_lengths=False)
    clock = times.Clock(parts, policy.world_of(parts.parser, parts.test, parts.policies.scale))
    alone = clock.alone(parts.parser, "all arcs")
    us = {row["template"]: row["us_features"] for row in alone}
    scored = parsers.score(parts.parser, parts.test)
    uas = {how: measure.uas_by(decode, scored, parts.test, 1) for how, decode in measure.DECODERS.items()}
    path = models.save(
        run.models,
        models.ParseModel(parts.parser, parts.policies, us),
        settings=parsers.settings_for("ewt", run.quick),
        metrics={"test_uas": uas},
        train=load_sentences("ewt")[0]["train"],
    )
    yield f"{path}: {uas['arborescence']:.2f} % of test heads right, {uas['eisner']:.2f} % without crossings"


def table(run):
    """Fig. 4 on both corpora."""
    return tables.reproduce_parsing(
        run.executor, folds=run.folds, quick=run.quick, folder=run.work, tick=run.tick
    )
