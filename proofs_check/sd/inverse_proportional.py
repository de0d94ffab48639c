"""sd.inverse-proportional: acceptance and the drafter kernel's mass add up to one, so their product is no constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, laws, total, x
from proofs_check.rules.smt import model
from simspec.claims.claim import Instance
from simspec.claims.sd.inverse_proportional import INVERSE, INVERSE_CORRECTED
from simspec.laws import overlap


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    p = d.weights("p")
    q, mass = d.law("q")
    kernel = sp.Max(q[x] - sign * p[x], 0)
    draft_split = d.summed("kept and never kept are the whole draft", eq(sp.Min(p[x], q[x]) + kernel, q[x]))
    d.qed(
        d.derive(
            "the draft has mass one", eq(total(sp.Min(p[x], q[x]), x) + total(kernel, x), constant), draft_split, mass
        )
    )


def _pairs() -> Iterator[Instance]:
    """All pairs of pairs of laws over one and over two tokens, with masses in halves."""
    for vocab in (1, 2):
        for p in laws(vocab, 2):
            for q in laws(vocab, 2):
                for p2 in laws(vocab, 2):
                    yield from ({"p": p, "q": q, "p2": p2, "q2": q2} for q2 in laws(vocab, 2))


def same_rate() -> Iterator[Instance]:
    """The same search among pairs of one acceptance rate, or of two that add up to one."""
    return (i for i in _pairs() if overlap(i["p"], i["q"]) in {a := overlap(i["p2"], i["q2"]), 1 - a})


def another_sum() -> NoReturn:
    """A rate and a kernel's mass that do not add up to one, over a vocabulary of two."""
    p, q = sp.symbols("p q", nonnegative=True)
    overlapping = sp.Min(p, q) + sp.Min(1 - p, 1 - q)
    kernel = sp.Max(q - p, 0) + sp.Max(p - q, 0)
    raise AssertionError(model([gt(1 - p, 0), gt(1 - q, 0), gt(sp.Abs(overlapping + kernel - 1), 0)]))


PROOFS = (
    Proof(INVERSE_CORRECTED, prove, drop="q sums to one", bind=lambda p, q: {"p": p, "q": q, "V": len(p)}),
    Refutation(
        INVERSE,
        _pairs,
        scope="the first of all pairs of laws whose masses are multiples of a half, vocabulary by vocabulary; at V = 1, "
        "and with point masses only, every product is 0",
        repaired={
            "the two rates are equal, or add up to one": same_rate,
            "the sum in place of the product": another_sum,
        },
    ),
)
