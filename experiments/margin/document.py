"""The document on threshold rules in two pages: question, rules, finding, promise."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

from experiments.margin.comparisons import STUDIES, Comparison, Ratio, comparisons, stored_result, unseen
from spcviz.shared.report import markdown_table

HERE = Path(__file__).parent
TEXT = HERE.with_suffix(".md")
VERDICTS = ("fewer", "within chance", "more", "not measured")
NOTICED = 0.25
"""Points of test words lost that are told apart."""
_FIGURES = {
    "path-raw.svg": "n-grams that order 6 has to score on the 55 words, raw pixels",
    "open-fourier.svg": "6-grams left of words that no list holds, Fourier features",
}


def document() -> str:
    """The document's text, from the results that are stored."""
    results = {name: stored_result(name) for name in STUDIES}
    head, tail = ((HERE / f"{name}.md").read_text(encoding="utf-8") for name in ("head", "tail"))
    return "\n".join([head, _finding(results), _not_won(results), tail])


def _finding(results: dict[str, dict[str, Any] | None]) -> str:
    rows = [one for one in comparisons(results) if one.is_headline]
    out = ["\n## The finding\n"]
    absent = [name for name, result in results.items() if result is None]
    out += [f"Not run yet: `python -m spcviz reproduce {name}`.\n" for name in absent]
    if not rows:
        return "\n".join(out)
    out.append(
        "What the margin leaves for the last order or level, over what the thesis' rule leaves: n-grams, or "
        "states in pose and grids. On the 55 words, tags and grids both lose the same; on the open "
        "vocabulary and in pose both are tuned alike, and the tables say what they lose. Intervals: 95 %, "
        "over draws of folds, words, sentences or clips.\n"
    )
    table = [(one.task, one.at, _text(one.ratio), one.verdict, _text(one.of_all)) for one in rows]
    out.append(markdown_table(("task", "where", "ratio", "the margin leaves", "all of the cascade"), table))
    out += [f"\n![{alt}](margin/{name})" for name, alt in _FIGURES.items() if (HERE / name).is_file()]
    return "\n".join([*out, ""])


def _text(ratio: Ratio) -> str:
    if any(value is None or not math.isfinite(value) for value in ratio):
        return "-"
    return "{:.3g} [{:.3g}, {:.3g}]".format(*ratio)


def _not_won(results: dict[str, dict[str, Any] | None]) -> str:
    """How often the margin leaves fewer, as many or more, task by task, and what else speaks against it."""
    every = comparisons(results)
    title = "\n## Where it does not win\n"
    if not every:
        return f"{title}\nNothing can be said before the studies have run.\n"
    counts = {task: Counter(one.verdict for one in every if one.task == task) for task in _tasks(every)}
    table = [(task, *(str(count[name]) for name in VERDICTS)) for task, count in counts.items()]
    lines = [title, markdown_table(("comparisons by task", *VERDICTS), table), ""]
    lines += _of_losses(results["ocr-open-rules"])
    lines.append("Every comparison, won or not, with its interval: [margin/tables.md](margin/tables.md).\n")
    return "\n".join(lines)


def _tasks(every: list[Comparison]) -> list[str]:
    return list(dict.fromkeys(one.task for one in every))


def _of_losses(result: dict[str, Any] | None) -> list[str]:
    """Words that the margin loses beyond the thesis' rule at the same tolerance, and its worst words."""
    rows = [row for row in unseen(result["rows"]) if row["order"] > 1] if result else []
    keys = ("features", "tolerance", "order")
    rivals = {tuple(row[key] for key in keys): row for row in rows if row["rule"] == "mean_max"}
    both = [(row, rivals[tuple(row[key] for key in keys)]) for row in rows if row["rule"] == "margin"]
    if not both:
        return []
    more = [row["lost"] - rival["lost"] for row, rival in both]
    worse = sum(row["n_grams_worst"] > rival["n_grams_worst"] for row, rival in both)
    return [
        f"On the open vocabulary, at the same tolerance a level, it loses over {NOTICED:g} points more of "
        f"the test words in {sum(gap > NOTICED for gap in more)} of {len(both)} comparisons (at most "
        f"{max(more):.2f} points), over {NOTICED:g} points fewer in {sum(gap < -NOTICED for gap in more)}. "
        f"Its worst word has more n-grams a position than that of the thesis' rule in {worse} of "
        f"{len(both)}: caps on the size of a lattice stay.\n"
    ]
