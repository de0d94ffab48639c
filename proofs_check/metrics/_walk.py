"""A text that verify steps shorten: in state c there are left[c] tokens to emit; a step that emits x goes to fol[c, x].

E[n, c] is the expected number of steps among the first n; after them R[n, c] tokens are expected to be left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, index, total, x

__all__ = ["Walk", "begin", "c", "n", "states", "walk"]

c = index("c")
begin = index("begin")
n = sp.Symbol("n", integer=True, nonnegative=True)


class Walk(NamedTuple):
    """E, R, the mean length AL of a step, that AL > 0, Wald's equation AL E[n, c] + R[n, c] = left[c], and R's recursion."""

    E: Any
    R: Any
    left: Any
    mean: Any
    positive: Fact
    wald: Fact
    still: tuple[Fact, Fact]
    open_: Any
    goes: Fact
    bit: Fact
    shorter: Fact
    law: tuple[Any, Fact]
    fol: Any


def walk(d: Derivation, tag: str = "", sign: int = 1) -> Walk:
    """Derive Wald's equation: mean length of a step × expected steps + expected rest = length of the text."""
    w, mass = d.law(f"w{tag}")
    size = d.weights(f"size{tag}")
    some = d.domain(f"a step{tag} emits a token", ge(size[x], 1))
    fol = d.map(f"fol{tag}")
    remaining, open_ = (sp.IndexedBase(f"{name}{tag}", real=True) for name in ("left", "open"))
    bit, goes = d.domain(
        f"steps{tag} shorten the text while some of it is left",
        eq(open_[c] * (1 - open_[c]), 0),
        eq(open_[c] * remaining[fol[c, x]], open_[c] * (remaining[c] - size[x])),
    )
    E, R = (sp.IndexedBase(f"{name}{tag}", real=True) for name in ("E", "R"))
    after = total(w[x] * E[n, fol[c, x]], x)
    none, recursion_step = d.recursion("expected steps", eq(E[0, c], 0), eq(E[n + 1, c], open_[c] * (1 + after)))
    rest = total(w[x] * R[n, fol[c, x]], x)
    all_, then = d.recursion(
        "expected rest", eq(R[0, c], remaining[c]), eq(R[n + 1, c], open_[c] * rest + (1 - open_[c]) * remaining[c])
    )
    mean = total(w[x] * size[x], x)
    size_bound = d.summed("of each length", ge(w[x] * size[x], w[x]), some)
    positive = d.derive("a step emits a token on average", gt(mean, 0), size_bound, mass)
    equation = eq(mean * E[n, c] + sign * R[n, c], remaining[c])
    first = d.derive("before any step", equation.replace({n: 0}), none, all_)
    before = d.suppose(f"Wald's equation{tag} for n", equation)
    there = d.instantiate("where a step leads", before, {c: fol[c, x]})
    weighed = d.derive(
        "weighed by its probability",
        eq(
            open_[c] * w[x] * (mean * E[n, fol[c, x]] + sign * R[n, fol[c, x]]),
            open_[c] * w[x] * (remaining[c] - size[x]),
        ),
        *(there, goes),
        by="smt",
    )
    weighed = d.sum("over the lengths", weighed, x)
    step = d.derive("one step more", equation.replace({n: n + 1}), recursion_step, then, weighed, mass, by="smt")
    wald = d.induction("for every number of steps", equation, n, first, step)
    return Walk(
        E=E,
        R=R,
        left=remaining,
        mean=mean,
        positive=positive,
        wald=wald,
        still=(all_, then),
        open_=open_,
        goes=goes,
        bit=bit,
        shorter=some,
        law=(w, mass),
        fol=fol,
    )


def states(w: Any, tokens: int, tag: str = "") -> dict[str, Any]:
    """State 1 has all tokens left, each next one a token less."""
    longest = len(w)
    remaining = list(range(tokens, -longest, -1))
    follow = [[k + x if rest > 0 else k for x in range(1, longest + 1)] for k, rest in enumerate(remaining, 1)]
    return {
        **{f"w{tag}": w, f"size{tag}": list(range(1, longest + 1)), f"fol{tag}": follow, f"left{tag}": remaining},
        **{f"open{tag}": [int(rest > 0) for rest in remaining], "V": longest},
        "ranges": {"c": range(1, len(remaining) + 1), "begin": [1], "n": range(1)},
    }
