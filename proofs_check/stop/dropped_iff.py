"""stop.dropped-iff: a rule that ignores the token thins all drafts alike; any other shows where target and draft agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x
from proofs_check.stop._survival import KEEPS, REDRAWS, kept_part, redrawn, survival, values
from simspec.claims.stop.dropped_iff import BLIND, ENOUGH, NEEDED


def prove_enough(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule that is the same wherever q has mass."""
    v = survival(d)
    share = d.number("share", 0)
    alike = d.assume(BLIND, eq(v.q[x] * v.s[x], share * v.q[x]))
    over = sp.Max(v.p[x] - v.q[x], 0)
    a, keeps = kept_part(d, v, v.s[x] * v.both)
    r, _, normed = redrawn(d, over, constant)
    parts = d.derive("kept, and beyond the draft", eq(v.both + sign * over, v.p[x]))
    thinned = d.smt("of what is kept too", eq(v.s[x] * v.both, share * v.both), alike)
    summed = d.sum("over the vocabulary", parts, x)
    drafts = d.sum("over the drafts", alike, x)
    alive = d.derive("as often as that", eq(v.S, share), v.mean, drafts, v.mass_q)
    accepted_total = d.sum("kept in all", keeps, x)
    thinned_total = d.sum("and what is kept of them", thinned, x)
    lost = v.S - total(v.q[x] * v.s[x] * a[x], x)
    refused = d.derive(
        "refused", eq(lost, share * total(over, x)), alive, accepted_total, thinned_total, summed, v.mass_p, by="smt"
    )
    again = d.derive("redrawn", eq(lost * r[x], share * over), refused, normed)
    emitted = v.q[x] * v.s[x] * a[x] + (1 - v.S) * v.p[x] + lost * r[x]
    d.qed(d.derive("in all", eq(emitted, v.p[x]), again, keeps, thinned, alive, parts))


def prove_needed(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law and every rule."""
    v = survival(d)
    a, keeps = kept_part(d, v, constant * v.s[x] * v.q[x])
    r, _ = d.law("r")
    survivors_accepted = d.sum("every survivor is kept", keeps, x)
    lost = v.S - total(v.q[x] * v.s[x] * a[x], x)
    none = d.derive("none is refused", eq(lost, 0), v.mean, survivors_accepted)
    emitted = v.q[x] * v.s[x] * a[x] + (1 - v.S) * v.q[x] + lost * r[x]
    law = d.derive("kept, or dropped", eq(emitted, v.q[x] * (1 + sign * (v.s[x] - v.S))), none, keeps)
    gap = d.derive("its distance from p", eq(emitted - v.q[x], v.q[x] * (v.s[x] - v.S)), law)
    size = d.derive("in size", eq(sp.Abs(emitted - v.q[x]), v.q[x] * sp.Abs(v.s[x] - v.S)), gap, by="smt")
    size = d.sum("over the vocabulary", size, x)
    half = eq(total(sp.Abs(emitted - v.q[x]), x) / 2, total(v.q[x] * sp.Abs(v.s[x] - v.S), x) / 2)
    d.qed(law, d.derive("half of it", half, size))


def _enough(p: Any, q: Any, s: Any) -> dict[str, Any]:
    share = next(survival for mass, survival in zip(q, s, strict=True) if mass > 0)
    return values(p, q, s, p - q, s * np.minimum(p, q)) | {"share": share}


def _needed(q: Any, s: Any) -> dict[str, Any]:
    return values(q, q, s, 0 * q, s * q)


PROOFS = (
    Proof(ENOUGH, prove_enough, drop=REDRAWS, bind=_enough),
    Proof(NEEDED, prove_needed, drop=KEEPS, bind=_needed),
)
