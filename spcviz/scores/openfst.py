"""Write lattices in OpenFst's text format (https://www.openfst.org), as ``fstcompile`` reads it."""

from pathlib import Path

import numpy as np

from spcviz.engine.errors import ArgumentError

SYMBOLS = "labels.txt"
EPSILON = "<eps>"
"""The symbol for no label; its number is 0."""


def write_openfst(
    folder: str | Path, names: list[str], lengths: np.ndarray, arcs: dict[str, np.ndarray]
) -> list[Path]:
    """Write the symbol table and one acceptor per sequence; see `spcviz.scores.lattices.Lattices`."""
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
