"""Lenience with the levelled residual, and any rule that accepts at least as often.

The first emits o = max(k, a p) = clip(q, a p, c p) with c = 1/ℓ, the other u ≥ h with Σ h ≥ Σ k, h what it keeps.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._fill_level import Kept, bind_level, level
from proofs_check.ears._relaxed_step import Emitted, Step, emitted, two_laws
from proofs_check.ears._truth_values import zeros
from proofs_check.language import Derivation, Fact, eq, ge, le, total, x
from simspec.claims.ears.parts import AS_OFTEN
from simspec.laws import Array
from simspec.methods import SD, lenience, levelled

__all__ = ["FILLING", "PART", "Rivals", "bind", "rivals"]

FILLING = "r is what is filled up to the level, made a law"
PART = "h is a part of the draft"


class Rivals(NamedTuple):
    """The levelled law o and the rival's u, with what is known of each."""

    s: Step
    a: Any
    c: Any
    k: Any
    z: Any
    is_z: list[Fact]
    rule: Fact
    """k = min(q, c p)."""
    clipped: Fact
    """o = max(k, a p)."""
    level: Fact
    """Σ (a p − k)₊ = 1 − Σ k."""
    low: Fact
    """a ≤ 1."""
    best: Emitted
    mass_r: Fact
    h: Any
    part: Fact
    """h ≤ q."""
    rival: Emitted
    mass_s: Fact
    holds: Fact
    """u ≥ h."""
    often: Fact
    """Σ h ≥ Σ k."""


def rivals(d: Derivation, sign: int = 1) -> Rivals:
    """Both rules, o = max(k, a p), a ≤ 1 ≤ c, u ≥ h."""
    s = two_laws(d)
    p = s.p
    q = s.q
    c = d.number("c", low=1)
    k = sp.IndexedBase("k", real=True)
    rule = d.define("what lenience keeps of a drafted token, with c = 1/ℓ", k[x], sp.Min(q[x], c * p[x]))
    below = d.derive("it is a part of the draft", le(k[x], q[x]), rule)
    never = d.derive("what is kept is not negative", ge(k[x], 0), rule)
    z, is_z = zeros(d, "z", p)
    off = d.smt("and is 0 where p is 0", eq(z[x] * k[x], 0), rule, *is_z)
    a, _, fills = level(d, s, Kept(p, k, never, off, below, z, is_z))
    fill = sp.Max(a * p[x] - k[x], 0)
    r, mass_r = d.law("r")
    shape = d.domain(FILLING, eq(r[x] * total(fill, x), fill))
    best = emitted(d, s, k, r, below)
    clipped = d.smt(
        "a rejection fills up from below: the emitted law is max(k, a p)",
        eq(best.o[x], sp.Max(k[x], sign * a * p[x])),
        *(best.law, best.rate, fills, shape),
    )
    over = d.summed("a filling is no less than a p − k", ge(fill, a * p[x] - k[x]))
    low = d.smt("so the level is at most 1", le(a, 1), over, fills, s.mass_p)
    h = d.weights("h")
    within_draft = d.domain(PART, le(h[x], q[x]))
    after, mass_s = d.law("s")
    often = d.assume(AS_OFTEN, ge(total(h[x], x), total(k[x], x)))
    u = emitted(d, s, h, after, within_draft, names=("u", "rho"))
    holds = d.smt("what is kept is emitted", ge(u.o[x], h[x]), u.law, u.most)
    return Rivals(
        s=s,
        a=a,
        c=c,
        k=k,
        z=z,
        is_z=is_z,
        rule=rule,
        clipped=clipped,
        level=fills,
        low=low,
        best=best,
        mass_r=mass_r,
        h=h,
        part=within_draft,
        rival=u,
        mass_s=mass_s,
        holds=holds,
        often=often,
    )


def bind(p: Array, q: Array, factor: Fraction, o: Array) -> dict[str, Any]:
    """An instance: the rival emits o and accepts as much of it as can be."""
    accepted = lenience(factor).accept(p, q)
    return {
        **bind_level(p, accepted),
        **{"p": p, "q": q, "c": 1 / factor, "r": levelled(lenience(factor)).residual(p, q), "V": len(p)},
        **{"h": SD.accept(o, q), "s": SD.residual(o, q)},
    }
