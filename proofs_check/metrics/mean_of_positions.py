"""metrics.mean-of-positions: the rates of all positions sum to the accepted drafts of a step; AR divides by its drafts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, total
from proofs_check.metrics._runs import COUNTS, N, accepts, k, numbers, positions, s, summed
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.metrics.mean_of_positions import MEAN_OF_POSITIONS, MEAN_OF_POSITIONS_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run with a draft."""
    a = d.weights("a", s)
    g = d.weights("g", s)
    drafted = d.domain("some token is drafted", gt(summed(g), 0))
    of = positions(d, a)
    mean = total(total(of.at[s, k], s, upto=N) / N, k, upto=of.G) / of.G
    exchanged_mean = d.derive("sums exchanged", eq(mean, constant * summed(a) / (N * of.G)), of.together)
    rate = sp.Symbol("rate", real=True)
    is_rate = d.define("AR", rate, summed(a) / summed(g), drafted)
    back = d.derive("accepted", eq(summed(a), sign * rate * summed(g)), is_rate, drafted)
    named = d.derive("by AR", eq(mean, rate * summed(g) / (N * of.G)), exchanged_mean, back)
    d.qed(d.derive("in full", eq(mean, summed(a) / summed(g) * summed(g) / N / of.G), named, is_rate, drafted))


def by_size() -> Iterator[Instance]:
    """Runs of one and of two steps, with one and two drafts."""
    for steps in (1, 2):
        for drafted in product((1, 2), repeat=steps):
            for accepted in product(*(range(g + 1) for g in drafted)):
                yield {"drafted": exact(list(drafted)), "accepted": exact(list(accepted))}


def _values(drafted: Any, accepted: Any) -> dict[str, Any]:
    longest_draft = int(max(drafted))
    return numbers(
        accepted,
        drafted,
        at=accepts(accepted, longest_draft),
        G=longest_draft,
        ranges={"k": range(1, longest_draft + 1)},
    )


PROOFS = (
    Refutation(
        MEAN_OF_POSITIONS,
        by_size,
        scope="the first by the number of steps and of drafts: one step drafts one token, another two",
        repaired={
            "every step drafts γ": lambda: (i for i in by_size() if len({*i["drafted"]}) == 1),
            "times the mean number of drafts over γ": MEAN_OF_POSITIONS_CORRECTED,
        },
    ),
    Proof(MEAN_OF_POSITIONS_CORRECTED, prove, drop=COUNTS, bind=_values),
)
