"""Any rule on drafts from q: a kept mass 0 ≤ k ≤ q and a law r for after a rejection; what is kept is emitted."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._relaxed_step import Emitted, Step, distance
from proofs_check.language import Derivation, Fact, eq, ge, le, total, x

__all__ = ["PART", "above_itself", "any_rule", "holds"]

PART = "k is a part of the draft"


def any_rule(d: Derivation, s: Step) -> tuple[Any, Fact]:
    """A kept mass, and that it is part of the draft."""
    k = d.weights("k")
    part_of_draft = d.domain(PART, le(k[x], s.q[x]))
    return k, d.derive("a token is rejected in the other cases, none or some", ge(s.q[x] - k[x], 0), part_of_draft)


def holds(d: Derivation, k: sp.IndexedBase, r: sp.IndexedBase, out: Emitted) -> Fact:
    """o ≥ k: what is kept is emitted."""
    return d.smt("what is kept is emitted", ge(out.o[x], k[x]), out.law, out.most)


def above_itself(d: Derivation, s: Step, out: Emitted, mass_r: Fact) -> Fact:
    """TV(o, p) = Σ (o − p)₊, as o and p have mass one."""
    o = out.o
    p = s.p
    sums = d.sum("the emitted law, over the vocabulary", out.law, x)
    mass = d.derive("it is a law", eq(total(o[x], x), 1), sums, mass_r, out.rate)
    above_or_below = d.summed(
        "a token is above p or below it", eq(sp.Abs(o[x] - p[x]), 2 * sp.Max(o[x] - p[x], 0) + p[x] - o[x])
    )
    return d.derive(
        "a law is as far above another as below it",
        eq(distance(o, p), total(sp.Max(o[x] - p[x], 0), x)),
        *(above_or_below, mass, s.mass_p),
    )
