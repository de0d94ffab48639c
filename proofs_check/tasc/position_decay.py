"""tasc.position-decay-corrected: survival over calls that differ, Σ w·α^i, is a sequence of moments, hence log-convex."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, total, x
from simspec.claims.tasc.position_decay import DECAY_CORRECTED, DRAFTS, SAME
from simspec.laws import Array

n = sp.Symbol("n", integer=True, nonnegative=True)
C = sp.Symbol("C", integer=True, positive=True)
c = index("c")
e = index("e")


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number and every shares of calls, all laws, every position.

    The constant 1 is the largest: calls with the same acceptance attain equality at every position, as do calls that
    accept nothing beside them from the second position on.
    """
    p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
    share = sp.IndexedBase("share", real=True)
    now, alpha, alive = (sp.IndexedBase(name, real=True) for name in ("now", "alpha", "alive"))
    weight = d.domain("shares are not negative", ge(share[c], 0))
    mass = d.domain("masses are not negative", ge(p[c, x], 0), ge(q[c, x], 0))
    same = d.assume(SAME, eq(now[n, c, x], p[c, x]))
    rate = d.define("acceptance of a draft in call c", alpha[c], total(sp.Min(p[c, x], q[c, x]), x))
    none, next_alive = d.recursion(
        "the call goes on while its drafts are accepted",
        eq(alive[0, c], 1),
        eq(alive[n + 1, c], alive[n, c] * total(sp.Min(now[n, c, x], q[c, x]), x)),
    )
    accepted_sum = d.derive(
        "each is accepted as the first was", eq(sp.Min(now[n, c, x], q[c, x]), sp.Min(p[c, x], q[c, x])), same
    )
    accepted_sum = d.sum("over drafts", accepted_sum, x)
    step = d.derive(
        "so acceptance is the same at every position",
        eq(alive[n + 1, c], alive[n, c] * alpha[c]),
        next_alive,
        accepted_sum,
        rate,
    )
    power = eq(alive[n, c], alpha[c] ** n)
    powers = d.inductive("a call survives with the powers of its acceptance", power, n, [none], [step])
    rates = d.summed("the smaller of two masses", ge(sp.Min(p[c, x], q[c, x]), 0), mass[0], mass[1], then="acceptance")
    rates = d.derive("a rate", ge(alpha[c], 0), rate, rates)
    lives = ge(alive[n, c], 0)
    survives = d.inductive("survival is not negative", lives, n, [none], [step, rates])
    later = d.instantiate("the next position", step, {n: n + 1})
    call_pairs = [(f, d.instantiate("another call", f, {c: e})) for f in (weight, survives, step, later)]
    (weight_first, others), (lasting, others_lasting), (first, others_first), (second, others_second) = call_pairs
    together = share[c] * share[e] * alive[n, c] * alive[n, e]
    pair = d.derive("a pair of calls", ge(together, 0), weight_first, others, lasting, others_lasting)
    square = d.derive("times a square", ge(together * (alpha[c] - sign * alpha[e]) ** 2, 0), pair)
    convex = d.derive(
        "Cauchy and Schwarz, for a pair of calls",
        ge(
            share[c] * share[e] * (alive[n + 2, c] * alive[n, e] + alive[n, c] * alive[n + 2, e]),
            2 * constant * share[c] * share[e] * alive[n + 1, c] * alive[n + 1, e],
        ),
        *(square, first, others_first, second, others_second),
    )
    convex = d.sum("over all pairs", convex, c, e, upto=C)
    moment = d.derive(
        "a moment of the acceptance",
        eq(share[c] * alive[n + 1, c], share[c] * alpha[c] ** (n + 1)),
        d.instantiate("the next position", powers, {n: n + 1}),
    )
    moment = d.sum("over all calls", moment, c, upto=C)
    survival = [total(share[c] * alive[n + k, c], c, upto=C) for k in (0, 1, 2)]
    squared = d.derive("log-convexity", ge(survival[2] * survival[0], survival[1] ** 2), convex)
    moments = d.derive(
        "with moments",
        ge(survival[2] * survival[0], total(share[c] * alpha[c] ** (n + 1), c, upto=C) ** 2),
        *(squared, moment),
    )
    d.qed(d.instantiate("where two positions follow", moments, {n: sp.Symbol("first", integer=True, nonnegative=True)}))


def bind(share: Array, p: Array, q: Array, later: Any = None) -> dict[str, Any]:
    """The target's laws along a call: the first one, then `later` where there is one."""
    return {
        **{"share": share, "p": p, "q": q, "V": p.shape[1], "C": len(share)},
        "now": lambda position, call, token: (p if position == 0 or later is None else later)[call - 1][token - 1],
        "ranges": {
            "n": range(DRAFTS),
            "first": range(DRAFTS - 1),
            "c": range(1, len(share) + 1),
            "e": range(1, len(share) + 1),
        },
    }


PROOF = Proof(DECAY_CORRECTED, prove, drop="shares are not negative", bind=bind)
