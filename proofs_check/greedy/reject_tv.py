"""greedy.reject-tv: from p₁ down to q's mode one must go by half the margin at one of two tokens."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.relaxed._certificates import MARKS, hot
from simspec.claims.greedy.margins import REJECT_TV
from simspec.claims.relaxed.parts import rank
from simspec.laws import Array

LARGEST = "a has p₁, b at most p₂, and q has no less on b than on a"
SECOND = "e is a token of mass p₂, another than a"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, and every q.

    Attained by p with the mean of its two largest masses on both.
    """
    p = d.weights("p")
    q = d.weights("q")
    a, b, e = (d.weights(name) for name in ("a", "b", "e"))
    first, second, pb, Qa, Qb = (d.number(name, 0) for name in ("p_1", "p_2", "p_b", "Q_a", "Q_b"))
    marks = d.domain(
        MARKS,
        *(eq(a[x] * (1 - a[x]), 0), eq(b[x] * (1 - b[x]), 0), eq(a[x] * b[x], 0)),
        *(eq(total(a[x], x), 1), eq(total(b[x], x), 1)),
        *(eq(a[x] * p[x], a[x] * first), eq(b[x] * p[x], b[x] * pb)),
        *(eq(a[x] * q[x], a[x] * Qa), eq(b[x] * q[x], b[x] * Qb)),
    )
    sizes = d.domain(LARGEST, le(pb, second), le(second, first), le(Qa, Qb))
    apart = ge(sp.Abs(p[x] - q[x]), a[x] * (first - Qa) + b[x] * (Qb - sign * pb))
    apart = d.sum("over the vocabulary", d.smt("on two tokens", apart, *marks[:3], *marks[5:]), x)
    half = sp.S.Half
    margin = (first - second) / 2
    far = ge(half * total(sp.Abs(p[x] - q[x]), x), constant * margin)
    far = d.smt("the two together are the margin", far, apart, *marks[3:5], *sizes)
    others = d.domain(
        SECOND, eq(e[x] * (1 - e[x]), 0), eq(a[x] * e[x], 0), eq(total(e[x], x), 1), eq(e[x] * p[x], e[x] * second)
    )
    change = a[x] * (first - second) / 2 + e[x] * (second - first) / 2
    near = eq(sp.Abs(change), (a[x] + e[x]) * margin)
    near = d.sum("over the vocabulary", d.smt("moved", near, marks[0], *others[:2], sizes[1]), x)
    attained = eq(half * total(sp.Abs(change), x), margin)
    attained = d.smt("attained", attained, near, marks[3], others[2])
    negative = eq(-half * total(sp.Abs(change), x), -margin)
    d.qed(far, attained, d.derive("that is", negative, attained, by="smt"))


def _values(p: Array, q: Array, b: int) -> dict[str, Any]:
    first, second = rank(p)
    return {
        **{"p": p, "q": q, "V": len(p), "a": hot(len(p), first), "b": hot(len(p), b), "e": hot(len(p), second)},
        **{"p_1": p[first], "p_2": p[second], "p_b": p[b], "Q_a": q[first], "Q_b": q[b]},
    }


PROOF = Proof(REJECT_TV, prove, drop=LARGEST, bind=_values)
