"""What the command line does with parsing; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.parsing.data.treebank import load_sentences
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import policies as policy
from spcviz.problems.parsing.model import stored
from spcviz.problems.parsing.paper import measure, reproduce, times


def train(run):
    """Train parser and policies on the English Web Treebank; yields a line when they are stored."""
    parts = reproduce.trained("ewt", run.quick, run.work, run.tick, with_lengths=False)
    clock = times.Clock(parts, policy.world_of(parts.parser, parts.test, parts.policies.scale))
    alone = clock.alone(parts.parser, "all arcs")
    us = {row["template"]: row["us_features"] for row in alone}
    scored = parsers.score(parts.parser, parts.test)
    uas = {how: measure.uas_by(decode, scored, parts.test, 1) for how, decode in measure.DECODERS.items()}
    path = stored.save(
        run.models,
        stored.ParseModel(parts.parser, parts.policies, us),
        settings=parsers.settings_for("ewt", run.quick),
        metrics={"test_uas": uas},
        train=load_sentences("ewt")[0]["train"],
    )
    yield f"{path}: {uas['arborescence']:.2f} % of test heads right, {uas['eisner']:.2f} % without crossings"


def table(run):
    """Fig. 4 on both corpora."""
    return reproduce.reproduce_parsing(
        run.executor, folds=run.folds, quick=run.quick, folder=run.work, tick=run.tick
    )
