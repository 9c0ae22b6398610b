"""Warm-up runs every story, and none of them needs its model."""

from pathlib import Path

import pytest

from spcviz.experiments import trade_off
from spcviz.experiments.warmup import STORIES, warmup

CACHE = Path(__file__).parents[2] / "cache" / "models"


@pytest.mark.parametrize("is_stored", [True, False])
def test_it_runs_every_story_with_and_without_models(tmp_path, monkeypatch, is_stored):
    ran = []
    for story in STORIES:
        monkeypatch.setattr(story, "warmup", lambda run=story.warmup: (run(), ran.append(run)))
    monkeypatch.setattr(trade_off, "trace_word", lambda model, word: ran.append(word))
    warmup(CACHE if is_stored else tmp_path)
    assert len(ran) == len(STORIES) + is_stored
