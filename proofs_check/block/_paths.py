"""All drafts, each a token x of a vocabulary of drafts: weight w[x], and along it the ratios p/q and what rules keep.

After n drafts R is the product of the ratios, r what block verification keeps at least, t what token verification does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, x
from simspec.claims.block.parts import paths
from simspec.laws import Array

__all__ = ["Paths", "along", "n", "size", "walked"]

n, size = sp.symbols("n size", integer=True, nonnegative=True)


class Paths(NamedTuple):
    """Names; how each sequence begins and goes on; ranges of all of them."""

    w: Any
    rho: Any
    R: Any
    r: Any
    t: Any
    products: tuple[Fact, Fact]
    block: tuple[Fact, Fact]
    token: tuple[Fact, Fact]
    ranges: tuple[Fact, ...]


def walked(d: Derivation, constant: int = 1) -> Paths:
    """0 ≤ t ≤ r ≤ min(1, R) after any number of drafts."""
    w = d.weights("w")
    rho = d.weights("rho", n, x)
    R, r, t = (sp.IndexedBase(name, real=True) for name in ("R", "r", "t"))
    ratio = rho[n, x]
    products = d.recursion("products of the ratios", eq(R[0, x], 1), eq(R[n + 1, x], R[n, x] * ratio))
    cut = sp.Min(1, constant * r[n, x] * ratio)
    block = d.recursion("what the block keeps", eq(r[0, x], 1), eq(r[n + 1, x], cut))
    token = d.recursion("kept one by one", eq(t[0, x], 1), eq(t[n + 1, x], t[n, x] * sp.Min(1, ratio)))
    some = d.derive("a ratio", ge(ratio, 0))
    nonnegative = d.inductive("t is not negative", ge(t[n, x], 0), n, [token[0]], [token[1], some], by="smt")
    at_most_one = d.inductive(
        "t is at most one", le(t[n, x], 1), n, [token[0]], [token[1], some, nonnegative], by="smt"
    )
    above = d.inductive(
        "r is at least t",
        ge(r[n, x], t[n, x]),
        n,
        [token[0], block[0]],
        [token[1], block[1], some, nonnegative, at_most_one],
        by="smt",
    )
    block_at_most_one = d.inductive("r is at most one", le(r[n, x], 1), n, [block[0]], [block[1]], by="smt")
    under = d.inductive(
        "r is at most R", le(r[n, x], R[n, x]), n, [block[0], products[0]], [block[1], products[1], some], by="smt"
    )
    return Paths(
        w=w,
        rho=rho,
        R=R,
        r=r,
        t=t,
        products=products,
        block=block,
        token=token,
        ranges=(nonnegative, at_most_one, above, block_at_most_one, under, some),
    )


def along(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    """Every draft that the draft model can make."""
    all_paths = list(paths(p, q, gamma))
    return {
        **{"w": [path.weight for path in all_paths], "V": len(all_paths), "size": gamma},
        **{"rho": lambda at, k: all_paths[k - 1].steps[at] if at < gamma else 1 + 0 * all_paths[0].weight},
        "ranges": {"n": range(gamma)},
    }
