"""Every shipped model survives reading and writing by its problem's class: array for array, name for name."""

import pytest

from spcviz.problems.arms.model import stored as arms
from spcviz.problems.hybrid.model import stored as hybrid
from spcviz.problems.letters.model import stored as letters
from spcviz.problems.open_words.model import lists
from spcviz.problems.open_words.model import stored as open_words
from spcviz.problems.own_data.model import stored as own_data
from spcviz.problems.own_data.shown import Trained
from spcviz.problems.parsing.model import stored as parsing
from spcviz.problems.pose.model import finder_train
from spcviz.problems.pose.model import stored as pose
from spcviz.problems.scene.model import stored as scene
from spcviz.problems.tagging.model import stored as tagging
from spcviz.problems.words.model import stored as words
from spcviz.shared.folders import MODELS
from spcviz.store import arrays_of, digest_of_arrays, list_models, load_model, stored_as
from spcviz.store.tree import pack_tree, unpack_tree

STORED = {
    "ocr-cascade": letters.Stored,
    "open-cascade": open_words.Stored,
    "tagging-cascade": tagging.Stored,
    "ocr-budget": words.Stored,
    "arm-budget": arms.Stored,
    "hybrid": hybrid.Stored,
    "dependency-parser": parsing.Stored,
    "pose-cascade": pose.Stored,
    "pose-finder": finder_train.StoredFinder,
}
VALUES = {lists.NAME: ()}
SHIPPED = list_models(MODELS)


def arrays_again(stored):
    """A stored model's arrays after being read and written."""
    kind = stored.manifest["kind"]
    if kind == "value":
        types = VALUES[stored.name]
        return pack_tree(unpack_tree(stored.arrays, types), types)
    if kind == own_data.KIND:
        return pack_tree(own_data.load(MODELS), Trained)
    if kind == scene.KIND:
        return scene.to_arrays(scene.load(MODELS))
    return arrays_of(stored_as(STORED[kind], stored))


@pytest.mark.parametrize(
    "status", [model for model in SHIPPED if model.kind != "word-lists"], ids=lambda model: model.name
)
def test_read_and_written_again_the_arrays_are_the_same(status):
    stored = load_model(MODELS, status.name, kind=status.kind, version=status.version)
    assert digest_of_arrays(arrays_again(stored)) == digest_of_arrays(stored.arrays)


def test_all_are_tried():
    assert {model.kind for model in SHIPPED} == {*STORED, own_data.KIND, scene.KIND, "value"}
