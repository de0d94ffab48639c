"""metrics.rate-length: with γ drafts in every step, Σ g = γN; so AL − 1 is γ·AR, and AL is one more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt
from proofs_check.metrics._runs import N, numbers, s, summed
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.metrics.rate_length import BONUS, NO_BONUS, SAME


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run whose steps draft γ ≥ 1 tokens."""
    a = d.weights("a", s)
    g = d.weights("g", s)
    gamma = d.number("gamma", positive=True)
    same_gamma = d.assume(SAME, eq(g[s], gamma))
    drafted = d.domain("some token is drafted", gt(summed(g), 0))
    together = d.sum("over the steps", same_gamma, s, upto=N)
    rate = sp.Symbol("rate", real=True)
    is_rate = d.define("AR", rate, summed(a) / summed(g), drafted)
    times = d.derive("all drafts", eq(rate, summed(a) / (gamma * N)), is_rate, together, drafted)
    per_step = d.derive("per step", eq(constant + summed(a) / N - 1, sign * gamma * rate), times)
    d.qed(
        d.derive(
            "by its name", eq(per_step.relation.lhs, sign * gamma * summed(a) / summed(g)), per_step, is_rate, drafted
        )
    )


def by_size() -> Iterator[Instance]:
    """Runs of one and of two steps with one draft each."""
    for steps in (1, 2):
        for accepted in product((0, 1), repeat=steps):
            yield {"drafted": exact([1] * steps), "accepted": exact(list(accepted)), "gamma": 1}


def _values(drafted: Any, accepted: Any, gamma: int) -> dict[str, Any]:
    return numbers(accepted, drafted, gamma=gamma)


PROOFS = (
    Refutation(
        BONUS,
        by_size,
        scope="the first by the number of steps: nothing is accepted, one token is emitted; the sides differ by 1 in every run",
        repaired={"the bonus token left out": NO_BONUS},
    ),
    Proof(NO_BONUS, prove, drop=SAME, bind=_values),
)
