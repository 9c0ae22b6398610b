"""``python -m spcviz report``: write the evidence and the READMEs' tables from the stored results.

`experiments.statements` compares what documents say with the results here; `experiments.excerpts` has a short
table of each result, `experiments.bench_results` the page of timings. A damaged result stops the report
(`ResultError`), so that no verdict is lowered silently. In README and docs/class.md only the text between two
marks is replaced. Models' licences (`spcviz.registry.licences`) and cards (`spcviz.registry.model_cards`)
come from their manifests.
"""

import hashlib
import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import BENCHES
from experiments import bench_results, excerpts
from experiments.bench_results import rows as benchmark_rows
from experiments.statements import OWN, PAPERS, pages, rules
from experiments.statements.evidence import Evidence
from experiments.statements.readings import Reading, read, sensitivity
from spcviz import registry
from spcviz.engine.errors import SpcvizError
from spcviz.registry import licences, model_cards
from spcviz.shared import result_files
from spcviz.shared.folders import MODELS, RESULTS, ROOT
from spcviz.store.atomic import write_bytes_atomic
from spcviz.web.figures.stored_results import command_of, is_usable, measured_on, origin_sentence

README, CLASS = ROOT / "README.md", ROOT / "docs" / "class.md"
COUNT, STATEMENTS, BENCHMARKS = "count", "statements", "benchmarks"
"""Names of the marks in README: ``<!-- statements -->`` begins a part, ``<!-- /statements -->`` ends it."""
_HEADING = "What the papers say, and what these data say"
_INTRODUCTION = f"""# {_HEADING}

Written by `python -m spcviz report` from the JSON files here; do not edit. All lines of each table and its \
charts: page Paper tables. How the verdicts hang on the rules: `python -m spcviz report --sensitivity`."""
_RULES = "<!-- rules {} -->"


class ReportError(SpcvizError, ValueError):
    """A report that must not be written as it is."""


class Change(NamedTuple):
    """A statement whose verdict differs from the last report."""

    text: str
    before: str
    now: str


def files(results: Path = RESULTS, readme: Path = README, class_file: Path = CLASS) -> dict[Path, str]:
    """{file: what it should hold}; `ResultError` if a stored result is damaged."""
    papers, own = readings(results)
    evidence = results / "README.md"
    refuse_silent_changes(_text(evidence), [*papers, *own])
    wanted = {evidence: _evidence(results, papers, own)}
    models = results.parent / MODELS.name
    if models.is_dir():
        wanted[models / licences.FILE] = licences.text(models)
        wanted[class_file.with_name(model_cards.FILE)] = model_cards.text(models)
    wanted[class_file.with_name(bench_results.FILE)] = bench_results.text(results)
    front = between(
        _text(readme), COUNT, f"{pages.describe_counts(papers)}: [each, and how sure](#{anchor(_HEADING)})."
    )
    front = between(front, STATEMENTS, pages.front(papers, own))
    wanted[readme] = between(front, BENCHMARKS, benchmark_rows(results))
    wanted[class_file] = _text(class_file)
    for name, bench in BENCHES.items():
        if bench.readme:
            lines = _describe_benchmark(results / f"bench-{name}.json", name, registry.load(bench.readme))
            wanted[class_file] = between(wanted[class_file], f"bench {name}", lines)
    return {path: text for path, text in wanted.items() if text}


def readings(results: Path = RESULTS) -> tuple[list[Reading], list[Reading]]:
    """Readings of the documents' statements, and of our own."""
    evidence = Evidence(partial(result_files.read, results))
    return read(PAPERS, evidence), read(OWN, evidence)


def front_table(results: Path = RESULTS) -> str:
    """The table of the project's README, in Markdown."""
    return pages.front(*readings(results))


def sensitivity_text(results: Path = RESULTS) -> str:
    """How the verdicts depend on the rules, as text for a terminal."""
    evidence = Evidence(partial(result_files.read, results))
    tables = {"Statements of the documents": PAPERS, "What we found out ourselves": OWN}
    return "\n\n".join(
        pages.sensitivity_table(name, sensitivity(rows, evidence)) for name, rows in tables.items()
    )


def between(text: str, mark: str, new: str) -> str:
    """A text with the part between two marks replaced; unchanged unless it has both marks."""
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    before, has_begin, rest = text.partition(begin)
    _, has_end, after = rest.partition(end)
    return f"{before}{begin}\n{new}\n{end}{after}" if has_begin and has_end else text


def stale(results: Path = RESULTS, readme: Path = README, class_file: Path = CLASS) -> list[Path]:
    """The files on disk that differ from those that the results give."""
    return [path for path, text in files(results, readme, class_file).items() if _text(path) != text]


