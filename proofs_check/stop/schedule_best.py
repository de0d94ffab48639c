"""stop.schedule-best: a draft is worth its cost at the speed S exactly where its product is at least b S."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Derivation, Proof, ge
from proofs_check.stop._schedules import (
    THRESHOLD,
    at,
    flags_of,
    gamma,
    k,
    number,
    positive_time,
    schedules,
)
from simspec.claims.stop.schedule_best import SCHEDULE_BEST
from simspec.laws import Array
from simspec.methods.stop.schedules import schedule_speed, threshold_lengths

__all__ = ["marked"]


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of contexts and drafts, all predictions and costs, every schedule.

    Equality where the schedule is the threshold at b times its own speed.
    """
    it = schedules(d)
    h, marks = flags_of(d, it, "h", it.P, THRESHOLD)
    level = it.b * it.S
    draft = ge(h[k, at] * (it.P[k, at] - level), it.v[k, at] * (it.P[k, at] - sign * level))
    draft = d.smt("of a draft", draft, *marks, *it.marks)
    worth = it.w[k] * it.P[k, at]
    price = level * it.w[k]
    weighed = ge(worth * h[k, at] - price * h[k, at], worth * it.v[k, at] - price * it.v[k, at])
    draft = d.smt("weighed", weighed, draft, it.low[0])
    draft = d.sum("over the contexts", d.sum("over the drafts", draft, at, upto=gamma), k, upto=number)
    product = ge(it.tokens(h), it.S * it.time(h))
    product = d.derive("tokens at the speed of the schedule", product, draft, it.speed, by="smt")
    time = positive_time(d, it, h)
    time_v = positive_time(d, it, it.v)
    faster = d.derive("divided", ge(it.tokens(h) / it.time(h), it.S), product, time, by="smt")
    goal = ge(it.tokens(h) / it.time(h), constant * it.tokens(it.v) / it.time(it.v))
    d.qed(d.derive("so it is as fast", goal, faster, it.speed, time_v, time, by="smt"))


def marked(products: Array, lengths: list[int]) -> list[list[int]]:
    """1 for the drafts of each context that are verified, else 0."""
    return [[int(i < length) for i in range(products.shape[1])] for length in lengths]


def _values(w: Array, products: Array, lengths: list[int], cost: Any) -> dict[str, Any]:
    speed = schedule_speed(w, products, lengths, cost)
    best = threshold_lengths(products, cost * speed)
    return {
        **{"w": w, "P": products, "b": cost, "S": speed, "v": marked(products, lengths), "h": marked(products, best)},
        **{"K": len(w), "gamma": products.shape[1]},
        "ranges": {"k": range(1, len(w) + 1), "at": range(1, products.shape[1] + 1)},
    }


PROOF = Proof(SCHEDULE_BEST, prove, drop=THRESHOLD, bind=_values)
