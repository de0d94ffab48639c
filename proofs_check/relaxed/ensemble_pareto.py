"""relaxed.ensemble-pareto: what a rule misses of the frontier is what it does not keep, and what it emits beside p and q."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._any_rule import PART
from proofs_check.ears._relaxed_step import distance
from proofs_check.folk._one_step import by_size as pairs
from proofs_check.language import Derivation, Proof, Refutation, eq, le, total, x
from proofs_check.relaxed._rules import rule
from simspec.claims.claim import Instance
from simspec.claims.relaxed.ensemble_pareto import BEST, SAME, UNIQUE, UNIQUE_CORRECTED
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule.

    Attained by the ensemble itself, at every total variation up to TV(p, q).
    """
    it = rule(d)
    p = it.s.p[x]
    q = it.s.q[x]
    o = it.out.o[x]
    w = d.number("w", 0, 1)
    same = d.assume(SAME, eq(distance(it.out.o, it.s.p), (1 - w) * distance(it.s.p, it.s.q)))
    near = d.derive("what o shares", le(sp.Min(o, q), sp.Min(p, q) + sp.Max(o - p, 0)))
    accepted_overlap = d.sum("over the vocabulary", it.part, x)
    near = d.sum("over the vocabulary", near, x)
    share = d.smt("a weight", le(w, 1))
    aim = w * p + (1 - w) * q
    accepted = d.smt("an ensemble refuses w of the excess", eq(sp.Min(aim, q), q - w * sp.Max(q - p, 0)), share)
    accepted = d.sum("over the vocabulary", accepted, x)
    apart = d.summed("above or below", eq(sp.Abs(p - q), 2 * sp.Max(q - p, 0) + sign * (p - q)))
    shared = d.summed("shared", eq(sp.Min(p, q), q - sp.Max(q - p, 0)))
    goal = le(constant * total(it.k[x], x), total(sp.Min(aim, q), x))
    premises = [accepted_overlap, near, it.over, same, accepted, apart, shared, it.s.mass_p, it.s.mass_q]
    d.qed(d.smt("together", goal, *premises))


def prove_unique(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule."""
    it = rule(d)
    p = it.s.p[x]
    q = it.s.q[x]
    o = it.out.o[x]
    outside = sp.Max(o - sp.Max(p, q), 0) + sp.Max(sp.Min(p, q) - o, 0)
    per_token = eq(sp.Min(p, q) + sp.Max(o - p, 0), sp.Min(o, q) + constant * outside)
    per_token = d.summed("of each token", per_token, by="smt")
    short = total(sp.Min(p, q), x) + distance(it.out.o, it.s.p) - total(it.k[x], x)
    goal = eq(short, total(sp.Min(o, q) - sign * it.k[x] + outside, x))
    d.qed(d.smt("in all", goal, per_token, it.over))


def frontier() -> Iterator[Instance]:
    """Rules on the frontier, by vocabulary and denominator: of each excess all is kept or nothing."""
    for i in pairs((1, 2, 3), 2):
        p = i["p"]
        q = i["q"]
        for flags in product((0, 1), repeat=len(p)):
            extra_mass = np.array(flags, dtype=object) * np.maximum(q - p, 0)
            yield {"p": p, "q": q, "k": np.minimum(p, q) + extra_mass, "r": SD.residual(p, q)}


def bind(p: Any, q: Any, k: Any, r: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "r": r, "V": len(p)}


PROOFS = (
    Proof(BEST, prove, drop=PART, bind=lambda p, q, k, r, w: {**bind(p, q, k, r), "w": w}),
    Refutation(
        UNIQUE,
        frontier,
        scope="the first pair by vocabulary and denominator, and all or nothing of each excess: three tokens",
        repaired={
            "two tokens": lambda: (i for i in frontier() if len(i["p"]) < 3),
            "between p and q at every token": UNIQUE_CORRECTED,
        },
    ),
    Proof(UNIQUE_CORRECTED, prove_unique, drop="p sums to one", bind=bind),
)
