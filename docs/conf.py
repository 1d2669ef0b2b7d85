"""Settings of the documentation: ``sphinx-build -W docs html`` with the extra ``docs``."""

import sys
from pathlib import Path

from optuna_bkop import __version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "optuna-bkop"
author = "The optuna-bkop authors"
copyright = f"2026, {author}"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "docstrings",
    "run_scripts",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 4

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
# A name in backticks in a docstring is a link to its page, where it has one.
default_role = "py:obj"

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"optuna-bkop {version}"
html_theme_options = {
    "source_repository": "https://github.com/optuna-bkop/optuna-bkop/",
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#0b5fa5", "color-brand-content": "#0b5fa5"},
    "dark_css_variables": {"color-brand-primary": "#7ab8ea", "color-brand-content": "#7ab8ea"},
}
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sourcelink = False
