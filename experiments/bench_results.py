"""The stored results of ``python -m spcviz bench`` as docs/benchmarks.md and as six rows for README.

The figures come without a verdict: none of these measurements has a rule that was fixed before it. Figures on
the app in a class are in docs/class.md.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.engine import ratio_table
from benchmarks.library import COLUMNS as LIBRARY_COLUMNS
from experiments.statements.evidence import row_of
from spcviz.shared import result_files
from spcviz.shared.folders import RESULTS
from spcviz.shared.report import markdown_table
from spcviz.web.figures.stored_results import command_of, measured_on

FILE = "benchmarks.md"
_HEAD = """# Benchmarks

Written by `python -m spcviz report` from what `python -m spcviz bench NAME --json` has stored in \
`cache/results`; do not edit. Figures, not verdicts: no rule was fixed beforehand that would say which \
difference counts. Times are of the machine named with them, later code may differ, and rivals are those \
that were installed there (`tests/requirements-bench.txt`). On another machine read the ratios, not the \
seconds; better, repeat the command. What a class can expect of the app: `docs/class.md`."""
_NO_SPREAD = (
    "This run kept medians alone; the next one stores the spread of its turns, which is shown here then."
)


def text(results: Path = RESULTS) -> str:
    """docs/benchmarks.md; `ResultError` if a stored result is damaged."""
    return "\n\n".join([_HEAD, *(_section(name, results) for name in _SECTIONS)]) + "\n"


def _section(name: str, results: Path) -> str:
    """One benchmark: what it does, where and how it was measured, its figures."""
    file = f"bench-{name}"
    title, figures = _SECTIONS[name]
    head = f"## {title}"
    result = result_files.read(results, file)
    if result is None:
        return f"{head}\n\nNot measured yet: `python -m spcviz bench {name} --json`."
    with result_files.reading(file):
        return "\n\n".join([head, _describe_run(file, result), *figures(result)])


def _describe_run(file: str, result: dict) -> str:
    """The machine, day, command and statistic of a run."""
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}"
    settings = result["settings"]
    how = f"{settings['repeats']} turns, {settings['statistic']}. " if "repeats" in settings else ""
    absent = [*result.get("absent", ()), *result.get("failed", {})]
    without = f" Without {', '.join(absent)}, not installed or not running there." if absent else ""
    return (
        f"{how}Measured on {where}{measured_on(result, '; run of ')}. Repeat it with "
        f"`{command_of(result)} --json`. File: `{file}.json`.{without}"
    )


def _engine(result: dict) -> Iterator[str]:
    """Every contender for every operation on the machine of the run; then other processors."""
    here = [row for row in result["rows"] if row["processor"] == result["machine"]["cpu"]]
    yield (
        "CPU microseconds a call of all that were run in turns in one process; in brackets how many times "
        "ours. 32 bits: half the precision of the others."
    )
    lines = []
    for operation in dict.fromkeys(row["operation"] for row in here):
        rows = [row for row in here if row["operation"] == operation]
        ours = next(row for row in rows if row["contender"] == "spcviz")
        others = sorted((row for row in rows if row is not ours), key=lambda row: row["us"])
        said = "; ".join(f"{row['contender']} {_us(row)} ({row['ratio']:.2f})" for row in others)
        lines.append((operation, _us(ours), said or "none measured"))
    yield markdown_table(("operation", "spcviz", "others, and spcviz in other forms"), lines)
    yield "In brackets the quartiles of the turns." if "us_quartiles" in here[0] else _NO_SPREAD
    processors = list(dict.fromkeys(row["processor"] for row in result["rows"]))
    if len(processors) > 1:
        yield "The fastest of the others, times ours, by processor: how much a ratio hangs on the machine."
        yield ratio_table(result, processors)


def _us(row: dict) -> str:
    """Microseconds of a row, with the quartiles over its rounds where they are stored.

    >>> _us({"us": 2.305}), _us({"us": 12.0, "us_quartiles": [11.5, 14.0]})
    ('2.3', '12.0 [11.5, 14.0]')
    """
    low, high = row.get("us_quartiles") or (None, None)
    return f"{row['us']:,.1f}" + ("" if low is None else f" [{low:,.1f}, {high:,.1f}]")


def _library(result: dict) -> Iterator[str]:
    yield (
        "The same string features of the same sentences, settings chosen on development sentences, test "
        "sentences reported; CRFs are trained until each program stops by itself. CPU seconds; every run is "
        "a process of its own, whose peak of memory is told."
    )
    lines = [
        (
            row["data"],
            row["what"],
            row["contender"],
            f"{100 * row['tokens_right']:.2f}",
            f"{100 * row['sentences_right']:.2f}",
            f"{row['train_s']:.2f}{_range(row, 'train_s', '.2f')}",
            f"{row['tokens_per_s']:,.0f}{_range(row, 'tokens_per_s', ',.0f')}",
            f"{row['peak_mb']:.0f}",
        )
        for row in result["rows"]
    ]
    yield markdown_table(LIBRARY_COLUMNS, lines)
    yield (
        "In brackets the least and the most of the turns."
        if "train_s_range" in result["rows"][0]
        else _NO_SPREAD
    )
    if result.get("serving"):
        lines = [
            (row["input"], row["contender"], f"{row['tokens_per_s']:,.0f}", f"{row['sentence_us']:.0f}")
            for row in result["serving"]
        ]
        head = "texts made anew", "program", "tokens/s in one call", "a sentence a call, µs"
        yield markdown_table(head, lines)
    if result.get("threads"):
        lines = [
            (r["what"], r["input"], *(f"{r[name]:.2f}" for name in ("one_s", "two_s", "ratio")))
            for r in result["threads"]
        ]
        head = "two threads against one, on the clock", "input", "one, s", "two, s", "ratio"
        yield markdown_table(head, lines)


def _range(row: dict, field: str, form: str) -> str:
    """Minimum and maximum of a field over its rounds, where they are stored."""
    low, high = row.get(f"{field}_range") or (None, None)
    return "" if low is None else f" [{low:{form}}, {high:{form}}]"


def _data(result: dict) -> Iterator[str]:
    about = result["settings"]
    yield (
        f"{about['sentences']:,} sentences, {about['tokens']:,} tokens, {about['labels']} labels, one run; "
        "without a rival: no other program that was found reads such a file, trains on it and draws it."
    )
    lines = [(row["what"], f"{row['measured']:.2f} {row['unit']}") for row in result["rows"]]
    yield markdown_table(("what", "measured"), lines)


def _robust(result: dict) -> Iterator[str]:
    yield "Among cases drawn at random: answers compared with enumeration, damage, hostile input."
    lines = [(row["what"], f"{row['cases']:,}", f"{row['faults']:,}") for row in result["rows"]]
    yield markdown_table(("what", "cases", "faults"), lines)


_SECTIONS: dict[str, tuple[str, Callable[[dict], Iterator[str]]]] = {
    "engine": ("The engine beside numpy and other libraries", _engine),
    "library": ("Taggers beside CRFsuite", _library),
    "data": ("A file of one's own", _data),
    "robust": ("Faults", _robust),
}


_ENGINE = (
    ("Viterbi 25 x 45", "Viterbi, 25 words and 45 tags"),
    ("node max-marginals 25 x 45", "Max-marginals of the same"),
    ("trigram lattice, best path", "Best path of a trigram lattice"),
)
_TAGGERS = (("perceptron", "Perceptron tagger, EWT"), ("CRF", "CRF tagger, EWT"))


def rows(results: Path = RESULTS) -> str:
    """README's table in Markdown; lines of benchmarks that are not stored are left out."""
    lines = []
    for name, make in (("engine", _engine_cells), ("library", _library_cells), ("app", _app_cells)):
        result = result_files.read(results, f"bench-{name}")
        if result is not None:
            with result_files.reading(f"bench-{name}"):
                day = measured_on(result, " ").partition(" (")[0]
                lines += [(*cells, f"`{name}`{day}") for cells in make(result)]
    return markdown_table(("what", "here", "best other", "`bench`, measured on"), lines)


