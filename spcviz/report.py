"""``python -m spcviz report``: write the READMEs' tables and evidence from the stored results.

From claims (`spcviz.web.figures.claims`) about the JSON of ``python -m spcviz reproduce``: the README beside
the results, and the table of systems in the project's README, between `BEGIN` and `END`; there, what
benchmarks measured stands between marks of its own. From models' manifests: their licences
(`spcviz.registry.licences`).
"""

import json
import math
from pathlib import Path

from spcviz import registry
from spcviz.registry import licences
from spcviz.shared import stored
from spcviz.shared.clone import load_module
from spcviz.shared.folders import MODELS, RESULTS, ROOT
from spcviz.store.atomic import write_bytes_atomic
from spcviz.web.figures import claims
from spcviz.web.figures.blocks import bullets
from spcviz.web.figures.results import command_of, is_usable, origin_sentence, readings

README = ROOT / "README.md"
BEGIN, END = "<!-- systems -->", "<!-- /systems -->"
INTRODUCTION = """# Paper and measured

Written by `python -m spcviz report` from the JSON files here; do not edit. "Paper" is copied from the named \
publication, "measured" is ours. Tables and charts: page Paper tables; every number: the JSON files."""


def files(results: Path = RESULTS, readme: Path = README) -> dict[Path, str]:
    """{file: what it should hold}: README.md of `results`, licences of models beside them, a marked
    `readme`."""
    stored_results = _all_stored(results)
    read, sections = {}, []
    for name, result in stored_results.items():
        with stored.reading(name):
            read[name] = _readings(name, result)
            sections.append(section(name, result, read[name]))
    heads = [headlines(read), overview(read)]
    for name, bench in load_module("benchmarks").BENCHES.items():
        if bench.evidence and (path := results / f"bench-{name}.json").is_file():
            sections.append(_measured(path, name, registry.load(bench.evidence)))
    wanted = {results / "README.md": "\n\n".join([INTRODUCTION, *heads, *sections]) + "\n"}
    models = results.parent / MODELS.name
    if models.is_dir():
        wanted[models / licences.FILE] = licences.text(models)
    written = _between(_text(readme), BEGIN, END, table_of_systems(read))
    for name, bench in load_module("benchmarks").BENCHES.items():
        if bench.readme:
            lines = _measured(results / f"bench-{name}.json", name, registry.load(bench.readme))
            written = _between(written, f"<!-- bench {name} -->", f"<!-- /bench {name} -->", lines)
    if written != _text(readme) or BEGIN in written:
        wanted[readme] = written
    return wanted


def systems(results: Path = RESULTS) -> str:
    """The table of systems, in Markdown, that the results say."""
    return table_of_systems({name: _readings(name, result) for name, result in _all_stored(results).items()})


def _all_stored(results):
    return {name: _stored(results / f"{name}.json", row) for name, row in registry.results().items()}


def _between(text, begin, end, new):
    """A text with what stands between two marks replaced; without both marks as it is."""
    before, has_begin, rest = text.partition(begin)
    _, has_end, after = rest.partition(end)
    return f"{before}{begin}\n{new}\n{end}{after}" if has_begin and has_end else text


