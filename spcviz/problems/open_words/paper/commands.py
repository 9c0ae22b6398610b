"""What the command line does with composed words; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.open_words.data import composed
from spcviz.problems.open_words.model import cascade, stored
from spcviz.problems.open_words.paper import reproduce


def train(run):
    """Train a cascade for each set of features; yields a line for each that is stored."""
    for features in run.features or cascade.SETTINGS:
        settings = cascade.settings_for(features, quick=run.quick)
        trained = cascade.train(settings, tick=_opened(run.tick, features))
        model = stored.rounded(trained.model)
        dev = composed.load_set("dev").words
        found = cascade.evaluate(model, model.features(dev.pixels, dev.lengths), dev)
        path = stored.save_open(
            run.models, model, random_state=cascade.RANDOM_STATE, metrics={"development": found}
        )
        last = found[-1]
        yield (
            f"{path}: letters {last['char_accuracy']:.2f} %, words {last['word_accuracy']:.2f} % of "
            "development words"
        )


def result(run):
    """Everything beside everything, on unseen words and on words as they come."""
    return reproduce.reproduce(run)


def _opened(tick, what):
    return lambda label: tick(f"{what}, {label}")