def _engine_cells(result):
    cpu = result["machine"]["cpu"]
    for operation, what in _ENGINE:
        of = [row for row in result["rows"] if row["operation"] == operation and row["processor"] == cpu]
        ours = row_of(of, contender="spcviz")
        other = min(
            (row for row in of if not row["contender"].startswith("spcviz")), key=lambda row: row["us"]
        )
        yield what, f"{ours['us']:.0f} µs", f"{other['us']:.0f} µs ({other['contender'].split(' (')[0]})"


def _library_cells(result):
    for model, what in _TAGGERS:
        of = [
            row
            for row in result["rows"]
            if row["data"].startswith("UD English EWT, UPOS") and row["what"] == model
        ]
        texts = [
            f"{100 * row['tokens_right']:.1f} % right, trained in {row['train_s']:.1f} s"
            for row in (row_of(of, contender=who) for who in ("spcviz", "python-crfsuite"))
        ]
        yield what, texts[0], f"{texts[1]} (CRFsuite)"


def _app_cells(result):
    few = min(row["sessions"] for row in result["rows"])
    crowd = [row for row in result["rows"] if row["sessions"] == few]
    worst = max(row["p95_ms"] for row in crowd)
    yield f"The app: {few} students, one action a second", f"p95 of the slowest page {worst:.0f} ms", "–"
