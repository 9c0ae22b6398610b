"""What all charts share: colours of the theme, letter sizes, a quiet grid."""

DASHES = {"test": "solid", "dev": "dot", "measured": "solid", "paper": "dash", "dense": "dash"}
"""Line style by what a number is from: colour says what, style says whence."""

CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}
"""For `st.plotly_chart`: export as a picture, zoom, reset."""


def dress(figure, palette, *, scale=1.0, height=460):
    """Give a figure the house's looks, in place.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    palette : Palette
    scale : float
        1 on a desk, about 1.7 on a projector.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    size = round(14 * scale)
    figure.update_layout(
        font={"family": "Source Sans Pro, Source Sans, sans-serif", "size": size, "color": palette.text},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        height=height,
        margin={"l": 5 * size, "r": round(1.5 * size), "t": 4 * size, "b": round(3.6 * size)},
        hoverlabel={
            "bgcolor": palette.surface,
            "bordercolor": palette.border,
            "font": {"color": palette.text, "size": size},
        },
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": size},
            "itemsizing": "trace",
        },
        modebar={
            "orientation": "v",
            "bgcolor": "rgba(0,0,0,0)",
            "color": palette.muted,
            "activecolor": palette.accent,
        },
        dragmode="zoom",
    )
    axis = {
        "gridcolor": palette.border,
        "zeroline": False,
        "linecolor": palette.muted,
        "ticks": "outside",
        "tickcolor": palette.muted,
        "title": {"standoff": round(0.6 * size), "font": {"size": size}},
    }
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_annotations(font={"size": size})
    return figure
