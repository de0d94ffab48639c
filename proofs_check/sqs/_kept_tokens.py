"""A draft law, its kept tokens and what sparsifying does, as SQS claims need it; the symbols' values in an instance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x, y
from simspec.laws import Array
from simspec.methods.sqs.quantised import sparsify


class Sparse(NamedTuple):
    """A draft law and its kept tokens: q̃ = c u q with c = 1/q(X)."""

    q: Any
    u: Any
    c: Any
    mass: Fact
    flag: Fact
    accepted_mass: Fact

    @property
    def law(self) -> sp.Expr:
        """q̃(x)."""
        return self.c * self.u[x] * self.q[x]

    @property
    def size(self) -> sp.Expr:
        """K."""
        return total(self.u[x], x)

    @property
    def dropped(self) -> sp.Expr:
        """δ, the mass outside the kept tokens."""
        return total((1 - self.u[x]) * self.q[x], x)


def sparse(d: Derivation) -> Sparse:
    """The law, the set of kept tokens as flags, and what normalises it."""
    q, mass = d.law("q")
    u = sp.IndexedBase("u", nonnegative=True)
    flag = d.domain("a token is kept or it is not", eq(u[x] ** 2, u[x]))
    c = d.number("c", positive=True)
    accepted_mass = d.domain("the kept tokens have mass", eq(c * total(u[x] * q[x], x), 1))
    return Sparse(q, u, c, mass, flag, accepted_mass)


def lost(d: Derivation, s: Sparse, sign: int = 1) -> Fact:
    """Σ |q − q̃| = 2 δ."""
    up = scaled_up(d, s)
    gap = sp.Abs(s.q[x] - s.law)
    term = d.summed(
        "a kept token gains, another loses all it has",
        eq(gap, (1 - s.u[x]) * s.q[x] + sign * (s.c - 1) * s.u[x] * s.q[x]),
        *(up, s.flag),
        by="smt",
    )
    gain = d.derive(
        "what is gained is what is lost", eq((s.c - 1) * total(s.u[x] * s.q[x], x), s.dropped), s.accepted_mass, s.mass
    )
    return d.smt("so the sum is twice that", eq(total(gap, x), 2 * s.dropped), term, gain)


def scaled_up(d: Derivation, s: Sparse) -> Fact:
    """c ≥ 1."""
    kept_share = d.summed("a part of a law", le(s.u[x] * s.q[x], s.q[x]), s.flag, by="smt")
    return d.smt("normalising scales up", ge(s.c, 1), kept_share, s.accepted_mass, s.mass)


def some_kept(d: Derivation, s: Sparse) -> Fact:
    """K > 0."""
    law_at_most_one = d.smt("a law has no mass above one", le(s.q[x], 1), *_at_most_one(d, s))
    kept_share = d.summed("a kept mass", le(s.u[x] * s.q[x], s.u[x]), law_at_most_one, by="smt")
    return d.smt("a token is kept", gt(s.size, 0), kept_share, s.accepted_mass)


def _at_most_one(d: Derivation, s: Sparse) -> tuple[Fact, ...]:
    mass = d.term("one token's mass", d.derive("not negative", ge(s.q[x], 0)), x, y)
    return d.instantiate("of x", mass, {y: x}), s.mass


def values(q: Array, kept: Array, resolution: int) -> dict[str, Any]:
    """The symbols of `sparse` and of `_lemmas_rounding`: Algorithm 2 in steps, of equal ζ the lower number first."""
    law = sparsify(q, kept).tolist()
    tokens = range(len(law))
    n = [Fraction(resolution * v // 1) for v in law]
    f = [resolution * v - w for v, w in zip(law, n, strict=True)]
    h = [Fraction(int(k and 2 * v >= 1)) for k, v in zip(kept, f, strict=True)]
    excess = int(sum(n) + sum(h) - resolution)
    zeta = [a - b for a, b in zip(h, f, strict=True)]
    inside = [i for i in tokens if kept[i]]
    lowered = sorted(inside, key=lambda i: -zeta[i])[: max(excess, 0)]
    raised = sorted(inside, key=lambda i: zeta[i])[: max(-excess, 0)]
    return {
        "V": len(law),
        "q": q,
        "u": [Fraction(int(k)) for k in kept],
        "c": 1 / Fraction(sum(v for k, v in zip(kept, q.tolist(), strict=True) if k)),
        "resolution": resolution,
        "n": n,
        "f": f,
        "h": h,
        "lowered": [Fraction(int(i in lowered)) for i in tokens],
        "raised": [Fraction(int(i in raised)) for i in tokens],
    }
