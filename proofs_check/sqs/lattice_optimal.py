"""sqs.lattice-optimal: moving units to another lattice point costs at least one price per unit, and the moves sum to zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import sparse, values
from proofs_check.sqs._nearest_point import cheaper, gaps, no_further, other, price
from simspec.claims.sqs.lattice_optimal import OPTIMAL
from simspec.claims.sqs.parts import compositions
from simspec.laws import Array, exact


def prove(d: Derivation, sign: int = 1, two: int = 2) -> None:
    """Every vocabulary size, law, resolution, and any choice among equal ζ; also for a law on fewer tokens."""
    s = sparse(d)
    r = rounded(d, s)
    prices = price(d, s, r)
    size = d.summed("its counts", eq(r.counts, r.counts))
    d.smt("b is a lattice point: its counts are not negative", ge(r.counts, 0), r.flag)
    d.derive("and they sum to ℓ", eq(total(r.counts, x), r.resolution), size, r.whole, r.number)
    conclusions = []
    for name, power in (("near", 1), ("close", 2)):
        base = sp.IndexedBase(name, real=True)
        _, moves = other(d, r, name, base)
        g = gaps(d, s, r, base, name)
        sent_distance, theirs = (total(sp.Abs(s.law - law) ** power, x) for law in (r.law, r.unit * base[x]))
        is_nearest = d.domain(
            f"{name} is a lattice point of the least distance, and b is one", le(theirs, sent_distance)
        )
        sums = []
        for law, gap, fact in ((r.law, g.mine, g.mine_law), (r.unit * base[x], g.theirs, g.theirs_law)):
            per_token = d.derive("over ℓ", eq(sp.Abs(s.law - law) ** power, (r.unit * gap[x]) ** power), fact)
            sums.append(d.sum("over the vocabulary", per_token, x))
        no_nearer = cheaper(d, r=r, base=base, g=g, moves=moves, prices=prices, square=power == 2, two=two)
        conclusions.append(
            d.smt("b is as near as the nearest", eq(sent_distance, theirs), *sums, no_nearer, is_nearest)
        )
    base = sp.IndexedBase("flat", real=True)
    _, moves = other(d, r, "flat", base)
    g = gaps(d, s, r, base, "flat")
    farthest, others, no_further_off = no_further(d, s, r, base, g, moves, sign)
    is_nearest = d.domain("flat is a lattice point of the least distance, and b is one", le(others, farthest))
    conclusions.append(
        d.smt("b is as near as the nearest", eq(r.unit * farthest, r.unit * others), no_further_off, is_nearest)
    )
    d.qed(*conclusions)


def _bind(q: Array, resolution: int) -> dict[str, Any]:
    grid = exact(np.array(compositions(resolution, len(q))))
    off = abs(grid - resolution * q)
    lengths = {"near": off.sum(axis=1), "close": (off * off).sum(axis=1), "flat": off.max(axis=1)}
    nearest = {name: grid[length.tolist().index(min(length))] for name, length in lengths.items()}
    return {**values(q, np.ones(len(q), dtype=bool), resolution), **nearest}


PROOF = Proof(OPTIMAL, prove, drop="the counts of close are whole", change={"two": 1}, bind=_bind)
