"""Chart that compares filters: filter loss against share of states kept."""

from typing import Literal

from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

SPLITS = {"dev": "development words", "test": "test words"}


def split_name(split: str, examples: str = "words") -> str:
    """The name of a split's examples, in the plural.

    >>> split_name("dev", "sentences")
    'development sentences'
    """
    return SPLITS[split].replace("words", examples)


METHODS = {
    "spc": "cascade filter (SPC)",
    "perceptron": "perceptron filter",
    "crf": "CRF filter",
    "spc_log_loss_start": "SPC begun with log loss",
    "spc_thesis": "SPC learnt as in the thesis",
}


_METHOD_STYLE = {  # role of the palette, mark
    "spc": ("kept", "circle"),
    "perceptron": ("threshold", "diamond"),
    "crf": ("truth", "square"),
    "spc_log_loss_start": ("pruned", "x"),
    "spc_thesis": ("kept", "circle-open"),
}


def style_of(method):
    """(role of the palette, mark) of a method's lines."""
    return _METHOD_STYLE.get(method, ("pruned", "x"))


GRAMS = {1: "letters", 2: "letter pairs", 3: "triples"}


def grams(level, names=GRAMS):
    """The objects that a level filters, in words."""
    return names.get(level, f"{level}-grams")


def filter_curves(
    rows: list[dict],
    tuned: dict[int, list[dict]],
    palette: Palette,
    *,
    split: Literal["dev", "test"] = "test",
    is_zoomed: bool = True,
    scale: float = 1.0,
    height: float = 480,
    names: dict[int, str] = GRAMS,
    examples: str = "words",
    show_fold: bool = True,
) -> Chart:
    """Examples that lose their truth against n-grams kept, one panel per level, one line per method.

    `rows` are those of ocr-sweep for one feature set, or of tagging, as `tagging.page.charts` names them;
    `tuned`, by level, from `letters.model.sweep.tuned_on_dev`, is marked on the lines.
    """
    levels = sorted({row["level"] for row in rows}) or [1]
    first_fold = min((row["fold"] for row in rows), default=0)
    width = (1 - 0.1 * (len(levels) - 1)) / len(levels)
    traces, notes, axes = [], [], {}
    for panel, level in enumerate(levels):
        number, start = "" if panel == 0 else str(panel + 1), panel * (width + 0.1)
        here = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        axes[f"xaxis{number}"] = {
            "title": f"{grams(level, names)} kept, % (fewer is faster)",
            "range": [0, 101],
            "domain": [start, start + width],
            "anchor": f"y{number}",
        }
        axes[f"yaxis{number}"] = {"range": [0, 10 if is_zoomed else 100], "anchor": f"x{number}"}
        at = {"x": 0.5, "xref": f"x{number} domain", "y": 1, "yref": "paper", "yanchor": "bottom"}
        notes.append(at | {"text": f"<b>Level {level}: {grams(level, names)}</b>"})
        for row in (row for row in rows if row["level"] == level and row["split"] == split):
            is_first = row["fold"] == first_fold
            traces.append(_filter_line(row, is_first, is_first and panel == 0, palette, scale) | here)
            fold = f", fold {row['fold']}" if show_fold else ""
            traces[-1]["hovertemplate"] = (
                f"%{{x:.1f}} % kept, %{{y:.2f}} % of {examples} lose their truth<br>α = %{{customdata:.4g}}"
                f"<extra>{traces[-1]['name']}{fold}</extra>"
            )
        traces += [
            _tuned_mark(at, split, palette, scale) | here
            for at in tuned.get(level, ())
            if at["alpha"] is not None
        ]
    axes["yaxis"]["title"] = f"{examples} that lose their truth, %<br>({split_name(split, examples)})"
    return figure(traces, axes, palette, notes=notes, scale=scale, height=height, left=5.5, top=4.6)


def _filter_line(row, is_first, has_legend, palette, scale):
    role, _ = style_of(row["method"])
    name = METHODS.get(row["method"], row["method"])
    of = {"customdata": row["alpha"], "legendgroup": row["method"], "showlegend": has_legend}
    line = stroke(getattr(palette, role), (2.4 if is_first else 1) * scale, shape="hv")
    return points("lines", row["efficiency_loss"], row["filter_loss"], name, "", **of, **line)


def _tuned_mark(at, split, palette, scale):
    role, symbol = style_of(at["method"])
    name = METHODS.get(at["method"], at["method"])
    edge = {"color": palette.background, "width": 2 * scale}
    hover = f"tuned on dev words: %{{x:.1f}} % kept, %{{y:.2f}} % lost<extra>{name}</extra>"
    of = {"legendgroup": at["method"], "showlegend": False}
    drawn = mark(12 * scale, symbol, color=getattr(palette, role), line=edge)
    x, y = [at[f"{split}_efficiency_loss"]], [at[f"{split}_filter_loss"]]
    return points("markers", x, y, f"{name}: tuned", hover, **of, **drawn)
