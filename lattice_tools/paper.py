"""Tables 1-3 of Lyu, Yuan and Tsang: minimum distances (2 ρ_X) as printed, to compare with."""

from __future__ import annotations

__all__ = ["printed"]

#: The cells' sizes and dimensions.
PAPER_POINTS = (1000, 2000, 3000)
PAPER_DIMS = (10, 20, 30, 40, 50)

#: The tables' rows, as the methods of `build` with the options that the paper used.
PAPER_METHODS: dict[str, dict[str, object]] = {
    "alg6": {},
    "korobov": {},
    "scs": {"units_only": True},
    "alg7": {},
}

#: (method, N) -> the printed values for d = 10, 20, 30, 40, 50.
_PRINTED = {
    ("alg6", 1000): ("0.59632", "1.0051", "1.3031", "1.5482", "1.7571"),
    ("korobov", 1000): ("0.56639", "0.90139", "1.0695", "1.2748", "1.3987"),
    ("scs", 1000): ("0.60224", "1.0000", "1.2247", "1.4142", "1.5811"),
    ("alg7", 1000): ("0.62738", "1.0472", "1.3620", "1.6175", "1.8401"),
    ("alg6", 2000): ("0.54658", "0.95561", "1.2595", "1.4996", "1.7097"),
    ("korobov", 2000): ("0.51536", "0.80039", "0.96096", "1.1319", "1.2506"),
    ("scs", 2000): ("0.57112", "0.98420", "1.2247", "1.4142", "1.5811"),
    ("alg7", 2000): ("0.58782", "1.0144", "1.3221", "1.5758", "1.8029"),
    ("alg6", 3000): ("0.53359", "0.93051", "1.2292", "1.4696", "1.7009"),
    ("korobov", 3000): ("0.50000", "0.67185", "0.82285", "0.95015", "1.0623"),
    ("scs", 3000): ("0.52705", "0.74536", "0.91287", "1.0541", "1.1785"),
    ("alg7", 3000): ("0.56610", "0.98601", "1.2979", "1.5553", "1.7771"),
}


def printed(method: str, n_points: int, dim: int) -> str | None:
    """Return the minimum distance that Lyu, Yuan and Tsang printed in their Tables 1-3.

    Args:
        method: "alg6", "korobov", "scs" or "alg7".
        n_points: The number of points N; the tables have 1000, 2000 and 3000.
        dim: The dimension d; the tables have 10, 20, 30, 40 and 50.

    Returns:
        The digits as printed, or None if the tables have no such cell.

    Example:
        >>> printed("alg6", 1000, 10), printed("alg6", 1001, 10)
        ('0.59632', None)
    """
    row = _PRINTED.get((method, n_points))
    return row[PAPER_DIMS.index(dim)] if row is not None and dim in PAPER_DIMS else None


def as_printed(value: float, like: str) -> str:
    """Return ``value`` as text, with as many decimals as the printed number ``like`` has."""
    return f"{value:.{len(like.partition('.')[2])}f}"
