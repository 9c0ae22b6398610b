"""Lattices that survive the pruning of sequences: grow n-grams, rescore, decode, export to OpenFst."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.ngrams import lattice as engine
from spcviz.engine.ngrams.growing import MOST_ARCS
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.ngrams.space import Lattice
from spcviz.scores.arc_scores import Grams, base_scores, gram_scores, grams_of
from spcviz.scores.names import Names, named_array
from spcviz.scores.packing import Packed
from spcviz.scores.queries import read_rule

SYMBOLS = "labels.txt"
"""The file of the symbol table in OpenFst's format."""
EPSILON = "<eps>"
"""The symbol for no label; its number is 0."""


class Lattices:
    """Valid label n-grams of many sequences, with their scores; made by `Sequences.prune`.

    The paths of a lattice are the surviving labellings, each with its score in the sequences plus the n-gram
    scores of `rescore`. Every method returns a new object.

    Arcs are n-grams, n being the `order`; a shorter sequence has arcs as long as itself.
    """

    def __init__(
        self,
        packed: Packed,
        names: Names,
        lattice: Lattice,
        order: int = 2,
        grams: tuple[Grams, ...] = (),
        first_gap: np.ndarray | None = None,
    ) -> None:
        self._packed, self._names, self._grams, self._first_gap = packed, names, grams, first_gap
        self.order, self.labels = order, names.given
        score = base_scores(lattice, packed)
        for n_grams in grams:
            score += gram_scores(lattice, n_grams)
        possible = score > -np.inf
        if not possible.all():
            lattice, score = self._restrict_arcs(lattice, possible), score[possible]
        self._lattice, self._score = lattice, score

    def __len__(self) -> int:
        return len(self._packed.lengths)

    def __repr__(self) -> str:
        return f"<Lattices: {len(self)} sequences, order {self.order}, {self.n_arcs} arcs>"

    @property
    def n_arcs(self) -> int:
        """Number of n-grams in all sequences."""
        return self._lattice.n_arcs

    @property
    def n_states(self) -> int:
        """Number of labels left, summed over all positions."""
        return int(sum(mask.sum() for mask in self.states()))

    def states(self) -> list[np.ndarray]:
        """Which labels are still used by some arc at each position, (L_i, K) bool each."""
        return self._packed.split(engine.states_left(self._lattice))

    def extend(self) -> "Lattices":
        """The lattices of (n + 1)-grams: an (n + 1)-gram is valid iff both its n-grams are.

        `ArgumentError` if their codes do not fit into 63 bits: with 17 labels, beyond order 11.
        """
        grown = engine.extend(self._lattice, np.ones(self.n_arcs, dtype=bool))
        return Lattices(self._packed, self._names, grown, self.order + 1, self._grams, self._first_gap)

    def rescore(self, ngram_scores: Mapping[tuple[Any, ...], float] | ArrayLike) -> "Lattices":
        """Add the score of every n-gram of labels that a labelling contains.

        Parameters
        ----------
        ngram_scores : dict of tuple of labels to float, or array_like (K, ..., K)
            n-grams of up to `order` labels; all others add nothing. An array's dimensions are the labels in
            reading order. -inf forbids.

        Raises
        ------
        ArgumentError, ScoreError, ShapeError
            If an n-gram is longer than `order`, has an unknown label, or its score is NaN or +inf.
        InfeasibleError
            If everything that was left of a sequence is forbidden.
        """
        grams = grams_of(ngram_scores, self._names, self.order)
        more = (*self._grams, grams)
        return Lattices(self._packed, self._names, self._lattice, self.order, more, self._first_gap)

    def prune(
        self,
        alpha: ArrayLike | None = None,
        *,
        margin: ArrayLike | None = None,
        probability: ArrayLike | None = None,
        rule: str | None = None,
        max_arcs: int | None = None,
    ) -> "Lattices":
        """Keep the n-grams whose max-marginal exceeds the threshold of their sequence, as `Sequences.prune`.

        Parameters
        ----------
        alpha, margin, probability : float or array_like (S,)
            One of them.
        rule : {"mean_max", "mean_max_first"}, optional
            The distance that alpha is a share of: from the best score to the mean of these lattices, or to
            the mean of the sequences before any pruning.
        max_arcs : int, optional
            Most arcs that a sequence's next lattice may have; its threshold is raised as far as necessary.
        """
        name, settings = read_rule(alpha, margin, probability, rule, len(self))
        settings = settings[self._packed.filled_idx] if np.ndim(settings) else settings
        how: Any = {"rule": name, "first_gap": self._first_gap}
        kept = prune(self._lattice, self._score, settings, max_arcs=max_arcs, **how).keep
        self._refuse(self._best().scores)
        rest = self._restrict_arcs(self._lattice, kept)
        return Lattices(self._packed, self._names, rest, self.order, self._grams, self._first_gap)

    def decode(self) -> list[np.ndarray]:
        """The best surviving labelling of each sequence."""
        best = self._best()
        self._refuse(best.scores)
        return self._packed.split(self._names.of(best.labels))

    def best_scores(self) -> np.ndarray:
        """Score of the best labelling of each sequence, shape (S,); 0 for a sequence without positions."""
        out = np.zeros(len(self))
        out[self._packed.filled_idx] = self._best().scores
        return out

    def arrays(self) -> tuple[Lattice, np.ndarray]:
        """The engine's lattice and the score of each of its arcs."""
        return self._lattice, self._score

    def show(self, words: Sequence[str] | None = None) -> object:
        """Show in a notebook what is left of one sequence; see `spcviz.show`."""
        return import_module("spcviz").show(self, None, words)

    def to_npz(self, path: str | Path) -> None:
        """Write all arcs to an ``.npz`` file that `numpy.load` reads without pickle.

        One row per arc: ``sequence`` (number), ``position`` (of its last label), ``ngram`` (order columns,
        labels in reading order, -1 before the first of a short sequence), ``tail``, ``head`` (node numbers),
        ``score``; also ``lengths`` (S,), ``order``, and ``label_names`` (K,) if labels have names.
        """
        about = {"lengths": self._packed.lengths, "order": np.array(self.order)}
        if self.labels is not None:
            names = named_array(self.labels)
            about["label_names"] = names if names.dtype != object else np.array([str(n) for n in self.labels])
        np.savez_compressed(path, allow_pickle=False, **self.arcs(), **about)

    def arcs(self) -> dict[str, np.ndarray]:
        """All arcs as arrays with one row per arc; see `to_npz`."""
        lattice, filled = self._lattice, self._packed.filled_idx
        example = np.repeat(np.arange(len(filled)), np.diff(lattice.example_start))
        column = np.repeat(np.arange(len(lattice.arc_start) - 1), np.diff(lattice.arc_start))
        order = lattice.order[example]
        ngram = np.full((self.n_arcs, self.order), -1, dtype=np.int32)
        for back in range(self.order):
            symbol = (lattice.arc_key >> lattice.bits * back & (1 << lattice.bits) - 1) - 1
            ngram[:, self.order - 1 - back] = np.where(back < order, symbol, -1)
        return {
            "sequence": filled[example],
            "position": column - lattice.col_start[example] + order - 1,
            "ngram": ngram,
            "tail": lattice.arc_tail.astype(np.int64),
            "head": lattice.arc_head.astype(np.int64),
            "score": self._score,
        }

    def to_openfst(self, folder: str | Path) -> list[Path]:
        """Write one acceptor per sequence in OpenFst's text format (https://www.openfst.org).

        ``labels.txt`` is their symbol table (``<eps>`` is 0, label k is k + 1); ``0.txt``, ``1.txt``, ... are
        read by ``fstcompile --acceptor --isymbols=labels.txt``. Weights are costs in the tropical semiring:
        the cheapest path spells the best labelling and costs minus its score. Returns the paths of the
        acceptors, one per sequence. `ArgumentError` if a label's name is empty or has white space, which a
        symbol table cannot hold.
        """
        names = [str(self._names.at(k)) for k in range(self._names.n_states)]
        return write_openfst(folder, names, self._packed.lengths, self.arcs())

    def _best(self) -> engine.Paths:
        return engine.decode(self._lattice, self._score)

    def _refuse(self, scores: np.ndarray) -> None:
        dead = np.flatnonzero(np.isneginf(scores))
        if len(dead):
            raise InfeasibleError(f"sequence {self._packed.filled_idx[dead[0]]}: no labelling is left")

    def _restrict_arcs(self, lattice: Lattice, kept: np.ndarray) -> Lattice:
        """The lattice restricted to some of its arcs."""
        try:
            return engine.extend(lattice, kept, grow=False)
        except InfeasibleError:
            column = int((np.add.reduceat(kept, lattice.arc_start[:-1]) == 0).argmax())
            example = int(np.searchsorted(lattice.col_start, column, side="right")) - 1
            raise InfeasibleError(
                f"sequence {self._packed.filled_idx[example]}: no labelling is left"
            ) from None


