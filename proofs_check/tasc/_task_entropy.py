"""Entropies of tasks and of their mixture: notation, and the inequalities of Gibbs and Pinsker for one outcome.

Tasks are counted by the vocabulary index i = 1, …, V, outcomes (n-grams) by o = 1, …, N.  Logarithms are taken of r = p where
p > 0 and r = 1 elsewhere, so that p log r is p log p with 0 log 0 = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, V, eq, ge, gt, i, index, le, total
from simspec.laws import Array

__all__ = ["N", "Tasks", "at_outcome", "chain_rule", "gibbs", "o", "pinsker", "positive_mixture", "tasks", "values"]

o = index("o")
N = sp.Symbol("N", integer=True, positive=True)
U, W = sp.symbols("u_0 v_0", positive=True)
LAWS = "every task has a law"


class Tasks(NamedTuple):
    """Laws p of the tasks, prior w, mixture m, and p and m with ones in place of zeros, r and s."""

    p: Any
    w: Any
    m: Any
    r: Any
    s: Any
    rows: Fact
    prior: Fact
    weights: Fact
    mixture: Fact
    p_not_negative: Fact
    r_is_p: tuple[Fact, Fact]
    s_is_m: tuple[Fact, Fact]

    @property
    def average(self) -> Any:
        """Σ_i w_i H(p_i)."""
        return total(-self.w[i] * total(self.p[i, o] * sp.log(self.r[i, o]), o, upto=N), i)

    @property
    def entropy(self) -> Any:
        """Entropy of the mixture."""
        return -total(self.m[o] * sp.log(self.s[o]), o, upto=N)

    @property
    def information(self) -> Any:
        """Σ_i w_i Σ_o p_io log(p_io / m_o)."""
        term = self.p[i, o] * (sp.log(self.r[i, o]) - sp.log(self.s[o]))
        return total(self.w[i] * total(term, o, upto=N), i)


def tasks(d: Derivation, mixed: bool = True) -> Tasks:
    """Weights and laws of the tasks, and their mixture; without `mixed`, for a mutation, it ignores the weights."""
    w, prior = d.law("w")
    p = sp.IndexedBase("p", real=True)
    m, r, s = (sp.IndexedBase(name, real=True) for name in ("m", "r", "s"))
    rows, signs = d.domain(LAWS, eq(total(p[i, o], o, upto=N), 1), ge(p[i, o], 0))
    law = w[i] if mixed else 1 / V  # else: a mixture that does not weigh the tasks
    mixture = d.define("the mixture", m[o], total(law * p[i, o], i))
    weights = d.derive("no weight is negative", ge(w[i], 0))
    r_is_p = d.domain("r is p where p is positive", eq(p[i, o] * (r[i, o] - p[i, o]), 0), gt(r[i, o], 0))
    s_is_m = d.domain("s is m where m is positive", eq(m[o] * (s[o] - m[o]), 0), gt(s[o], 0))
    return Tasks(
        p=p,
        w=w,
        m=m,
        r=r,
        s=s,
        rows=rows,
        prior=prior,
        weights=weights,
        mixture=mixture,
        p_not_negative=signs,
        r_is_p=tuple(r_is_p),
        s_is_m=tuple(s_is_m),
    )


def values(laws: Array, prior: Array) -> dict[str, Any]:
    """What the symbols stand for."""
    mixed = prior @ laws
    ones = {"r": np.where(laws > 0, laws, 1), "s": np.where(mixed > 0, mixed, 1)}
    count, size = laws.shape
    return {"p": laws, "w": prior, "m": mixed, **ones, "V": count, "N": size, "ranges": {"o": range(1, size + 1)}}


def chain_rule(d: Derivation, t: Tasks, sign: int = 1, factor: int = 1) -> Fact:
    """The mixture's entropy is the mean of the tasks' and the information."""
    term = d.derive(
        "the mixture, times a logarithm",
        eq(sp.log(t.s[o]) * t.m[o], sp.log(t.s[o]) * t.mixture.relation.rhs),
        *(t.mixture, t.s_is_m[1]),
    )
    term = d.sum("over the outcomes", term, o, upto=N)
    return d.derive("expanded", eq(t.entropy, factor * t.average + sign * t.information), term, by="algebra")


def positive_mixture(d: Derivation, t: Tasks) -> Fact:
    """A task's share of an outcome is at most the mixture's mass."""
    share = d.smt("no share is negative", ge(t.w[i] * t.p[i, o], 0), t.p_not_negative)
    share = d.term("one task among all", share, i)
    return d.smt("which is the mixture", ge(t.m[o], t.w[i] * t.p[i, o]), share, t.mixture)


def gibbs(d: Derivation) -> Fact:
    """u log(u/v) ≥ u − v for positive numbers."""
    f = U * sp.log(U) - U * sp.log(W) - U + W
    case_above = d.case("u ≥ v", ge(U, W))
    case_below = d.case("u ≤ v", le(U, W))
    rising = d.derive("u on the right of v", ge(U - W, 0), case_above)
    log_rises = d.increasing("the logarithm rises", sp.log(U), U, W, d.derive("its slope", ge(1 / U, 0)), rising)
    slope = d.smt("so does the divergence in u", ge(sp.diff(f, U), 0), log_rises)
    rise_bound = d.increasing("from u = v on", f, U, W, slope, rising)
    falling = d.derive("v on the right of u", ge(W - U, 0), case_below)
    slope = d.smt("the divergence rises in v", ge(sp.diff(f, W), 0), falling)
    fall_bound = d.increasing("from v = u on", f, W, U, slope, falling)
    return d.cases("Gibbs", d.smt("that is", ge(f, 0), rise_bound), d.smt("that is", ge(f, 0), fall_bound))


def pinsker(d: Derivation, three: sp.Expr | int = 3) -> Fact:
    """(2u + 4v)(u log(u/v) − u + v) ≥ 3 (u − v)² for positive numbers."""
    g = U * sp.log(U) - U * sp.log(W) - U + W
    f = g - three * (U - W) ** 2 / (2 * U + 4 * W)
    case_above = d.case("u ≥ v, Pinsker", ge(U, W))
    case_below = d.case("u ≤ v, Pinsker", le(U, W))
    rising = d.derive("u on the right of v", ge(U - W, 0), case_above)
    bend = d.smt("the second derivative in u", ge(sp.diff(f, U, 2), 0), rising)
    slope = d.increasing("the first one from u = v on", sp.diff(f, U), U, W, bend, rising)
    slope = d.smt("is not negative", ge(sp.diff(f, U), 0), slope)
    rise_bound = d.increasing("from u = v on", f, U, W, slope, rising)
    falling = d.derive("v on the right of u", ge(W - U, 0), case_below)
    slope = d.smt("the derivative in v", ge(sp.diff(f, W), 0), falling)
    fall_bound = d.increasing("from v = u on", f, W, U, slope, falling)
    bound = ge((2 * U + 4 * W) * g, three * (U - W) ** 2)
    return d.cases("Pinsker, for one outcome", d.smt("that is", bound, rise_bound), d.smt("that is", bound, fall_bound))


def at_outcome(d: Derivation, t: Tasks, scalar: Fact, goal: Relation, weighs: Fact, *extra_facts: Fact) -> Fact:
    """A statement about p_io and m_o from the one about positive numbers: where p_io = 0 it is plain."""
    none = d.case(f"p = 0: {goal}", le(t.p[i, o], 0))
    some = d.case(f"p > 0: {goal}", gt(t.p[i, o], 0))
    share = positive_mixture(d, t)
    r = d.smt("then r = p", eq(t.r[i, o], t.p[i, o]), some, *t.r_is_p)
    mass = d.smt("and m > 0", gt(t.m[o], 0), some, share, weighs)
    s = d.smt("so that s = m", eq(t.s[o], t.m[o]), mass, *t.s_is_m)
    premises = [*t.r_is_p, *t.s_is_m, r, s, share, *extra_facts]
    there = d.instantiate("at p and m", scalar, {U: t.r[i, o], W: t.s[o]}, *premises)
    at_positive = d.smt("there", goal, there, r, s, some)
    zero = d.smt("p is zero", eq(t.p[i, o], 0), none, t.p_not_negative)
    signs = d.smt("no share is negative", ge(t.w[i] * t.p[i, o], 0), t.p_not_negative)
    signs = d.smt("nor is the mixture", ge(t.m[o], 0), d.sum("over the tasks", signs, i), t.mixture)
    at_zero = d.smt("where p = 0", goal, zero, signs, t.r_is_p[1], t.s_is_m[1])
    return d.cases("whether p is zero or not", at_positive, at_zero)
