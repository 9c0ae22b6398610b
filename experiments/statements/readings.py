"""Evaluate the statements on the stored results: verdicts, their counts, their sensitivity to the rules."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from experiments.statements.evidence import Evidence, Found, NotStoredError
from experiments.statements.language import Statement
from experiments.statements.rules import BESIDE, FAILS, HOLDS, OPEN, SMALLER, VERDICTS, Part, Rules, verdict
from spcviz.shared import result_files


class Reading(NamedTuple):
    """A statement with its evidence and its verdict."""

    number: int  # its place in its table
    statement: Statement
    found: Found
    verdict: str  # one of `rules.VERDICTS`

    @property
    def differing(self) -> str:
        """The parts that do not share the verdict, in brackets; empty if all do."""
        failed, unclear = self._labels(FAILS), self._labels(OPEN)
        if self.verdict in (HOLDS, SMALLER) and (failed or unclear):
            return (
                " ("
                + "; ".join(
                    _name_labels(*pair) for pair in (("behind", failed), ("open", unclear)) if pair[1]
                )
                + ")"
            )
        if self.verdict == FAILS and len(failed) < len(self.found.parts):
            return f" ({_few(failed)})"
        return ""

    def _labels(self, state: str) -> list[str]:
        return [part.label for part in self.found.parts if part.state == state]


def _name_labels(word, labels):
    return f"{word}: {_few(labels)}"


def _few(labels):
    return ", ".join(labels[:3]) + (" …" if len(labels) > 3 else "")


def read(statements: Sequence[Statement], evidence: Evidence, *, is_strict: bool = True) -> list[Reading]:
    """Read every statement; one whose result is not stored is open.

    A damaged result raises `ResultError`; unless `is_strict`, its statements are open, too, and say so.
    """
    return [_read(number, one, evidence, is_strict) for number, one in enumerate(statements, 1)]


def count_held(readings: Sequence[Reading]) -> dict[str, int]:
    """The number of statements, the number that hold, in full or smaller, and their share in percent.

    >>> count_held([])
    {'statements': 0, 'hold': 0, 'share': 0}
    """
    hold = sum(reading.verdict in (HOLDS, SMALLER) for reading in readings)
    return {"statements": len(readings), "hold": hold, "share": round(100 * hold / max(1, len(readings)))}


def failing(readings: Sequence[Reading], result: str) -> list[Reading]:
    """The statements that read a result and fail."""
    return [one for one in readings if one.verdict == FAILS and result in one.statement.results]


def _read(number, statement, evidence, is_strict):
    try:
        found = _found(statement, evidence)
    except NotStoredError as missing:
        found = _nothing("not stored", missing.args[0])
    except result_files.ResultError as error:
        if is_strict:
            raise
        found = _nothing("damaged", error.name)
    return Reading(number, statement, found, verdict(found.parts, statement.needs))


def _nothing(why, name):
    return Found(
        f"{name}.json is {why}", f"make it with: {result_files.repair_command(name)}", [Part(why, OPEN)]
    )


def _found(statement, evidence):
    """The evidence for a statement; an error caused by a result's content names the result read last."""
    try:
        return statement.read(evidence)
    except (NotStoredError, result_files.ResultError):
        raise
    except Exception:
        with result_files.reading(evidence.last):
            raise


def count(readings: Iterable[Reading]) -> dict[str, int]:
    """{verdict: how many have it}, in the order of `rules.VERDICTS`, zeros too."""
    tally = Counter(reading.verdict for reading in readings)
    return {word: tally[word] for word in VERDICTS}


_VERBS = {HOLDS: ("holds", "hold"), SMALLER: ("holds but smaller", "hold but smaller"),
          OPEN: ("is open", "are open"), FAILS: ("fails", "fail"),
          BESIDE: ("stands side by side", "stand side by side")}  # fmt: skip


def in_words(readings: Iterable[Reading]) -> str:
    """The counts in words; verdicts that do not occur are left out.

    >>> rows = [Reading(1, None, None, word) for word in (HOLDS, HOLDS, FAILS)]
    >>> in_words(rows)
    '2 hold, 1 fails'
    """
    return ", ".join(f"{n} {_VERBS[word][n != 1]}" for word, n in count(readings).items() if n)


def on_their_data(readings: Iterable[Reading]) -> list[Reading]:
    """Those measured on the document's own data."""
    return [reading for reading in readings if reading.statement.same_data.startswith("yes")]


VARIANTS = {
    "as frozen": Rules(),
    "2.26 standard errors (t of ten folds)": Rules(errors=2.262),
    "margin of “no loss” 0.25 points": Rules(margin=0.25),
    "margin of “no loss” 1 point": Rules(margin=1.0),
    "curves at 5, 10, 20, 30, 50 % of the features": Rules(shares=(5, 10, 20, 30, 50)),
    "times decide from 1.1": Rules(ratio=1.1),
    "times decide from 1.5": Rules(ratio=1.5),
}
"""Other ways in which the rules could have been set."""


def sensitivity(
    statements: Sequence[Statement], evidence: Evidence
) -> list[tuple[str, dict[str, int], list[tuple[int, str, str]]]]:
    """One (name of the rules, `count`, [(number, frozen verdict, verdict)] of the changes) per variant."""
    frozen = read(statements, evidence.with_rules(Rules()))
    table = []
    for name, rules in VARIANTS.items():
        readings = read(statements, evidence.with_rules(rules))
        pairs = zip(frozen, readings, strict=True)
        moved = [(new.number, old.verdict, new.verdict) for old, new in pairs if old.verdict != new.verdict]
        table.append((name, count(readings), moved))
    return table
