"""rdk.tli-vs-none: TLI divides by q(I) ≤ 1, so it proposes a shared token no less often, and at most 1/q(I) times as often."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, le, total, x
from proofs_check.rdk._shared_vocabulary import inside, nothing, shared, tli
from simspec.claims.rdk.tli_vs_none import TLI_VS_NONE, TLI_VS_NONE_SHARP
from simspec.laws import Array


def better(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target, draft and shared vocabulary, drafts without mass there included.

    Equality where q(I) = 1, or where q covers p on I; the gain is at most the factor 1/q(I), attained by targets above
    q' on I: rdk.tli-vs-none-sharp.
    """
    p = d.weights("p")
    q, mass = d.law("q")
    i = shared(d)
    t = tli(d, i, q, share=share)
    at_most_one = inside(d, i, q, mass)
    proposed_no_less = ge(t.law[x], sign * i.mask[x] * q[x])
    proposed_no_less = d.derive(
        "a shared token is proposed no less often", proposed_no_less, t.meaning, *t.empty, i.some, at_most_one
    )
    token = ge(sp.Min(p[x], t.law[x]), i.mask[x] * sp.Min(p[x], q[x]))
    token = d.derive("so it is accepted no less often", token, proposed_no_less, i.flag, t.not_negative)
    d.qed(d.sum("over the vocabulary", token, x))


def factor(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target, draft and shared vocabulary, drafts without mass there included.

    The factor is the least: equality where p is at least q' on I, for example at p = q', for every q(I).
    """
    p = d.weights("p")
    q, mass = d.law("q")
    i = shared(d)
    t = tli(d, i, q, share=share)
    inner = total(i.mask[x] * q[x], x)
    at_most_one = inside(d, i, q, mass)
    scaled = le(inner * t.law[x], sign * i.mask[x] * q[x])
    scaled = d.derive("scaled back by q(I)", scaled, t.meaning, *t.empty, i.some)
    some = d.derive("q(I) is not negative", ge(inner, 0))
    token = le(inner * sp.Min(p[x], t.law[x]), i.mask[x] * sp.Min(p[x], q[x]))
    token = d.derive("what TLI accepts, scaled back", token, scaled, some, at_most_one, t.not_negative, i.flag)
    d.qed(d.sum("over the vocabulary", token, x))


def _values(p: Array, q: Array, shared: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "I": shared, "none_t": nothing(q, shared), "V": len(p)}


PROOFS = (
    Proof(TLI_VS_NONE, better, drop="q sums to one", change={"share": sp.S.Half}, bind=_values),
    Proof(TLI_VS_NONE_SHARP, factor, drop="q sums to one", change={"share": 2}, bind=_values),
)
