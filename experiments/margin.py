"""Write experiments/margin.md and its figures from the stored results on threshold rules.

Run ``python -m experiments.margin`` after ``python -m spcviz reproduce`` of each of `STUDIES`. Verdicts
follow a criterion fixed before the results were seen: a rule leaves fewer n-grams than the thesis' rule if
the 95 % interval of their ratio lies below 1, more if it lies above 1, and otherwise they differ within
chance.
"""

import json
import math
from pathlib import Path
from typing import Any

from experiments.svg import Line, chart
from spcviz.problems.letters.paper.rule_tables import SEEN
from spcviz.problems.pose.paper.result import WAYS
from spcviz.problems.tagging.paper.rule_tables import CORPORA, rows_of
from spcviz.shared.folders import RESULTS, shipped_path
from spcviz.web.figures.results import RULE_NAMES

STUDIES = ("ocr-rules", "ocr-open-rules", "tagging-rules", "pose-rules", "grid-rules")
HERE = Path(__file__).parent
TEXT = HERE / "margin.md"
FIGURES = HERE / "margin"
MOST_LOST = 6.0
"""Percent of words lost up to which a path is drawn: beyond it nothing is left to compare."""


def main() -> None:
    """Write the document and its figures."""
    TEXT.write_text(document(), encoding="utf-8")


def document() -> str:
    """The document's text; its figures are written into `FIGURES`."""
    results = [_result(name) for name in STUDIES]
    head, tail = ((FIGURES / f"{name}.md").read_text(encoding="utf-8") for name in ("head", "tail"))
    tell = (_handwriting_section, _free, _tagging, _pose, _grids)
    parts = [head, *(told(result) for told, result in zip(tell, results, strict=True))]
    return "\n".join([*parts, _not_won(*results), tail])


def _result(name: str) -> dict[str, Any] | None:
    path = shipped_path(RESULTS) / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def verdict(low: float | None, high: float | None) -> str:
    """The verdict on an interval of a ratio, by the criterion above.

    >>> verdict(0.2, 0.8), verdict(0.9, 1.2), verdict(1.1, 1.4), verdict(None, None)
    ('fewer', 'within chance', 'more', 'not measured')
    """
    if low is None or high is None:
        return "not measured"
    return "fewer" if high < 1 else "more" if low > 1 else "within chance"


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None or not math.isfinite(value) else f"{value:,.{digits}g}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _handwriting_section(result: dict[str, Any] | None) -> str:
    title = "\n## Handwriting, the 55 words (Table 4.3), by each rule\n"
    if result is None:
        return f"{title}\nNot run yet: the first command below.\n"
    out = [title, *(f"**{sentence}**" for sentence in result["missing"]), ""]
    out.append(f"Chosen on: {result['settings']['chosen_on']}. {SEEN}\n")
    rows = [
        [
            row["features"],
            RULE_NAMES[row["rule"]],
            str(row["order"]),
            _number(row["n_grams_in"]),
            f"{row['filter_loss']:.2f}",
            f"{row['char_accuracy']:.2f} / {row['word_accuracy']:.2f}",
            _number(row["paper"]["n_grams"]),
        ]
        for row in result["rows"]
    ]
    header = [
        "features",
        "rule",
        "order",
        "n-grams",
        "words lost before, %",
        "letters / words right",
        "paper",
    ]
    out.append(_table(header, rows))
    out.append(
        "At equal loss, between the factors of each cascade's path; intervals over draws of the folds:\n"
    )
    rows = [
        [
            row["features"],
            str(row["order"]),
            f"{row['loss']:g}",
            _number(next(o["n_grams"] for o in result["equal"] if _is_rival(o, row))),
            _number(row["n_grams"]),
            _number(row["ratio"]),
            f"{_number(row['low'])} to {_number(row['high'])}",
            verdict(row["low"], row["high"]),
        ]
        for row in result["equal"]
        if row["rule"] == "margin" and row["what"] == "n_grams_in" and row["ratio"] is not None
    ]
    header = ["order", "words lost, %", "n-grams, mean and best", "margin", "ratio", "95 %", "margin leaves"]
    out.append(_table(["features", *header], rows))
    order = max(row["order"] for row in result["path"])
    for features in dict.fromkeys(row["features"] for row in result["path"]):
        lines = []
        for rule in dict.fromkeys(row["rule"] for row in result["path"]):
            mine = [
                r for r in result["path"] if (r["features"], r["rule"], r["order"]) == (features, rule, order)
            ]
            mine = [r for r in mine if r["lost"] <= MOST_LOST]
            lines.append(Line(RULE_NAMES[rule], [r["lost"] for r in mine], [r["n_grams_in"] for r in mine]))
        name = f"path-{features}.svg"
        title = f"n-grams that order {order} has to score, {features}"
        about = ("words lost before it, %", "n-grams a position")
        (FIGURES / name).write_text(chart(title, lines, *about, log_y=True), encoding="utf-8")
        out.append(f"![{title}](margin/{name})\n")
    return "\n".join(out)


