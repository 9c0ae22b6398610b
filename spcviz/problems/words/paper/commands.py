"""What the command line does with budgets on words; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.engine import checks
from spcviz.problems.budgets.tables import reproduce
from spcviz.problems.common.report import describe
from spcviz.problems.common.work.jobs import expect
from spcviz.problems.letters.data import handwriting
from spcviz.problems.words.data import sources
from spcviz.problems.words.model import folds, stored
from spcviz.problems.words.paper import reproduce as tables
from spcviz.problems.words.paper import steps


def train(run):
    """Train the budget pages' models of words, as given and of an open vocabulary; yields a line for each."""
    for source in sources.NAMES:
        trained = stored.train(source, run.work, quick=run.quick, tick=run.tick)
        path = stored.save(run.models, source, *trained)
        found = stored.metrics_of(stored.model_of(source, *trained))
        errors = ", ".join(f"{error:.2f}" for error in found["plain_error"])
        yield f"{path}: letters wrong {errors} % with the models of the three tiers, fold 0"


def result(run):
    """One of the five results that are curves of all methods."""
    return reproduce(tables, run)


def steps_apart(run):
    """Letters, letters with their steps, and steps apart (7.12), on the first test folds."""
    n_folds = checks.integer("folds", STEP_FOLDS if run.folds is None else run.folds, 1, handwriting.N_FOLDS)
    settings = folds.settings_for(run.quick)
    expect(run.tick, n_folds)
    found = [steps.run_fold(fold, settings, run.work, run.tick) for fold in range(n_folds)]
    return describe(
        run.name,
        "Weiss (2013), thesis, (7.12); features of steps are this project's",
        steps.means(found),
        baselines=[],
        settings={
            "kinds": steps.N_KINDS, "strengths": steps.STRENGTHS, "training_words": steps.N_LEARN,
            "random_state": folds.RANDOM_STATE,
        },
        data={"ocr": handwriting.load_words()._asdict()},
        fold_rows=[{"fold": fold, "rows": own["rows"]} for fold, own in enumerate(found)],
        folds=n_folds,
    )  # fmt: skip


STEP_FOLDS = 4
"""Of the ten: policies of letters and steps take as long as all others together."""
