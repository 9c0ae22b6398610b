"""What the command line does with handwriting; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.letters.model import cascade, stored
from spcviz.problems.letters.paper import reproduce


def train(run):
    """Train a model for each set of features on folds 1 to 9; yields a line for each that is stored."""
    chosen = run.features or cascade.SETTINGS
    every = {features: cascade.settings_for(features, quick=run.quick) for features in chosen}
    for features, settings in every.items():
        tick = _opened(run.tick, features)
        model = stored.rounded(
            (trained := cascade.train(settings, 0, reproduce.RANDOM_STATE, tick=tick)).model
        )
        metrics = {
            "test_fold": cascade.evaluate(model, 0),
            "held_out": [report._asdict() for report in trained.reports],
        }
        path = stored.save_ocr(run.models, model, random_state=reproduce.RANDOM_STATE, metrics=metrics)
        last = metrics["test_fold"][-1]
        yield f"{path}: letters {last['char_accuracy']:.2f} %, words {last['word_accuracy']:.2f} % on fold 0"


def orders(run):
    """Table 4.3; with some features only, beside the rows of the others that stand in the file."""
    result = reproduce.reproduce_orders(
        run.executor,
        folds=10 if run.folds is None else run.folds,
        quick=run.quick,
        folder=run.work,
        models=run.models,
        tick=run.tick,
        **_features(run),
    )
    return reproduce.merged(run.earlier, result) if run.earlier else result


def sweep(run):
    """Filters against each other."""
    folds = 1 if run.folds is None else run.folds
    return reproduce.reproduce_sweep(
        run.executor, folds=folds, quick=run.quick, tick=run.tick, **_features(run)
    )


def _features(run):
    return {"features": run.features} if run.features else {}


def _opened(tick, what):
    return lambda label: tick(f"{what}, {label}")
