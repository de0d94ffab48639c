"""stop.calibration: a draft that is misjudged has a product within ε of the threshold, so that it costs ε at most."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, le
from proofs_check.stop._schedules import (
    THRESHOLD,
    at,
    flags_of,
    gamma,
    k,
    number,
    positive_time,
    schedules,
    times,
    times_at,
)
from proofs_check.stop.schedule_best import marked
from simspec.claims.stop.calibration import CALIBRATION, CLOSE, predicted_lengths
from simspec.laws import Array
from simspec.methods.stop.schedules import schedule_speed, threshold_lengths

PREDICTED = "g marks predicted products that are at least b S, and no others"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of contexts and drafts, all predictions and costs, every schedule.

    Attained by one draft whose product is ε below the threshold and predicted to be at it.
    """
    it = schedules(d)
    R = d.weights("R", k, at)
    epsilon = d.number("epsilon", 0)
    h, marks = flags_of(d, it, "h", it.P, THRESHOLD)
    g, predicted = flags_of(d, it, "g", R, PREDICTED)
    close = d.assume(CLOSE, le(sp.Abs(R[k, at] - it.P[k, at]), epsilon))
    level = it.b * it.S
    wrong = h[k, at] + g[k, at] - 2 * h[k, at] * g[k, at]
    best = ge(h[k, at] * (it.P[k, at] - level), it.v[k, at] * (it.P[k, at] - level))
    best = d.smt("of a draft", best, *marks, *it.marks)
    near = ge(g[k, at] * (it.P[k, at] - level), h[k, at] * (it.P[k, at] - level) - sign * epsilon * wrong)
    near = d.smt("of a misjudged one", near, *marks, *predicted, close)
    worth = it.w[k] * it.P[k, at]
    price = level * it.w[k]
    weighed = ge(
        worth * g[k, at] - price * g[k, at],
        worth * it.v[k, at] - price * it.v[k, at] - epsilon * it.w[k] * wrong,
    )
    weighed = d.smt("weighed", weighed, best, near, it.low[0])
    weighed = d.sum("over the contexts", d.sum("over the drafts", weighed, at, upto=gamma), k, upto=number)
    lost = epsilon * times(it.w[k] * times_at(wrong))
    product = ge(it.tokens(g), it.S * it.time(g) - lost)
    product = d.derive("tokens at the speed of the schedule", product, weighed, it.speed, by="smt")
    time = positive_time(d, it, g)
    time_v = positive_time(d, it, it.v)
    slower = ge(it.tokens(g) / it.time(g), it.S - lost / it.time(g))
    slower = d.derive("divided", slower, product, time, by="smt")
    goal = ge(it.tokens(g) / it.time(g), constant * it.tokens(it.v) / it.time(it.v) - lost / it.time(g))
    d.qed(d.derive("in all", goal, slower, it.speed, time_v, time, by="smt"))


def _values(w: Array, products: Array, predicted: Array, lengths: list[int], cost: Any, epsilon: Any) -> dict[str, Any]:
    speed = schedule_speed(w, products, lengths, cost)
    best = threshold_lengths(products, cost * speed)
    verified = predicted_lengths(w, products, predicted, lengths, cost)
    return {
        **{"w": w, "P": products, "R": predicted, "b": cost, "S": speed, "epsilon": epsilon},
        **{"v": marked(products, lengths), "h": marked(products, best), "g": marked(products, verified)},
        **{"K": len(w), "gamma": products.shape[1]},
        "ranges": {"k": range(1, len(w) + 1), "at": range(1, products.shape[1] + 1)},
    }


PROOF = Proof(CALIBRATION, prove, drop=CLOSE, bind=_values)
