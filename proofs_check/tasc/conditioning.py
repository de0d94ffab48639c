"""tasc.conditioning: on average over tasks, conditioning lowers the entropy by the information, at least 2 Σ w TV²."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, gt, i, le, total
from proofs_check.tasc._task_entropy import LAWS, N, at_outcome, chain_rule, gibbs, o, pinsker, tasks, values
from proofs_check.tasc.task_entropy import pairs
from simspec.claims.claim import Instance, margin
from simspec.claims.tasc.conditioning import CONDITIONING, CONDITIONING_CORRECTED
from simspec.laws import exact


def prove(d: Derivation, sign: int = 1, three: int = 3, constant: sp.Expr | int = 2) -> None:
    """Every number of tasks and of outcomes, all laws and priors.

    2 is the largest factor: for laws (½ ± ε, ½ ∓ ε) of equal weight the sides differ by O(ε⁴), and Σ w TV² = ε².
    """
    t = tasks(d)
    gap = chain_rule(d, t, sign)
    S = sp.IndexedBase("distance", real=True)  # ℓ1, twice the total variation
    apart = d.define("a task's distance from the mixture", S[i], total(sp.Abs(t.p[i, o] - t.m[o]), o, upto=N))
    logs = t.p[i, o] * (sp.log(t.r[i, o]) - sp.log(t.s[o]))
    row = d.summed("every task has mass one", eq(t.w[i] * t.rows.relation.lhs, t.w[i]), t.rows, over=i, by="algebra")
    mass = d.summed("the mixture, in full", eq(t.m[o], t.mixture.relation.rhs), t.mixture, over=o, upto=N)
    mass = d.smt("the mixture has mass one", eq(mass.relation.lhs, 1), mass, row, t.prior)

    some = d.case("the task has weight", gt(t.w[i], 0))
    none = d.case("the task has no weight", le(t.w[i], 0))
    base = 2 * t.p[i, o] + 4 * t.m[o]
    term = logs - t.p[i, o] + t.m[o]
    point = at_outcome(d, t, pinsker(d, three), ge(base * term, 3 * (t.p[i, o] - t.m[o]) ** 2), some)
    not_negative = at_outcome(d, t, gibbs(d), ge(term, 0), some)
    a, b, k, s = sp.symbols("a_0 b_0 k_0 s_0", real=True)
    cauchy = d.suppose("3a² ≤ b k", ge(b, 0), ge(k, 0), ge(b * k, 3 * a**2))
    cauchy = d.smt("Cauchy and Schwarz, for one outcome", le(s * sp.Abs(a), s**2 * b / 12 + k), *cauchy)
    shares = d.smt("no share is negative", ge(t.w[i] * t.p[i, o], 0), t.p_not_negative)
    shares = d.smt("nor is the mixture", ge(t.m[o], 0), d.sum("over the tasks", shares, i), t.mixture)
    premises = [point, not_negative, shares, t.p_not_negative, t.r_is_p[1], t.s_is_m[1]]
    point = d.instantiate(
        "at an outcome",
        cauchy,
        {a: t.p[i, o] - t.m[o], b: base, k: term, s: S[i]},
        *premises,
    )
    pinsker_bound = d.sum("over the outcomes", point, o, upto=N)
    divergence = total(logs, o, upto=N)
    pinsker_bound = d.smt("Pinsker", ge(divergence, S[i] ** 2 / 2), pinsker_bound, apart, t.rows, mass)
    weighted_bound = ge(t.w[i] * divergence, t.w[i] * S[i] ** 2 / 2)
    zero = d.smt("its weight is zero", eq(t.w[i], 0), none, t.weights)
    per_task = d.cases(
        "weight or none",
        d.smt("weighted", weighted_bound, pinsker_bound, some),
        d.smt("both are zero", weighted_bound, zero, t.r_is_p[1], t.s_is_m[1]),
    )
    per_task = d.sum("over the tasks", per_task, i)
    tv = S[i] / 2
    goal = le(t.average, t.entropy - constant * total(t.w[i] * tv**2, i))
    d.qed(d.smt("with the chain rule", goal, gap, per_task))


def against_both() -> Iterator[Instance]:
    """Pairs of tasks where one task's entropy is above the mean of the two, and above the mixture's."""
    return (pair for pair in pairs() if all(margin(row) < 0 for row in np.asarray(CONDITIONING.slack(pair))))


def corrected(prior: Any) -> Iterator[Instance]:
    for pair in pairs():
        yield {**pair, "prior": exact(prior)}


PROOFS = (
    Refutation(
        CONDITIONING,
        against_both,
        scope="the first of two tasks with laws over few outcomes, in order of their number and of the denominator, that "
        "contradicts both readings",
        repaired={
            "all tasks have one law (and ≤)": lambda: pairs(True),
            "on average over tasks": (CONDITIONING_CORRECTED, lambda: corrected([F(1, 2), F(1, 2)])),
        },
    ),
    Proof(CONDITIONING_CORRECTED, prove, drop=LAWS, change={"constant": 3}, bind=values),
)
