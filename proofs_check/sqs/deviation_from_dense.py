"""sqs.deviation-from-dense: both lattice points are near q, the dense one no farther than the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, laws, le, total, x
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import sparse
from proofs_check.sqs._lattice_distance import distance, sharp_values, sharpest
from proofs_check.sqs.total_distortion import kept_and_dropped
from simspec.claims.claim import Instance
from simspec.claims.sqs.deviation_from_dense import DEVIATION, DEVIATION_CORRECTED
from simspec.laws import Array
from simspec.methods.sqs.quantised import quantise

NEAREST = "rounding all of q gives a lattice point no farther from q (see sqs.dense-closest)"


def prove(d: Derivation, sign: int = 1, two: int = 2) -> None:
    """Every vocabulary size, law, set of tokens that has mass, and resolution; that the dense point is no farther from q is
    the statement of sqs.dense-closest.

    Attained for q = (3, 1)/4, one token kept, ℓ = 2: no factor below 2 can be put before the dropped mass.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    h = sharpest(d, s, r, distance(d, s, r))
    _, near, _ = kept_and_dropped(d, s, r, h.bound, h.worst)
    dense = sp.IndexedBase("dense", real=True)
    sent_distance = sp.Abs(s.q[x] - r.law)
    theirs = sp.Abs(s.q[x] - dense[x])
    apart = sp.Abs(r.law - dense[x])
    nearest = d.domain(NEAREST, le(total(theirs, x), total(sent_distance, x)))
    triangle = d.summed("triangle inequality", le(apart, sent_distance + theirs), by="smt")
    goal = le(total(apart, x) / 2, two * (s.dropped + (1 - s.dropped) * h.worst))
    d.qed(d.smt("twice the farther one", goal, triangle, nearest, near))


def bind(q: Array, kept: Array, resolution: int) -> dict[str, Any]:
    """The symbols of Algorithm 2 on the sparsified law, and what it returns for all of q."""
    return {**sharp_values(q, kept, resolution), "dense": quantise(q, resolution) / resolution}


def one_token(single: bool = True) -> Iterator[Instance]:
    """Laws over two tokens in quarters, the likelier one kept (or both), resolutions 1 and 2."""
    for resolution in (1, 2):
        for q in laws(2, 4):
            if q[0] >= q[1]:
                yield {"q": q, "kept": np.array([True, not single]), "resolution": resolution}


PROOFS = (
    Refutation(
        DEVIATION,
        one_token,
        scope="two tokens, laws in quarters, the likelier token kept, resolutions 1 and 2",
        repaired={"both tokens kept": lambda: one_token(single=False), "twice, and rounding": DEVIATION_CORRECTED},
    ),
    Proof(DEVIATION_CORRECTED, prove, drop=NEAREST, change={"two": 1}, bind=bind),
)
