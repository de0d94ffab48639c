"""folk.one-hot-better: p(a) − α is (p(a) − q(a))₊ less what the laws share beside a."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from proofs_check.folk._one_step import MARK, by_size, mark
from proofs_check.folk.drop_probs import bind, held
from proofs_check.language import Derivation, Proof, Refutation, eq, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.folk.one_hot_better import ENOUGH, ENOUGH_CORRECTED, NEEDS, NO_SURER
from simspec.claims.folk.parts import at_top


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, and every token in the place of argmax q.

    Equality exactly where the two laws share nothing beside a.
    """
    p = d.weights("p")
    q = d.weights("q")
    m = mark(d, p, q)
    surer = d.assume(NO_SURER, le(sign * m.A, sign * m.B))
    at_a, within_overlap = held(d, p, q, m)
    d.qed(
        d.smt("of a alone it holds p(a)", le(constant * m.A, total(sp.Min(p[x], q[x]), x)), at_a, within_overlap, surer)
    )


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, and every token in the place of argmax q."""
    p = d.weights("p")
    q = d.weights("q")
    m = mark(d, p, q)
    at_a, _ = held(d, p, q, m)
    overlap = sp.Min(p[x], q[x])
    elsewhere = total(overlap * (constant - m.b[x]), x)
    d.qed(
        d.smt(
            "the overlap at a, and elsewhere",
            eq(m.A - total(overlap, x), sp.Max(m.A - sign * m.B, 0) - elsewhere),
            at_a,
        )
    )


def _surer() -> Iterator[Instance]:
    """Pairs in which the target is surer of a than the draft."""
    return (i for i in by_size((1, 2), 6) if at_top(i["p"], i["q"]) > i["q"].max())


PROOFS = (
    Proof(NEEDS, prove, drop=MARK, bind=bind),
    Refutation(
        ENOUGH,
        _surer,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "nothing is shared beside a": lambda: (
                i for i in _surer() if sum(map(min, i["p"], i["q"])) == i["q"].max()
            ),
            "less what they share elsewhere": ENOUGH_CORRECTED,
        },
    ),
    Proof(ENOUGH_CORRECTED, prove_corrected, drop=MARK, bind=bind),
)
