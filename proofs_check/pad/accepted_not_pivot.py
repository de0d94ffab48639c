"""pad.accepted-not-pivot: an override needs the label non-pivot; a pivot still passes its coin, with mass min(p, q)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, x
from proofs_check.pad.two_descriptions import classifier_last, coins
from simspec.claims.claim import Instance
from simspec.claims.pad.accepted_not_pivot import ACCEPTED_NOT_PIVOT, ACCEPTED_NOT_PIVOT_CORRECTED
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, values and false alarms."""
    q, a, t, h = (sp.IndexedBase(name, real=True) for name in ("q", "a", "t", "h"))
    p = sp.IndexedBase("p", real=True)
    coin = d.domain("a coin passes with probability min(1, p/q)", eq(q[x] * a[x], sp.Min(p[x], q[x])))
    label = d.domain("a token is a pivot or not", eq(t[x] * t[x], t[x]))
    flag = sign * t[x] + h[x] * (1 - t[x])  # every pivot, and false alarms
    by_coin = classifier_last(flag, 1) * q[x] * a[x]
    by_override = classifier_last(flag, 0) * q[x] * (1 - a[x])
    never = d.derive("no pivot lacks the flag", eq(t[x] * (1 - flag), 0), label)
    over = d.derive("no pivot is accepted against SD", eq(t[x] * by_override, 0), never, label)
    some = d.derive("a flagged draft passes its coin", eq(t[x] * by_coin, constant * sp.Min(p[x], q[x]) * t[x]), coin)
    d.qed(d.sum("over the vocabulary", over, x), d.sum("over the vocabulary", some, x))


def _values(p: Array, q: Array, after: Array, extra: Array) -> dict[str, Any]:
    mean = (p * after).sum()
    return {
        **{"p": p, "q": q, "V": len(p), "a": coins(p, q)},
        **{"t": [int(v < mean) for v in after], "h": [int(v) for v in extra]},
    }


def small_steps() -> Iterator[Instance]:
    """Laws of up to two tokens in multiples of 1/2, each token worth 0 or 1, no false alarm."""
    for vocab in (1, 2):
        for p in laws(vocab, 2):
            for q in laws(vocab, 2):
                for worth in np.ndindex(*[2] * vocab):
                    after = np.array([F(w) for w in worth], dtype=object)
                    yield {"p": p, "q": q, "after": after, "extra": np.zeros(vocab, dtype=bool)}


def without_shared_pivots() -> Iterator[Instance]:
    """The same where models never share a pivot: SD accepts none."""
    for s in small_steps():
        pivot = s["after"] < (s["p"] * s["after"]).sum()
        if (np.where(pivot, np.minimum(s["p"], s["q"]), 0) == 0).all():
            yield s


PROOFS = (
    Refutation(
        ACCEPTED_NOT_PIVOT,
        small_steps,
        scope="the first among one and two tokens with masses 0, 1/2, 1 and values 0 or 1; one token has no pivot",
        repaired={
            "accepted against SD": ACCEPTED_NOT_PIVOT_CORRECTED,
            "no pivot has mass under both models": without_shared_pivots,
        },
    ),
    Proof(ACCEPTED_NOT_PIVOT_CORRECTED, prove, drop="a token is a pivot or not", bind=_values),
)
