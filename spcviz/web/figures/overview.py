"""The overview of Paper tables: one line a system, in HTML, so that long texts wrap and nothing is cut."""

import html
from collections.abc import Sequence
from urllib.parse import urlencode

from spcviz.web.figures.claims import Line, severity

HEADS = ("Verdict", "System", "Claims that hold", "In question", "Measured", "Paper or rival")
MARKS = ("✘", "✘", "−", "·", "=", "+", "✔", "✔")
"""Of the verdicts, as `spcviz.web.figures.claims.SEVERITY` orders them: told by shape, not by colour."""
STYLE = """<style>
.overview { width: 100%; font-size: 0.92rem; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.overview th { text-align: left; font-weight: 600; border-bottom: 2px solid currentColor; }
.overview th, .overview td { padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; overflow-wrap: anywhere; }
.overview td { border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
.overview td:first-child { white-space: nowrap; font-weight: 600; }
.overview a { color: inherit; display: inline-block; min-height: 24px; }
@media (max-width: 640px) {
  .overview thead { position: absolute; clip-path: inset(50%); }
  .overview, .overview tbody, .overview tr, .overview td { display: block; }
  .overview td { border: none; padding: 0.1rem 0; }
  .overview tr { border-bottom: 1px solid rgba(128, 128, 128, 0.35); padding: 0.5rem 0; }
}
</style>"""


def overview_html(lines: Sequence[Line]) -> str:
    """The lines as a table; a system's name leads to the table of the result that its verdict is about.

    >>> line = Line("better", "Tagging", 1, 2, "accuracy", "97 %", "96 %", "tagging")
    >>> '<a href="./tables?table=tagging">Tagging</a>' in overview_html([line])
    True
    """
    rows = "".join(map(_row, lines))
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    return f'{STYLE}<table class="overview"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _row(line):
    address = f"./tables?{urlencode({'table': line.result})}"
    system = f'<a href="{html.escape(address)}">{html.escape(line.system)}</a>'
    verdict = f"{MARKS[severity(line.verdict)]} {html.escape(line.verdict)}"
    texts = map(html.escape, (f"{line.n_hold} of {line.n}", line.what, line.measured, line.paper))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in (verdict, system, *texts)) + "</tr>"
