"""Workers on one study with two objectives: killed, and in rounds."""

from __future__ import annotations

from click.testing import CliRunner

from benchmarks.coordination.__main__ import main


def table(*options: str) -> dict[str, str]:
    """Return the row that a command prints for SQLite."""
    done = CliRunner().invoke(main, [*options, "--storage", "sqlite", "--objectives", "2"])
    assert done.exit_code == 0, done.output
    header, row = (line.split() for line in done.stdout.splitlines() if line.strip())
    return dict(zip(header, row, strict=True))


def test_killed_workers_lose_nothing() -> None:
    row = table("kills", "--workers", "2", "--trials", "14", "--every", "1", "--dim", "2")
    assert int(row["finished"]) >= 14
    assert [row[k] for k in ("gap_free", "equal_params", "exceptions", "broken")] == [
        "True",
        "0",
        "0",
        "0",
    ]


def test_rounds_are_joint_plans() -> None:
    row = table("rounds", "--workers", "3", "--rounds", "2", "--jitter", "0.1")
    assert row["joint"] == row["rounds"] == "2"