def _measured(path, name, say):
    """What a benchmark's stored result comes to."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"Not measured yet: `python -m spcviz bench {name} --json`."
    with stored.reading(path.stem):
        return say(result)


def stale(results=RESULTS, readme=README):
    """The files on disk that differ from what the results say: list of Path."""
    return [path for path, wanted in files(results, readme).items() if _text(path) != wanted]


def write(results=RESULTS, readme=README):
    """Write all files; returns their paths."""
    wanted = files(results, readme)
    return [write_bytes_atomic(path, text.encode("utf-8")) for path, text in wanted.items()]


def _readings(name, result):
    """What the claims about a result come to; None where it is not stored."""
    return None if result is None else readings(registry.load(registry.results()[name].show), result)


def table_of_systems(read: dict) -> str:
    """A line for each system that is not aside: verdict first; the last line counts all claims."""
    lines = ["| system | verdict and measured | paper or rival | command |", "|---|---|---|---|"]
    for name, of_result in read.items():
        if of_result is None:
            lines.append(_line(registry.results()[name].title, "not stored", "–", f"`{_command(name)}`"))
        for system, of_system in claims.by_system(of_result or []).items():
            if not of_system[0].claim.is_aside:
                lines.append(_line(system, *claims.system_line(of_system), f"`{_command(name)}`"))
    every = _every(read)
    n_unclear = sum(reading.verdict == "no difference" for reading in every)
    outcome = f"{len(claims.failed(every))} fail, {n_unclear} show no difference"
    where = "cache/results/README.md", "`python -m spcviz report`"
    return "\n".join([*lines, _line(f"All {len(every)} claims", outcome, *where)])


def headlines(read: dict) -> str:
    """What the papers' headline claims come to: how many have each verdict, and which."""
    of_papers = [reading for reading in _every(read) if reading.claim.is_headline]
    lines = ["| verdict | of the headline claims | which |", "|---|---|---|"]
    lines += [_line(word, many, which) for word, many, which in claims.tally(of_papers)]
    return "\n\n".join([f"**The papers' {len(of_papers)} headline claims**", "\n".join(lines)])


def overview(read: dict) -> str:
    """How many claims have which verdict; each system with everything about it that fails."""
    lines = ["| verdict | system | measured | of its claims fail |", "|---|---|---|---|"]
    for name, of_result in read.items():
        for system, of_system in claims.by_system(of_result or []).items():
            failed, lead = claims.failed(of_system), claims.leading(of_system)
            listed = "; ".join(f"{reading.claim.what} ({reading.verdict})" for reading in failed)
            many = f"{len(failed)} of {len(of_system)}" + (f": {listed}" if failed else "")
            linked = f"[{system}](#{_anchor(registry.results()[name].title)})"
            lines.append(_line(lead.verdict, linked, f"{lead.claim.what}: {lead.measured}", many))
    return "\n\n".join([f"**{claims.counts(_every(read))}.**", claims.NOTE, "\n".join(lines)])


def _every(read):
    return [reading for readings in read.values() for reading in readings or []]


def section(name: str, result: dict | None, readings: list | None) -> str:
    """One result: its claims, worst first, how it was made and what must be known of it."""
    row = registry.results()[name]
    if result is None:
        return f"## {row.title}\n\n**Not stored.** Make it with: `{_command(name)}`"
    shown = registry.load(row.show)
    repeat = f"Repeat it with `{command_of(result)}`. {origin_sentence(result)}"
    made = f"Paper: {result.get('source', 'not said')}. File: `{name}.json`. {repeat}"
    text = as_markdown(claims.frame(claims.worst_first(readings))) if readings else shown.no_claims
    notes = shown.notes(result)
    return "\n\n".join([f"## {row.title}", made, text, *([bullets(notes)] if notes else [])])


def _anchor(title):
    """A heading's address in a Markdown file, as GitHub makes it."""
    kept = "".join(sign for sign in title.lower() if sign.isalnum() or sign in " -_")
    return kept.replace(" ", "-")


def _line(*cells):
    return f"| {' | '.join(map(_cell, cells))} |"


def as_markdown(frame):
    """A frame of texts as a Markdown table, its index first."""
    head = [frame.index.name, *frame.columns]
    rule = f"|{'|'.join('---' for _ in head)}|"
    return "\n".join([_line(*head), rule, *(_line(*row) for row in frame.itertuples(name=None))])


def _cell(value):
    """A cell's text: a stroke in it would end the cell."""
    is_unknown = value is None or (isinstance(value, float) and math.isnan(value))
    return "–" if is_unknown else str(value).replace("|", "\\|")


def _command(name):
    return f"python -m spcviz reproduce {name}"


def _stored(path, row):
    """A result, or None if it is not there or not of its form."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if is_usable(result, registry.load(row.show).needs) else None


def _text(path):
    """A file's text, empty without it."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""
