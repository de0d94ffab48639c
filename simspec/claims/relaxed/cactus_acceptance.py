"""Cactus accepts at least as often as speculative decoding.

`relaxed.cactus-acceptance`: README of Cactus.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, F, at_least, bound, broken, is_exact, law
from simspec.claims.balls import enclose
from simspec.claims.relaxed.parts import HALF, kept, with_delta
from simspec.laws import Scalar, overlap
from simspec.methods import acceptance_rate
from simspec.methods.relaxed import cactus

__all__ = ["accepted"]


def accepted(p: Array, q: Array, delta: Scalar) -> Any:
    """Acceptance of Cactus, its roots enclosed on fractions."""
    return kept(p, q, delta).sum() if is_exact(p) else acceptance_rate(cactus(delta), p, q)


CACTUS_ACCEPTANCE = bound(
    name="relaxed.cactus-acceptance",
    statement=r"Cactus accepts at least as often as speculative decoding: $\sum_x \min(q(x), h(x)) \ge \alpha$",
    reference="Hao and Mou 2026 (Cactus), README of the repository",
    instances=with_delta,
    lhs=accepted,
    rhs=lambda p, q: enclose(overlap(p, q)),
    relation=at_least,
    tight=({"p": HALF, "q": law("3/4", "1/4"), "delta": F(0)},),
    sources=("exact", "float"),
    note="h is at least p. What is gained is paid for, point by point, in total variation: relaxed.cactus-tv.",
    broken=[broken("5/4 of the overlap", rhs=lambda p, q: enclose(overlap(p, q) * 5 / 4))],
)
