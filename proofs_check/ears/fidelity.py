"""ears.fidelity: EARS emits p only where it can pardon nothing, as no token that is kept too often can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears import beta_zero
from proofs_check.ears._relaxed_step import (
    SHAPE,
    Emitted,
    Step,
    distance,
    ears_bias,
    ears_fresh,
    pardoned,
    residual,
    tolerance,
    two_laws,
)
from proofs_check.ears._truth_values import (
    equivalent,
    flag,
    flags,
    if_proportional,
    proportional,
    proportional_if,
    zeros,
)
from proofs_check.ears.bias import bind
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, le, total, x
from simspec.claims.claim import Claim, Instance
from simspec.claims.ears.fidelity import (
    FIDELITY_FRESH,
    FIDELITY_FRESH_CORRECTED,
    FIDELITY_RESIDUAL,
    FIDELITY_RESIDUAL_CORRECTED,
)
from simspec.laws import Array


def gains(
    d: Derivation, s: Step, t: sp.Symbol, not_negative: Fact, constant: sp.Expr | int = 1
) -> tuple[Any, Any, Fact, Fact, list[Fact]]:
    """G = Σ g and T = TV(p, q): min(1, t) T ≤ G, G ≤ T and G ≤ t."""
    G = sp.Symbol("G", real=True)
    T = sp.Symbol("T", real=True)
    g = pardoned(s, t)
    named = d.define("the pardoned mass", G, constant * total(g, x))
    apart = d.define("the distance of draft and target", T, total(sp.Abs(s.p[x] - s.q[x]), x) / 2)
    over = sp.Max(s.q[x] - s.p[x], 0)
    half = d.summed("what the draft has beyond p", eq(sp.Abs(s.p[x] - s.q[x]), 2 * over + s.p[x] - s.q[x]))
    half = d.smt("is their distance", eq(total(over, x), T), half, apart, s.mass_p, s.mass_q)
    pardon_at_least_share = d.smt(
        "at least the share min(1, t) of it is pardoned", ge(g, sp.Min(1, t) * over), not_negative
    )
    within_excess = d.derive("and at most all of it", le(g, over))
    small = d.derive("or t q", le(g, t * s.q[x]))
    pardon_at_least_share, within_excess, small = (
        d.sum("over the vocabulary", f, x) for f in (pardon_at_least_share, within_excess, small)
    )
    bounds = [
        d.smt("from below", ge(G, sp.Min(1, t) * T), pardon_at_least_share, half, named),
        d.smt("from above", le(G, T), within_excess, half, named),
        d.smt("and", le(G, t), small, named, s.mass_q),
    ]
    size = d.summed("a size is not negative", ge(sp.Abs(s.p[x] - s.q[x]), 0))
    return G, T, named, apart, [*bounds, d.smt("a distance is not negative", ge(T, 0), size, apart)]


def prove_residual(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    t, _, not_negative = tolerance(d)
    _, out, exact, _ = ears_bias(d, s, t, not_negative, residual(d, s), sign=sign)
    G, T, named, _, bounds = gains(d, s, t, not_negative, constant)
    b = sp.Symbol("b", real=True)
    bias = d.define("the bias", b, distance(out.o, s.p))
    same = d.derive("is the pardoned mass", eq(b, G), bias, exact, named)
    facts = [same, *bounds, not_negative]

    def only_if(zero: Fact) -> Fact:
        return d.smt("nothing is pardoned: t = 0 or q = p", le(t * T, 0), zero, *facts)

    def if_(zero: Fact) -> Fact:
        return d.smt("nothing can be pardoned", le(b, 0), zero, *facts)

    signs = (d.smt("the bias is not negative", ge(b, 0), *facts), d.smt("nor is t TV(p, q)", ge(t * T, 0), *facts))
    d.qed(equivalent(d, b, t * T, only_if, if_, signs))


class Fresh(NamedTuple):
    """EARS with a fresh draw from p after a rejection."""

    k: Any
    rule: Fact
    """k = min(q, p + t q)."""
    not_negative: Fact
    """t ≥ 0."""
    out: Emitted
    b: Any
    bias: Fact
    """b = TV(o, p)."""
    gap: Fact
    """o − p = k − κ p."""


def prove_fresh(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    q = s.q
    z, is_zero = zeros(d, "z", p)
    t, _, not_negative = tolerance(d)
    k, rule, out, exact = ears_fresh(d, s, t)
    b = sp.Symbol("b", real=True)
    bias = d.define("the bias", b, distance(out.o, p))
    G, T, named, differ, bounds = gains(d, s, t, not_negative, constant)
    near = proportional(d, s, z, is_zero)
    S = near.S
    D = near.D
    gap = d.derive(
        "a token is off by what is kept less κ p", eq(out.o[x] - p[x], k[x] - sign * out.kappa * p[x]), out.law
    )
    fresh = Fresh(k, rule, not_negative, out, b, bias, gap)
    off_by_pardon = d.summed(
        "a pardoned token is off by its pardon at least",
        ge(sp.Max(k[x] - out.kappa * p[x], 0), pardoned(s, t)),
        *(rule, not_negative, out.most),
        by="smt",
    )
    bias_at_least_gain = d.smt("so the bias is at least the pardoned mass", ge(b, G), off_by_pardon, exact, bias, named)
    size = d.derive("a token's error is not negative", ge(sp.Abs(out.o[x] - p[x]), 0))
    fars = d.summed("nor is its distance from S p", ge(sp.Abs((1 - z[x]) * (q[x] - S * p[x])), 0))
    positive = d.smt("nor is D", ge(D, 0), fars, near.far)
    facts = [*bounds, not_negative, positive]
    single = d.term("a token's error is at most their sum", size, x)
    wrong = T * (t + D)

    def untouched(why: Fact) -> Fact:
        return d.smt("nothing is tolerated: min(p, q) is kept", eq(k[x], sp.Min(p[x], q[x])), rule, why)

    def only_if(zero: Fact) -> Fact:
        some = d.case("t is positive", gt(t, 0))
        first_case = d.smt(
            "pardons are biased, so nothing is pardoned", le(wrong, 0), zero, some, bias_at_least_gain, *facts
        )
        none = d.case("t is 0", le(t, 0))
        none = d.smt("there is no tolerance", eq(t, 0), none, not_negative)
        text = "no bias: what is kept is κ p"
        multiple = d.smt(text, eq(sp.Min(p[x], q[x]), out.kappa * p[x]), zero, single, bias, gap, untouched(none))
        D_zero = proportional_if(d, s, near, out, multiple)
        second_case = d.smt("t and D vanish", le(wrong, 0), none, D_zero, *facts)
        return d.cases("whether there is a tolerance", first_case, second_case)

    def if_(zero: Fact) -> Fact:
        some = d.case("p and q differ", gt(T, 0))
        none = d.smt("there is no tolerance", eq(t, 0), zero, some, *facts)
        D_zero = d.smt("and q is proportional to p", le(D, 0), zero, some, *facts)
        plain = untouched(none)
        multiple = if_proportional(d, s, near, D_zero, out, plain)
        first_case = d.summed("so no token is off", le(sp.Abs(out.o[x] - p[x]), 0), multiple, gap, plain, by="smt")
        first_case = d.smt("there is no bias", le(b, 0), first_case, bias)
        equal = d.case("p and q agree", le(T, 0))
        second_case = _unbiased_if_equal(d, s, fresh, equal, differ)
        return d.cases("whether p and q differ", first_case, second_case)

    sizes = d.sum("over the vocabulary", size, x)
    signs = (
        d.smt("the bias is not negative", ge(b, 0), sizes, bias),
        d.smt("nor is TV(p, q)(t + D)", ge(wrong, 0), *facts),
    )
    d.qed(equivalent(d, b, wrong, only_if, if_, signs))


def _unbiased_if_equal(d: Derivation, s: Step, f: Fresh, equal: Fact, differ: Fact) -> Fact:
    """b ≤ 0, from a distance (`differ`) of p and q that is at most 0 (`equal`)."""
    p = s.p
    q = s.q
    apart = d.derive("a difference in size is not negative", ge(sp.Abs(p[x] - q[x]), 0))
    apart = d.term("one token's is at most their sum", apart, x)
    equal = d.smt("token by token", eq(q[x], p[x]), equal, apart, differ)
    all_ = d.smt("so all is kept", eq(f.k[x], p[x]), equal, f.rule, f.not_negative)
    rate = d.sum("over the vocabulary", all_, x)
    no_error = le(sp.Abs(f.out.o[x] - p[x]), 0)
    off = d.summed("and no token is off", no_error, all_, rate, f.out.rate, s.mass_p, f.gap, by="smt")
    return d.smt("there is no bias", le(f.b, 0), off, f.bias)


def bind_fresh(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    t = beta * (1 - max(p))
    accepted = np.minimum(q, p + t * q)
    on = np.where(p > 0, q, 0)
    lossless = (accepted == accepted.sum() * p).all()
    same = (p == q).all()
    right = same or (t == 0 and (on == on.sum() * p).all())
    return {**bind(p, q, beta), "z": flags(p == 0), "I": flag(lossless), "J": flag(right)}


def bind_residual(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    t = beta * (1 - max(p))
    biased = np.minimum(np.maximum(q - p, 0), t * q).any()
    return {**bind(p, q, beta), "I": flag(not biased), "J": flag(t == 0 or (p == q).all())}


def steps(correction: Claim | None = None) -> Iterator[Instance]:
    """Pairs of laws in order of size, with β = 0 and β = 1; of those only that the correction says to be lossless."""
    candidates = ({**pair, "beta": F(beta)} for pair in beta_zero.pairs() for beta in (0, 1))
    return (i for i in candidates if correction is None or correction.sides(i)[1])


SCOPE = "the first of all pairs of laws, vocabulary by vocabulary and denominator by denominator, with β = 0 or 1"

PROOFS = (
    Refutation(
        FIDELITY_FRESH,
        steps,
        scope=SCOPE,
        repaired={"q = p, or t = 0 and q proportional to p": lambda: steps(FIDELITY_FRESH_CORRECTED)},
    ),
    Refutation(
        FIDELITY_RESIDUAL, steps, scope=SCOPE, repaired={"t = 0 or q = p": lambda: steps(FIDELITY_RESIDUAL_CORRECTED)}
    ),
    Proof(FIDELITY_FRESH_CORRECTED, prove_fresh, drop="z is 1 where p is 0, else 0", bind=bind_fresh),
    Proof(FIDELITY_RESIDUAL_CORRECTED, prove_residual, drop=SHAPE, bind=bind_residual),
)
