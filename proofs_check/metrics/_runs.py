"""A run of N verify steps: step s drafts g[s] tokens and accepts a[s] of them; at[s, k] is 1 where it accepts at least k."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, index, total

__all__ = ["COUNTS", "N", "Positions", "accepts", "k", "numbers", "positions", "s", "summed"]

N = sp.Symbol("N", integer=True, positive=True)
G = sp.Symbol("G", integer=True, positive=True)
s = index("s")
k = index("k")
COUNTS = "a step accepts as many drafts as there are positions that it gets over"


def summed(b: Any) -> Any:
    """The sum over the steps."""
    return total(b[s], s, upto=N)


class Positions(NamedTuple):
    """Σ_l at[s, k] = a[s], and the sum over the steps of both sides."""

    at: Any
    G: Any
    counts: Fact
    together: Fact


def positions(d: Derivation, a: Any) -> Positions:
    at = d.weights("at", s, k)
    counts = d.domain(COUNTS, eq(total(at[s, k], k, upto=G), a[s]))
    return Positions(at, G, counts, d.sum("over the steps", counts, s, upto=N))


def accepts(accepted: Any, most: int) -> list[list[int]]:
    """at[s][k] of an instance."""
    return [[int(x >= i) for i in range(1, most + 1)] for x in accepted]


def numbers(accepted: Any, drafted: Any = None, **more: Any) -> dict[str, Any]:
    """What every proof about a run binds."""
    ranges = {"s": range(1, len(accepted) + 1), **more.pop("ranges", {})}
    return {"a": accepted, "g": drafted, "N": len(accepted), "V": 1, **more, "ranges": ranges}
