"""sqs.rejection-bound: rejections happen where a draft is tested, at most everywhere; each has TV(q̂, p) ≤ TV(q, p) + TV(q, q̂)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, index, le, total, x
from proofs_check.sqs._batched_texts import at_most_everywhere, by_induction, c, everywhere, n, run, states, t
from simspec.claims.sqs.parts import worst_rounding
from simspec.claims.sqs.rejection_bound import BOUND, BOUND_SHARP
from simspec.methods.sqs.quantised import dropped_mass

DISTORTION = "what is sent is no further from the draft than printed (see sqs.total-distortion)"
DISTORTION_SHARP = "what is sent is no further from the draft than it can be (see sqs.total-distortion-sharp)"


def _proof(d: Derivation, sharp: bool, sign: int, constant: sp.Expr | int) -> None:
    """Derive the bound, or both inequalities of the sharp one, from J ≤ M and the triangle inequality for TV."""
    r = run(d, sign=sign)
    q = sp.IndexedBase("q", nonnegative=True)
    lost = sp.IndexedBase("lost", nonnegative=True)
    near = total(sp.Abs(q[t, x] - r.p[t, x]), x) / 2
    far = total(sp.Abs(q[t, x] - r.sent[t, x]), x) / 2
    name = DISTORTION_SHARP if sharp else DISTORTION
    distortion = d.domain(name, le(far, lost[t]))
    triangle = d.summed(
        "triangle inequality",
        le(sp.Abs(r.sent[t, x] - r.p[t, x]), sp.Abs(q[t, x] - r.p[t, x]) + sp.Abs(q[t, x] - r.sent[t, x])),
        by="smt",
    )
    value = near + constant * lost[t]
    per_text = d.smt("by sqs.total-distortion", le(r.tv, value), triangle, distortion)
    M, zero, recursion_step = everywhere(d, r, "M", r.tv)
    B, empty, longer = everywhere(d, r, "B", value)
    counted = at_most_everywhere(d, r, M, zero, recursion_step)

    def step(before: Fact) -> Fact:
        then = d.instantiate("after the next token", before, {t: r.after[t, x]})
        then = d.smt("weighed", le(r.p[t, x] * M[n, r.after[t, x]], r.p[t, x] * B[n, r.after[t, x]]), then)
        then = d.sum("over the tokens", then, x)
        return d.smt("one token more", le(M[n + 1, t], B[n + 1, t]), recursion_step, longer, then, per_text)

    base = d.derive("before the first token", le(M[0, t], B[0, t]), zero, empty)
    bound = by_induction(d, "term by term", le(M[n, t], B[n, t]), base, step)
    T = sp.Symbol("T", integer=True, nonnegative=True)
    begin = index("begin")
    counted = d.instantiate("the whole text", counted, {n: T, c: begin})
    bound = d.instantiate("the whole text", bound, {n: T, t: r.of[begin]})
    if sharp:
        d.qed(counted, bound)
    else:
        d.qed(d.smt("together", le(r.J[T, begin], B[T, r.of[begin]]), counted, bound))


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    _proof(d, False, sign, constant)


def prove_sharp(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    _proof(d, True, sign, constant)


def _values(sharp: bool, instance: dict[str, Any]) -> dict[str, Any]:
    s = states(instance)

    def lost(at: int) -> Any:
        q = s.text.draft(s.texts[at - 1])
        mask = s.text.kept(s.texts[at - 1])
        dropped = dropped_mass(q, mask)
        size = int(mask.sum()) * (q[0] * 0 + 1)
        if sharp:
            return dropped + (1 - dropped) * worst_rounding(size, s.text.resolution)
        return dropped + size / (4 * s.text.resolution)

    return {**s.values, "q": lambda at, token: s.text.draft(s.texts[at - 1])[token - 1], "lost": lost}


SCOPE = (
    "targets and drafts that depend on the whole text, K-SQS and C-SQS, batches of any length, fixed or by a bit budget"
)

PROOFS = (
    Proof(
        BOUND,
        prove,
        drop=DISTORTION,
        change={"constant": sp.Rational(1, 2)},
        bind=lambda **instance: _values(False, instance),
        scope=SCOPE,
        sharp="Equality for one token, p = (1, 0), q = (1, 1)/2, K = 2, ℓ = 1: neither the 1 before TV nor 1/4 can be lowered, "
        "nor the 1 before α, as K = 1, p = (0, 1), q = (1, 1)/2 shows for large ℓ. For each K, "
        "ℓ and dropped mass see sqs.rejection-bound-sharp.",
    ),
    Proof(
        BOUND_SHARP,
        prove_sharp,
        drop=DISTORTION_SHARP,
        change={"constant": sp.Rational(1, 2)},
        bind=lambda **instance: _values(True, instance),
        scope=SCOPE,
        sharp="Both inequalities are equalities where every draft is rejected in long batches, as for p = (0, 1), q = (1, 0).",
    ),
)
