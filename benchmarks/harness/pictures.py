"""The look of the benchmarks' pictures."""

from __future__ import annotations

from matplotlib.axes import Axes

#: The colours of Okabe and Ito (2008), distinguishable with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


def style(axes: Axes) -> None:
    """Draw a light grid behind the data, and no frame at the top and at the right."""
    axes.grid(True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
