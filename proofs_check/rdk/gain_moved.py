"""rdk.gain-moved: when no token receives too much either, everything that M moves is gained."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, i, j, le, total
from proofs_check.rdk._moved_mass import arrives, arriving, gained, moves_surplus, values
from simspec.claims.rdk.gain_moved import GAIN_MOVED, NOT_TOO_MUCH


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, target, draft and matrix that moves only surplus and fills no want beyond its size."""
    m = moves_surplus(d)
    p, q, M, signs, rows, _ = m
    within_want = d.assume(NOT_TOO_MUCH, le(arriving(q, M), sp.Max(p[j] - q[j], 0)))
    token = gained(d, m)
    goal = eq(token.relation.lhs, arriving(q, M))
    all_arriving = d.summed("all that arrives is wanted", goal, token, within_want, arrives(d, q, M, signs), over=j)
    row = d.derive("a row sums to one", eq(q[i] * total(M[i, j], j), q[i]), rows)
    rows_exchanged = d.sum("over the rows, the sums exchanged", row, i)
    goal = eq(all_arriving.relation.lhs, constant * total(q[j] - sign * q[j] * M[j, j], j))
    d.qed(d.derive("what leaves arrives", goal, all_arriving, rows_exchanged))


PROOF = Proof(GAIN_MOVED, prove, drop=NOT_TOO_MUCH, bind=values)