def check_n_arcs(kept: np.ndarray) -> None:
    """Refuse kept labels (R, K) with too many transitions, before these are allocated."""
    each = kept.sum(axis=1)
    pairs = int((each[1:] * each[:-1]).sum()) if len(each) else 0
    if pairs > MOST_ARCS // 8:
        raise ArgumentError(f"alpha must leave at most {MOST_ARCS // 8} transitions, got {pairs}: raise it")
    if kept.shape[1] > 10_000:
        raise ShapeError(f"emissions has {kept.shape[1]} labels; lattices take at most 10000")


def write_openfst(
    folder: str | Path, names: list[str], lengths: np.ndarray, arcs: dict[str, np.ndarray]
) -> list[Path]:
    """Write the symbol table and one acceptor per sequence; see `Lattices.to_openfst`."""
    for k, name in enumerate(names):
        if not name or any(c.isspace() for c in name):
            raise ArgumentError(f"labels[{k}] must have no white space to be a symbol, got {name!r}")
        if name == EPSILON:
            raise ArgumentError(
                f"labels[{k}] must be another symbol than OpenFst's own for nothing, got {name!r}"
            )
        if name in names[:k]:
            raise ArgumentError(
                f"labels[{k}] must be another symbol than labels[{names.index(name)}], got {name!r}"
            )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table = [f"{EPSILON}\t0", *(f"{name}\t{k + 1}" for k, name in enumerate(names))]
    _save_lines(folder / SYMBOLS, table)
    bounds = np.searchsorted(arcs["sequence"], np.arange(len(lengths) + 1))
    out = []
    for i, length in enumerate(lengths):
        sequence_arcs = {key: values[bounds[i] : bounds[i + 1]] for key, values in arcs.items()}
        out.append(folder / f"{i}.txt")
        _save_lines(out[-1], acceptor(names, int(length), sequence_arcs))
    return out


