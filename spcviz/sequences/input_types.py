"""Type aliases for X and y in the taggers' signatures.

A type checker cannot tell a text from a list of texts, so some mistakes surface only at run time, in an error
that names the item.

>>> from spcviz.sequences.input_types import Inputs, Targets
>>> X: Inputs = [[{"word": "the"}, {"word": "dog"}], [["barks"]]]
>>> y: Targets = [["DT", "NN"], ["VB"]]
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias


class AnyArray(Protocol):
    """An array of any library, or a scipy sparse matrix."""

    @property
    def shape(self) -> Any: ...


Token: TypeAlias = Iterable[str] | Iterable[bytes] | Mapping[str, Any] | Sequence[float] | AnyArray
"""A token's features: names, names with values, or a row of numbers."""

Item: TypeAlias = Collection[Token] | AnyArray
"""One sequence: tokens, or a table with a row for each."""

Inputs: TypeAlias = Iterable[Item] | AnyArray
"""X: sequences; see `spcviz.sequences.encoding`."""

Targets: TypeAlias = Iterable[Sequence[str | None] | Sequence[int | None] | AnyArray] | AnyArray
"""y: a label for each token, all texts or all whole numbers; None only where labels may be missing."""

Weights: TypeAlias = Iterable[float] | AnyArray
"""One weight per sequence."""
