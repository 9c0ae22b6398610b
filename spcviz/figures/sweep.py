"""The Sweep page's charts: losses over alpha, filters against each other, Theorem 1 term by term."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from spcviz.figures.theme import DASHES, dress

SPLITS = {"dev": "development words", "test": "test words"}
METHODS = {"spc": "cascade filter (SPC)", "perceptron": "perceptron filter", "crf": "CRF filter"}
_METHOD_STYLE = {  # role of the palette, mark
    "spc": ("kept", "circle"),
    "perceptron": ("threshold", "diamond"),
    "crf": ("truth", "square"),
}
GRAMS = {1: "letters", 2: "letter pairs", 3: "triples"}


def grams(level):
    """What a level filters, in words."""
    return GRAMS.get(level, f"{level}-grams")


def loss_curves(level, choice, palette, *, is_zoomed=True, scale=1.0, height=520):
    """Words that lose their truth, above, and n-grams kept, below, over alpha.

    Parameters
    ----------
    level : SweepLevel
    choice : SweepChoice
        Its alpha and tolerance are marked.
    palette : Palette
    is_zoomed : bool
        Show the region of the tolerance only.
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
        The traces of test words have marks that can be clicked; x is alpha.
    """
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.07, row_heights=[0.58, 0.42])
    for split in ("dev", "test"):
        curves = getattr(level, split)
        for row, name, curve, colour in (
            (1, "truth really lost", curves.event, palette.lost),
            (1, "truth below the threshold (Definition 1)", curves.by_definition, palette.threshold),
            (2, f"{grams(level.level)} kept", curves.efficiency, palette.kept),
        ):
            figure.add_trace(_step(curve, name, colour, split, scale, row == 1), row, 1)
    figure.add_trace(
        go.Scatter(
            x=[None],
            y=[None],
            mode="lines",
            name=f"dotted: {SPLITS['dev']}",
            line={"color": palette.muted, "width": 2.2 * scale, "dash": DASHES["dev"]},
        )
    )
    _mark(figure, level, choice, palette, scale)
    top = 100.0 if not is_zoomed else _top(choice)
    figure.update_yaxes(title_text="words that lose<br>their truth, %", range=[0, top], row=1, col=1)
    figure.update_yaxes(title_text=f"{grams(level.level)}<br>kept, %", range=[0, 100], row=2, col=1)
    figure.update_xaxes(range=[-0.005, 1.005], showspikes=True, spikethickness=1, spikecolor=palette.muted)
    figure.update_xaxes(
        title_text="gentle  ←  threshold setting α, from the mean (0) to the best (1)  →  severe",
        row=2,
        col=1,
    )
    dress(figure, palette, scale=scale, height=height)
    size = round(14 * scale)
    figure.update_layout(
        hovermode="closest",
        clickmode="event+select",
        margin={"t": 5 * size, "l": round(5.5 * size)},
    )
    return figure


def _top(choice):
    losses = (choice.tolerance, *(loss for at in (choice.dev, choice.test) for loss in at[2:4]))
    return min(100.0, max(2.0, 160 * max(losses), 400 * choice.tolerance))


def _step(curve, name, colour, split, scale, has_marks):
    alpha = np.append(curve.alpha, 1.0)
    value = 100 * np.append(curve.value, curve.value[-1])
    is_test = split == "test"
    mark = {"size": (5.5 if has_marks else 2) * scale, "color": colour}
    return go.Scatter(
        x=alpha,
        y=value,
        name=name,
        legendgroup=name,
        showlegend=is_test,
        mode="lines+markers" if is_test else "lines",
        line={"color": colour, "width": 2.2 * scale, "dash": DASHES[split], "shape": "hv"},
        marker=mark,
        selected={"marker": {"color": colour, "size": 9 * scale}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"α from %{{x:.4f}} on: %{{y:.2f}} %<extra>{name}, {SPLITS[split]}</extra>",
    )


def _mark(figure, level, choice, palette, scale):
    """The chosen alpha, training's alpha if it is another, the tolerance."""
    on_left = choice.alpha > 0.5
    figure.add_vline(x=choice.alpha, line={"color": palette.accent, "width": 2.5 * scale})
    for row, at in ((1, None), (2, choice.test)):
        text = f"<b>α = {choice.alpha:.3f}</b>" if at is None else f"<b>{100 * at.efficiency:.1f} % kept</b>"
        figure.add_annotation(
            x=choice.alpha,
            y=1,
            yref="y domain" if row == 1 else "y2 domain",
            xanchor="right" if on_left else "left",
            yanchor="top",
            text=f"&nbsp;{text}&nbsp;",
            showarrow=False,
            font={"color": palette.accent},
            bgcolor=palette.background,
        )
    if abs(level.tuned_alpha - choice.alpha) > 5e-4:
        figure.add_vline(x=level.tuned_alpha, line={"color": palette.muted, "width": 1.5, "dash": "dash"})
        figure.add_annotation(
            x=level.tuned_alpha,
            y=0,
            yref="y2 domain",
            yanchor="bottom",
            xanchor="right" if level.tuned_alpha > 0.5 else "left",
            text=f"&nbsp;α of training, {level.tuned_alpha:.3f}&nbsp;",
            showarrow=False,
            font={"color": palette.muted},
        )
    figure.add_hline(
        y=100 * choice.tolerance,
        line={"color": palette.text, "width": 1.5 * scale, "dash": "longdash"},
        row=1,
        col=1,
    )
    figure.add_annotation(
        x=1,
        xref="x domain",
        y=100 * choice.tolerance,
        yref="y",
        xanchor="right",
        yanchor="bottom",
        text=f"allowed: {100 * choice.tolerance:.3g} %",
        showarrow=False,
        bgcolor=palette.background,
    )


