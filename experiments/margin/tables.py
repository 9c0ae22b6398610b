"""Tables and figures of threshold rules in every study: ``experiments/margin/tables.md``."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.margin.comparisons import STUDIES, comparisons, stored_result, unseen, verdict
from spcviz.problems.letters.paper.result import SEEN
from spcviz.problems.letters.paper.tables import FEATURES
from spcviz.problems.pose.paper.result import WAYS
from spcviz.problems.tagging.paper.result import CORPORA, rows_of
from spcviz.shared.report import markdown_table
from spcviz.web.figures.stored_results import RULE_NAMES

FIGURES = Path(__file__).parent
TEXT = FIGURES / "tables.md"
MOST_LOST = 6.0
"""Percent of words lost up to which a path is drawn: beyond it nothing is left to compare."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 20, 34, 48
"""Pixels of a figure and of its margins."""
COLOURS = ("#8A5A00", "#005F73", "#9B2226", "#5F5F5F")
DASHES = ("7 4", "", "2 3", "9 3 2 3")
_HEAD = """# Threshold rules: all tables

Written by `python -m experiments.margin` from `cache/results/*-rules.json`. The question, the rules and the
finding are in [margin.md](../margin.md). A rule leaves fewer than the thesis' where the 95 % interval of
their ratio lies below 1, more where it lies above, and else the difference is within chance.
"""


def document() -> str:
    """The text of all tables; the figures are written into `FIGURES`."""
    results = {name: stored_result(name) for name in STUDIES}
    sections = (_handwriting_section, _free, _tagging, _pose, _grids)
    parts = [_HEAD, *(section(result) for section, result in zip(sections, results.values(), strict=True))]
    return "\n".join([*parts, _every(results)])


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None or not math.isfinite(value) else f"{value:,.{digits}g}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    return markdown_table(header, rows) + "\n"


