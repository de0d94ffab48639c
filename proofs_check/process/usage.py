"""process.usage: of every step the drafts are counted and one token, of which the accepted ones and that token are text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, total
from proofs_check.metrics._runs import N, numbers, s, summed
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.process.usage import USAGE, USAGE_CORRECTED
from simspec.laws import Array

COUNTED = "as many tokens are counted as the drafts of all steps and one for each step"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run of one step or more."""
    a = d.weights("a", s)
    g = d.weights("g", s)
    charged = d.number("charged", 0)
    counted = d.domain(COUNTED, eq(charged, total(g[s] + 1, s, upto=N)))
    sums = d.derive("over the steps", eq(total(g[s] + 1, s, upto=N), summed(g) + N))
    text = d.derive("the text", eq(total(a[s] + 1, s, upto=N), summed(a) + N))
    some = d.derive("it is not empty", ge(summed(a), 0))
    length = 1 + summed(a) / N
    ratio = eq(constant * charged / total(a[s] + 1, s, upto=N), (summed(g) / N + sign) / length)
    d.qed(d.derive("over the steps of both", ratio, counted, sums, text, some))


def _runs() -> Iterator[Instance]:
    """Runs of one and of two steps with one draft each."""
    for steps in (1, 2):
        for accepted in product((0, 1), repeat=steps):
            yield {"drafted": exact([1] * steps), "accepted": exact(list(accepted))}


def _values(drafted: Array, accepted: Array) -> dict[str, Any]:
    return numbers(accepted, drafted, charged=(drafted + 1).sum())


PROOFS = (
    Refutation(
        USAGE,
        _runs,
        scope="the first by the number of steps: one draft, which is rejected",
        repaired={
            "no draft is rejected": lambda: (i for i in _runs() if (i["accepted"] == i["drafted"]).all()),
            "over what the text has": USAGE_CORRECTED,
        },
    ),
    Proof(USAGE_CORRECTED, prove, drop=COUNTED, bind=_values),
)
