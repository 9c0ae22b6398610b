"""``python -m spcviz report``: what the stored results come to, as Markdown that nobody types.

Two files follow from the JSON of ``python -m spcviz reproduce``: the README beside the results, with a
section for each, and the table of systems in the project's README, between `BEGIN` and `END`; there, what
benchmarks measured stands between marks of its own. A third, of the models' licences, follows from their
manifests (`spcviz.problems.licences`). What is written
is what the page Paper tables shows (`spcviz.figures.common.blocks`), charts and links left out.
"""

import json
import math
import re

from spcviz.bench import BENCHES
from spcviz.figures.common.blocks import Heading, Headline, Note, Table, Text, bullets, number_format
from spcviz.figures.common.results import command_of, features_of, is_usable, origin_sentence
from spcviz.problems import licences, registry
from spcviz.problems.common import stored
from spcviz.problems.common.folders import MODELS, RESULTS, ROOT
from spcviz.store.atomic import write_bytes_atomic

README = ROOT / "README.md"
BEGIN, END = "<!-- systems -->", "<!-- /systems -->"
INTRODUCTION = """# Paper and measured

Written by `python -m spcviz report` from the JSON files in this folder; do not edit. "Paper" is copied from
the publication named; "measured" is this project's, by the command named. The page Paper tables of the app
shows the same with charts."""


def files(results=RESULTS, readme=README):
    """What the files should hold.

    Parameters
    ----------
    results : Path
        Folder of the JSON files; its README.md is written, and where a folder of models stands beside it,
        their licences.
    readme : Path
        Left out if it is not there or has no marks.

    Returns
    -------
    dict of Path to str

    Raises
    ------
    ResultError
        A result does not hold what its section takes for granted.
    """
    found = {name: _stored(results / f"{name}.json", row) for name, row in registry.results().items()}
    systems = table_of_systems(found)
    sections = []
    for name, result in found.items():
        with stored.reading(name):
            sections.append(section(name, result))
    wanted = {results / "README.md": "\n\n".join([INTRODUCTION, systems, *sections]) + "\n"}
    models = results.parent / MODELS.name
    if models.is_dir():
        wanted[models / licences.FILE] = licences.text(models)
    written = _between(_text(readme), BEGIN, END, systems)
    for name, bench in BENCHES.items():
        if bench.readme:
            lines = _measured(results / f"bench-{name}.json", name, registry.load(bench.readme))
            written = _between(written, f"<!-- bench {name} -->", f"<!-- /bench {name} -->", lines)
    if written != _text(readme) or BEGIN in written:
        wanted[readme] = written
    return wanted


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


def table_of_systems(found):
    """A row for each headline: system, paper's, ours, command.

    Parameters
    ----------
    found : dict of str to (dict or None)
        Results by name, in order; None where it is not stored.

    Returns
    -------
    str
    """
    lines = ["| system | paper | measured | command |", "|---|---|---|---|"]
    rows = registry.results()
    for name, result in found.items():
        headlines = [Headline(rows[name].title, "–", "not stored")]
        with stored.reading(name):
            if result is not None:
                headlines = registry.load(rows[name].show).headline(result)
            for headline in headlines:
                cells = [*map(_cell, headline), f"`{_command(name)}`"]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def section(name, result):
    """Everything about one result, what is not reproduced first.

    Parameters
    ----------
    name : str
    result : dict or None
        None: not stored, or damaged.

    Returns
    -------
    str
    """
    row = registry.results()[name]
    parts = [f"## {row.title}"]
    if result is None:
        return "\n\n".join([*parts, f"**Not stored.** Make it with: `{_command(name)}`"])
    shown = registry.load(row.show)
    if misses := shown.misses(result):
        parts += ["**Not reproduced in full:**", bullets(misses)]
    parts += [f"Paper: {result.get('source', 'not said')}. File: `{name}.json`. Repeat it with:"]
    parts += [f"```bash\n{command_of(result)}\n```", origin_sentence(result)]
    sets, written = features_of(result), set()
    for features in sets or [""]:
        mark = "###"
        if len(sets) > 1:
            parts.append(f"### What it sees: {shown.features.get(features, features)}")
            mark = "####"
        blocks = list(_texts(shown.blocks(result, features, {}), written))
        parts += [_markdown(block, mark) for block in _with_heads(blocks)]
    return "\n\n".join(parts)


def _texts(blocks, written):
    """Blocks that are for the report; what an earlier set of features has said is not said again."""
    for block in blocks:
        if isinstance(block, Table):
            is_wanted = len(block.frame) > 0
        elif isinstance(block, Text | Note):
            is_wanted = bool(block.markdown) and block.markdown not in written
            written.add(block.markdown)
        else:
            is_wanted = isinstance(block, Heading) and block.in_report
        if is_wanted:
            yield block


def _with_heads(blocks):
    """Without headings that nothing follows."""
    for block, following in zip(blocks, [*blocks[1:], None]):
        if not isinstance(block, Heading) or not (following is None or isinstance(following, Heading)):
            yield block


def _markdown(block, mark):
    """One block as Markdown; `mark` begins a heading."""
    if isinstance(block, Heading):
        return f"{mark} {block.text}"
    if isinstance(block, Table):
        if not block.in_report:
            return f"*A table of {len(block.frame)} lines: see the page Paper tables.*"
        return as_markdown(block.frame, block.decimals)
    text = re.sub(r":material/\w+:\s*", "", block.markdown)  # the app's icons
    return f"*{text}*" if isinstance(block, Note) else text


def as_markdown(frame, decimals):
    """A frame as a Markdown table, its index first.

    Parameters
    ----------
    frame : pandas.DataFrame
    decimals : dict of str to int
        See `spcviz.figures.common.blocks.number_format`.

    Returns
    -------
    str
        What is not known is "–".
    """
    numbers = set(frame.select_dtypes("number").columns)
    head = [frame.index.name or "", *frame.columns]
    rule = ["---", *("---:" if column in numbers else "---" for column in frame.columns)]
    lines = [f"| {' | '.join(map(_cell, head))} |", f"|{'|'.join(rule)}|"]
    for first, *values in frame.itertuples(name=None):
        cells = [
            _number(value, number_format(column, decimals)) if column in numbers else _cell(value)
            for column, value in zip(frame.columns, values, strict=True)
        ]
        lines.append(f"| {' | '.join([_cell(first), *cells])} |")
    return "\n".join(lines)


def _number(value, form):
    return "–" if math.isnan(value) else form % value


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
