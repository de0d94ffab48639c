"""numerics.draft-noise: the bias has one sign beside the residual, and there it is at most what q has beyond q̂."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.numerics.steps import DRAFT_NOISE
from simspec.laws import Array

CHANCE = "a is the chance that a draft is accepted, min(1, p/q̂)"
NORMED = "r is the residual (p − q̂)₊ over its sum"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Attained wherever p = q̂: every draft is accepted.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    t, mass_t = d.law("t")
    r, mass_r = d.law("r")
    a = d.weights("a")
    chance, at_most_one = d.domain(CHANCE, eq(a[x] * t[x], sp.Min(p[x], t[x])), le(a[x], 1))
    over = sp.Max(p[x] - t[x], 0)
    normed = d.domain(NORMED, eq(r[x] * total(over, x), over))
    low = [d.derive("not negative", ge(w[x], 0)) for w in (a, r)]
    accepted = total(q[x] * a[x], x)
    out = q[x] * a[x] + (1 - accepted) * r[x]
    parts = d.derive("kept, and beyond the draft", eq(sp.Min(p[x], t[x]) + sign * over, p[x]))
    accepted_mass = d.sum("over the vocabulary", chance, x)
    rest = d.smt(
        "what is refused",
        eq(1 - total(a[x] * t[x], x), total(over, x)),
        accepted_mass,
        d.sum("in all", parts, x),
        mass_p,
    )
    again = d.derive("drawn after a refusal", eq(r[x] * (1 - total(a[x] * t[x], x)), over), rest, normed, by="smt")
    excess = sp.Symbol("S", real=True)
    named = d.define("what q has accepted beyond q̂", excess, accepted - total(a[x] * t[x], x))
    apart = d.smt("of a token", eq(out - p[x], (q[x] - t[x]) * a[x] - excess * r[x]), again, parts, chance, named)
    change = total(sp.Abs(out - p[x]), x)
    noise = total(sp.Abs(q[x] - t[x]), x)
    goal = le(change / 2, noise / (2 * constant))
    balance = d.sum("over the vocabulary", apart, x)
    masses = [mass_p, mass_q, mass_t, mass_r]
    excess_nonnegative = d.case("more is accepted", ge(excess, 0))
    up = le(sp.Abs(out - p[x]) + out - p[x], sp.Abs(q[x] - t[x]) + q[x] - t[x])
    up = d.smt("beyond p", up, apart, excess_nonnegative, at_most_one, *low)
    up = d.sum("over the vocabulary", up, x)
    case_more = d.smt("half of it", goal, up, balance, named, *masses)
    excess_nonpositive = d.case("less is accepted", le(excess, 0))
    down = le(sp.Abs(out - p[x]) - out + p[x], sp.Abs(q[x] - t[x]) - q[x] + t[x])
    down = d.smt("below p", down, apart, excess_nonpositive, at_most_one, *low)
    down = d.sum("over the vocabulary", down, x)
    case_less = d.smt("half of it", goal, down, balance, named, *masses)
    d.qed(d.cases("whether more is accepted", case_more, case_less))


def _values(p: Array, q: Array, q_hat: Array) -> dict[str, Any]:
    chance = np.where(q_hat > 0, np.minimum(1, p / np.where(q_hat > 0, q_hat, 1)), 1)
    over = np.maximum(p - q_hat, 0)
    return {"p": p, "q": q, "t": q_hat, "r": over / over.sum() if over.sum() else p, "a": chance, "V": len(p)}


PROOF = Proof(DRAFT_NOISE, prove, drop=NORMED, bind=_values)
