"""block.gamma-one: the only test of one draft is min(1, p/q), and the residual of r = 1 is that of token verification."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._one_draft import first_values
from proofs_check.language import Derivation, Proof, eq, total, x, y
from simspec.claims.block.gamma_one import GAMMA_ONE
from simspec.laws import Array
from simspec.laws.unchecked import ratio

RATIO = "r is min(1, p/q) on what is drafted"
LAST = "the last prefix is tested with r"
ALONE = "one draft alone is kept with min(p, q)/q"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws: each draft with each token after it, and each token in place of a draft."""
    p, q, r, h, keep, e = (d.weights(name) for name in ("p", "q", "r", "h", "keep", "e"))
    after = d.weights("after", x, y)
    cut = d.domain(RATIO, eq(q[x] * r[x], sp.Min(q[x], constant * p[x])))
    last = d.domain(LAST, eq(h[x], r[x]))
    alone = d.domain(ALONE, eq(q[x] * keep[x], sp.Min(p[x], q[x])))
    same = d.derive("kept alike", eq(q[x] * h[x], q[x] * keep[x]), cut, last, alone, by="smt")
    with_next_token = d.derive("and the next token", eq(q[x] * h[x] * after[x, y], q[x] * keep[x] * after[x, y]), same)
    all_ = d.sum("over the drafts", same, x)
    refused = eq((1 - sign * total(q[x] * h[x], x)) * e[y], (1 - total(q[x] * keep[x], x)) * e[y])
    d.qed(with_next_token, d.derive("refused, and drawn again", refused, all_))


def _values(p: Array, q: Array) -> dict[str, Any]:
    bindings = first_values(p, q)
    r = ratio(bindings["p"].clip(max=bindings["q"]), bindings["q"])
    return {**bindings, "r": r, "h": r, "after": p[1:]}


PROOF = Proof(GAMMA_ONE, prove, drop=LAST, bind=_values)
