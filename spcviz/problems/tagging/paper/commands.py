"""What the command line does with tagging; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.tagging.model import cascade, stored
from spcviz.problems.tagging.model import settings as chosen
from spcviz.problems.tagging.paper import reproduce

SHIPPED = "spc_log_loss_start"
"""What the app tags with: on development sentences it gets more words right than the thesis' learning, and
leaves fewer bigrams (``orders`` of the result)."""


def train(run):
    """Train the tagger on the English Web Treebank; yields a line when it is stored."""
    settings = chosen.settings_for("ewt", "full", quick=run.quick)
    data = cascade.prepared("ewt", "full", settings.least)  # all of it
    spc = cascade.train(chosen.config_of(settings, SHIPPED), data, tick=run.tick)
    # only its bigram filter is compared
    crf = cascade.train(chosen.config_of(settings, "crf"), data, tick=run.tick, n_orders=2)
    model = stored.shrunk(settings, data, spc.cascade, crf.cascade)
    metrics = {
        "test": cascade.evaluate(model.cascade, data, "test"),
        "held_out": [report._asdict() for report in spc.reports],
    }
    path = stored.save_tagger(
        run.models, model, random_state=cascade.RANDOM_STATE, metrics=metrics, data=data
    )
    yield f"{path}: {metrics['test'][-1]['accuracy']:.2f} % of test words right"


def table(run):
    """Table 4.2, or its first parts; with some features only, beside the others' rows that stand."""
    features = {"features": run.features} if run.features else {}
    result = reproduce.reproduce_tagging(
        run.executor, folds=run.folds, quick=run.quick, folder=run.work, tick=run.tick, **features
    )
    return reproduce.merged(run.earlier, result) if run.earlier else result
