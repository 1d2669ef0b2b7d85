"""Draws the plots with plotly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop.plots._contents import (
    BLACK,
    COLOURS,
    GREY,
    AxisName,
    Batches,
    RegretLines,
    Slices,
)
from optuna_bkop.plots._fronts import Front, HypervolumeHistory

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: Figures are this many pixels wide per panel of slices.
_PANEL_WIDTH = 320


def regret_figure(content: RegretLines) -> Figure:
    """Return a figure of regret against trials."""
    go = _graph_objects()
    figure = go.Figure()
    for line in content.lines:
        figure.add_scatter(
            x=line.x,
            y=line.y,
            name=line.name,
            mode="lines" if line.is_dashed else "lines+markers",
            line={"color": line.colour, "dash": "dash" if line.is_dashed else "solid"},
            marker={"size": 5},
            showlegend=line.is_named,
        )
    figure.update_layout(title=content.title, template="plotly_white")
    figure.update_xaxes(title=content.x_label)
    figure.update_yaxes(title=content.y_label, type="log", exponentformat="power")
    return figure


def batches_figure(content: Batches) -> Figure:
    """Return a figure of batches in the plane of two parameters."""
    go = _graph_objects()
    from plotly.colors import sample_colorscale

    figure = go.Figure()
    hollow = {"size": 8, "color": "white", "line": {"color": GREY, "width": 1}}
    _add_points(figure, content.lone, "in no plan", hollow)
    for k, points in enumerate(content.planned):
        colour = sample_colorscale("viridis", 1.0 - content.shade(k))[0]
        # One line from point to centre to point: gaps are NaN.
        centre = np.broadcast_to(points.mean(axis=0), points.shape)
        gap = np.full(points.shape, np.nan)
        star = np.stack([centre, points, gap], axis=1).reshape(-1, 2)
        figure.add_scatter(
            x=star[:, 0],
            y=star[:, 1],
            mode="lines",
            line={"color": colour, "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
        _add_points(figure, points, f"batch {k + 1}", {"size": 8, "color": colour})
    if content.best is not None:
        star_marker = {"size": 16, "color": COLOURS[1], "symbol": "star"}
        _add_points(figure, content.best[None], "best", star_marker)
    _name_axis(figure.update_xaxes, content.axes[0])
    _name_axis(figure.update_yaxes, content.axes[1])
    figure.update_layout(title=content.title, template="plotly_white")
    return figure


def hypervolume_figure(content: HypervolumeHistory) -> Figure:
    """Return a figure of the hypervolume against trials, with a line where a batch begins."""
    go = _graph_objects()
    figure = go.Figure()
    line = {"color": COLOURS[0], "shape": "hv"}
    figure.add_scatter(x=content.x, y=content.y, name="hypervolume", mode="lines", line=line)
    for start in content.starts.tolist():
        figure.add_vline(x=start, line={"color": GREY, "width": 0.5, "dash": "dot"})
    figure.update_layout(title=content.title, template="plotly_white")
    figure.update_xaxes(title="trials")
    figure.update_yaxes(title="hypervolume")
    return figure


def front_figure(content: Front) -> Figure:
    """Return a figure of the front in the plane of two objectives."""
    go = _graph_objects()
    figure = go.Figure()
    _add_points(figure, content.trials, "trials", {"size": 6, "color": GREY, "opacity": 0.6})
    _add_points(figure, content.front, "front", {"size": 9, "color": COLOURS[0]})
    if len(content.coming):
        bars = {
            f"error_{axis}": {
                "type": "data",
                "symmetric": False,
                "array": np.abs(content.upper - content.coming)[:, k],
                "arrayminus": np.abs(content.coming - content.lower)[:, k],
                "width": 2,
                "thickness": 0.8,
            }
            for k, axis in enumerate("xy")
        }
        diamond = {"size": 9, "color": COLOURS[1], "symbol": "diamond"}
        _add_points(figure, content.coming, "running, as expected", diamond, **bars)
    figure.update_layout(title=content.title, template="plotly_white")
    figure.update_xaxes(title=content.labels[0])
    figure.update_yaxes(title=content.labels[1])
    return figure


def slices_figure(content: Slices) -> Figure:
    """Return a figure with one panel per parameter."""
    _graph_objects()
    from plotly.subplots import make_subplots

    n = len(content.panels)
    figure = make_subplots(rows=1, cols=n, shared_yaxes=True)
    for k, panel in enumerate(content.panels, start=1):
        place = {"row": 1, "col": k, "showlegend": k == 1}
        band = {"line": {"width": 0}, "hoverinfo": "skip", "mode": "lines"}
        figure.add_scatter(x=panel.x, y=panel.lower, name="band", **band, **(place | _hidden))
        figure.add_scatter(
            x=panel.x,
            y=panel.upper,
            name="band",
            fill="tonexty",
            fillcolor="rgba(0, 114, 178, 0.2)",
            **band,
            **place,
        )
        figure.add_scatter(
            x=panel.x,
            y=panel.mean,
            name="mean",
            line={"color": COLOURS[0]},
            mode="lines+markers" if panel.axis.choices else "lines",
            **place,
        )
        dot = {"size": 5, "color": BLACK, "opacity": 0.6}
        _add_points(figure, panel.trials, "trials", dot, **place)
        star = {"size": 14, "color": COLOURS[1], "symbol": "star"}
        _add_points(figure, panel.best[None], "best", star, **place)
        _name_axis(figure.update_xaxes, panel.axis, row=1, col=k)
    figure.update_yaxes(range=list(content.y_range))
    figure.update_yaxes(title=content.y_label, col=1)
    width = max(2, n) * _PANEL_WIDTH
    figure.update_layout(title=content.title, template="plotly_white", width=width)
    return figure


_hidden = {"showlegend": False}


def _add_points(
    figure: Figure, points: FloatArray, name: str, marker: dict[str, Any], **place: Any
) -> None:
    figure.add_scatter(
        x=points[:, 0], y=points[:, 1], name=name, mode="markers", marker=marker, **place
    )


def _name_axis(update: Any, axis: AxisName, **place: Any) -> None:
    update(title=axis.label, **place)
    if axis.choices:
        update(tickvals=list(range(len(axis.choices))), ticktext=list(axis.choices), **place)


def _graph_objects() -> Any:
    try:
        from plotly import graph_objects
    except ImportError:
        raise ImportError(
            "Plots need plotly: pip install 'optuna-bkop[plot]'. "
            "`optuna_bkop.plots.matplotlib` has the same plots with matplotlib."
        ) from None
    return graph_objects
