"""Prepares docstrings, which are written for readers of the code, for reStructuredText."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a test reads the constants without Sphinx
    from sphinx.application import Sphinx

#: Constants have no docstring of their own.
CONSTANTS = {
    "optuna_bkop.PAPER_SETTINGS": """\
Keyword arguments of `BKOPSampler`: the plain settings of the paper, with which it is Algorithm 2
as printed. With a positive ``noise_var`` instead of 0 it is Algorithm 4.

>>> from optuna_bkop import PAPER_SETTINGS, BKOPSampler
>>> sampler = BKOPSampler(**PAPER_SETTINGS, seed=0)
>>> sampler = BKOPSampler(**{**PAPER_SETTINGS, "noise_var": 0.01}, seed=0)
>>> PAPER_SETTINGS["acquisition_form"], PAPER_SETTINGS["maximizer"]
('rms', 'cma')
""",
    "lattice_tools.METHODS": """\
Maps the names that `build` takes to the constructions.

>>> from lattice_tools import METHODS
>>> METHODS["korobov"](101, 2).base_vector
(1, 30)
""",
}


def prepare(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Keep bars of absolute values and norms: in reStructuredText they would be substitutions."""
    if name in CONSTANTS:
        lines[:] = CONSTANTS[name].splitlines()
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            # Text between double backticks is code already.
            parts = re.split(r"(``.*?``)", line)
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[number] = "".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("autodoc-process-docstring", prepare)
    return {"parallel_read_safe": True}
