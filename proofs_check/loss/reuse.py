"""loss.reuse: what was rejected lacks the tokens that the old policy has enough of; old text is a draft like any other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from proofs_check.folk._one_step import NORMED, residual, step
from proofs_check.language import Derivation, Proof, Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.loss.reuse import REUSE, REUSE_CORRECTED
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all pairs of policies."""
    d.qed(step(d, sign=sign, constant=constant).lossless)


def _policies(same: bool) -> Iterator[Instance]:
    for size in range(1, 4):
        for p, after, q in product(laws(2, size), laws(2, size), laws(2, size)):
            if not same or (q == p).all():
                yield {"p": p, "after": after, "q": q}


def _values(p: Array, after: Array) -> dict[str, object]:
    return residual(after, p)


PROOFS = (
    Refutation(
        REUSE,
        lambda: _policies(False),
        scope="the first by a common denominator, with two tokens",
        repaired={
            "residual draws beside what is kept": REUSE_CORRECTED,
            "nothing was rejected": lambda: _policies(True),
        },
    ),
    Proof(REUSE_CORRECTED, prove, drop=NORMED, bind=_values),
)
