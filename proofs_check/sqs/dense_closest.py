"""sqs.dense-closest: what is sent of a sparsified law is a lattice point too, and rounding all of q returns the nearest one."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, le, total, x
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import sparse, values
from proofs_check.sqs._nearest_point import cheaper, gaps, other, price
from simspec.claims.sqs.dense_closest import DENSE
from simspec.laws import Array
from simspec.methods.sqs.quantised import quantise, sparsify


def prove(d: Derivation, sign: int = 1, two: int = 2) -> None:
    """Every vocabulary size, law, set of tokens, resolution, any choice among equal ζ.

    Attained wherever nothing is dropped, and for q = (1, 1)/2 with one token kept and ℓ = 1: no factor below 1 can be
    put before the right side.
    """
    s = sparse(d)
    all_tokens = d.domain("here the quantiser gets all of q", eq(s.u[x], 1))
    r = rounded(d, s, sign)
    base = sp.IndexedBase("sparse", real=True)
    _, moves = other(
        d,
        r,
        "sparse",
        base,
        "what is sent of a sparsified law is a lattice point (see sqs.algorithm-printed-corrected)",
    )
    g = gaps(d, s, r, base, "sparse")
    no_nearer = cheaper(d, r, base, g, moves, price(d, s, r), two=two)
    total_mass = d.summed("all mass", eq(s.u[x] * s.q[x], s.q[x]), all_tokens)
    scale = d.smt("nothing is dropped", eq(s.c, 1), total_mass, s.accepted_mass, s.mass)
    sums = []
    for law, gap, fact in ((r.law, g.mine, g.mine_law), (r.unit * base[x], g.theirs, g.theirs_law)):
        scaled_distance = d.smt("so the law is q", eq(sp.Abs(s.q[x] - law), r.unit * gap[x]), fact, scale, all_tokens)
        sums.append(d.sum("over the vocabulary", scaled_distance, x))
    lattice_distance, theirs = (total(sp.Abs(s.q[x] - law), x) / 2 for law in (r.law, r.unit * base[x]))
    d.qed(d.smt("no lattice point is nearer", le(lattice_distance, theirs), *sums, no_nearer))


def _bind(q: Array, kept: Array, resolution: int) -> dict[str, Any]:
    sent = quantise(sparsify(q, kept), resolution, kept)
    return {**values(q, np.ones(len(q), dtype=bool), resolution), "sparse": sent}


PROOF = Proof(DENSE, prove, drop="the counts of sparse are whole", change={"two": 1}, bind=_bind)
