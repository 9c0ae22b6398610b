"""A small parser, trained on the page's own sentences with rough tags, and a world of sentences it scores."""

from dataclasses import replace

import numpy as np
import pytest

from spcviz.problems.parsing.data import gallery
from spcviz.problems.parsing.data.treebank import encode
from spcviz.problems.parsing.model import parser, policies

TAGS = ("A", "B", "C", "D")


def tags_of(words):
    """Tags by word length: good enough to test only the machinery."""
    return [TAGS[min(len(word), 8) // 2 - 1] if len(word) > 1 else "A" for word in words]


@pytest.fixture(scope="session")
def sentences():
    short = [s for s in gallery.own_sentences() if len(s.words) <= 10]
    encoded = encode([s.words for s in short], [tags_of(s.words) for s in short], TAGS)
    heads = np.concatenate([np.concatenate([[-1], s.heads]) for s in short])
    return encoded._replace(heads=heads)


@pytest.fixture(scope="session")
def trained(sentences):
    settings = replace(parser.settings_for("ewt", quick=True), epochs=8)
    return parser.train(sentences, TAGS, settings, np.random.default_rng(0))


@pytest.fixture(scope="session")
def world(trained, sentences):
    return policies.world_of(trained, sentences)


@pytest.fixture(scope="session")
def learned(world):
    """Policies trained for two steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policies, "N_STEPS", 2)
        return policies.train(world, world, np.random.default_rng(4))
