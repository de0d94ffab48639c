"""One step of speculative decoding under names of one's own: what it emits, and that this is the target's law."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, total, x
from simspec.claims.folk.parts import rest_of_p
from simspec.laws import Array

__all__ = ["NORMED", "Emitted", "emitted", "residual"]

NORMED = "the residual is (p − q)₊ over its sum"


class Emitted(NamedTuple):
    """The laws of a step, what it accepts and emits, and facts on them.

    Attributes
    ----------
    p, q, r : target, draft and residual law
    accepted, emitted : expressions in x
    rejected : Σ (p − q)₊, an expression
    mass, refused, redrawn, lossless : p has mass one; 1 − Σ min(p, q) = Σ (p − q)₊; that times r is (p − q)₊; emitted = p
    """

    p: Any
    q: Any
    r: Any
    accepted: Any
    emitted: Any
    rejected: Any
    mass: Fact
    refused: Fact
    redrawn: Fact
    lossless: Fact


def emitted(d: Derivation, tag: str = "", sign: int = 1, constant: int = 1, normed: str = NORMED) -> Emitted:
    """Derive the law that one step emits, for laws named p, q and r with a tag."""
    p, mass = d.law(f"p{tag}")
    q = d.weights(f"q{tag}")
    r = d.weights(f"r{tag}")
    accepted = sp.Min(p[x], q[x])
    over = sp.Max(p[x] - q[x], 0)
    rejected = total(over, x)
    residual_rule = d.domain(normed, eq(r[x] * rejected, constant * over))
    parts = d.derive("accepted, and beyond the draft", eq(accepted + sign * over, p[x]))
    parts_sum = d.sum("over the vocabulary", parts, x)
    refused = d.derive("what is refused is what is left", eq(1 - total(accepted, x), rejected), parts_sum, mass)
    redrawn = d.derive("drawn after a refusal", eq((1 - total(accepted, x)) * r[x], over), refused, residual_rule)
    law = accepted + (1 - total(accepted, x)) * r[x]
    lossless = d.derive("accepted and drawn again", eq(law, p[x]), redrawn, parts)
    return Emitted(
        p=p,
        q=q,
        r=r,
        accepted=accepted,
        emitted=law,
        rejected=rejected,
        mass=mass,
        refused=refused,
        redrawn=redrawn,
        lossless=lossless,
    )


def residual(p: Array, q: Array, tag: str = "") -> dict[str, Any]:
    """What `emitted` binds."""
    return {f"p{tag}": p, f"q{tag}": q, f"r{tag}": rest_of_p(p, q), "V": len(p)}
