"""Prepares docstrings, which are written for readers of the code, for reStructuredText."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

#: Constants have no docstring of their own.
CONSTANTS = {
    "optuna_bkop.PAPER_SETTINGS": "Keyword arguments of `BKOPSampler`: the plain settings of the "
    "paper, with which it is Algorithm 2 as printed. With a positive ``noise_var`` instead of 0 "
    "it is Algorithm 4.",
    "lattice_tools.METHODS": "Maps the names that `build` takes to the constructions.",
}


def prepare(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Keep bars of absolute values and norms: in reStructuredText they would be substitutions."""
    if name in CONSTANTS:
        lines[:] = [CONSTANTS[name]]
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
