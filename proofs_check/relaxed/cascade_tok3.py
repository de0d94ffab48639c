"""relaxed.cascade-tok3: π − q is q(Tᶜ) p less q on Tᶜ."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, total, x
from simspec.claims.relaxed.cascade_tok3 import CASCADE_TOK3, dropped
from simspec.laws import Array, normalise

SET = "T is a set of tokens"
LAW = "n is q on the others, made a law"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and every set of tokens in the place of T."""
    p = d.weights("p")
    q = d.weights("q")
    n = d.weights("n")
    g = d.weights("g")
    bit = d.domain(SET, eq(g[x] * (1 - g[x]), 0))
    bad = total((1 - g[x]) * q[x], x)
    Q = sp.Symbol("Q", real=True)
    pi_ = sp.IndexedBase("pi_", real=True)
    mass = d.define("mass that q has on the others", Q, bad)
    law = d.domain(LAW, eq(n[x] * bad, constant * (1 - g[x]) * q[x]))
    target_definition = d.define("the target", pi_[x], g[x] * q[x] + sign * Q * p[x])
    per_token = d.smt("token by token", eq(pi_[x] - q[x], Q * (p[x] - n[x])), target_definition, law, mass, bit)
    size = _size(d, g, q, bit, mass, Q)
    apart = d.smt("its size", eq(sp.Abs(pi_[x] - q[x]), Q * sp.Abs(p[x] - n[x])), per_token, size)
    apart = d.sum("over the vocabulary", apart, x)
    half = sp.S.Half
    goal = eq(half * total(sp.Abs(pi_[x] - q[x]), x), Q * (half * total(sp.Abs(p[x] - n[x]), x)))
    d.qed(d.derive("half of it", goal, apart))


def _size(d: Derivation, g: Any, q: Any, bit: Any, mass: Any, Q: Any) -> Any:
    nonnegative = d.smt("masses are not negative", ge((1 - g[x]) * q[x], 0), bit, d.derive("sizes", ge(q[x], 0)))
    return d.derive("nor is Q", ge(Q, 0), d.sum("over the vocabulary", nonnegative, x), mass)


def bind(p: Array, q: Array, alpha: Any) -> dict[str, Any]:
    bad = dropped(p, q, alpha)
    good = p >= (1 - alpha) * p.max()
    return {"p": p, "q": q, "g": [int(v) for v in good], "n": normalise(bad, otherwise=p), "V": len(p)}


PROOF = Proof(CASCADE_TOK3, prove, drop=LAW, bind=bind)
