"""Any one-step rule, and speculative decoding against a target that is made of both laws."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._any_rule import above_itself, any_rule, holds
from proofs_check.ears._relaxed_step import Emitted, Step, emitted, two_laws
from proofs_check.language import Derivation, Fact, eq, le, total, x

__all__ = ["AIMED", "Rule", "aimed", "rule"]

AIMED = "the residual is (π − q)₊ over its sum"


class Rule(NamedTuple):
    """Two laws, a kept mass k ≤ q, a residual r, the emitted law o; Σ k ≤ Σ min(o, q); TV(o, p) is Σ (o − p)₊."""

    s: Step
    k: Any
    r: Any
    out: Emitted
    below: Fact
    """k ≤ q."""
    part: Fact
    """k ≤ min(o, q), for each token."""
    over: Fact
    """TV(o, p) = Σ (o − p)₊."""
    mass_r: Fact


def rule(d: Derivation) -> Rule:
    """Any rule at all."""
    s = two_laws(d)
    k, below = any_rule(d, s)
    r, mass_r = d.law("r")
    out = emitted(d, s, k, r, below)
    emits_accepted = holds(d, k, r, out)
    over = above_itself(d, s, out, mass_r)
    accepted_overlap = d.smt(
        "a kept token is drafted and emitted", le(k[x], sp.Min(out.o[x], s.q[x])), emits_accepted, below
    )
    return Rule(s=s, k=k, r=r, out=out, below=below, part=accepted_overlap, over=over, mass_r=mass_r)


def aimed(
    d: Derivation, aim: Any, q: Any, masses: tuple[Fact, Fact], constant: sp.Expr | int = 1
) -> tuple[Any, Fact, Fact]:
    """Speculative decoding of q against a law π: what is emitted, that it is π, and that Σ min(π, q) = 1 − TV(π, q)."""
    r = d.weights("r")
    accepted = sp.Min(aim, q[x])
    over = sp.Max(aim - q[x], 0)
    normed = d.domain(AIMED, eq(r[x] * total(over, x), constant * over))
    parts = d.summed("kept, and beyond the draft", eq(accepted + over, aim))
    refused = d.derive("what is refused is what is left", eq(1 - total(accepted, x), total(over, x)), parts, masses[0])
    out = accepted + (1 - total(accepted, x)) * r[x]
    again = d.derive("drawn after a refusal", eq((1 - total(accepted, x)) * r[x], over), refused, normed)
    per_token = d.derive("kept or beyond", eq(accepted + over, aim))
    lossless = d.derive("so what is emitted is π", eq(out, aim), again, per_token)
    apart = d.summed("two masses", eq(sp.Abs(aim - q[x]), aim + q[x] - 2 * accepted))
    half = eq(total(accepted, x), 1 - total(sp.Abs(aim - q[x]), x) / 2)
    return out, lossless, d.derive("what is shared", half, apart, *masses)
