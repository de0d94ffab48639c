"""sqs.rejection: a draft from the law that is sent is kept with mass min(p, q̂), so it is rejected with probability TV(q̂, p)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.sqs.parts import scheme
from simspec.claims.sqs.rejection import DRAWN_FROM_Q, REJECTION
from simspec.claims.sqs.rejection_count import COUNT_SHARP
from simspec.claims.sqs.texts import TOLD
from simspec.laws import Array
from simspec.methods.method import accepted_mass
from simspec.methods.sd import SD


def prove(d: Derivation, half: sp.Expr = sp.S.Half, sign: int = 1) -> None:
    """Every vocabulary size, target, and law that is sent, whatever the scheme that made it."""
    p, mass_p = d.law("p")
    sent, mass_sent = d.law("sent")
    draft_law, accept = (d.weights(name) for name in ("drawn", "accept"))
    honest_report = d.assume(TOLD, eq(draft_law[x], sent[x]))
    accepted_mass, accept_bound = d.domain(
        "a draft is kept with probability min(1, p/q̂)",
        eq(accept[x] * sent[x], draft_law[x] * sp.Min(p[x], sent[x])),
        le(accept[x], draft_law[x]),
    )
    accepted_mass = d.smt(
        "so its mass is", eq(accept[x], sp.Min(p[x], sent[x])), accepted_mass, accept_bound, honest_report
    )
    term = d.derive(
        "the smaller of two numbers", eq(sp.Min(p[x], sent[x]), (p[x] + sent[x] - sign * sp.Abs(sent[x] - p[x])) / 2)
    )
    accepted_mass = d.sum("over the vocabulary", accepted_mass, x)
    term = d.sum("over the vocabulary", term, x)
    tv = half * total(sp.Abs(sent[x] - p[x]), x)
    d.qed(d.derive("both laws have mass one", eq(1 - total(accept[x], x), tv), accepted_mass, term, mass_p, mass_sent))


def _bind(p: Array, q: Array, k: int, resolution: int, threshold: Fraction, drawn: Any) -> dict[str, Any]:
    sent = scheme(k, resolution, threshold).propose(q)
    return {
        "V": len(p),
        "p": p,
        "sent": sent,
        "drawn": sent if drawn is None else drawn,
        "accept": accepted_mass(SD, p, sent, drawn),
    }


def texts(same: bool = False) -> Iterator[Instance]:
    """Two positions, two tokens, laws of zeros and ones, one token sent; the draft as the target, or any."""
    parameters = {"threshold": None, "step_size": None, "dropped_target": None, "budget": None}
    for rows in product(laws(2, 1), repeat=6):
        p = np.stack(rows[:3])
        q = np.stack(rows[:3] if same else rows[3:])
        yield {"p": p, "q": q, "k": 1, "resolution": 1, "gamma": 2, "length": 2, **parameters}


PROOFS = (
    Proof(REJECTION, prove, drop="sent sums to one", change={"half": sp.Rational(1, 3)}, bind=_bind),
    Refutation(
        DRAWN_FROM_Q,
        texts,
        scope="texts of two tokens, laws of zeros and ones, the most likely token sent",
        repaired={"the draft is the target": lambda: texts(same=True), "texts drawn from the target": COUNT_SHARP},
    ),
)
