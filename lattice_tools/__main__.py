"""``python -m lattice_tools``: the command line."""

from lattice_tools.cli import main

if __name__ == "__main__":
    main(prog_name="lattice-tools")
