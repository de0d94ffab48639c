"""`sqs.lattice-optimal`: SQS, Algorithm 2 (on a normalised vector)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from simspec.claims.authoring import Array, exact, procedure
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import compositions
from simspec.methods.sqs.quantised import quantise


@lru_cache(maxsize=64)
def _lattice(vocab: int, resolution: int) -> Array:
    return exact(np.array(compositions(resolution, vocab))) / resolution


def _distances(gap: Array) -> Array:
    """ℓ1, squared ℓ2 and ℓ∞ length of each row."""
    return np.stack([abs(gap).sum(axis=-1), (gap * gap).sum(axis=-1), abs(gap).max(axis=-1)])


OPTIMAL = procedure(
    name="sqs.lattice-optimal",
    statement=r"Algorithm 2 on a law returns a lattice point nearest to it, in $\ell_1$, $\ell_2$ and $\ell_\infty$ at once",
    reference="SQS, Algorithm 2 (on a normalised vector)",
    instances=lambda draw: {"q": draw.law(draw.integer(1, 4)), "resolution": draw.integer(1, 4)},
    lhs=lambda q, resolution: _distances(quantise(q, resolution) / resolution - q),
    rhs=lambda q, resolution: _distances(_lattice(len(q), resolution) - q).min(axis=-1),
    sources=("exact",),
    note="The right side tries every lattice point. Rounding and mending the sum by the ζ-sort is the method of largest "
    "remainders: no exchange of one unit between two tokens shortens any of the three lengths; ties change the point, not "
    "the distance. It is nearest to q̃: among points on X another can be nearer to q, as for q = (5, 2, 1)/8, K = 2, ℓ = 5.",
    printed=Printed(
        place="SQS A.1",
        text="projects the top-K probability vector onto a structured lattice within the simplex",
        read="The projection is a nearest point, in three norms at once, for a normalised vector.",
    ),
)
