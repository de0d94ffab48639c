"""parallel.marginal-best: the smaller of two masses is concave in the second, with the slope 1 below the first and 0 above."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, laws, le, total, x, z
from proofs_check.relaxed._certificates import hot
from simspec.claims.claim import Instance
from simspec.claims.parallel.marginal_best import (
    BALANCED,
    INSIDE,
    MARGINAL_BEST,
    MARGINAL_BEST_CORRECTED,
    MARGINAL_BEST_SHARP,
)
from simspec.laws import Array
from simspec.methods.parallel import best_draft

OVER = "over is 1 where the target has more than q, else 0; no_less where it has no less"
TOKENS = "b marks the token that gains, c the one that loses"


def _marks(d: Derivation, P: Any, q: Any) -> tuple[Any, Any, list[Fact]]:
    over = d.weights("over", z, x)
    at_least = d.weights("no_less", z, x)
    facts = []
    for flag in (over, at_least):
        facts += [eq(flag[z, x] * (1 - flag[z, x]), 0), ge(flag[z, x] * (P[z, x] - q[x]), 0)]
        facts += [ge((1 - flag[z, x]) * (q[x] - P[z, x]), 0)]
    return over, at_least, list(d.domain(OVER, *facts))


def _accepted(a: Any, P: Any, q: Any) -> Any:
    return total(a[z] * total(sp.Min(P[z, x], q), x), z)


def best(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all targets and laws that are balanced.

    Equality at the law itself.
    """
    a = d.weights("a")
    P = d.weights("P", z, x)
    q, mass_q = d.law("q")
    r, mass_r = d.law("r")
    level = d.number("level", 0)
    over, at_least, marks = _marks(d, P, q)
    up = sp.Max(r[x] - q[x], 0)
    down = sp.Max(q[x] - r[x], 0)
    low = [d.derive("a mass", ge(w, 0)) for w in (a[z], q[x], r[x])]
    token = le(sp.Min(P[z, x], r[x]) - sp.Min(P[z, x], q[x]), over[z, x] * up - sign * at_least[z, x] * down)
    token = d.smt("below both slopes", token, *marks)
    gained = sp.Min(P[z, x], r[x]) - sp.Min(P[z, x], q[x])
    weighed = le(a[z] * gained, a[z] * over[z, x] * up - a[z] * at_least[z, x] * down)
    token = d.smt("weighed", weighed, token, low[0])
    token = d.sum("over the first token", token, z)
    G = total(a[z] * over[z, x], z)
    H = total(a[z] * at_least[z, x], z)
    upper_slope, lower_slope = d.assume(BALANCED, le(G, level), ge(q[x] * (H - level), 0))
    gains = d.smt("no more than the level", le(G * up, level * up), upper_slope)
    goal = ge(H * down, level * down)
    none = d.case("a token that q lacks", le(q[x], 0))
    nothing = d.smt("it loses nothing", eq(down, 0), none, low[2])
    lacked = d.derive("nor does the level", goal, d.derive("times both", eq(H * down, level * down), nothing))
    some = d.case("a token of q", gt(q[x], 0))
    slope = d.smt("no less by mass", ge(H - level, 0), lower_slope, some)
    kept = d.smt("no less than the level", goal, slope, d.derive("a loss", ge(down, 0)))
    loses = d.cases("whether q has it", lacked, kept)
    goal = le(total(a[z] * gained, z), level * (r[x] - q[x]))
    token = d.derive("of a token", goal, token, gains, loses, by="smt")
    token = d.sum("over the second token", token, x)
    goal = le(constant * _accepted(a, P, r[x]), _accepted(a, P, q[x]))
    d.qed(d.derive("both laws have mass one", goal, token, mass_q, mass_r, by="smt"))


def move(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all targets and laws, every mass that passes none of the target's."""
    a = d.weights("a")
    P = d.weights("P", z, x)
    q = d.weights("q")
    b = d.weights("b")
    c = d.weights("c")
    t = d.number("t", 0)
    over, at_least, marks = _marks(d, P, q)
    bits = d.domain(TOKENS, eq(b[x] * (1 - b[x]), 0), eq(c[x] * (1 - c[x]), 0), eq(b[x] * c[x], 0))
    inside = d.assume(
        INSIDE,
        ge(b[x] * over[z, x] * (P[z, x] - q[x] - t), 0),
        ge(c[x] * (1 - at_least[z, x]) * (q[x] - t - P[z, x]), 0),
    )
    after = q[x] + t * (b[x] - sign * c[x])
    gained = sp.Min(P[z, x], after) - sp.Min(P[z, x], q[x])
    token = eq(gained, t * (b[x] * over[z, x] - c[x] * at_least[z, x]))
    token = d.smt("of a token", token, *marks, *bits, *inside)
    token = d.derive("weighed", eq(a[z] * gained, a[z] * t * (b[x] * over[z, x] - c[x] * at_least[z, x])), token)
    token = d.sum("over both tokens", d.sum("over the second token", token, x), z)
    G = total(b[x] * total(a[z] * over[z, x], z), x)
    H = total(c[x] * total(a[z] * at_least[z, x], z), x)
    goal = eq(_accepted(a, P, after) - _accepted(a, P, q[x]), constant * t * (G - H))
    d.qed(d.derive("together", goal, token, by="smt"))


def _flags(P: Array, q: Array) -> dict[str, Any]:
    return {"over": [flags(row > q) for row in P], "no_less": [flags(row >= q) for row in P], "V": len(q)}


def _balanced(a: Array, P: Array, q: Array, level: Any, rival: Array) -> dict[str, Any]:
    return {**_flags(P, q), "a": a, "P": P, "q": q, "r": rival, "level": level}


def _move(a: Array, P: Array, q: Array, source: int, sink: int, size: Any) -> dict[str, Any]:
    return {**_flags(P, q), "a": a, "P": P, "q": q, "t": size, "b": hot(len(q), sink), "c": hot(len(q), source)}


def _targets(independent: bool) -> Iterator[Instance]:
    for size in range(1, 5):
        for a, first, second, q in product(laws(2, size), laws(2, size), laws(2, size), laws(2, size)):
            if not independent or (first == second).all():
                yield {"a": a, "P": np.stack([first, second]), "q": q}


def _best() -> Iterator[Instance]:
    for instance in _targets(False):
        filled = best_draft(instance["a"], instance["P"])
        balanced = {"q": filled.law, "level": filled.level, "rival": instance["q"]}
        yield {"a": instance["a"], "P": instance["P"], **balanced}


PROOFS = (
    Refutation(
        MARGINAL_BEST,
        lambda: _targets(False),
        scope="the first by a common denominator, with two tokens",
        repaired={
            "a second token that does not depend on the first": lambda: _targets(True),
            "the balanced law": (MARGINAL_BEST_CORRECTED, _best),
        },
    ),
    Proof(MARGINAL_BEST_CORRECTED, best, drop=BALANCED, bind=_balanced),
    Proof(MARGINAL_BEST_SHARP, move, drop=INSIDE, bind=_move),
)