def _handwriting_section(result: dict[str, Any] | None) -> str:
    title = "\n## Handwriting, the 55 words (Table 4.3), by each rule\n"
    if result is None:
        return f"{title}\nNot run yet: the first command below.\n"
    out = [title, *(f"**{sentence}**" for sentence in result["missing"]), ""]
    out.append(f"Chosen on: {result['settings']['chosen_on']}. {SEEN}\n")
    rows = [
        [
            FEATURES[row["features"]],
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
            FEATURES[row["features"]],
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
        title = f"n-grams that order {order} has to score, {FEATURES[features]}"
        about = ("words lost before it, %", "n-grams a position")
        (FIGURES / name).write_text(chart(title, lines, *about, log_y=True), encoding="utf-8")
        out.append(f"![{title}]({name})\n")
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
    some = [row for row in unseen(result["rows"]) if row["order"] in (2, 4, 6)]
    out.append(_beside_each_other(some, ("features", "tolerance", "order"), "words right, %"))
    out.append("The same with filters trained for each rule, from the same candidates at every level:\n")
    own = [row for row in unseen(result["trained"]) if row["order"] in (2, 4, 6)]
    out.append(_beside_each_other(own, ("features", "tolerance", "order"), "words right, %"))
    for features in dict.fromkeys(row["features"] for row in result["rows"]):
        lines = []
        for rule in dict.fromkeys(row["rule"] for row in result["rows"]):
            mine = [row for row in result["rows"] if (row["features"], row["rule"]) == (features, rule)]
            mine = [row for row in mine if (row["data"], row["order"]) == ("unseen", 6)]
            lines.append(Line(RULE_NAMES[rule], [r["lost"] for r in mine], [r["n_grams_in"] for r in mine]))
        name, title = (
            f"open-{features}.svg",
            f"6-grams left of words that no list holds, {FEATURES[features]}",
        )
        about = ("words lost by all filters before, %", "6-grams a position")
        (FIGURES / name).write_text(chart(title, lines, *about, log_y=True), encoding="utf-8")
        out.append(f"![{title}]({name})\n")
    beams = unseen(result["baselines"])
    widths = [[FEATURES[row["features"]], str(row["width"]), f"{row['word_accuracy']:.2f}"] for row in beams]
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
                *(
                    f"{value:g}" if isinstance(value, float) else FEATURES.get(value, str(value))
                    for value in at
                ),
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
    out.append(
        "Bigrams a position where both filters together lose exactly this share of the test sentences:\n"
    )
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
        _table(["lost, %", "states, thesis' rule", "margin over it", "the k best of each variable"], rows)
    )
    return "\n".join(out)


def _ratio(values: Sequence[float | None], digits: int = 3) -> str:
    at, *ends = (_number(value, digits) for value in values)
    return at if ends[0] == ends[1] else f"{at} ({' to '.join(ends)})"


def _every(results: dict[str, dict[str, Any] | None]) -> str:
    """Every comparison of the margin with the thesis' rule, won or not."""
    title = "\n## Every comparison: the margin over the thesis' rule\n"
    rows = [[one.task, one.at, _ratio(one.ratio), one.verdict] for one in comparisons(results)]
    if not rows:
        return f"{title}\nNothing can be said before the studies have run.\n"
    return "\n".join([title, _table(["task", "where", "ratio (95 %)", "the margin leaves"], rows)])


class Line(NamedTuple):
    """One line of a chart."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def chart(title: str, lines: Sequence[Line], x_title: str, y_title: str, *, log_y: bool = False) -> str:
    """The text of an SVG file; lines differ by colour and by dashes."""
    xs = np.concatenate([np.asarray(line.x, dtype=float) for line in lines])
    ys = np.concatenate([np.asarray(line.y, dtype=float) for line in lines])
    good = np.isfinite(xs) & np.isfinite(ys) & ((ys > 0) | (not log_y))
    low_x, high_x = float(xs[good].min()), float(xs[good].max())
    scale = np.log10 if log_y else np.asarray
    low_y, high_y = float(scale(ys[good]).min()), float(scale(ys[good]).max())
    low_y, high_y = (np.floor(low_y), np.ceil(high_y)) if log_y else (min(low_y, 0.0), high_y)

    def at(x: float, y: float) -> str:
        right = LEFT + (x - low_x) / max(high_x - low_x, 1e-12) * (WIDTH - LEFT - RIGHT)
        down = (
            HEIGHT - BOTTOM - (float(scale(y)) - low_y) / max(high_y - low_y, 1e-12) * (HEIGHT - TOP - BOTTOM)
        )
        return f"{right:.1f},{down:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="13"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>',
    ]
    ticks = 10.0 ** np.arange(low_y, high_y + 1) if log_y else np.linspace(low_y, high_y, 5)
    for tick in ticks:
        a, b = at(low_x, tick), at(high_x, tick)
        x, y = a.split(",")
        out.append(f'<polyline points="{a} {b}" stroke="#DDDDDD" fill="none"/>')
        out.append(f'<text x="{float(x) - 6:.0f}" y="{float(y) + 4:.0f}" text-anchor="end">{tick:g}</text>')
    for tick in np.linspace(low_x, high_x, 6):
        x = at(tick, ticks[0]).split(",")[0]
        out.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:.3g}</text>')
    for i, line in enumerate(lines):
        points = " ".join(at(x, y) for x, y in zip(line.x, line.y, strict=True) if np.isfinite(y))
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        style = f'stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dash}" fill="none"'
        out.append(f'<polyline points="{points}" {style}/>')
        y = TOP + 16 * (i + 1)
        out.append(f'<polyline points="{WIDTH - 210},{y - 4} {WIDTH - 178},{y - 4}" {style}/>')
        out.append(f'<text x="{WIDTH - 172}" y="{y}">{escape(line.name)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_title)}</text>')
    turned = f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'
    out.append(f'<text x="16" y="{HEIGHT / 2:.0f}" text-anchor="middle" {turned}>{escape(y_title)}</text>')
    return "\n".join([*out, "</svg>", ""])
