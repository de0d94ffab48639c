"""relaxed.certificate-margin: of all targets with a margin, that of two tokens is refused the soonest."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import truth
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import LARGEST, bind, hot, refused, weighed
from simspec.claims.relaxed.certificate_margin import CERTIFICATE_MARGIN, margin
from simspec.claims.relaxed.parts import rank
from simspec.laws import Array

MARGIN = "m is the margin"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, and every q that is positive where p is.

    Attained for every margin, by p = ((1 + m)/2, (1 − m)/2) and q = (1/2, 1/2).
    """
    it = refused(d)
    first_mass = it.first
    two = it.second
    lg = it.lg
    m = d.number("m", 0, 1)
    apart = d.domain(MARGIN, eq(m, first_mass - two))
    high = 1 + m
    low = 1 - m
    unit = sp.Integer(1)
    f, is_f = truth(d, "f", low)
    nonnegative = d.derive("masses are not negative", ge(it.p[x], 0))
    two_at_most_one = _second(d, it, nonnegative)
    gone = d.smt("with all the margin there is no second", eq(f * two, 0), is_f[0], is_f[1], two_at_most_one, apart)
    facts = {
        "s": d.derive("positive", gt(unit, 0)),
        "high": d.derive("positive", gt(high, 0)),
        "low": is_f[2],
        "off": d.smt("so b has none", eq(f * it.pb, 0), gone, it.sizes[0], is_f[1], is_f[0]),
        "none": is_f[0],
    }
    lower = weighed(d, it, unit, high, low, f, facts)
    up = sp.log(high)
    down = sp.log(low + f)
    tangent_up = d.instantiate("log(1 + m)", lg.tangent, {lg.v: unit, lg.w: high}, facts["high"])
    tangent_down = d.instantiate("log(1 − m)", lg.tangent, {lg.v: unit, lg.w: low + f}, is_f[2])
    log_sum_bound = d.smt("together not positive", le((1 - f) * (up + down), 0), tangent_up, tangent_down, *is_f)
    under = d.smt("the second is not positive", le((1 - f) * down, 0), tangent_down, *is_f)
    rest = d.smt("the rest is not negative", ge(it.Qa * (1 - high) + it.Qb * (1 - low), 0), it.sizes[2])
    mode_term = d.smt("b's term", ge(it.pb * down, two * down), under, it.sizes[0], gone, facts["off"], *is_f)
    half = sp.S.Half
    value = half * (high * up + sign * low * down)
    goal = ge(first_mass * up + two * down, half * (high * up + low * down))
    premises = [log_sum_bound, two_at_most_one, apart, gone, tangent_up, *is_f]
    two_term_bound = d.smt("fewer than two tokens' masses", goal, *premises)
    far = ge(total(it.part[x], x), constant * value)
    premises = [lower, rest, mode_term, two_term_bound, facts["high"], is_f[2]]
    far = d.smt("KL from below", far, *premises)
    log_half = sp.log(high / 2) - sp.log(half)
    two_token_sum = high / 2 * log_half + low / 2 * (sp.log((low + f) / 2) - sp.log(half))
    near = d.derive("of two tokens", eq(two_token_sum, value), is_f[2], facts["high"])
    d.qed(far, near, d.derive("that is", eq(-two_token_sum, -value), near, is_f[2]))


def _second(d: Derivation, it: Any, nonnegative: Any) -> Any:
    """p₁ + p₂ ≤ 1: p₂ is the mass of another token."""
    e = d.weights("e")
    marks = d.domain(
        "e is a token of mass p₂, another than a",
        *(eq(e[x] * (1 - e[x]), 0), eq(it.a[x] * e[x], 0), eq(total(e[x], x), 1), eq(e[x] * it.p[x], e[x] * it.second)),
    )
    apart = ge(it.p[x] - it.a[x] * it.first - e[x] * it.second, 0)
    apart = d.smt("a and e are apart", apart, nonnegative, it.marks[0], it.marks[5], *marks[:2], marks[3])
    apart = d.sum("over the vocabulary", apart, x)
    return d.smt("so are the two largest", le(it.first + it.second, 1), apart, it.marks[3], marks[2], *it.masses)


def _values(p: Array, q: Array, b: int) -> dict[str, Any]:
    return {**bind(p, q, b), "m": margin(p), "f": int(margin(p) == 1), "e": hot(len(p), rank(p)[1])}


PROOF = Proof(CERTIFICATE_MARGIN, prove, drop=LARGEST, bind=_values)
