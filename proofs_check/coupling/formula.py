"""coupling.formula: the two races in the ratio u of their times, and integrals over the pieces between the ratios p/q.

X = x and Y = y for x ≠ y have together the density q_x p_y / M(u)² at every u between the ratios of x and y, with M(u) = Σ max(q
u, p); a token of mass p_y wins both with p_y / M(p_y/q_y).  A token has begun where u is beyond its ratio.  On a piece 1/M falls
by the mass of q that has begun, and u/M rises by the mass of p that has not, each times the piece of ∫ 1/M².
"""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.coupling._race import quotient, values
from proofs_check.language import Derivation, Proof, eq, index, total, x, y
from simspec.claims.coupling.formula import FORMULA

PIECES = "on a piece 1/M falls and u/M rises by what has begun and what has not, times the integral of 1/M²"
WHOLE = "over all pieces from the ratio of a token on, 1/M falls to 0 and u/M rises to 1"
WINS = "1/Σ max(p_i/p_j, q_i/q_j), as a quotient"
LEVEL = "1/M at the ratio of y"
k = index("k")
N = sp.Symbol("N", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, from the joint density of the races and its integrals over the pieces, which are given."""
    (p, _), (q, _) = d.law("p"), d.law("q")
    on, w, at = d.weights("on", x, k), d.weights("w", k), d.weights("at", x)
    fall, rise = sp.IndexedBase("fall", real=True), sp.IndexedBase("rise", real=True)
    falls, rises = d.domain(
        PIECES,
        eq(total(q[x] * on[x, k], x) * w[k], fall[k]),
        eq(total(p[y] * (1 - on[y, k]), y) * w[k], sign * rise[k]),
    )
    part, whole, rest = d.domain(
        WHOLE,
        eq(total(on[x, k] * fall[k], k, upto=N), at[x]),
        eq(total(fall[k], k, upto=N), constant),
        eq(q[x] * total(on[x, k] * rise[k], k, upto=N), q[x] - p[x] * at[x]),
    )
    level = d.domain(LEVEL, eq(at[y] * total(sp.Max(p[x] * q[y], q[x] * p[y]), x), q[y]))
    larger = total(sp.Max(p[x] * q[y], q[x] * p[y]), x)
    wins = quotient(d, "wins", WINS, p[y] * q[y], larger, p, q)
    D = sp.IndexedBase("D", real=True)
    short = d.define("the sum of the larger products", D[y], larger)
    in_short = [
        d.derive("in short", f.relation.replace({larger: D[y]}), f, short, by="smt") for f in (level, *wins.facts)
    ]
    same = d.smt("both races", eq(p[y] * at[y], wins.m[y]), *in_short)

    apart = on[x, k] * (1 - on[y, k]) * w[k]
    drafts = d.derive("y after x", eq(on[x, k] * total(p[y] * (1 - on[y, k]), y) * w[k], on[x, k] * rise[k]), rises)
    drafts = d.sum("over the pieces", drafts, k, upto=N)
    row = total(q[x] * p[y] * total(apart, k, upto=N), y) + p[x] * at[x]
    row_ = d.derive("times q, and both races", eq(row, q[x]), drafts, rest)
    target = d.derive(
        "x before y", eq((1 - on[y, k]) * total(q[x] * on[x, k], x) * w[k], (1 - on[y, k]) * fall[k]), falls
    )
    target = d.sum("over the pieces", target, k, upto=N)
    part = d.instantiate("from the ratio of y on", part, {x: y})
    column = total(q[x] * p[y] * total(apart, k, upto=N), x) + p[y] * at[y]
    d.qed(same, row_, d.derive("times p, and both races", eq(column, p[y]), target, part, whole))


def _values(p: Any, q: Any) -> dict[str, Any]:
    ratios = [a / b if b else None for a, b in zip(p, q, strict=True)]
    ends = sorted({u for u in ratios if u is not None})
    level = [np.maximum(q * u, p).sum() for u in ends]
    gone = [1 / m for m in level] + [F(0)]
    come = [u / m for u, m in zip(ends, level, strict=True)] + [F(1)]
    widths = [(b - a) / (m * n) for (a, b), (m, n) in zip(pairwise(ends), pairwise(level), strict=True)] + [
        1 / level[-1]
    ]
    begun = [None if u is None else ends.index(u) for u in ratios]
    return {
        **values(p, q),
        "on": lambda token, piece: int((first := begun[token - 1]) is not None and first < piece),
        "at": [0 if first is None else gone[first] for first in begun],
        "w": widths,
        "fall": [a - b for a, b in pairwise(gone)],
        "rise": [b - a for a, b in pairwise(come)],
        "N": len(ends),
        "ranges": {"k": range(1, len(ends) + 1)},
    }


PROOF = Proof(FORMULA, prove, drop=WHOLE, bind=_values)
