"""pad.two-descriptions: in either order a draft is rejected exactly when it is flagged and its coin fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x
from simspec.claims.pad.two_descriptions import TWO_DESCRIPTIONS
from simspec.laws import Array
from simspec.methods import SD


def classifier_first(flag: sp.Expr, passes: int) -> sp.Expr:
    """3.2: 1 where a draft is accepted: not flagged, or flagged and its coin passes."""
    return flag * passes + (1 - flag)


def classifier_last(flag: sp.Expr, passes: int) -> sp.Expr:
    """3.3: 1 where a draft is accepted: its coin passes, or it fails and the draft is not flagged."""
    return sp.Integer(passes) + (1 - passes) * (1 - flag)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    p, q, f = (sp.IndexedBase(name, real=True) for name in ("p", "q", "f"))
    a = sp.IndexedBase("a", real=True)
    r = sp.IndexedBase("r", real=True)
    overlap = sp.Min(p[x], q[x])
    coin = d.domain("a coin passes with probability min(1, p/q)", eq(q[x] * a[x], overlap))
    cells = ((1, q[x] * a[x]), (0, q[x] * (1 - a[x])))
    some = []
    same = []
    for passes, mass in cells:
        classified_first = classifier_first(f[x], passes) * mass
        classified_last = classifier_last(f[x], sign * passes) * mass
        same.append(
            d.derive("accepted in this cell of the coin, in either order", eq(classified_first, classified_last))
        )
        some.append((classified_first, classified_last))
    masses = [sum(s) for s in zip(*some, strict=True)]
    replaced = [(1 - total(m, x)) * r[x] for m in masses]
    agree = d.summed("accepted", eq(*masses), *same)
    again = d.derive("replaced, in either order", eq(*replaced), agree)
    out = d.derive("emitted, in either order", eq(masses[0] + replaced[0], masses[1] + replaced[1]), agree)
    accepted = f[x] * overlap + (1 - f[x]) * q[x]
    by_rule = d.derive("what the rule keeps", eq(masses[0], constant * accepted), coin)
    all_kept = d.sum("over the vocabulary", by_rule, x)
    sent = d.derive(
        "what the rule emits",
        eq(masses[0] + replaced[0], accepted + (1 - total(accepted, x)) * r[x]),
        by_rule,
        all_kept,
    )
    d.qed(*same, again, out, sent, by_rule)


def coins(p: Array, q: Array) -> Any:
    """min(1, p/q), and whatever where nothing is drafted."""
    return np.minimum(1, p / np.where(q > 0, q, 1))


PROOF = Proof(
    TWO_DESCRIPTIONS,
    prove,
    drop="a coin passes with probability min(1, p/q)",
    bind=lambda p, q, flags: {
        **{"p": p, "q": q, "V": len(p), "r": SD.residual(p, q), "a": coins(p, q)},
        **{"f": [int(v) for v in flags]},
    },
)
