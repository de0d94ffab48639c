"""Where the threshold of C-SQS comes down to over two or more tokens: α/(V − 1), or what a flat law throws it to."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.csqs._recursion import Text, Threshold, even_share, few_below_share, induct, n
from proofs_check.language import Derivation, Fact, V, eq, ge


class Shares(NamedTuple):
    """u = 1/V, and s = α/(V − 1), up to which no more than α can be dropped."""

    u: Any
    even: Fact
    s: Any
    steady: Fact


def shares(d: Derivation, w: Text) -> Shares:
    """The two numbers, for V ≥ 2."""
    several = d.domain("there are two tokens or more", ge(V, 2))
    u, even = even_share(d)
    s = sp.Symbol("s", real=True)
    named = d.define("where V − 1 tokens below s have the mass α", s, w.alpha / (V - 1), several)
    return Shares(u, even, s, d.derive("in other words", eq((V - 1) * s, w.alpha), named, several))


def never_below_floor(d: Derivation, w: Text, h: Threshold, shares: Shares, share: sp.Expr | int = 1) -> Fact:
    """β_n ≥ min(β_0, s, m) with m = 1/V − η(1 − α); keep-top: 1 − 1/V for 1."""
    u, even, s, steady = shares
    several = d.domain("there are two tokens or more", ge(V, 2))
    zero, dropped_below, inside, few_dropped, at_most = few_below_share(d, w, h, u, even)
    beta = h.beta[n]
    after = h.beta[n + 1]
    m = sp.Symbol("m_top" if h.kept_top else "m", real=True)
    thrown = share * u - w.eta * (at_most.relation.rhs - w.alpha)
    lowest_step = d.define("one step down from 1/V", m, thrown)
    line = d.derive(
        "from s to 1/V a line from s to m lies below the next threshold",
        ge(inside * sp.Max(beta - s, 0) * ((u - s) * after - (u - beta) * s - (beta - s) * m), 0),
        *(few_dropped, lowest_step, h.update, steady, even, several),
    )
    ends = d.derive("so it is at least min(s, m)", ge(inside * sp.Max(beta - s, 0) * (after - sp.Min(s, m)), 0), line)
    inner = d.derive(
        "and up to s, where no more than α is dropped, β does not fall",
        ge(inside * (after - sp.Min(beta, s, m)), 0),
        *(ends, few_dropped, h.update, steady, several),
    )
    rest = d.derive(
        "the next threshold, wherever this one is",
        ge(after, sp.Min(beta, s, m)),
        *(inner, lowest_step, zero, dropped_below, at_most, h.update),
    )
    return induct(d, h, ge(beta, sp.Min(w.start, s, m)), rest, goal="the floor", update=False)
