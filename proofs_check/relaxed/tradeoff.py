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
    p = s.p[x]
    q = s.q[x]
    k, below = any_rule(d, s)
    band_mass = d.weights("l")
    at_most_draft, enough = d.domain(RANGE, le(band_mass[x], q), ge(band_mass[x], sp.Min(p, q)))
    rejection_nonnegative = d.derive(
        "a token is rejected in the other cases, none or some", ge(q - band_mass[x], 0), at_most_draft
    )
    o, exact = least(d, s, k, below, "_b", sign)
    u, same = least(d, s, band_mass, rejection_nonnegative, "_l", sign)
    apart = d.summed("two masses", eq(sp.Abs(p - q), p + q - 2 * sp.Min(p, q)))
    shared_bound = d.summed("kept and shared", le(k[x] - sp.Max(k[x] - p, 0), sp.Min(p, q)), below, by="smt")
    just = d.summed(
        "kept and shared", eq(band_mass[x] - sp.Max(band_mass[x] - p, 0), sp.Min(p, q)), at_most_draft, enough, by="smt"
    )
    far = distance(s.p, s.q)
    masses = s.mass_p, s.mass_q
    paid = 1 - constant * total(k[x], x) + distance(o, s.p)
    band_price = 1 - total(band_mass[x], x) + distance(u, s.p)
    first = d.smt("no rule pays less", ge(paid, far), exact, shared_bound, apart, *masses)
    second = d.smt("between min(p, q) and q all pay that", eq(band_price, far), same, just, apart, *masses)
    d.qed(first, second, d.derive("that is", eq(-band_price, -far), second))


def bind(p: Any, q: Any, k: Any, kept: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "l": kept, "r_b": filling(p, k), "r_l": filling(p, kept), "V": len(p)}


def prove_best(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every kept mass, every ε from 0 to 1."""
    s = two_laws(d)
    p = s.p[x]
    q = s.q[x]
    k, below = any_rule(d, s)
    epsilon = d.number("epsilon", 0, 1)
    theta = d.number("theta", 0, 1)
    band_mass = sp.IndexedBase("l", nonnegative=True)
    alpha = total(sp.Min(p, q), x)
    share = d.domain(SHARE, eq(theta * (1 - alpha), constant * sp.Min(1 - alpha, epsilon)))
    best_mass = sp.Min(p, q) + theta * (q - sp.Min(p, q))
    some = d.derive("a share is not negative", ge(best_mass, 0))
    best_definition = d.define("what is kept", band_mass[x], best_mass, some)
    rejection_nonnegative = d.smt("no more than is drafted", ge(q - band_mass[x], 0), best_definition)
    o, exact = least(d, s, k, below, "_b", sign)
    u, same = least(d, s, band_mass, rejection_nonnegative, "_l", sign)
    shared_bound = d.summed("kept and shared", le(k[x] - sp.Max(k[x] - p, 0), sp.Min(p, q)), below, by="smt")
    just = d.summed(
        "kept and shared", eq(band_mass[x] - sp.Max(band_mass[x] - p, 0), sp.Min(p, q)), best_definition, by="smt"
    )
    all_ = d.derive(
        "over the vocabulary",
        eq(total(band_mass[x], x), alpha + theta * (1 - alpha)),
        d.sum("kept", best_definition, x),
        s.mass_q,
    )
    at_most_draft = d.sum("no more than is drafted", below, x)
    rate = total(band_mass[x], x)
    first = ge(sp.Min(1, alpha + distance(o, s.p)), total(k[x], x))
    first = d.smt("no rule accepts more", first, exact, shared_bound, at_most_draft, s.mass_q)
    second = d.smt("this one so much", eq(rate, sp.Min(1, alpha + epsilon)), all_, share)
    third = d.smt("and it pays no more than ε", ge(-distance(u, s.p), -epsilon), same, just, all_, share)
    d.qed(first, second, third)


def bind_best(p: Any, q: Any, k: Any, epsilon: Any) -> dict[str, Any]:
    band_mass = spent(p, q, epsilon)
    alpha = overlap(p, q)
    theta = min(1, epsilon / (1 - alpha)) if alpha < 1 else 1
    return {**bind(p, q, k, band_mass), "epsilon": epsilon, "theta": theta}


PROOFS = (
    Proof(TRADEOFF, prove, drop=RANGE, bind=bind),
    Proof(TRADEOFF_BEST, prove_best, drop=SHARE, bind=bind_best),
)
