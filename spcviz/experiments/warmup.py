"""Compile, or load from the disk cache, every kernel that a page calls."""

from spcviz.experiments import (
    exact_inference,
    exact_tree,
    loopy,
    ocr,
    pictures,
    pose_budget_view,
    pose_view,
    tagging_trace,
    trade_off,
)

STORIES = (ocr, exact_inference, exact_tree, loopy, pictures)
WITH_MODELS = (tagging_trace, trade_off, pose_view, pose_budget_view)


def warmup(models):
    """Run every story once on something small.

    Parameters
    ----------
    models : Path
        Folder of the stored models; a story whose model is missing is left out.
    """
    for story in STORIES:
        story.warmup()
    for story in WITH_MODELS:
        story.warmup(models)