def _is_rival(other: dict[str, Any], row: dict[str, Any]) -> bool:
    keys = ("features", "order", "loss", "what")
    return other["rule"] == "mean_max" and all(other[key] == row[key] for key in keys)


def _free(result: dict[str, Any] | None) -> str:
    title = "\n## An open vocabulary: words that no list holds\n"
    if result is None:
        return f"{title}\nNot run yet: the second command below.\n"
    out = [title, *(f"**{sentence}**" for sentence in result["missing"]), ""]
    out.append(
        f"Chosen on: {result['settings']['chosen_on']}. Intervals over draws of the test words; the draw of "
        "the development words that thresholds were tuned on is not in them. Compare rows by what is lost.\n"
    )
    unseen = [row for row in result["rows"] if row["data"] == "unseen" and row["order"] in (2, 4, 6)]
    out.append(_beside_each_other(unseen, ("features", "tolerance", "order"), "words right, %"))
    out.append("The same with filters trained for each rule, from the same candidates at every level:\n")
    own = [row for row in result["trained"] if row["data"] == "unseen" and row["order"] in (2, 4, 6)]
    out.append(_beside_each_other(own, ("features", "tolerance", "order"), "words right, %"))
    for features in dict.fromkeys(row["features"] for row in result["rows"]):
        lines = []
        for rule in dict.fromkeys(row["rule"] for row in result["rows"]):
            mine = [row for row in result["rows"] if (row["features"], row["rule"]) == (features, rule)]
            mine = [row for row in mine if (row["data"], row["order"]) == ("unseen", 6)]
            lines.append(Line(RULE_NAMES[rule], [r["lost"] for r in mine], [r["n_grams_in"] for r in mine]))
        name, title = f"open-{features}.svg", f"6-grams left of words that no list holds, {features}"
        about = ("words lost by all filters before, %", "6-grams a position")
        (FIGURES / name).write_text(chart(title, lines, *about, log_y=True), encoding="utf-8")
        out.append(f"![{title}](margin/{name})\n")
    beams = [row for row in result["baselines"] if row["data"] == "unseen"]
    widths = [[row["features"], str(row["width"]), f"{row['word_accuracy']:.2f}"] for row in beams]
    out.append("A beam with the last order's model, on the same words:\n")
    widths = [row for row in widths if row[1] in ("1", "4", "16", "32")]
    out.append(_table(["features", "width", "words right, %"], widths))
    return "\n".join(out)


def _beside_each_other(rows: list[dict[str, Any]], keys: tuple[str, ...], right: str) -> str:
    """Rows of `compared` as one line for all rules: n-grams by the thesis' rule, and the others' ratios."""
    names = {"words right, %": "word_accuracy", "tokens right, %": "tokens_right"}
    lines = []
    for at in dict.fromkeys(tuple(row[key] for key in keys) for row in rows):
        by = {row["rule"]: row for row in rows if tuple(row[key] for key in keys) == at}
        thesis, margin = by["mean_max"], by["margin"]
        others = [_ratio(by[rule]["n_grams_in_ratio"]) for rule in _OVER if rule in by]
        lines.append(
            [
                *(f"{value:g}" if isinstance(value, float) else str(value) for value in at),
                _number(thesis["n_grams_in"]),
                *others,
                _number(margin["n_grams_all_ratio"][0]),
                *(f"{thesis[name]:.2f}, {margin[name]:.2f}" for name in ("lost", names[right])),
            ]
        )
    over = [name for rule, name in _OVER.items() if any(row["rule"] == rule for row in rows)]
    header = [*(_KEYS[key] for key in keys), "n-grams, thesis", *over]
    header += ["margin, all orders", "lost before, % (thesis, margin)"]
    return _table([*header, f"{right} (thesis, margin)"], lines)


_OVER = {"margin": "margin over it", "mean_max_first": "mean before any filter", "probability": "probability"}
_KEYS = {"features": "features", "tolerance": "tolerance a level, %", "order": "order"}


