"""block.hsd-more: the naive rule keeps i drafts with min(1, R_i), the block with less; the capped one is the block."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._capped import BRANCH, capped, with_ratios
from proofs_check.block._laws import by_size
from proofs_check.block._paths import Paths, along, n, size, walked
from proofs_check.block._tree import TEST, c, kept
from proofs_check.block.reach import at_values, averaged, means
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, x
from simspec.claims.block.hsd_more import CAPPED_CORRECTED, MORE_CAPPED, MORE_NAIVE
from simspec.claims.block.parts import EXAMPLE
from simspec.laws import Array


def _summed(d: Derivation, t: Paths, sign: int) -> Fact:
    """The naive rule keeps at least as many drafts of each text as the block rule, weighed and summed over all texts."""
    H = sp.IndexedBase("H", real=True)
    B = sp.IndexedBase("B", real=True)
    *_, r_at_most_one, under, _ = t.ranges
    none, naive_step = d.recursion(
        "kept by the naive rule", eq(H[0, x], 0), eq(H[n + 1, x], H[n, x] + sign * sp.Min(1, t.R[n + 1, x]))
    )
    zero, on = d.recursion("kept by the block", eq(B[0, x], 0), eq(B[n + 1, x], B[n, x] + t.r[n + 1, x]))
    ends = [d.instantiate("after one draft more", f, {n: n + 1}) for f in (r_at_most_one, under)]
    per_step = d.smt("of one draft more", ge(sp.Min(1, t.R[n + 1, x]), t.r[n + 1, x]), *ends)
    for_every_n = d.inductive(
        "for every number", ge(H[n, x], B[n, x]), n, [none, zero], [naive_step, on, per_step], by="smt"
    )
    for_every_n = d.instantiate("for all drafts", for_every_n, {n: size})
    per_draft = d.smt("weighed", ge(t.w[x] * H[size, x], t.w[x] * B[size, x]), for_every_n)
    return d.sum("over the drafts", per_draft, x)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All laws in every context, every number of drafts, from E[τ] = Σ E_Q[min(1, R_i)] and Σ E_Q[r_i]; and the one example.

    Attained by one draft, and wherever no product of ratios comes down from above one.
    """
    t = walked(d, constant)
    naive_accepts_no_fewer = _summed(d, t, sign)
    example = d.numeric("for the example", ge(sp.Rational(12, 9), sp.Rational(11, 9) + sp.Rational(1, 27)))
    d.qed(naive_accepts_no_fewer, example)


def same(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts."""
    t = capped(d, constant)
    h = sp.IndexedBase("h", real=True)
    tested = d.domain(TEST, eq(h[c] * (t.Z[c] + 1 - t.r[c]), t.Z[c]))
    mean = means(d, t)
    capped_ = averaged(d, t, kept(d, t, sign), mean)
    block_tree = t._replace(h=h, tested=tested)
    block = averaged(d, block_tree, kept(d, block_tree, tag=" of the block"), mean, " of the block")
    capped_law = capped_.relation
    two = block.relation
    d.qed(d.derive("both with the mean of r", eq(capped_law.lhs, two.lhs), capped_, block))


def _both(p: Array, q: Array, gamma: int, at: int) -> dict[str, Any]:
    return with_ratios(p, q, gamma, at_values(p, q, gamma, at))


PROOFS = (
    Proof(MORE_NAIVE, prove, drop="w is nowhere negative", bind=along),
    Refutation(
        MORE_CAPPED,
        lambda: (EXAMPLE,),
        scope="the example that the reading names; by the corrected claim no laws at all would do",
        repaired={"as many": (CAPPED_CORRECTED, lambda: ({**i, "at": at} for i in by_size() for at in (1, 2)))},
    ),
    Proof(CAPPED_CORRECTED, same, drop=BRANCH, bind=_both),
)
