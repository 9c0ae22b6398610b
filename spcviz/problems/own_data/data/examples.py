"""Examples that are there: sentences of the English Web Treebank with two sets of tags."""

from typing import NamedTuple

from spcviz.problems.common.folders import CACHE, shipped
from spcviz.problems.own_data.data.files import Brought, Columns, read

FILE = "data/ewt/sentences.conllu"


class Example(NamedTuple):
    """One entry of the menu."""

    label: str
    columns: Columns
    name: str = "sentences.conllu"


EXAMPLES = {
    "ewt": Example("Sentences, 17 tags", (1, 3)),
    "penn": Example("Sentences, Penn tags", (1, 4)),
}
ORIGIN = (
    "The example: 300 development sentences of the Universal Dependencies English Web Treebank (Silveira "
    "et al. "
    "2014), CC BY-SA 4.0."
)


def are_there() -> bool:
    """Whether there are examples, as in a clone: a package installed by pip brings none."""
    return CACHE.is_dir()


def data_of(name: str) -> bytes:
    """The bytes of an example's file."""
    return shipped(CACHE / FILE).read_bytes()


def read_example(name: str) -> Brought:
    """An example, as if a visitor had brought it."""
    example = EXAMPLES[name]
    return read(example.name, data_of(name), example.columns)
