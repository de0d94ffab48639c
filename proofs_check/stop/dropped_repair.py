"""stop.dropped-repair: told what a survivor's law is, or that a drop is a refusal, the verifier makes up for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.stop._survival import REDRAWS, kept_part, redrawn, survival, values
from proofs_check.stop._told_texts import prove_text, text_values
from proofs_check.stop.dropped import by_survivors, of_survivors
from simspec.claims.stop.dropped_repair import BEST, REJECTED, SPLIT, TEXT, TOLD

__all__ = ["by_refusal"]


def prove_told(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule."""
    _, law, accepted = of_survivors(d, sign, constant)
    d.qed(law, accepted)


def prove_rejected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule."""
    v = survival(d)
    residual = v.p[x] - v.s[x] * v.both
    a, keeps = kept_part(d, v, v.s[x] * v.both)
    r, _, normed = redrawn(d, residual, constant)
    accepted = d.sum("survivors kept", keeps, x)
    lost = 1 - total(v.q[x] * v.s[x] * a[x], x)
    refused = d.derive("refused or dropped", eq(lost, total(residual, x)), accepted, v.mass_p)
    again = d.derive("redrawn", eq(lost * r[x], residual), refused, normed)
    emitted = v.q[x] * v.s[x] * a[x] + sign * lost * r[x]
    d.qed(d.derive("in all", eq(emitted, v.p[x]), again, keeps), accepted)


def prove_best(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every rule and every split of what survives.

    Attained by the verifier that is told norm(q s).
    """
    v = survival(d)
    accepted_mass = sp.IndexedBase("kept", real=True)
    again = sp.IndexedBase("again", real=True)
    inside, some, split = d.assume(
        SPLIT,
        le(accepted_mass[x], v.q[x] * v.s[x]),
        ge(again[x], 0),
        eq((1 - v.S) * v.p[x] + accepted_mass[x] + sign * again[x], v.p[x]),
    )
    upper_bound = sp.Min(v.S * v.p[x], v.q[x] * v.s[x])
    per_token = d.smt("token by token", le(constant * accepted_mass[x], upper_bound), inside, some, split)
    d.qed(d.sum("over the vocabulary", per_token, x))


def by_refusal(p: Any, q: Any, s: Any) -> dict[str, Any]:
    """Told q, and that a token was dropped."""
    accepted_mass = s * np.minimum(p, q)
    return values(p, q, s, p - accepted_mass, accepted_mass)


def _best(p: Any, q: Any, s: Any, kept: Any, redrawn: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "s": s, "kept": kept, "again": redrawn, "V": len(p)}


PROOFS = (
    Proof(TOLD, prove_told, drop=REDRAWS, bind=by_survivors),
    Proof(REJECTED, prove_rejected, drop=REDRAWS, bind=by_refusal),
    Proof(BEST, prove_best, drop=SPLIT, bind=_best),
    Proof(TEXT, prove_text, drop=REDRAWS, bind=text_values),
)
