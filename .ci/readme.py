"""Run the README's Python blocks and its lattice-tools commands with what is installed.

    python .ci/readme.py README.md

Run it outside the repository, so that the installed packages are imported and not the folders.
"""

import re
import subprocess
import sys
from pathlib import Path

import lattice_tools
import optuna_bkop

text = Path(sys.argv[1]).read_text(encoding="utf-8")
blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
commands = re.findall(r"^\$ (lattice-tools .*)$", text, re.M)
if not blocks or not commands:
    sys.exit("The README has no Python, or no command of lattice-tools.")
if "site-packages" not in optuna_bkop.__file__:
    sys.exit(f"Not the installed package: {optuna_bkop.__file__}")
if optuna_bkop.__version__ != lattice_tools.__version__:
    sys.exit("The two packages have different versions.")

for number, block in enumerate(blocks):
    print(f"+ README, block {number}", flush=True)
    exec(compile(block, f"README, block {number}", "exec"), {"__name__": "readme"})
for command in commands:
    print(f"+ {command}", flush=True)
    subprocess.run(command, shell=True, check=True)
