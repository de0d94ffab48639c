"""folk.drop-probs: of the draft a the overlap holds min(p(a), q(a)), and it may hold nothing else."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import MARK, Mark, by_size, mark, marked
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, total, x
from simspec.claims.folk.drop_probs import DROP_PROBS, DROP_PROBS_CORRECTED
from simspec.claims.folk.parts import at_top, top

__all__ = ["bind", "held"]


def held(d: Derivation, p: Any, q: Any, m: Mark) -> tuple[Fact, Fact]:
    """Σ b min(p, q) = min(A, B), which is at most the overlap."""
    overlap = sp.Min(p[x], q[x])
    at_a = d.derive("at a", eq(m.b[x] * overlap, m.b[x] * sp.Min(m.A, m.B)), m.bit, m.of_p, m.of_q, by="smt")
    at_a = d.sum("over the vocabulary", at_a, x)
    at_a = d.derive("one token", eq(total(m.b[x] * overlap, x), sp.Min(m.A, m.B)), at_a, m.one, by="smt")
    within_overlap = d.derive("a part of each", ge(overlap, m.b[x] * overlap), m.bit, by="smt")
    return at_a, d.sum("over the vocabulary", within_overlap, x)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, and every token in the place of argmax q.

    Equality exactly where the two laws share nothing beside a.
    """
    p = d.weights("p")
    q = d.weights("q")
    m = mark(d, p, q)
    at_a, within_overlap = held(d, p, q, m)
    bound = total(sp.Min(p[x], q[x]), x) + sign * sp.Max(m.A - m.B, 0)
    d.qed(d.smt("min(A, B) is A − (A − B)₊", le(constant * m.A, bound), at_a, within_overlap))


def bind(p: Any, q: Any) -> dict[str, Any]:
    return marked(p, q, top(q))


PROOFS = (
    Refutation(
        DROP_PROBS,
        by_size,
        scope="the first pair by vocabulary and denominator: the target is sure, the draft torn",
        repaired={
            "p(a) ≤ q(a)": lambda: (i for i in by_size() if at_top(i["p"], i["q"]) <= i["q"].max()),
            "plus (p(a) − q(a))₊": DROP_PROBS_CORRECTED,
        },
    ),
    Proof(DROP_PROBS_CORRECTED, prove, drop=MARK, bind=bind),
)
