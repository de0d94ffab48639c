"""sqs.resolution-at-equal-bits: what is dropped is lost at every resolution; what is kept fares no worse on a finer lattice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, laws, le, total, x
from proofs_check.sqs._algorithm_two import Rounded, rounded
from proofs_check.sqs._kept_tokens import Sparse, sparse
from proofs_check.sqs._lattice_distance import Sharpest, distance, sharp_values, sharpest
from proofs_check.sqs.total_distortion import kept_and_dropped
from simspec.claims.claim import Instance
from simspec.claims.sqs.resolution_at_equal_bits import EQUAL_BITS, EQUAL_BITS_CORRECTED, SAVES, finest
from simspec.laws import Array
from simspec.methods.sqs.quantised import top_mask


def _coarser(
    d: Derivation, s: Sparse, r: Rounded, h: Sharpest, coarse: sp.Symbol, wide: Fact, constant: sp.Expr | int
) -> tuple[Any, Fact]:
    """What the coarser lattice may cost, and that the finer one costs no more."""
    K = s.size
    worst = sp.Symbol("coarse_worst", real=True)
    coarse_count = sp.Min(coarse, h.half)
    meaning = d.define(
        "rounding to ℓ at its worst", worst, constant * coarse_count * (K - coarse_count) / (K * coarse), h.token
    )
    value = d.smt("that is", le(K * coarse * worst, constant * coarse_count * (K - coarse_count)), meaning, h.token)
    value = d.smt("and no less", le(constant * coarse_count * (K - coarse_count), K * coarse * worst), meaning, h.token)
    small = le(h.least * (K - h.least) * coarse, coarse_count * (K - coarse_count) * r.resolution)
    small = d.smt("a parabola over its place falls", small, wide, *h.floor)
    goal = d.smt(
        "scaled", le(K * r.resolution * h.worst * coarse, K * coarse * worst * r.resolution), h.value, value, small
    )
    return worst, d.smt("no worse on the finer lattice", le(h.worst, worst), goal, h.token)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, law, number of kept tokens and pair of resolutions of which the finer is used.

    Attained where both resolutions are one: flat laws, one token kept, ℓ = 1.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    coarse = d.number("coarse", positive=True)
    wide = d.assume(SAVES, le(coarse, r.resolution))
    h = sharpest(d, s, r, distance(d, s, r))
    worst, better = _coarser(d, s, r, h, coarse, wide, constant)
    _, above, share = kept_and_dropped(d, s, r, h.bound, h.worst)
    gap = total(sp.Abs(s.q[x] - r.law), x) / 2
    d.qed(d.smt("with the coarser worst", le(gap, s.dropped + (1 - s.dropped) * worst), above, better, share, s.mass))


def bind(q: Array, k: int, resolution: int) -> dict[str, Any]:
    """The finer lattice is the one of the symbols of Algorithm 2."""
    return {**sharp_values(q, top_mask(q, k), finest(len(q), k, resolution)), "coarse": resolution}


def one_token(flat: bool = True) -> Iterator[Instance]:
    """Laws over two tokens in halves, one token kept, resolutions 1 to 4."""
    for resolution in range(1, 5):
        for q in laws(2, 2):
            if flat or max(q) == 1:
                yield {"q": q, "k": 1, "resolution": resolution}


PROOFS = (
    Refutation(
        EQUAL_BITS,
        one_token,
        scope="two tokens, laws in halves, one token kept, resolutions 1 to 4, in this order",
        repaired={"nothing is dropped (two tokens)": lambda: one_token(flat=False)},
    ),
    Proof(EQUAL_BITS_CORRECTED, prove, drop="the kept tokens have mass", change={"constant": sp.S.Half}, bind=bind),
)
