"""numerics.text: of every state the laws overlap by 1 − tanh(ε/(2T)) or more, and texts agree by their product."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Proof, eq, ge, index, total, x
from proofs_check.numerics._close import HIGHER, apart, close
from simspec.claims.numerics.parts import laws_of
from simspec.claims.numerics.steps import TEXT
from simspec.laws import Array

s = index("state")
begin = index("begin")
n = sp.Symbol("n", integer=True, nonnegative=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all models with states, every ε and temperature, texts of every length.

    Attained where every state has two tokens with p = (1, ρ)/(1 + ρ) and p̂ = (ρ, 1)/(1 + ρ).
    """
    it = close(d, s)
    g, marks, bound = apart(d, it, s)
    after = d.map("after")
    p = it.p[s, x]
    o = it.s[s, x]
    shared = sp.Min(p, o)
    split = eq(shared, o - sign * g[s, x] * (o - p))
    split = d.sum("over the vocabulary", d.smt("the smaller", split, *marks), x)
    size = d.derive("at least 1", ge(it.rho, 1), by="smt")
    share = sp.Symbol("share", real=True)
    named = d.define("1 − tanh", share, 2 / (it.rho + 1), size)
    overlap = d.smt("what both have", ge(total(shared, x), share), split, bound, it.masses[1], size, named)
    Z, K = (sp.IndexedBase(name, real=True) for name in ("Z", "K"))
    agreed = d.recursion("agreed", eq(Z[0, s], 1), eq(Z[n + 1, s], total(shared * Z[n, after[s, x]], x)))
    powers = d.recursion("powers", eq(K[0], 1), eq(K[n + 1], share * K[n]))
    positive = d.inductive("powers are not negative", ge(K[n], 0), n, [powers[0]], [powers[1], size, named], by="smt")
    statement = ge(Z[n, s], K[n])
    before = d.suppose("agreed so far", statement)
    there = d.instantiate("after a token", before, {s: after[s, x]})
    low = [d.derive("not negative", ge(w, 0)) for w in (p, o)]
    token = ge(shared * Z[n, after[s, x]], shared * K[n])
    token = d.sum("over the vocabulary", d.smt("times the smaller", token, there, *low), x)
    step = [agreed[1], powers[1], token, overlap, positive, size, named]
    result = d.inductive("by induction", statement, n, [agreed[0], powers[0]], step, by="smt")
    result = d.instantiate("from the start", result, {s: begin})
    d.qed(d.derive("from the start", ge(Z[n, begin], constant * K[n]), result, by="smt"))


def _values(w: Array, change: Array, rho: Any, length: int) -> dict[str, Any]:
    p, o = laws_of(w, change)
    ratio = w.sum(axis=-1) / (w * change).sum(axis=-1)
    return {
        **{"p": p, "s": o, "r": change, "rho": rho, "k": ratio, "V": w.shape[1], "begin": 1},
        **{"g": [flags(row) for row in o > p], "after": lambda state, token: token + 1},
        "ranges": {"state": range(1, len(w) + 1), "n": range(length + 1)},
    }


PROOF = Proof(TEXT, prove, drop=HIGHER, bind=_values)
