"""Render the statements as Markdown: ``cache/results/README.md``, the page Paper tables, README."""

import html
from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from experiments.statements.readings import Reading, count, in_words, on_their_data
from experiments.statements.rules import BESIDE, FAILS, HOLDS, MEANINGS, OPEN, SMALLER, Rules

DOCUMENTS = 5
COLUMNS = ("no", "statement", "verdict", "here", "spread", "source: its numbers", "same data?", "note")
"""The verdict is placed where a phone shows it."""
MARKS = {HOLDS: "✔", SMALLER: "✔", OPEN: "–", FAILS: "✘", BESIDE: "="}
"""Marks that show verdicts by shape, not by colour."""
_STYLE = """<style>
.statements { width: 100%; font-size: 0.92rem; border-collapse: collapse; }
.statements { font-variant-numeric: tabular-nums; }
.statements th { text-align: left; font-weight: 600; border-bottom: 2px solid currentColor; }
.statements th, .statements td { padding: 0.3rem 0.7rem 0.3rem 0; vertical-align: top; }
.statements td { border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
.statements td { overflow-wrap: break-word; }
.statements a { color: inherit; display: inline-block; min-height: 24px; }
@media (max-width: 640px) {
  .statements thead { display: none; }
  .statements, .statements tbody, .statements tr, .statements td { display: block; }
  .statements td { border: none; padding: 0.1rem 0; }
  .statements td:empty { display: none; }
  .statements td[data-head]::before { content: attr(data-head) ": "; opacity: 0.75; }
  .statements tr { border-bottom: 1px solid rgba(128, 128, 128, 0.35); padding: 0.5rem 0; }
}
</style>"""


def opening(papers: Sequence[Reading]) -> str:
    """Introduction in Markdown: what the table is, what verdicts mean, their counts, and their basis."""
    theirs, rules = on_their_data(papers), Rules()
    meanings = " ".join(f"*{word}*: {meaning}." for word, meaning in MEANINGS.items())
    return "\n\n".join([
        f"**{_spelt(DOCUMENTS)} documents, {len(papers)} statements: {in_words(papers)}.** Each row is one "
        "thing that a document says and these data can test: its numbers, ours, how sure we are, a verdict. "
        f"Of the {len(theirs)} on a document's own data, {in_words(theirs)}.",
        meanings,
        "Differences are paired over the ten folds (or clips, grids); folds share training words, so two "
        "standard errors promise a little less than 95 %. Budgets and thresholds were chosen on training or "
        f"development data unless a note says otherwise. “As accurate” allows {rules.margin:g} points. Times "
        f"are ratios on one machine; nearer than {rules.ratio:g} they decide nothing (rule RT). Rules and "
        "grouping were written after the results were known and are frozen since.",
    ])  # fmt: skip


OWN_OPENING = (
    "Rivals and methods that no document has, by the same rules. Ablations and every other number: "
    "the tables "
    "below, and the JSON files."
)


def _spelt(number):
    return ("No", "One", "Two", "Three", "Four", "Five", "Six")[number]


def cells(reading: Reading) -> tuple[str, ...]:
    """A row's texts, in the order of `COLUMNS`."""
    about, found = reading.statement, reading.found
    source = about.source if about.paper == "–" else f"{about.source}: {about.paper}"
    note = "; ".join(part for part in (found.note, about.changed) if part)
    said = reading.verdict + reading.differing
    return str(reading.number), about.text, said, found.here, found.spread, source, about.same_data, note


def markdown(readings: Sequence[Reading], link: Callable[[str], str]) -> str:
    """The table in Markdown; `link` maps a result's name to an address. The place in the JSON comes last."""
    lines = [f"| {' | '.join([*COLUMNS, 'where'])} |", "|" + "---|" * (len(COLUMNS) + 1)]
    for reading in readings:
        row = list(map(escape_cell, cells(reading)))
        name = reading.statement.results[0]
        row[1] = f"[{row[1]}]({link(name)})"
        row[2] = f"**{reading.verdict}**{escape_cell(reading.differing)}"
        lines.append(f"| {' | '.join([*row, escape_cell(f'{name}: {reading.statement.where}')])} |")
    return "\n".join(lines)


def escape_cell(text: str) -> str:
    """Escape a cell's text: a vertical bar in it would end the cell.

    >>> escape_cell("a|b")
    'a\\\\|b'
    """
    return text.replace("|", "\\|")


