r"""Confidence sequences compared: how wide each interval is at a number of rows, and what "valid at every stop" costs.

``python -m benchmarks.widths PAGE`` writes the table between the markers of a page, from one run of each law
with a fixed key.  Whether the sequences hold is for `simspec.engine.estimates.sequences` and its tests.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.limits import asymptotic
from simspec.engine.estimates.sequences import beta_binomial, betting, empirical_bernstein
from simspec.engine.estimates.statistics import SCALE
from simspec.files import fill, write_file
from simspec.kernels import random as philox
from simspec.laws import Array

__all__ = [
    "LAWS",
    "PART",
    "SIZES",
    "half_widths",
    "main",
    "rows_of_coins",
    "table",
]

PART = "widths"
SIZES = tuple(10**k for k in range(2, 8))
"""Rows at which widths are compared."""
BLOCKS = 100_000
"""Most blocks: one row each where there are no more, which is what betting wants."""
LAWS: dict[str, Callable[[Array], Array]] = {
    "coins, 0.3": lambda u: u < 0.3,
    "rare coins, 0.01": lambda u: u < 0.01,
    "rates, uniform on [0.45, 0.55]": lambda u: 0.45 + 0.1 * u,
}
"""Quantile functions."""


def rows_of_coins(half_width: float, share: float, level: float = 0.95) -> int:
    """Coins after which the beta-binomial sequence is so narrow, where the share of heads is what it should be.

    >>> rows_of_coins(0.01, 0.5) // 1000
    42
    """

    def narrow(n: int) -> bool:
        low, high = beta_binomial(np.array([n]), np.array([round(n * share)]), level)
        return bool((high[0] - low[0]) / 2 <= half_width)

    upper_count = 1
    while not narrow(upper_count):
        upper_count *= 2
    return (
        bisect_left(range(upper_count), True, lo=upper_count // 2 + 1, key=narrow) if upper_count > 1 else upper_count
    )


def half_widths(law: Callable[[Array], Array], rows: int, level: float = 0.95) -> dict[str, float]:
    """Half-widths after the first rows of a law: of the sequences, each at all its prefixes, and of Student's interval once.

    A law of rates is also counted by coins, one with each rate: that is what the beta-binomial column then is.

    >>> {name: round(width, 2) for name, width in half_widths(LAWS["coins, 0.3"], 1000).items()}
    {'empirical Bernstein': 0.06, 'betting': 0.05, 'beta-binomial': 0.05, 'asymptotic': 0.04, 'Student t': 0.03}
    """
    (special,) = needs("an interval", "scipy.special")
    x = law(philox.uniform(philox.make_key(0, PART, {}), range(rows), [0])[:, 0]).astype(np.float64)
    units = np.rint(x * SCALE).reshape(min(rows, BLOCKS), -1)
    n = np.full(len(units), units.shape[1])
    sums, squares = (v.sum(axis=1).astype(np.int64) for v in (units, np.rint(units * (units / SCALE))))
    heads = round(float(x.sum()))
    half = float(special.stdtrit(rows - 1, (1 + level) / 2)) * float(x.std(ddof=1)) / math.sqrt(rows)
    sequences = {
        "empirical Bernstein": empirical_bernstein(n, sums, squares, level),
        "betting": betting(n, sums, level),
        "beta-binomial": beta_binomial(np.array([rows]), np.array([heads]), level),
        "asymptotic": asymptotic(n, sums, squares, level, best=rows),
    }
    return {name: float(high[-1] - low[-1]) / 2 for name, (low, high) in sequences.items()} | {"Student t": half}


def table(sizes: Sequence[int] = SIZES) -> str:
    """Markdown table: for each law and number of rows the half-widths, and the narrowest valid one over Student's.

    >>> print(table([100]).splitlines()[0])
    | law | rows | empirical Bernstein | betting | beta-binomial | asymptotic | Student t | price |
    """
    lines: list[str] = []
    for name, law in LAWS.items():
        for rows in sizes:
            widths = half_widths(law, rows)
            if not lines:
                lines += [
                    "| " + " | ".join(["law", "rows", *widths, "price"]) + " |",
                    "|---|" + "---:|" * (len(widths) + 2),
                ]
            valid = min(widths[kind] for kind in ("empirical Bernstein", "betting", "beta-binomial"))
            cells = [
                name,
                f"{rows:,}",
                *(f"{width:.2g}" for width in widths.values()),
                f"{valid / widths['Student t']:.1f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the table of the pages named on the command line."""
    for name in sys.argv[1:] if argv is None else argv:
        page = Path(name)
        write_file(page, fill(page.read_text(encoding="utf-8"), PART, table()).encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