def _tagging(result: dict[str, Any] | None) -> str:
    title = "\n## Tags: all of the English Web Treebank, and the Wall Street Journal's sample\n"
    if result is None:
        return f"{title}\nNot run yet: `python -m spcviz reproduce tagging-rules`.\n"
    settings = result["settings"]
    out = [title, *(f"**{sentence}**" for sentence in result["missing"]), ""]
    out.append(
        f"Begun with {settings['begun_with']}. Chosen on: {settings['chosen_on']}. What the first filter may "
        "lose was searched for each method. Where only the rival cannot lose so few, a ratio is 0."
    )
    for data in dict.fromkeys(row["data"] for row in result["rows"]):
        out += _corpus(data, {name: rows_of(result, name, data) for name in ("rows", "levels", "promises")})
    return "\n".join(out)


def _corpus(data: str, result: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Tables of one corpus's tagger."""
    out = [f"\n### {CORPORA[data]}: trained on {result['rows'][0]['trained_on']}\n"]
    out.append("Bigrams a position where exactly so many test sentences are lost by both filters together:\n")
    rows = []
    for target in dict.fromkeys(row["target"] for row in result["rows"]):
        by = {row["method"]: row for row in result["rows"] if row["target"] == target}
        line = [f"{target:g}", _number(by["mean_max"]["pairs_equal"]), _number(by["crf"]["pairs_equal"])]
        line += [_ratio(by[method]["over_crf"]) for method in ("mean_max", "margin", "probability")]
        rows.append(
            [*line, *(_ratio(by[method]["over_mean_max"]) for method in ("margin", "margin_trained"))]
        )
    header = ["sentences lost, %", "SPC, thesis' rule", "CRF", "SPC over CRF", "by margin", "by probability"]
    header += ["SPC, margin over thesis' rule", "trained for the margin, over thesis' rule"]
    out.append(_table(header, rows))
    out.append("Whole cascades, every level at the same tolerance:\n")
    levels = [row for row in result["levels"] if row["order"] > 1]
    out.append(_beside_each_other(levels, ("tolerance", "order"), "tokens right, %"))
    out.append(f"What a guarantee of {result['promises'][0]['tolerance']:g} % costs, on test sentences:\n")
    rows = [
        [RULE_NAMES[row["method"]], _PROMISED[row["guarantee"]], f"{row['loss']:.2f}", _number(row["pairs"])]
        for row in result["promises"]
        if row.get("loss") is not None and row["method"] in ("mean_max", "margin")
    ]
    out.append(_table(["rule", "guarantee", "lost, %", "bigrams a position"], rows))
    return out


_PROMISED = {None: "as tuned", "mean": "on average", 0.9: "with 90 % certainty"}


def _pose(result: dict[str, Any] | None) -> str:
    title = "\n## Pose on test frames, level by level\n"
    if result is None:
        return f"{title}\nNot run yet: `python -m spcviz reproduce pose-rules`.\n"
    out = [title, *(f"**{sentence}**" for sentence in result["missing"]), ""]
    out.append(
        f"{result['settings']['n_frames']} frames. Chosen on: {result['settings']['chosen_on']}; to hold "
        f"{result['settings']['n_kept']:,} states a limb, as the figure's caption reads, or to lose a share "
        "of them a level. Intervals over draws of clips.\n"
    )
    rows = []
    for row in result["rows"]:
        if row["rule"] != "margin" or row["level"] not in (2, 4, 6):
            continue
        thesis = next(
            one
            for one in result["rows"]
            if one["rule"] == "mean_max" and (one["way"], one["level"]) == (row["way"], row["level"])
        )
        pruned = f"{thesis['efficiency']:.1f}, {row['efficiency']:.1f}"
        line = [WAYS[row["way"]], str(row["level"]), pruned, _number(row.get("paper", {}).get("efficiency"))]
        rows.append([*line, _ratio(row["states_ratio"]), _ratio(row["survivors_more"])])
    header = [
        "thresholds",
        "level",
        "pruned, % (thesis' rule, margin)",
        "paper",
        "states, margin over thesis'",
    ]
    out.append(_table([*header, "survivors more, points"], rows))
    return "\n".join(out)


def _grids(result: dict[str, Any] | None) -> str:
    title = "\n## Loopy grids: one filter alone\n"
    if result is None:
        return f"{title}\nNot run yet: `python -m spcviz reproduce grid-rules`.\n"
    out = [title, f"Chosen on: {result['settings']['chosen_on']}. States a variable at equal loss.\n"]
    rows = []
    for target in dict.fromkeys(row["target"] for row in result["rows"]):
        by = {row["rule"]: row for row in result["rows"] if row["target"] == target}
        line = [f"{target:g}", _number(by["mean_max"]["states_equal"])]
        rows.append([*line, *(_ratio(by[rule]["ratio"], 4) for rule in ("margin", "top_k"))])
    out.append(
        _table(["lost, %", "states, thesis' rule", "margin over it", "so many of each variable"], rows)
    )
    return "\n".join(out)


def _ratio(values: list[float | None], digits: int = 3) -> str:
    at, *ends = (_number(value, digits) for value in values)
    return at if ends[0] == ends[1] else f"{at} ({' to '.join(ends)})"


def _not_won(
    fixed: dict[str, Any] | None,
    free: dict[str, Any] | None,
    tagging: dict[str, Any] | None = None,
    pose: dict[str, Any] | None = None,
    grids: dict[str, Any] | None = None,
) -> str:
    """Every comparison in which the margin does not leave fewer n-grams, by the criterion above."""
    lines = ["\n## Where it does not win\n"]
    for row in (fixed or {"equal": []})["equal"]:
        if row["rule"] == "margin" and row["what"] == "n_grams_in" and row["ratio"] is not None:
            said = verdict(row["low"], row["high"])
            if said != "fewer":
                lines.append(
                    f"- 55 words, {row['features']}, order {row['order']}, {row['loss']:g} % lost: {said}."
                )
    of_words = [("rows", ""), ("trained", ", trained for each rule")]
    for row, own in ((row, own) for name, own in of_words for row in (free or {name: []})[name]):
        if row["rule"] == "margin" and row["order"] > 1 and row["data"] == "unseen":
            said = verdict(*row["n_grams_in_ratio"][1:])
            if said != "fewer":
                at = f"order {row['order']} at {row['tolerance']:g} % a level"
                lines.append(f"- open vocabulary, {row['features']}{own}, {at}: {said}.")
    lines += _beside(free)
    for row in (tagging or {"rows": []})["rows"]:
        if row["rule"] == "margin" and (said := verdict(*row["over_mean_max"][1:])) != "fewer":
            own = ", trained for it" if row["method"] == "margin_trained" else ""
            at = f"{CORPORA[row['data']]}{own}, bigrams at {row['target']:g} % of sentences lost"
            lines.append(f"- tags, {at}: {said}.")
    for row in (tagging or {"levels": []})["levels"]:
        if row["rule"] == "margin" and row["order"] > 1:
            said = verdict(*row["n_grams_in_ratio"][1:])
            if said != "fewer":
                at = f"{CORPORA[row['data']]}, order {row['order']} at {row['tolerance']:g} % a level"
                lines.append(f"- tags, {at}: {said}.")
    for row in (pose or {"rows": []})["rows"]:
        said = verdict(*row["states_ratio"][1:])
        if row["rule"] == "margin" and row["level"] in (2, 4, 6) and said != "fewer":
            lines.append(f"- pose, {WAYS[row['way']]}, level {row['level']}: {said}.")
    for row in (grids or {"rows": []})["rows"]:
        if row["rule"] == "margin" and (said := verdict(*row["ratio"][1:])) != "fewer":
            lines.append(f"- grids, one filter alone, {row['target']:g} % lost: {said}.")
    if len(lines) == 1:
        has_run = any((fixed, free, tagging, pose, grids))
        lines.append("Nowhere here." if has_run else "Nothing can be said before the studies have run.")
    return "\n".join(lines) + "\n"


def _beside(free: dict[str, Any] | None) -> list[str]:
    """Where the margin loses more words of the test set at the same tolerance, and its worst words."""
    rows = (
        [] if free is None else [row for row in free["rows"] if row["data"] == "unseen" and row["order"] > 1]
    )
    keys = ("features", "tolerance", "order")
    rivals = {tuple(row[key] for key in keys): row for row in rows if row["rule"] == "mean_max"}
    mine = [(row, rivals[tuple(row[key] for key in keys)]) for row in rows if row["rule"] == "margin"]
    lines = [
        f"- open vocabulary, {row['features']}, order {row['order']} at {row['tolerance']:g} % a level: "
        f"before it {row['lost']:.2f} % of test words are lost, {rival['lost']:.2f} % by the thesis' rule."
        for row, rival in mine
        if row["lost"] > rival["lost"] + 0.25
    ]
    worse = sum(row["n_grams_worst"] > rival["n_grams_worst"] for row, rival in mine)
    if mine:
        lines.append(
            f"- Its worst word has more n-grams a position than the thesis' rule leaves of its own in "
            f"{worse} of {len(mine)} comparisons: caps on the size of a lattice stay."
        )
    return lines


if __name__ == "__main__":
    main()