def _save_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def acceptor(names: list[str], length: int, arcs: dict[str, np.ndarray]) -> list[str]:
    """Lines of one acceptor: ``from to label cost`` for each arc, and each final state.

    A state of the acceptor is a node of the lattice. The labels before the first nodes, all but the last of
    each arc of the first column, become a tree of states without cost.
    """
    if length == 0:
        return ["0"]
    lines: list[str] = []
    state_of: dict[int, int] = {}
    inside: dict[tuple[int, ...], int] = {(): 0}

    def state(node: int) -> int:
        return state_of.setdefault(node, len(state_of) + len(inside))

    is_first = arcs["position"] == arcs["position"].min()
    # Number the tree's states first, so that numbers do not depend on the order of arcs.
    starts = {}
    for tail, ngram in zip(arcs["tail"][is_first].tolist(), arcs["ngram"][is_first].tolist()):
        prefix = tuple(label for label in ngram if label >= 0)[:-1]
        starts[tail] = prefix
        for m in range(1, len(prefix) + 1):
            if prefix[:m] not in inside:
                inside[prefix[:m]] = len(inside)
                lines.append(f"{inside[prefix[: m - 1]]}\t{inside[prefix[:m]]}\t{names[prefix[m - 1]]}\t0")
    state_of_start = {tail: inside[prefix] for tail, prefix in starts.items()}
    final = set()
    rows = zip(
        arcs["tail"].tolist(), arcs["head"].tolist(), arcs["ngram"][:, -1].tolist(), arcs["score"].tolist()
    )
    for (tail, head, label, score), position in zip(rows, arcs["position"].tolist()):
        source = state_of_start[tail] if tail in state_of_start else state(tail)
        lines.append(f"{source}\t{state(head)}\t{names[label]}\t{-score!r}")
        if position == length - 1:
            final.add(state(head))
    # fstcompile uses the source of the first line as the start state: the root of the tree.
    lines.sort(key=lambda line: int(line.partition("\t")[0]))
    return [*lines, *(str(number) for number in sorted(final))]
