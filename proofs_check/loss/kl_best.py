"""loss.kl-best: three tokens, of which the draft family gives one too much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from proofs_check.language import Refutation, laws
from simspec.claims.claim import Instance
from simspec.claims.loss.kl_best import KL_BEST


def _segments(vocab: int) -> Iterator[Instance]:
    """Laws by a common denominator; those that are no minimum of their segment are left out by the claim's assumption."""
    for size in range(vocab, 13):
        for p, q, rival in product(laws(vocab, size), laws(vocab, size), laws(vocab, size)):
            if (q > 0).all() and (p * (rival - q) / q).sum() == 0:
                yield {"p": p, "q": q, "rival": rival}


def _held(vocab: int) -> Iterator[Instance]:
    """The family holds the target: it is the minimum."""
    for size in range(vocab, 7):
        for p, rival in product(laws(vocab, size), laws(vocab, size)):
            if (p > 0).all():
                yield {"p": p, "q": p, "rival": rival}


PROOF = Refutation(
    KL_BEST,
    lambda: _segments(3),
    scope="the first by a common denominator, with three tokens; a segment of two tokens' laws has its minimum at p or an end",
    repaired={"the family holds the target": lambda: _held(3)},
)
