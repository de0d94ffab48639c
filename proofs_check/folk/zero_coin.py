"""folk.zero-coin: of the coins 0, 1/N, … the one that is 0 is at most every c, and below none that is 0."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, le
from simspec.claims.folk.zero_coin import GRID, ZERO_COIN, ZERO_COIN_CORRECTED

n = sp.Symbol("n", integer=True, nonnegative=True)
N = sp.Symbol("N", integer=True, positive=True)
PASSES = "b says which coins n/N are below c"
ZERO = "z is 1 only where c is 0"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every c from 0 to 1 and every number of coins.

    The first is approached from c just above a multiple of 1/N; the second is attained on the multiples.
    """
    c = d.number("c", 0, 1)
    b, S, v = (sp.IndexedBase(name, real=True) for name in ("b", "S", "v"))
    z = sp.Symbol("z", real=True)
    lowest, next_ = d.recursion("the coins, times N", eq(v[0], 0), eq(v[n + 1], v[n] + 1))
    coin_is_index = d.inductive("coin n is n/N", eq(v[n], n), n, [lowest], [next_])
    bit, below, above = d.domain(
        PASSES,
        eq(b[n] * (1 - b[n]), 0),
        gt(b[n] * (c * N - v[n]) + (1 - b[n]), 0),
        ge((1 - b[n]) * (v[n] - c * N), 0),
    )
    flag, zero = d.domain(ZERO, eq(z * (1 - z), 0), eq(z * c, 0))
    none, count_step = d.recursion("coins below c among the first n", eq(S[0], 0), eq(S[n + 1], S[n] + sign * b[n]))
    all_ = d.inductive("no more than there are", le(S[n], v[n]), n, [none, lowest], [count_step, next_, bit], by="smt")
    bound_positive = d.derive("something", gt(c * N + 1, 0))
    upper = d.inductive(
        "one more than cN at most",
        gt(c * N + 1, S[n]),
        n,
        [none, bound_positive],
        [count_step, bit, below, all_],
        by="smt",
    )
    lower_bound = ge(S[n], sp.Min(v[n], c * N))
    lower = d.inductive("no fewer", lower_bound, n, [none, lowest], [count_step, next_, bit, above], by="smt")
    natural = d.inductive("coins are not negative", ge(v[n], 0), n, [lowest], [next_])
    nothing = le(z * S[n], 0)
    nothing = d.inductive("none below 0", nothing, n, [none], [count_step, bit, below, flag, zero, natural], by="smt")
    upper, lower, nothing = (d.instantiate("of all coins", f, {n: N}) for f in (upper, lower, nothing))
    coin_is_index = d.instantiate("of all coins", coin_is_index, {n: N})
    d.qed(
        d.derive("one more at most", le(S[N] / N - c, 1 / (constant * N)), upper),
        d.derive("no fewer", le(c - S[N] / N, 0), lower, coin_is_index),
        d.derive("none", le(z * S[N] / N, 0), nothing),
    )


def _values(c: Any, grid: int) -> dict[str, Any]:
    return {"c": c, "N": grid, "b": lambda at: int(at < c * grid), "z": int(c == 0), "ranges": {"n": range(grid)}}


PROOFS = (
    Refutation(
        ZERO_COIN,
        lambda: ({"c": F(0), "grid": GRID},),
        scope="a token with p = 0, the only instance: the coin 0 accepts it, once in 2²⁴",
        repaired={"u < c": ZERO_COIN_CORRECTED},
    ),
    Proof(ZERO_COIN_CORRECTED, prove, drop=PASSES, bind=_values),
)
