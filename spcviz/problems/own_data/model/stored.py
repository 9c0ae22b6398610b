"""Store and load the model that Your data opens with: a small cascade of the first example."""

from collections.abc import Iterator
from pathlib import Path

from spcviz.problems.own_data.model.examples import data_of, read_example
from spcviz.problems.own_data.model.files import digest_of
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.model.training import train as train_on
from spcviz.problems.own_data.shown import Trained
from spcviz.registry.problem import Run
from spcviz.store import load_model, save_model
from spcviz.store.errors import DamagedError, StoreError, refusal
from spcviz.store.tree import pack_tree, unpack_tree

EXAMPLE = "ewt"
NAME, KIND, VERSION = f"own_data-{EXAMPLE}", "own-data", 1


def train(run: Run) -> Iterator[str]:
    """Train the first example's model with the page's own settings; same settings, same digests."""
    settings, example = Settings(), read_example(EXAMPLE)
    trained = train_on(settings, example.sentences, example.labels)
    report = trained.report._replace(cpu_seconds=0.0)  # it depends on the machine
    right = float((report.truth == report.guess).mean())
    save_model(
        run.models,
        NAME,
        pack_tree(trained._replace(report=report), Trained),
        kind=KIND,
        version=VERSION,
        settings=settings._asdict(),
        data_digest=digest_of(data_of(EXAMPLE)),
        random_state=settings.seed,
        metrics={"tokens_right": right},
    )
    run.tick(NAME)
    yield f"{NAME}: {100 * right:.1f} % of the held-out tokens right"


def load(folder: Path) -> Trained:
    """Read it; raises `StoreError` where it is missing, damaged or of other settings."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    if stored.manifest["settings"] != Settings()._asdict():
        raise refusal(folder, NAME, "was trained with other settings")
    try:
        return unpack_tree(stored.arrays, Trained)
    except DamagedError as error:
        raise StoreError(str(refusal(folder, NAME, f"is damaged: {error}"))) from error
