"""csqs.checkpoint: after T accepted drafts and the new token Eq. 8 has run T + 1 times, which line 12 counts as T."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, total, x
from simspec.claims.claim import Instance
from simspec.claims.csqs.checkpoint import CHECKPOINT, CHECKPOINT_CORRECTED
from simspec.claims.csqs.parts import READINGS
from simspec.laws import Array
from simspec.methods.csqs.conformal import checkpoint, draft_thresholds
from simspec.methods.sqs.quantised import threshold_mask

b, n, B = sp.symbols("b n B", integer=True, nonnegative=True)
"""Batch, position in it, number of batches."""


def prove(d: Derivation, sign: int = 1, once: int = 1) -> None:
    """Every number of batches, drafts and accepted drafts, and all draft laws; both readings of an empty set."""
    q = sp.IndexedBase("q", real=True)
    mass = d.domain("draft laws sum to one", eq(total(q[b, n, x], x), 1))
    A = sp.IndexedBase("A", integer=True, nonnegative=True)
    start = d.number("start")
    alpha = d.number("alpha")
    eta = d.number("eta", positive=True)
    conclusions = []
    for tail in ("", "_top"):
        keep = sp.Function("keep" + tail, real=True)  # whether a threshold keeps a token
        W, U, first_W, first_U = (sp.IndexedBase(name + tail, real=True) for name in ("W", "U", "first_W", "first_U"))
        w = W[b, n]
        u = U[b, n]
        dropped = total((1 - keep(b, n, x, w)) * q[b, n, x], x)
        retained_mass = total(keep(b, n, x, u) * q[b, n, x], x)
        at_W, next_W = d.recursion(
            "the algorithm: Eq. 8 at each position of a batch",
            eq(W[b, 0], first_W[b]),
            eq(W[b, n + 1], w - eta * (sign * dropped - alpha)),
        )
        at_U, next_U = d.recursion(
            "what is wanted: Eq. 8 at each token",
            eq(U[b, 0], first_U[b]),
            eq(U[b, n + 1], u - eta * (1 - retained_mass - alpha)),
        )
        begin_W, later_W = d.domain(
            "the next batch starts after the new token", eq(first_W[0], start), eq(first_W[b + 1], W[b, A[b] + once])
        )
        begin_U, later_U = d.domain("and so it should", eq(first_U[0], start), eq(first_U[b + 1], U[b, A[b] + 1]))
        batch = d.suppose(f"equal at the start of batch b{tail}", eq(first_W[b], first_U[b]))
        token = d.suppose(f"equal at position n{tail}", eq(w, u))
        base = d.derive("at the first position", eq(W[b, 0], U[b, 0]), at_W, at_U, batch)
        step = d.derive("at the next position", eq(W[b, n + 1], U[b, n + 1]), next_W, next_U, token, mass)
        same = d.induction("at every position", eq(w, u), n, base, step)
        end = d.instantiate("after the new token", same, {n: A[b] + 1})
        base = d.derive("the first batch", eq(first_W[0], first_U[0]), begin_W, begin_U)
        step = d.derive("the next batch", eq(first_W[b + 1], first_U[b + 1]), later_W, later_U, end)
        for_every_batch = d.induction("in every batch", eq(first_W[b], first_U[b]), b, base, step)
        conclusions.append(d.instantiate("after the last batch", for_every_batch, {b: B}))
    d.qed(*conclusions)


def values(q: Array, accepted: Array, start: Any, step_size: Any, dropped_target: Any) -> dict[str, Any]:
    """The values of the symbols of `prove`: the thresholds of each batch, by both readings of an empty set."""
    bindings: dict[str, Any] = {}
    rates = {"start": start, "step_size": step_size, "dropped_target": dropped_target}
    expected_ends = [
        CHECKPOINT_CORRECTED.sides({"q": q[:k], "accepted": accepted[:k], **rates})[1] for k in range(len(q) + 1)
    ]
    for tail, top in zip(("", "_top"), READINGS, strict=True):
        ends = [start]
        for rows, count in zip(q, accepted, strict=True):
            out = draft_thresholds(rows, ends[-1], step_size, dropped_target, top)
            ends.append(checkpoint(out.thresholds, count))
        bindings["first_W" + tail] = lambda b, ends=ends: ends[b]
        bindings["first_U" + tail] = lambda b, top=top: expected_ends[b][int(top)]
        bindings["keep" + tail] = lambda b, n, x, beta, top=top: threshold_mask(q[int(b), int(n)], beta, top)[
            int(x) - 1
        ]
    ranges = {"b": range(len(q)), "n": range(q.shape[1])}
    return {
        **bindings,
        **{"q": lambda b, n, x: q[b, n, x - 1], "A": lambda b: int(accepted[b]), "V": q.shape[-1], "B": len(q)},
        **{"start": start, "eta": step_size, "alpha": dropped_target, "ranges": ranges},
    }


def batches() -> Iterator[Instance]:
    """One batch of one draft, accepted; V = 1, 2, masses in halves, η = 1, α = ½, start 0, ½, 1."""
    for vocab, start in product((1, 2), range(3)):
        for q in laws(vocab, 2):
            text = {"q": np.stack([q, q])[None], "accepted": np.array([1]), "start": F(start, 2)}
            yield {**text, "step_size": F(1), "dropped_target": F(1, 2)}


PROOFS = (
    Refutation(
        CHECKPOINT,
        batches,
        scope="the first batch of one accepted draft in order of vocabulary and start: V = 1, the new token's update is "
        "missing",
        repaired={"the next batch starts after the update at the new token": CHECKPOINT_CORRECTED},
    ),
    Proof(CHECKPOINT_CORRECTED, prove, drop="draft laws sum to one", change={"once": 0}, bind=values),
)
