"""Samples of one request that share drafts: each has the right law, and they are not independent.

`process.shared-drafts` in two readings, with a correction: practice (`n > 1`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, law, procedure
from simspec.claims.process.seed import product_law
from simspec.laws import exact, overlap
from simspec.methods import SD
from simspec.methods.verifier.chance import Chance, every

__all__ = ["both_accept", "joint"]

HALF = law("1/2", "1/2")


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.integer(1, 3))
    return {"p": p, "q": q}


def _samples(p: Array, q: Array) -> Iterator[tuple[Any, list[tuple[int, bool]]]]:
    """One draft, tested twice with uniforms of their own: the two tokens, and whether each is the accepted draft."""

    def program(chance: Chance) -> list[tuple[int, bool]]:
        draft = chance.draw(q)
        samples = []
        for _ in range(2):
            accepted = chance.keep(p[draft], q[draft])
            samples.append((draft if accepted else chance.draw(SD.residual(p, q)), accepted))
        return samples

    return every(program)


def joint(p: Array, q: Array) -> Array:
    """Law of the tokens of two samples.

    >>> [str(m) for m in joint(HALF, HALF).ravel()]
    ['1/2', '0', '0', '1/2']
    """
    masses = exact(np.zeros((len(p), len(p)), dtype=int))
    for weight, samples in _samples(p, q):
        masses[tuple(token for token, _ in samples)] += weight
    return masses


def both_accept(p: Array, q: Array) -> Any:
    """Probability that both samples accept the draft."""
    return sum((weight for weight, samples in _samples(p, q) if all(accepted for _, accepted in samples)), 0 * p[0])


def _texts(p: Array, q: Array) -> Array:
    pairs_law = joint(p, q)
    return np.stack([pairs_law.sum(axis=1), pairs_law.sum(axis=0)])


TEXT = procedure(
    name="process.shared-drafts.text",
    statement=r"Samples of one request that share drafts, each tested with uniforms of its own: each has the law of the target",
    reference="practice, on Leviathan et al. 2023",
    instances=_pair,
    lhs=_texts,
    rhs=lambda p: np.stack([p, p]),
    sources=("exact",),
    note="Each sample alone is a step of speculative decoding.",
    broken=[broken("the draft", rhs=lambda q: np.stack([q, q]))],
)

BATCH = procedure(
    name="process.shared-drafts.batch",
    statement=r"Samples of one request that share drafts, each tested with uniforms of its own, are independent",
    reference="practice, on Leviathan et al. 2023",
    instances=_pair,
    lhs=lambda p, q: joint(p, q).ravel(),
    rhs=lambda p: product_law(p, p).ravel(),
    sources=("exact",),
    corrected_by=("process.shared-drafts.batch-corrected",),
    within=({"p": HALF, "q": HALF},),
    note="A draft that is accepted by one sample is likely to be accepted by the other: with p = q all samples are one.",
)

BATCH_CORRECTED = bound(
    name="process.shared-drafts.batch-corrected",
    statement=r"Both of two samples accept the shared draft with probability $\sum_x \min(p(x), q(x))^2/q(x) \ge \alpha^2$, "
    r"$\alpha = \sum_x \min(p(x), q(x))$: never less often than independent ones",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_pair,
    lhs=both_accept,
    relation=at_least,
    rhs=lambda p, q: overlap(p, q) ** 2,
    tight=({"p": HALF, "q": HALF}, {"p": law("1/2", "1/2"), "q": law(1, 0)}),
    sources=("exact",),
    note="What exceeds α² is the spread of the ratio min(1, p/q) over drafts: equality where every draft is accepted alike.",
    broken=[broken("the acceptance rate", rhs=lambda p, q: overlap(p, q))],
)