def write(results: Path = RESULTS, readme: Path = README, class_file: Path = CLASS) -> tuple[list, list]:
    """Write all files: (their paths, the statements whose verdict has changed)."""
    before = _text(results / "README.md")
    wanted = files(results, readme, class_file)
    paths = [write_bytes_atomic(path, text.encode("utf-8")) for path, text in wanted.items()]
    papers, own = readings(results)
    return paths, changes(before, [*papers, *own])


def earlier_verdicts(text: str) -> dict[str, str]:
    """{statement: its verdict} in the evidence that a report has written."""
    return dict(
        re.findall(r"^\| \d+ \| \[([^]]+)\]\([^)]*\) (?:\|.*?)?\| \*\*([^*]+)\*\*", text, re.MULTILINE)
    )


def changes(before: str, now: list[Reading]) -> list[Change]:
    """Statements whose verdict differs from the one in an earlier report; new ones do not count."""
    earlier = earlier_verdicts(before)
    pairs = ((reading.statement.text, reading.verdict) for reading in now)
    return [Change(text, earlier[text], word) for text, word in pairs if earlier.get(text, word) != word]


def refuse_silent_changes(before: str, now: list[Reading]) -> None:
    """`ReportError` if the rules differ from the last report's and a verdict changed without a note."""
    recorded = re.search(_RULES.format("([0-9a-f]+)"), before)
    if recorded is None or recorded[1] == rules_digest():
        return
    silent = {reading.statement.text for reading in now if not reading.statement.changed}
    if moved := [change for change in changes(before, now) if change.text in silent]:
        one = moved[0]
        raise ReportError(
            f"the rules were changed, and with them the verdict of “{one.text}” from {one.before!r} to "
            f"{one.now!r}; say why in its row (changed=...), or make the report with the old rules first"
        )


def rules_digest() -> str:
    """Digest of the rules' code, by which a later report detects that they were changed."""
    return hashlib.sha256(Path(rules.__file__).read_bytes()).hexdigest()[:12]


def _evidence(results, papers, own):
    titles = registry.results()

    def link(name):
        row = titles.get(name)
        return f"#{anchor(row.title)}" if row else f"{name}.json"

    opening = f"{pages.opening(papers)}\n{_RULES.format(rules_digest())}"
    parts = [
        _INTRODUCTION, opening, pages.markdown(papers, link),
        "## What we found out ourselves", pages.OWN_OPENING, pages.markdown(own, link),
    ]  # fmt: skip
    parts += [section(name, results) for name in titles]
    for name, bench in BENCHES.items():
        if bench.evidence and (path := results / f"bench-{name}.json").is_file():
            parts.append(_describe_benchmark(path, name, registry.load(bench.evidence)))
    return "\n\n".join(parts) + "\n"


def section(name: str, results: Path = RESULTS) -> str:
    """One result: how it was made, its caveats, and a short table."""
    row, result = registry.results()[name], result_files.read(results, name)
    if result is None:
        return f"## {row.title}\n\n**Not stored.** Make it with: `{result_files.repair_command(name)}`"
    shown = registry.load(row.show)
    if not is_usable(result, shown.needs):
        raise result_files.ResultError(name, f"must have rows with {', '.join(shown.needs) or 'a name'}")
    with result_files.reading(name):
        repeat = f"Repeat it with `{command_of(result)}`. {origin_sentence(result)}"
        made = f"Paper: {result.get('source', 'not said')}. File: `{name}.json`. {repeat}"
        notes = " ".join(shown.notes(result))
        table = as_markdown(excerpts.excerpt(name, result, shown))
        return f"## {row.title}\n{made} {notes}".rstrip() + f"\n\n{table}"


def anchor(title: str) -> str:
    """A heading's address in a Markdown file, as GitHub makes it.

    >>> anchor("Loopy grids (Fig. 5.3)")
    'loopy-grids-fig-53'
    """
    return "".join(sign for sign in title.lower() if sign.isalnum() or sign in " -_").replace(" ", "-")


def as_markdown(frame) -> str:
    """A frame of texts as a Markdown table, without its index."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *frame.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(pages.escape_cell(str(cell)) for cell in line)} |" for line in lines)


def _describe_benchmark(path, name, say):
    """A summary of a benchmark's stored result."""
    if (result := result_files.read(path.parent, path.stem)) is None:
        return f"Not measured yet: `python -m spcviz bench {name} --json`."
    with result_files.reading(path.stem):
        about = measured_on(result, "Measured on ")
        when = f"\n\n{about}, by `{command_of(result)}`; later code may differ." if about else ""
        return f"{say(result)}{when}"


def _text(path):
    """A file's text, empty if it does not exist."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""
