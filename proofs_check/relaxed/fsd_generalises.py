"""relaxed.fsd-generalises: an acceptance of 0 or 1, of which the nearer one is at min(α, 1 − α) from α."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x
from simspec.claims.relaxed.fsd_generalises import FSD_GENERALISES, FSD_GENERALISES_CORRECTED
from simspec.laws import overlap

EQUAL = (
    "two laws at divergence 0 are equal: e is 1 where α is, and the acceptance at T = 0 is e, at the largest T it is 1"
)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, and every divergence that is 0 for equal laws only."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    e, alpha = sp.symbols("e alpha", real=True)
    shared = d.define("acceptance of speculative decoding", alpha, total(sp.Min(p[x], q[x]), x))
    bit, flag_implies_equal = d.domain(EQUAL, eq(e * (1 - e), 0), eq(e * (1 - alpha), 0))
    size = d.summed("not negative", ge(sp.Min(p[x], q[x]), 0))
    low = d.derive("α is not negative", ge(alpha, 0), size, shared)
    apart = d.summed("two masses", eq(sp.Abs(p[x] - q[x]), p[x] + q[x] - 2 * sp.Min(p[x], q[x])))
    at_most_target = d.summed("shared", le(sp.Min(p[x], q[x]), p[x]))
    high = d.derive("α is at most 1", le(alpha, 1), at_most_target, shared, mass_p)
    nearest = constant * sp.Min(sp.Abs(e - alpha), sp.Abs(1 - alpha))
    half = total(sp.Abs(p[x] - q[x]), x) / 2
    apart = d.derive("that is", eq(half, 1 - sign * alpha), apart, shared, mass_p, mass_q)
    goal = eq(nearest, sp.Min(total(sp.Min(p[x], q[x]), x), half))
    premises = [bit, flag_implies_equal, low, high, apart, shared]
    d.qed(d.smt("the nearer one", goal, *premises))


def bind(p: Any, q: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "e": int((p == q).all()), "V": len(p)}


PROOFS = (
    Refutation(
        FSD_GENERALISES,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "equal laws, or laws that share nothing": lambda: (
                i for i in by_size() if overlap(i["p"], i["q"]) in (0, 1)
            ),
            "up to min(α, 1 − α)": FSD_GENERALISES_CORRECTED,
        },
    ),
    Proof(FSD_GENERALISES_CORRECTED, prove, drop=EQUAL, bind=bind),
)
