"""Where the threshold of C-SQS comes down to over two or more tokens: α/(V − 1), or what a flat law throws it to."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.csqs._recursion import Text, Threshold, even_share, few_below_share, induct, n, wherever
from proofs_check.language import Derivation, Fact, V, eq, ge, gt, le


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
    few = few_below_share(d, w, h, u, even)
    beta = h.beta[n]
    after = h.beta[n + 1]
    m = sp.Symbol("m_top" if h.kept_top else "m", real=True)
    thrown = share * u - w.eta * (few.most.relation.rhs - w.alpha)
    lowest_step = d.define("one step down from 1/V", m, thrown)
    goal = ge(after, sp.Min(beta, s, m))
    slope = w.eta * (V - 1)

    def inside(above: Fact, small: Fact, dropped: Fact) -> Fact:
        """From (0, 1/V) a step leads to β − η(V − 1)(β − s) at least: to β or s, or to what it is at 1/V."""
        step = d.derive("a step from there", ge(after, beta - slope * (beta - s)), dropped, h.update, steady)
        near = d.case(f"no more than α can be dropped: {beta}", le(beta, s))
        far = d.case(f"more than α can be dropped: {beta}", gt(beta, s))
        flat = d.case(f"a step of at most 1/(V − 1): {beta}", le(slope, 1))
        steep = d.case(f"a step of more: {beta}", gt(slope, 1))
        stays = d.derive("β does not fall", ge(after, beta), step, near, several)
        rises = d.derive("it stays above s", ge(after, s), step, far, flat)
        falls = d.derive("no lower than from 1/V", ge(after, u - slope * (u - s)), step, small, steep)
        end = d.derive("where m is no higher", ge(u - slope * (u - s), m + (1 - share) * u), lowest_step, even, steady)
        longer = d.cases(
            "long or short",
            d.derive("a short step", goal, rises),
            d.derive("a long step", goal, d.derive("m at least", ge(after, m + (1 - share) * u), falls, end)),
        )
        return d.cases("below s or above", d.derive("below s", goal, stays), longer)

    beyond = d.derive("one step down", ge(after, beta - share * u + m), few.most, h.update, lowest_step)
    rest = wherever(d, h, few, u, goal, beyond, inside)
    return induct(d, h, ge(beta, sp.Min(w.start, s, m)), rest, goal="the floor", update=False)