def filter_curves(rows, tuned, palette, *, split="test", is_zoomed=True, scale=1.0, height=480):
    """Words that lose their truth against n-grams kept, one panel a level, one line a method.

    Parameters
    ----------
    rows : list of dict
        Rows of ocr-sweep of one feature set.
    tuned : dict of int to list of dict
        By level, from `spcviz.experiments.sweep.tuned_on_dev`: marked on the lines.
    palette : Palette
    split : {"dev", "test"}
    is_zoomed : bool
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    levels = sorted({row["level"] for row in rows}) or [1]
    figure = make_subplots(
        cols=len(levels),
        subplot_titles=[f"Level {n}: {grams(n)}" for n in levels],
        horizontal_spacing=0.11,
    )
    first_fold = min((row["fold"] for row in rows), default=0)
    for row in (row for row in rows if row["split"] == split):
        role, mark = _METHOD_STYLE.get(row["method"], ("pruned", "x"))
        name, colour = METHODS.get(row["method"], row["method"]), getattr(palette, role)
        is_first = row["fold"] == first_fold
        col = levels.index(row["level"]) + 1
        line = {"color": colour, "width": (2.4 if is_first else 1) * scale, "shape": "hv"}
        figure.add_trace(
            go.Scatter(
                x=row["efficiency_loss"],
                y=row["filter_loss"],
                customdata=row["alpha"],
                name=name,
                legendgroup=row["method"],
                showlegend=is_first and col == 1,
                mode="lines",
                line=line,
                hovertemplate=(
                    "%{x:.1f} % kept, %{y:.2f} % of words lose their truth<br>α = %{customdata:.4g}"
                    f"<extra>{name}, fold {row['fold']}</extra>"
                ),
            ),
            1,
            col,
        )
        for at in tuned.get(row["level"], ()):
            if is_first and at["method"] == row["method"] and at["alpha"] is not None:
                figure.add_trace(_tuned_mark(at, split, colour, mark, palette, scale), 1, col)
    for col in range(1, len(levels) + 1):
        figure.update_xaxes(title_text="n-grams kept, % (fewer is faster)", range=[0, 101], row=1, col=col)
        figure.update_yaxes(range=[0, 10 if is_zoomed else 100], row=1, col=col)
    figure.update_yaxes(title_text=f"words that lose their truth, %<br>({SPLITS[split]})", row=1, col=1)
    dress(figure, palette, scale=scale, height=height)
    size = round(14 * scale)
    figure.update_layout(hovermode="closest", margin={"l": round(5.5 * size), "t": 5 * size})
    return figure


def _tuned_mark(at, split, colour, mark, palette, scale):
    name = METHODS.get(at["method"], at["method"])
    return go.Scatter(
        x=[at[f"{split}_efficiency_loss"]],
        y=[at[f"{split}_filter_loss"]],
        mode="markers",
        marker={
            "size": 12 * scale,
            "symbol": mark,
            "color": colour,
            "line": {"color": palette.background, "width": 2 * scale},
        },
        name=f"{name}: tuned",
        legendgroup=at["method"],
        showlegend=False,
        hovertemplate=f"tuned on dev words: %{{x:.1f}} % kept, %{{y:.2f}} % lost<extra>{name}</extra>",
    )


def bound_terms(bound, palette, *, scale=1.0, height=400):
    """Each term of Theorem 1 on a logarithmic axis, for both losses, against 1.

    Parameters
    ----------
    bound : SweepBound
    palette : Palette
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    labels = (
        "<b>the bound</b>: sum of the three",
        "3. luck of the draw",
        "2. room for every possible filter",
        "1. measured with a margin",
        "measured, no margin",
    )
    figure = go.Figure()
    smallest = 1e-4
    for name, terms, colour, mark in (
        ("words that lose their truth", bound.filter_loss, palette.lost, "circle-open"),
        ("n-grams kept", bound.efficiency_loss, palette.kept, "diamond"),
    ):
        values = np.array([terms.total, terms.confidence, terms.complexity, terms.empirical, terms.measured])
        figure.add_trace(
            go.Scatter(
                x=np.maximum(values, smallest),
                y=labels,
                customdata=values,
                name=name,
                mode="markers",
                marker={
                    "size": (18 if mark == "circle-open" else 9) * scale,
                    "color": colour,
                    "symbol": mark,
                    "line": {"width": 3 * scale if mark == "circle-open" else 0},
                },
                hovertemplate=f"%{{customdata:.4g}}<extra>{name}</extra>",
            )
        )
    top = max(bound.filter_loss.total, bound.efficiency_loss.total, 10.0)
    figure.add_vrect(x0=1, x1=10 * top, fillcolor=palette.pruned, opacity=0.16, line_width=0, layer="below")
    figure.add_vline(x=1, line={"color": palette.text, "width": 2 * scale})
    figure.add_annotation(
        x=0,
        y=1,
        yref="y domain",
        xanchor="left",
        yanchor="bottom",
        text="&nbsp;1: no loss can be larger, so a bound in the grey says nothing",
        showarrow=False,
    )
    low = np.log10(smallest) - 0.2
    figure.update_xaxes(type="log", range=[low, np.log10(top) + 0.7], dtick=1, exponentformat="power")
    figure.update_yaxes(range=[-0.6, 4.6], showgrid=True)
    dress(figure, palette, scale=scale, height=min(height, round(400 * scale)))
    size = round(14 * scale)
    figure.update_layout(margin={"l": round(17 * size), "t": 5 * size})
    return figure
