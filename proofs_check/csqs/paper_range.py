"""csqs.paper-range: at so small a step csqs.average-dropped-corrected applies, and a start in [0, 1] is inside the range."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._dropped_sum import at_end, dropped_sum, summed
from proofs_check.csqs._recursion import (
    BELOW,
    T,
    Text,
    Threshold,
    bind,
    highest,
    lowest,
    mass_bounds,
    n,
    text,
    threshold,
)
from proofs_check.language import Derivation, Fact, Proof, eq, ge, le
from simspec.claims.csqs.paper_range import PAPER_RANGE
from simspec.claims.csqs.parts import READINGS, distances
from simspec.laws import Array
from simspec.methods.csqs.conformal import draft_thresholds

PAPER = "the step size and the target of SQS 4"


def _theorem(d: Derivation, w: Text, h: Threshold, low: Fact, paper: list[Fact], constant: sp.Expr | int) -> Fact:
    s = dropped_sum(d, h)
    excess = (sp.Abs(w.start) + constant + w.eta * w.alpha) / (w.eta * T)
    all_ = le(w.eta * s.S[T], w.eta * T * (w.alpha + excess))
    all_ = d.derive("in all", all_, summed(d, w, h, s), at_end(d, low), *paper)
    return d.derive("on average", le(s.S[T] / T, w.alpha + excess), all_)


def _moves(d: Derivation, w: Text, h: Threshold) -> list[Fact]:
    nonnegative, at_most = mass_bounds(d, w, h)
    return [
        d.derive("the largest fall", le(h.beta[n] - h.beta[n + 1], w.eta * (1 - w.alpha)), h.update, at_most),
        d.derive("the largest rise", le(h.beta[n + 1] - h.beta[n], w.eta * w.alpha), h.update, nonnegative),
    ]


def _range(d: Derivation, w: Text, h: Threshold, low: Fact, inside: list[Fact], paper: list[Fact]) -> list[Fact]:
    low, high = (d.instantiate("at the next token", fact, {n: n + 1}) for fact in (low, highest(d, w, h)))
    floor = le(-h.beta[n + 1], w.eta * (1 - w.alpha))
    return [
        d.derive("no lower", floor, low, *inside, *paper),
        d.derive("no higher", le(h.beta[n + 1], 1 + w.eta * w.alpha), high, *inside, *paper),
    ]


def _sum(d: Derivation, w: Text, h: Threshold, low: Fact, top: bool) -> Fact:
    tv = sp.IndexedBase("tv_top" if top else "tv", real=True)
    same = d.domain(
        "the distance is the dropped mass, and 1 where nothing is kept (see sqs.dropped-mass)", eq(tv[n], h.drop[n])
    )
    total = sp.IndexedBase("far_top" if top else "far", real=True)
    none, distance_step = d.recursion("the sum of distances", eq(total[0], 0), eq(total[n + 1], total[n] + tv[n]))
    statement = eq(w.eta * total[n], w.eta * w.alpha * n + w.start - h.beta[n])
    fall = d.inductive("Eq. 8 summed", statement, n, [none, h.at_start], [distance_step, h.update, same])
    excess = (sp.Abs(w.start) + 1 + w.eta) / w.eta
    goal = le(total[T], w.alpha * T + excess)
    return d.derive("the fall is at most |β₀| + η", goal, at_end(d, fall), at_end(d, low))


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, T and start in [0, 1], at this step size and target; the size of the vocabulary does not matter.

    Lemma 3 is attained; Lemma 4 above by a point mass at β = 1, which has no full support: here it is a supremum.
    """
    w = text(d)
    paper = d.domain(PAPER, eq(w.eta, sp.Rational(1, 1000)), eq(w.alpha, sp.Rational(1, 2000)))
    inside = d.domain("the start is a probability", ge(w.start, 0), le(w.start, 1))
    literal, top = (threshold(d, w, reading, sign) for reading in READINGS)
    floors = {h: lowest(d, w, h) for h in (literal, top)}
    d.qed(
        *(_theorem(d, w, h, low, paper, constant) for h, low in floors.items()),
        *(fact for h in (literal, top) for fact in _moves(d, w, h)),
        *_range(d, w, literal, floors[literal], inside, paper),
        *(_sum(d, w, h, low, reading) for (h, low), reading in zip(floors.items(), READINGS, strict=True)),
    )


def values(q: Array, start: Fraction, step_size: Fraction, dropped_target: Fraction) -> dict[str, Any]:
    """Thresholds, and the distances to the sparsified laws."""
    far = [distances(q, draft_thresholds(q, start, step_size, dropped_target, reading)) for reading in READINGS]
    bindings = bind(q, start, step_size, dropped_target)
    return {**bindings, "tv": lambda n: far[0][n], "tv_top": lambda n: far[1][n]}


PROOF = Proof(PAPER_RANGE, prove, drop=BELOW, change={"constant": -2000}, bind=values)
