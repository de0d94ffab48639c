"""metrics.conditional-monotone: who accepts i + 1 drafts accepts i; who has accepted one may be the surer of the next."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, total
from proofs_check.metrics._runs import N, accepts, k, numbers, s
from proofs_check.metrics.mean_of_positions import by_size
from simspec.claims.metrics.conditional_monotone import (
    ANY_ORDER,
    CONDITIONAL_MONOTONE,
    CONDITIONAL_MONOTONE_CORRECTED,
    steps_with,
)

NESTED = "a step that gets over a position gets over the one before"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every run, whatever its steps draft.

    Equality at i where every step that accepts i drafts accepts i + 1.
    """
    at = d.weights("at", s, k)
    after = d.weights("after", s, k)
    nested = d.domain(NESTED, ge(at[s, k], after[s, k]))
    here, there = (total(b[s, k], s, upto=N) for b in (at, after))
    together = d.sum("over the steps", nested, s, upto=N)
    d.qed(d.derive("over their number", ge(sign * here / N, constant * there / N), together))


def _values(drafted: Any, accepted: Any) -> dict[str, Any]:
    longest_draft = int(max(drafted))
    now = accepts(accepted, longest_draft)
    then = [row[1:] for row in accepts(accepted, longest_draft + 1)]
    return numbers(accepted, at=now, after=then, ranges={"k": range(1, longest_draft + 1)})


REACHED = "of the steps that get over a position its share gets over the next"


def prove_any_order(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of positions, and all rates that are rational."""
    at = d.weights("at", s, k)
    before = d.weights("before", s, k)
    c = sp.IndexedBase("c", real=True)
    here, there = (total(b[s, k], s, upto=N) for b in (at, before))
    reached = d.domain(REACHED, eq(here, sign * constant * c[k] * there))
    some = d.domain("some step gets over the one before", gt(there, 0))
    d.qed(d.derive("both over their number", eq((here / N) / (there / N), c[k]), reached, some))


def _any_order(rates: Any) -> dict[str, Any]:
    accepted = steps_with(rates)
    now = accepts(accepted, len(rates))
    before = [[1, *row[:-1]] for row in now]
    return numbers(accepted, at=now, before=before, c=rates.tolist(), ranges={"k": range(1, len(rates) + 1)})


PROOFS = (
    Refutation(
        CONDITIONAL_MONOTONE,
        by_size,
        scope="the first by the number of steps and of drafts: one step accepts nothing, the other two",
        repaired={"m alone": CONDITIONAL_MONOTONE_CORRECTED},
    ),
    Proof(CONDITIONAL_MONOTONE_CORRECTED, prove, drop=NESTED, bind=_values),
    Proof(ANY_ORDER, prove_any_order, drop=REACHED, bind=_any_order),
)
