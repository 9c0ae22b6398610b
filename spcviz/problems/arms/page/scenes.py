"""Numbers about arms for the Pose page, and a batch of arms for Trade-off: behind `spcviz.scenes`.

Modules that compute are imported when a function is called.
"""

from typing import TYPE_CHECKING

from spcviz.engine import checks
from spcviz.shared.folders import MODELS, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.budgets.shown import TradeOff


def arms(
    kind: str = "signs", name: str | int = "thanks", *, method: str = "single", spend: float = 0.1
) -> dict[str, str]:
    """Read both arms of a clip, and spend a budget on its frames.

    Parameters
    ----------
    kind, name, method
        The clip, and how its frames are chosen, as in `pose`.
    spend : float
        Share of the time for all features of all frames, 0 to 1.

    Returns
    -------
    dict of str
        Numbers by name, as texts: milliseconds of each tier's features, elbows and wrists that are off
        with each, and the outcome of the budget.

    Raises
    ------
    ArgumentError
        For an unknown clip or method, or a share outside 0 to 1.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.
    """
    from spcviz.problems.arms.model import stored
    from spcviz.problems.arms.page import clip, clip_text
    from spcviz.problems.pose.page.scenes import clip_of

    spend = checks.fraction("spend", spend)
    scene = clip_of(kind, name, method)
    watched = clip.watch(stored.load(shipped_path(MODELS)), scene.images, scene.truth)
    return clip_text.facts(watched, clip_text.step_of(watched, spend))


def batch(clips: int = 12, seed: int = 0) -> "TradeOff":
    """A random batch of rendered test clips under every method."""
    from spcviz.problems.arms.model import batch as drawing
    from spcviz.problems.arms.model import stored
    from spcviz.problems.arms.page import live

    model = stored.load(shipped_path(MODELS))
    return live.compare(model, drawing.draw_batch(model, clips, seed), seed)
