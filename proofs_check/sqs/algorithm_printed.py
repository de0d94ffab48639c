"""sqs.algorithm-printed: values that do not sum to one miss ℓ or the bound; on q̃ rounding errs by at most ½ a token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, total, x
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import sparse, values
from proofs_check.sqs._lattice_distance import distance
from simspec.claims.claim import Instance
from simspec.claims.sqs.algorithm_printed import ALGORITHM, ALGORITHM_CORRECTED
from simspec.laws import Array
from simspec.methods.sqs.quantised import sparsify, top_mask


def prove(d: Derivation, sign: int = 1, four: int = 4) -> None:
    """Every law over K tokens, every set of kept tokens (the top K among them), resolution, and choice among equal ζ."""
    s = sparse(d)
    r = rounded(d, s, sign)
    distance_facts = distance(d, s, r)
    smallest_count, _, attained = d.extremum("the smallest count", "least", r.counts, x, is_minimum=True)
    at = sp.Symbol("least_at", integer=True)
    count = d.smt("a count is a whole part, or one more", ge(r.counts, 0), r.flag)
    count = d.instantiate("the smallest too", count, {x: at})
    size = d.summed("its counts", eq(r.counts, r.counts))
    gap = sp.Abs(s.law - r.law)
    miss = sp.Abs(total(r.counts, x) - r.resolution)
    d.qed(
        d.smt("no count is negative", ge(smallest_count, 0), attained, count),
        d.smt("the counts sum to ℓ", ge(-miss, 0), size, r.whole, r.number),
        d.smt(
            "m − m²/K is at most K/4",
            ge(s.size / (four * r.resolution) - total(gap, x) / 2, 0),
            distance_facts.all, distance_facts.average, r.one, *distance_facts.bounds
        ),
    )  # fmt: skip


def _bind(q: Array, k: int, resolution: int) -> dict[str, Any]:
    top_tokens = top_mask(q, k)
    return values(sparsify(q, top_tokens)[top_tokens], np.ones(k, dtype=bool), resolution)


def small() -> Iterator[Instance]:
    """All laws with denominators up to 5 over up to three tokens, all k, resolutions up to 5."""
    for vocab in range(1, 4):
        for denominator in range(1, 6):
            for q in laws(vocab, denominator):
                yield from ({"q": q, "k": k, "resolution": r} for r in range(1, 6) for k in range(1, vocab + 1))


PROOFS = (
    Refutation(
        ALGORITHM,
        small,
        scope="the first of all laws over up to three tokens with denominators up to 5, by vocabulary, denominator, ℓ",
        repaired={"the values are divided by their sum": ALGORITHM_CORRECTED},
    ),
    Proof(ALGORITHM_CORRECTED, prove, drop="the smallest ζ gain one", change={"four": 5}, bind=_bind),
)
