"""relaxed.tradeoff: 1 − Σ k + Σ (k − p)₊ is 1 − Σ min(k, p)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._any_rule import any_rule
from proofs_check.ears._relaxed_step import distance, two_laws
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.relaxed.optimal_residual import least
from simspec.claims.relaxed.optimal_residual import filling
from simspec.claims.relaxed.tradeoff import TRADEOFF, TRADEOFF_BEST, spent
from simspec.laws import overlap

SHARE = "theta is the share of 1 − α that ε pays"
RANGE = "l is a part of the draft, and at least min(p, q)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every kept mass."""
    s = two_laws(d)
    p, q = s.p[x], s.q[x]
    k, below = any_rule(d, s)
    kept = d.weights("l")
    part, enough = d.domain(RANGE, le(kept[x], q), ge(kept[x], sp.Min(p, q)))
    room = d.derive("a token is rejected in the other cases, none or some", ge(q - kept[x], 0), part)
    o, exact = least(d, s, k, below, "_b", sign)
    u, same = least(d, s, kept, room, "_l", sign)
    apart = d.summed("two masses", eq(sp.Abs(p - q), p + q - 2 * sp.Min(p, q)))
    less = d.summed("kept and shared", le(k[x] - sp.Max(k[x] - p, 0), sp.Min(p, q)), below, by="smt")
    just = d.summed("kept and shared", eq(kept[x] - sp.Max(kept[x] - p, 0), sp.Min(p, q)), part, enough, by="smt")
    far = distance(s.p, s.q)
    masses = s.mass_p, s.mass_q
    paid, own = 1 - constant * total(k[x], x) + distance(o, s.p), 1 - total(kept[x], x) + distance(u, s.p)
    first = d.smt("no rule pays less", ge(paid, far), exact, less, apart, *masses)
    second = d.smt("between min(p, q) and q all pay that", eq(own, far), same, just, apart, *masses)
    d.qed(first, second, d.derive("that is", eq(-own, -far), second))


def bind(p: Any, q: Any, k: Any, kept: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "l": kept, "r_b": filling(p, k), "r_l": filling(p, kept), "V": len(p)}


def prove_best(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every kept mass, every ε from 0 to 1."""
    s = two_laws(d)
    p, q = s.p[x], s.q[x]
    k, below = any_rule(d, s)
    epsilon, theta, kept = d.number("epsilon", 0, 1), d.number("theta", 0, 1), sp.IndexedBase("l", nonnegative=True)
    alpha = total(sp.Min(p, q), x)
    share = d.domain(SHARE, eq(theta * (1 - alpha), constant * sp.Min(1 - alpha, epsilon)))
    part = sp.Min(p, q) + theta * (q - sp.Min(p, q))
    some = d.derive("a share is not negative", ge(part, 0))
    spent_ = d.define("what is kept", kept[x], part, some)
    room = d.smt("no more than is drafted", ge(q - kept[x], 0), spent_)
    o, exact = least(d, s, k, below, "_b", sign)
    u, same = least(d, s, kept, room, "_l", sign)
    less = d.summed("kept and shared", le(k[x] - sp.Max(k[x] - p, 0), sp.Min(p, q)), below, by="smt")
    just = d.summed("kept and shared", eq(kept[x] - sp.Max(kept[x] - p, 0), sp.Min(p, q)), spent_, by="smt")
    all_ = d.derive(
        "over the vocabulary", eq(total(kept[x], x), alpha + theta * (1 - alpha)), d.sum("kept", spent_, x), s.mass_q
    )
    most = d.sum("no more than is drafted", below, x)
    rate = total(kept[x], x)
    first = ge(sp.Min(1, alpha + distance(o, s.p)), total(k[x], x))
    first = d.smt("no rule accepts more", first, exact, less, most, s.mass_q)
    second = d.smt("this one so much", eq(rate, sp.Min(1, alpha + epsilon)), all_, share)
    third = d.smt("and it pays no more than ε", ge(-distance(u, s.p), -epsilon), same, just, all_, share)
    d.qed(first, second, third)


def bind_best(p: Any, q: Any, k: Any, epsilon: Any) -> dict[str, Any]:
    kept, alpha = spent(p, q, epsilon), overlap(p, q)
    theta = min(1, epsilon / (1 - alpha)) if alpha < 1 else 1
    return {**bind(p, q, k, kept), "epsilon": epsilon, "theta": theta}


PROOFS = (
    Proof(TRADEOFF, prove, drop=RANGE, bind=bind),
    Proof(TRADEOFF_BEST, prove_best, drop=SHARE, bind=bind_best),
)