def table_html(readings: Sequence[Reading]) -> str:
    """The table in HTML with wrapped texts; a statement links to the table of its first result."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in COLUMNS)
    rows = "".join(map(_row_html, readings))
    return f'{_STYLE}<table class="statements"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _row_html(reading):
    row = list(map(html.escape, cells(reading)))
    address = html.escape(f"./tables?{urlencode({'table': reading.statement.results[0]})}")
    row[1] = f'<a href="{address}">{row[1]}</a>'
    row[2] = f"{MARKS[reading.verdict]} <b>{reading.verdict}</b>{html.escape(reading.differing)}"
    heads = ("", "", *(f' data-head="{head}"' for head in COLUMNS[2:]))
    return "<tr>" + "".join(f"<td{head}>{cell}</td>" for head, cell in zip(heads, row, strict=True)) + "</tr>"


_PYTHON = """# Paper tables: what stored results come to, beside the documents. Run this in a clone.
from experiments.statements import OWN, PAPERS
from experiments.statements.evidence import Evidence
from experiments.statements.readings import in_words, read

evidence = Evidence()
papers = read(PAPERS, evidence)
print(in_words(papers))
for reading in [*papers, *read(OWN, evidence)]:{condition}
    print(reading.verdict, "|", reading.statement.text, "|", reading.found.here, "|", reading.found.spread)
"""


def python(result: str = "") -> str:
    """Python lines that evaluate all statements, or those that read a result."""
    return _PYTHON.format(
        condition=f"\n    if {result!r} not in reading.statement.results:\n        continue" if result else ""
    )


FRONT = (
    ("Handwriting: words right rise with the order, 1 to 6", "26.7 to 96.2 %", ("Each higher order",)),
    ("Handwriting: n-grams that order 6 still has to score", "73, 0.57 % lost", ("Filters leave",)),
    ("Tagging (SPC): as right as the unfiltered model", "96.82 / 96.83 %", ("SPC tags as many",)),
    ("Tagging: times faster than the full model, CRF, Tags", "111, 2.7, 6.8",
     ("SPC's inference takes", "SPC's inference is 2.6")),
    ("Tagging: fewer bigrams than a CRF's filter", "3.9 / 11.8", ("SPC leaves fewer bigrams than the CRF",)),
    ("Loopy grids: ensemble errs less than LBP, every tree", "at each K", ("The ensemble errs less",)),
    ("Pose over time: ensemble nearest, torso-only farthest", "at every joint", ("Over time the ensemble",)),
    ("Words: choosing models (DMS) saves units at no loss", "2.5 to 3 times", ("Choosing models",)),
    ("Words: features by the letter beat features by the word", "far fewer features (a drawing)",
     ("Buying letter by letter",)),
    ("Arms: features by the frame beat features by the clip", "clips far behind (a drawing)",
     ("Arms: buying frame",)),
    ("Words, sentences: one-shot policies beat uniform", "at every budget", ("One-shot policies err",)),
    ("Parsing: half of the features lose next to nothing", "negligible", ("Half of the expensive",)),
    ("Parsing: times faster at 1 point less", "2.9", ("With a length dictionary",)),
    ("Scenes: an anytime predictor ends close to the best", "81.5 / 84.9 % of pixels", ("SIM gets better",)),
)  # fmt: skip
"""Rows of the project's README: the papers' claims, their numbers, and the beginnings of the statements whose
numbers and verdicts are shown next to them."""


def describe_counts(papers: Sequence[Reading]) -> str:
    """The number of statements and their verdicts, in one sentence."""
    return f"Of {len(papers)} statements of the five papers {in_words(papers)}"


def front(papers: Sequence[Reading], own: Sequence[Reading]) -> str:
    """The table of the project's README, in Markdown, with the counts above it."""
    lines = [
        f"{describe_counts(papers)} (other data). Each with its spread, and {len(own)} rows that we found "
        "out ourselves: [cache/results/README.md](cache/results/README.md).",
        "",
        "| the papers say | verdict | here | paper |",
        "|---|---|---|---|",
    ]
    for text, paper, starts in FRONT:
        readings = [next(r for r in papers if r.statement.text.startswith(start)) for start in starts]
        verdicts = " / ".join(dict.fromkeys(_short(reading) for reading in readings))
        here = readings[0].found.brief or readings[0].found.here
        lines.append(f"| {' | '.join(map(escape_cell, (text, verdicts, here, paper)))} |")
    return "\n".join(lines)


def _short(reading):
    few = reading.differing if reading.verdict == FAILS and len(reading.differing) <= 20 else ""
    return f"{reading.verdict}{few}"


def sensitivity_table(name: str, table: list) -> str:
    """A table of how many statements have each verdict under other settings of the rules, and the changes."""
    words = list(count([]))
    lines = [f"{name}:", f"{'rules':48}" + "".join(f"{word:>16}" for word in words) + "  moved"]
    for variant, counts, moved in table:
        moves = "; ".join(f"{number}: {old} -> {new}" for number, old, new in moved) or "none"
        lines.append(f"{variant:48}" + "".join(f"{counts[word]:16}" for word in words) + f"  {moves}")
    return "\n".join(lines)
