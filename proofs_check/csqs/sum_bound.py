"""csqs.sum-bound: the distances are the dropped masses, whose sum is αT and the threshold's fall over η, at most |β₀| + η."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._recursion import BELOW, T, bind, lowest, n, text, threshold
from proofs_check.language import Derivation, Proof, eq, le
from simspec.claims.csqs.parts import READINGS, distances
from simspec.claims.csqs.sum_bound import SUM_BOUND
from simspec.laws import Array
from simspec.methods.csqs.conformal import draft_thresholds


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, T, start, step size and target in [0, 1]; both readings of an empty set; TV by sqs.dropped-mass, and
    1, all that is dropped, for the empty set of the literal reading.

    Not sharp: the proof leaves the 1 unused, and csqs.average-dropped-sharp says by how much the threshold falls.
    """
    w = text(d)
    excess = (sp.Abs(w.start) + 1 + constant * w.eta) / w.eta
    conclusions = []
    for top in READINGS:
        h = threshold(d, w, top, sign)
        tv = sp.IndexedBase("tv_top" if top else "tv", real=True)
        same = d.domain(
            "the distance is the dropped mass, and 1 where nothing is kept (see sqs.dropped-mass)", eq(tv[n], h.drop[n])
        )
        s = dropped_sum(d, h, tv)
        after = summed(d, w, h, s, same)
        low = at_end(d, lowest(d, w, h))
        conclusions.append(d.derive("the fall is at most |β₀| + η", le(s.S[T], w.alpha * T + excess), after, low))
    d.qed(*conclusions)


def values(q: Array, start: Fraction, step_size: Fraction, dropped_target: Fraction) -> dict[str, Any]:
    literal, top = (
        distances(q, draft_thresholds(q, start, step_size, dropped_target, reading)) for reading in READINGS
    )
    return {**bind(q, start, step_size, dropped_target), "tv": lambda n: literal[n], "tv_top": lambda n: top[n]}


PROOF = Proof(SUM_BOUND, prove, drop=BELOW, change={"constant": -2}, bind=values)
