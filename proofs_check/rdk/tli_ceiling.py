"""rdk.tli-ceiling: the overlap is at most p on the shared vocabulary and nothing outside; what is missing is (p − d)₊."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, x
from proofs_check.rdk._shared_vocabulary import inside, nothing, shared, tli
from simspec.claims.rdk.tli_ceiling import TLI_CEILING, TLI_CEILING_SHARP

SUPPORTED = "the drafter is supported on I"


def ceiling(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target, shared vocabulary and drafter on it.

    The ceiling is attained exactly by the drafters with d ≥ p on I (rdk.tli-ceiling-sharp), for example by the target
    itself restricted to I.
    """
    p = d.weights("p")
    draft = d.weights("d")
    i = shared(d)
    off = d.assume(SUPPORTED, eq((1 - i.mask[x]) * draft[x], 0))
    token = le(sp.Min(p[x], draft[x]), sign * constant * i.mask[x] * p[x])
    token = d.derive("at most p on a shared token, and nothing on another", token, off, i.flag)
    d.qed(d.sum("over the vocabulary", token, x))


def exact(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target, draft and shared vocabulary, drafts without mass there included."""
    p, mass_p = d.law("p")
    q = d.weights("q")
    i = shared(d)
    t = tli(d, i, q)
    best = tli(d, i, p, "best", share=share)
    lacking = i.mask[x] * sp.Max(p[x] - t.law[x], 0)
    off = d.derive(
        "TLI drafts shared tokens only", eq((1 - i.mask[x]) * t.law[x], 0), t.meaning, *t.empty, i.flag, i.some
    )
    token = eq(sp.Min(p[x], t.law[x]), i.mask[x] * p[x] - sign * lacking)
    accepted = d.summed("what is accepted", token, off, i.flag, t.not_negative)
    at_most_one = inside(d, i, p, mass_p)
    covers = d.derive(
        "dividing by p(I) makes p no smaller",
        ge(best.law[x], i.mask[x] * p[x]),
        *(best.meaning, *best.empty, at_most_one, i.some),
    )
    none = eq((1 - i.mask[x]) * best.law[x], 0)
    none = d.derive("and nothing outside", none, best.meaning, *best.empty, i.flag, i.some)
    token = eq(sp.Min(p[x], best.law[x]), i.mask[x] * p[x])
    token = d.derive("so the target on I accepts all it has there", token, covers, none, i.flag, best.not_negative)
    d.qed(accepted, d.sum("over the vocabulary", token, x))


PROOFS = (
    Proof(
        TLI_CEILING,
        ceiling,
        drop=SUPPORTED,
        change={"constant": sp.S.Half},
        bind=lambda p, d, shared: {"p": p, "d": d, "I": shared, "V": len(p)},
    ),
    Proof(
        TLI_CEILING_SHARP,
        exact,
        drop="p sums to one",
        change={"share": sp.S.Half},
        bind=lambda p, q, shared: {
            **{"p": p, "q": q, "I": shared, "V": len(p)},
            **{"none_t": nothing(q, shared), "none_best": nothing(p, shared)},
        },
    ),
)
