"""The level a that fills up kept mass k to a law max(k, a p): the least (1 − Σ k + Σ_S k)/Σ_S p, S = {k/p is at most that of x}.

A sum of positive parts is the largest of its partial sums, so Σ (a p − k)₊ = 1 − Σ k: the level exists and is a formula.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._relaxed_step import Step
from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Fact, eq, ge, gt, j, le, total, x
from simspec.laws import Array

__all__ = ["ORDER", "Level", "bind_level", "level"]

ORDER = "S is 1 where k/p is at most that of x, else 0"

Level = namedtuple("Level", "a never fills")
"""a ≥ 0, and Σ (a p − k)₊ = 1 − Σ k."""


def level(d: Derivation, s: Step, k: Any, never: Fact, off: Fact, below: Fact, z: Any, is_z: list[Fact]) -> Level:
    """The level of a kept mass 0 ≤ k ≤ q (`never`, `below`) that is 0 where p is (`off`)."""
    p = s.p
    S = sp.IndexedBase("S", nonnegative=True)
    order = k[x] * p[j] - k[j] * p[x]
    in_S = d.domain(
        ORDER, *(eq(S[x, j] * (1 - S[x, j]), 0), ge(S[x, j] * order, 0), gt(S[x, j] - (1 - S[x, j]) * order, 0))
    )
    P, K, v = (sp.IndexedBase(name, real=True) for name in ("P_S", "K_S", "phi"))
    mass = d.define("the target's mass in S", P[x], total(S[x, j] * p[j], j))
    held = d.define("the mass kept there", K[x], total(S[x, j] * k[j], j))
    itself = [d.instantiate("a token is in its S", f, {j: x}) for f in in_S]
    term = d.derive("masses are not negative", ge(S[x, j] * p[j], 0))
    term = d.term("so that of S is at least the token's own", term, j, x)
    all_ = d.smt("where p is 0, S is everything", eq(z[x] * S[x, j], z[x]), off, *is_z, *in_S)
    all_ = d.summed("and has the whole mass", eq(z[x] * S[x, j] * p[j], z[x] * p[j]), all_, over=j, by="smt")
    known = [mass, term, all_, s.mass_p, *itself, *is_z]
    positive = d.smt("so S has mass in either case", gt(P[x], 0), *known)
    kept = d.smt(
        "masses are not negative", ge(S[x, j] * k[j], 0), d.instantiate("what is kept of token j", never, {x: j})
    )
    kept = d.sum("over the vocabulary", kept, j)
    room = d.sum("what is kept is at most the draft", below, x)
    room = d.smt("so at most 1 is kept", le(total(k[x], x), 1), room, s.mass_q)
    quotient = d.define("the quotient of a token", v[x], (1 - total(k[x], x) + K[x]) / P[x], positive)
    some = d.smt("which is not negative", ge(v[x], 0), quotient, positive, kept, held, room)
    a, least, attained = d.extremum("the level is the least of them", "a", v[x], x, least=True)
    at = sp.Symbol("a_at", integer=True)
    some = d.smt("so is the level", ge(a, 0), attained, d.instantiate("at the token of the level", some, {x: at}))

    fill = sp.Max(a * p[x] - k[x], 0)
    fills = total(fill, x)
    goal = eq(fills, 1 - total(k[x], x))
    part = d.summed(
        "part of a sum of positive parts", ge(fill.subs(x, j), S[x, j] * (a * p[j] - k[j])), in_S[0], over=j, by="smt"
    )
    part = d.smt("is at most the sum", ge(fills, a * P[x] - K[x]), part, mass, held)
    there = [d.instantiate("at the token of the level", f, {x: at}) for f in (part, quotient, positive)]
    enough = d.smt("so the level fills up enough", ge(fills, 1 - total(k[x], x)), attained, *there)

    t, w = sp.IndexedBase("t", real=True), sp.IndexedBase("w_r", real=True)
    lifted = d.domain(
        "t is 1 where p > 0 and k is at most a p, else 0",
        *(eq(t[x] * (1 - t[x]), 0), eq(t[x] * z[x], 0), ge(t[x] * (a * p[x] - k[x]), 0)),
        gt(t[x] + z[x] - (1 - t[x]) * (a * p[x] - k[x]), 0),
    )
    ranked = d.define("the ratio k/p of a token with t = 1, plus 1", w[x], t[x] * (1 + k[x] / (p[x] + z[x])), is_z[2])
    top, above, reached = d.extremum("the largest of these ratios", "top", w[x], x)
    last = sp.Symbol("top_at", integer=True)
    none = d.case("there is no such token", le(top, 0))
    out = d.smt("so t is 0", eq(t[x], 0), ranked, above, none, never, *lifted, *is_z)
    out = d.summed("and nothing is filled up", eq(fill, 0), out, off, never, *lifted, *is_z, by="smt")
    one = d.smt("which is just enough, as no more than all is kept", goal, out, enough, room)

    any_ = d.case("there is such a token", gt(top, 0))
    facts = (ranked, *lifted, *is_z, never, *in_S)
    here = [d.instantiate("at the lifted token of largest ratio", f, {x: last}) for f in facts]
    each = [
        d.instantiate("the same of any other token", f, {x: j}) for f in (ranked, above, *lifted, *is_z, never, off)
    ]
    is_last = d.smt("it is lifted", eq(t[last], 1), reached, any_, *here[:9])
    text = "a lifted token has no larger ratio"
    lower = ge(t[j] * (k[last] * p[j] - k[j] * p[last]), 0)
    lower = d.smt(text, lower, reached, is_last, *here[:9], *each)
    inside = d.smt("so it is in S", eq(t[j] * (1 - S[last, j]), 0), lower, *here[9:], each[2])
    text = "and no other token that the target has"
    outside = eq((1 - t[j]) * (1 - z[j]) * S[last, j], 0)
    outside = d.smt(text, outside, is_last, *here[:9], *here[9:], *each)
    exact = eq(fill.subs(x, j), S[last, j] * (a * p[j] - k[j]))
    exact = d.summed("what is filled up is filled up in S", exact, inside, outside, *each, here[9], over=j, by="smt")
    there = [
        d.instantiate("at the lifted token of largest ratio", f, {x: last})
        for f in (mass, held, quotient, positive, least)
    ]
    exact = d.smt("which the level makes at most enough", le(fills, 1 - total(k[x], x)), exact, *there)
    other = d.smt("so just enough", goal, exact, enough)
    return Level(a, some, d.cases("whether a token is lifted", one, other))


def bind_level(p: Array, k: Array) -> dict[str, Any]:
    """Values of the sets, and of the level by its formula."""
    inside = [[b * u <= a * v for b, v in zip(k, p, strict=True)] for a, u in zip(k, p, strict=True)]
    sums = [(sum(p[row]), sum(k[row])) for row in np.array(inside, dtype=bool)]
    a = min((1 - sum(k) + held) / mass for mass, held in sums)
    tokens = range(len(p))
    return {
        **{"a": a, "S": [flags(row) for row in inside], "z": flags(p == 0)},
        "t": flags([p[n] > 0 and k[n] <= a * p[n] for n in tokens]),
    }
