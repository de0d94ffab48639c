"""ears.single-threshold: on one coin the second test contains the first, so the two paths are one test against R + t."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.ears._one_coin import coins, paths
from proofs_check.ears._relaxed_step import kept, tolerance, two_laws
from proofs_check.language import Derivation, Proof, eq, x
from simspec.claims.ears.single_threshold import ONE_COIN, SINGLE_THRESHOLD
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    t, _, not_negative = tolerance(d)
    way = paths(d, s, t, not_negative, sign)
    a = way.standard[x]
    b = way.pardon[x]
    another = sp.Symbol("another", real=True)
    same = d.assume(ONE_COIN, eq(another, 0))
    c = sp.IndexedBase("c", real=True)
    accept_rule = d.define(
        "coins that pass either test; with another coin for the second, the product",
        c[x],
        a + (1 - another) * b + another * (1 - a) * (a + b),
    )
    drafted = 1 - way.none[x]
    goal = drafted * sp.Min(1, constant * way.R[x] + t)
    k, rule, _ = kept(d, s, t)
    d.qed(
        d.smt("they are those up to R + t", eq(drafted * c[x], goal), accept_rule, same, way.first, way.second),
        d.smt(
            "which is the share of the draft that the code keeps",
            eq(drafted * k[x] / (s.q[x] + way.none[x]), goal),
            *(rule, way.ratio, *way.is_none),
        ),
    )


def bind(p: Array, q: Array, beta: Fraction, second_coin: bool = False) -> dict[str, Any]:
    return {"p": p, "q": q, "beta": beta, "m": max(p), "another": int(second_coin), "V": len(p), **coins(p, q, beta)}


PROOF = Proof(SINGLE_THRESHOLD, prove, drop="w is 1 where q is 0, else 0", bind=bind)
