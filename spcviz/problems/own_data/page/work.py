"""Start, look up and finish a visitor's training jobs, and make the keys that store their results."""

from collections.abc import Hashable

from spcviz.problems.own_data.model.budget import Bought
from spcviz.problems.own_data.model.curve import PARTS
from spcviz.problems.own_data.model.jobs import Job
from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.page import runs, shelf
from spcviz.problems.own_data.shown import LearningCurve


def start_job(visit: shelf.Own | None, settings: Settings, work: str = "train") -> None:
    """Start to train, or to buy features, on a visitor's sentences in a separate process."""
    if visit is None or visit.is_gone:  # after half an hour without use
        return
    visit.end_job()
    visit.note, brought = "", visit.brought
    wanted = {"settings": settings._asdict(), "sentences": brought.sentences, "labels": brought.labels}
    data = visit.model.model if work == "read" else b""
    if work == "train":
        visit.model = None
    visit.asked = key_of(visit, settings, work)
    visit.job = Job(work, wanted, data, n_steps=_steps(settings, work))


def key_of(visit: shelf.Own, settings: Settings, work: str) -> tuple[Hashable, ...]:
    """The key of a job's outcome: file, columns, the settings it depends on, the model."""
    if work == "read":
        few = Settings(seed=settings.seed, tolerance=settings.tolerance)
        return visit.of(work, visit.model.digest, few)
    if work == "budget":
        return visit.of(work, Settings(template=settings.template, held=settings.held, seed=settings.seed))
    return visit.of(work, settings)


def get_purchases(visit: shelf.Own, settings: Settings) -> Bought | None:
    """What a budget buys on these sentences, if it has been computed."""
    return visit.find(key_of(visit, settings, "budget"))


def get_learning_curve(visit: shelf.Own, settings: Settings) -> LearningCurve | None:
    """The learning curve with these settings, if it has been computed."""
    return visit.find(key_of(visit, settings, "curve"))


def spent_on(visit: shelf.Own, settings: Settings) -> str:
    """The identity of a batch that features were bought for."""
    return f"{visit.brought.digest}|{key_of(visit, settings, 'budget')}"


def read_with_model(visit: shelf.Own, settings: Settings) -> None:
    """Let the uploaded model read the sentences, unless it has done so or is about to."""
    if visit.model is None or visit.job is not None:
        return
    key = key_of(visit, settings, "read")
    if visit.find(key) is None and visit.asked != key:  # a failed job is not restarted automatically
        start_job(visit, settings, "read")


def _steps(settings: Settings, work: str) -> int:
    """The approximate number of steps that the estimators' progress bars count."""
    if work not in ("train", "curve"):
        return 1
    if work == "curve":
        return len(PARTS) * _steps(settings, "train")
    if settings.method == "perceptron":
        return settings.passes
    return 50 if settings.method == "crf" else 120 + 4 * settings.passes * (settings.order - 2)


def collect_job(visit: shelf.Own, settings: Settings) -> str:
    """Collect a job's outcome, if it has ended; return what went wrong, or an empty string.

    A job that ended with settings other than the current ones leaves a note.
    """
    job = visit.job
    if job is None or not job.ended.is_set():
        return ""
    visit.job = None
    if job.state == "done":
        visit.keep(visit.asked, job.outcome)
        if job.work == "train":
            runs.add_run(visit, visit.asked, visit.asked[-1], job.outcome)
        if job.work != "read" and visit.asked != key_of(visit, settings, job.work):
            visit.note = OTHER_SETTINGS
    elif job.state == "cancelled":
        visit.note = CANCELLED
    return job.problem


CANCELLED = "What was under way was cancelled."
OTHER_SETTINGS = (
    "What was under way is done, with the settings that it was begun with. Those on screen are others now: "
    "choose the former again to see it."
)


def cancel_job(visit: shelf.Own) -> None:
    """Cancel the running job at its visitor's request."""
    visit.end_job()
    visit.note = CANCELLED
