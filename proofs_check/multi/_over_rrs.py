"""K-SEQ at its best threshold beside recursive rejection: what is kept by scale falls with the scale."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from proofs_check.multi._kseq import INVERSE, A, B, K, all_refused, n, passing, values
from simspec.claims.claim import Claim
from simspec.claims.multi.parts import between, rho_steps
from simspec.laws import Array
from simspec.methods.multi.acceptance import rrs_scales
from simspec.methods.multi.kseq import kseq_rho

__all__ = ["proof"]

u, scale = (sp.IndexedBase(name, real=True) for name in ("u", "scale"))


class Last(NamedTuple):
    """The last scale of recursive rejection: one over it, what passes it, and what it keeps and leaves."""

    c2: Any
    b2: Any
    positive: Fact
    inverse: Fact
    passed: Fact
    one: Fact
    kept: Fact
    less: Fact
    start: Fact
    on: Fact


def _last(d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, mass: Fact, sign: int, constant: int) -> Last:
    """What recursive rejection leaves is at least (1 − b)^K with b of its last scale."""
    residual = sp.Max(p[x] - scale[n] * q[x], 0)
    zero, scale_step = d.recursion(
        "scales", eq(scale[0], 0), eq(scale[n + 1], scale[n] + constant * total(residual, x))
    )
    positive = d.domain("the last is at least one", ge(scale[K], 1))
    none = d.suppose("a scale", ge(scale[n], 0))
    residual_nonnegative = d.sum("what is left is a mass", d.derive("of each", ge(residual, 0)), x)
    none = d.inductive("scales are not negative", ge(scale[n], 0), n, [zero], [scale_step, none, residual_nonnegative])
    size = d.define("what is left", u[n], total(residual, x))
    scale_step = d.derive("the next scale", eq(scale[n + 1], scale[n] + u[n]), scale_step, size)
    # G(c) = Σ min(p, c q) is 1 − u, and G(c)/c falls: at min(c_n, c_K) it is no less than at c_K
    capped = sp.Min(scale[n], scale[K])
    accepted = d.summed("kept so far", eq(sp.Min(p[x], scale[n] * q[x]), p[x] - residual))
    accepted = d.derive("and left", eq(total(sp.Min(p[x], scale[n] * q[x]), x), 1 - u[n]), accepted, mass, size)
    last = d.instantiate("in the end", accepted, {n: K})
    token = d.smt(
        "of each token more by scale",
        ge(sp.Min(p[x], scale[n] * q[x]) * scale[K], sp.Min(p[x], scale[K] * q[x]) * capped),
        *(positive, none),
    )
    token = d.sum("over the vocabulary", token, x)
    falls = d.derive("kept by scale falls", ge((1 - u[n]) * scale[K], (1 - u[K]) * capped), token, accepted, last)
    c2 = d.number("c2", 0)
    b2 = d.number("b2", 0)
    inverse2, pass_rate = d.domain("c2 is one over the last scale", eq(c2 * scale[K], 1), eq(b2, (1 - u[K]) * c2))
    under = d.smt("R is not positive", le(b2 * capped, 1 - u[n]), falls, pass_rate, inverse2, none, positive)
    remainder_nonnegative = d.derive("nothing is left below zero", ge(u[n], 0), residual_nonnegative, size)
    b2_at_most_one = d.smt(
        "b2 is at most one",
        le(b2, 1),
        pass_rate,
        inverse2,
        positive,
        d.instantiate("last", remainder_nonnegative, {n: K}),
    )
    start2, on2 = d.recursion("(1 − b2)^n", eq(B[0], 1), eq(B[n + 1], B[n] * (1 - b2)))
    chance = d.suppose("a chance", ge(B[n], 0))
    chance = d.inductive("chances are not negative", ge(B[n], 0), n, [start2], [on2, chance, b2_at_most_one], by="smt")
    before = d.suppose("b2 of the scale is less than all that is kept", le(b2 * capped, 1 - B[n]))
    base = d.smt("at first", le(b2 * capped.subs(n, 0), 1 - B[0]), start2, zero, positive)
    step = d.smt(
        "then",
        le(b2 * capped.subs(n, n + 1), 1 - B[n + 1]),
        *(before, on2, scale_step, under, b2_at_most_one, chance, positive),
    )
    for_every_n = d.induction("for every n", le(b2 * capped, 1 - B[n]), n, base, step)
    for_every_n = d.instantiate("for all drafts", for_every_n, {n: K})
    remainder_bound = d.smt("left is at least (1 − b2)^K", ge(u[K], sign * B[K]), for_every_n, pass_rate, inverse2)
    return Last(
        c2=c2,
        b2=b2,
        positive=positive,
        inverse=inverse2,
        passed=pass_rate,
        one=b2_at_most_one,
        kept=last,
        less=remainder_bound,
        start=start2,
        on=on2,
    )


def _prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for a target that is sure, as long as no rule accepts for sure.
    """
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    rho = d.number("rho", positive=True)
    c = d.number("c", 0)
    inverse = d.domain(INVERSE, eq(c * rho, 1))
    b, low, high = passing(d, p, q, c, mass_q)
    start, on, some, _ = all_refused(d, b, low, high)
    fixed = d.domain("ρ is ρ*", eq(1 - A[K], rho * b))
    of = _last(d, p, q, mass, sign, constant)
    c2, b2, positive, inverse2, pass_rate, b2_at_most_one, last, remainder_bound, start2, on2 = of
    accepted = le(1 - u[K], 1 - A[K])
    far = d.case("ρ* is above the last scale", ge(rho, scale[K]))
    at_rho = d.smt("of each token", eq(rho * sp.Min(c * p[x], q[x]), sp.Min(p[x], rho * q[x])), inverse)
    grows = d.smt("it gains with the scale", ge(sp.Min(p[x], rho * q[x]), sp.Min(p[x], scale[K] * q[x])), far)
    grows = d.derive("with ρ*", ge(rho * sp.Min(c * p[x], q[x]), sp.Min(p[x], scale[K] * q[x])), grows, at_rho)
    one_way = d.derive("then", accepted, d.sum("over the vocabulary", grows, x), last, fixed)
    near = d.case("ρ* is below the last scale", le(rho, scale[K]))
    share = d.smt("one over them", ge(c, c2), inverse, inverse2, near, positive)
    by_last = sp.Min(c2 * p[x], q[x])
    grows = d.smt("passes more often", ge(sp.Min(c * p[x], q[x]), by_last), share)
    same = d.smt(
        "of each token, by the last scale", eq(by_last, c2 * sp.Min(p[x], scale[K] * q[x])), inverse2, positive
    )
    grows = d.derive("in all", ge(sp.Min(c * p[x], q[x]), c2 * sp.Min(p[x], scale[K] * q[x])), grows, same)
    grows = d.derive("b is at least b2", ge(b, b2), d.sum("over the vocabulary", grows, x), last, pass_rate)
    fewer = d.suppose("n refused", le(A[n], B[n]))
    fewer = d.inductive(
        "all refused", le(A[n], B[n]), n, [start, start2], [on, on2, fewer, some, b2_at_most_one, grows], by="smt"
    )
    fewer = d.instantiate("all K", fewer, {n: K})
    d.qed(d.cases("either way", one_way, d.derive("then", accepted, fewer, remainder_bound)))


def _best(p: Array, q: Array, k: int) -> dict[str, Any]:
    low, high = kseq_rho(p, q, k, rho_steps())
    last = rrs_scales(p, q, k + 1)[k - 1]
    rho = between(low, high)
    accepted = np.minimum(p, last * q).sum()
    return {**values(p, q, k, rho), "c2": 1 / last, "b2": accepted / last}


def proof(claim: Claim) -> Proof:
    """The proof that K-SEQ accepts no less often."""
    return Proof(claim, _prove, drop="ρ is ρ*", bind=_best)
