"""The picture of two coordinates; that it looks right is for eyes, these are its contents."""

import sys

import numpy as np
import pytest

from lattice_tools import Rank1Lattice
from lattice_tools.plot import image, plot_points

LATTICE = Rank1Lattice(100, (1, 45, 20))


def panels(**options):
    figure = plot_points(LATTICE.points(), **options)
    return figure.axes


def test_both_panels_show_as_many_points():
    left, right = panels(name="lattice points")
    assert left.get_title().startswith("100 lattice points\nminimum distance 0.102")
    assert right.get_title().startswith("100 random points\n")
    for ax in (left, right):
        _, dots = ax.collections
        assert len(dots.get_offsets()) == 100


def test_discs_of_a_lattice_have_its_packing_radius():
    left, right = panels()
    plane = Rank1Lattice(100, (1, 45))
    widths = left.collections[0].get_widths()
    np.testing.assert_allclose(widths, 2 * plane.packing_radius)
    assert np.ptp(right.collections[0].get_widths()) > 0.05


def test_the_pair_of_coordinates_is_chosen():
    left, _ = panels(pair=(3, 1))
    np.testing.assert_array_equal(left.collections[1].get_offsets(), LATTICE.points()[:, [2, 0]])
    assert (left.get_xlabel(), left.get_ylabel()) == ("coordinate 3", "coordinate 1")


@pytest.mark.parametrize(
    ("format", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_images_are_made_without_a_display(format, magic, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    assert image(plot_points(LATTICE.points()), format).startswith(magic)


def test_a_plot_leaves_pyplot_and_its_windows_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert image(plot_points(LATTICE.points()), "png")


def test_points_that_coincide_can_be_drawn():
    assert image(plot_points([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]), "png")


@pytest.mark.parametrize("pair", [(1, 1), (0, 1), (1, 4), (-1, 2)])
def test_a_pair_that_does_not_exist_is_refused(pair):
    with pytest.raises(ValueError, match=f"from 1 to 3, got {pair[0]},{pair[1]}"):
        plot_points(LATTICE.points(), pair)


def test_one_coordinate_cannot_be_drawn():
    with pytest.raises(ValueError, match="at least two coordinates"):
        plot_points([[0.1], [0.2]])


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="one of png, pdf, svg, got 'gif'"):
        image(plot_points(LATTICE.points()), "gif")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'optuna-bkop\[plot\]'"):
        plot_points(LATTICE.points())
