"""tasc.conditioning.some: where no output is shared the mixture is an m-th of its task's law, and log m more surprising."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, V, eq, gt, i, le, total
from proofs_check.tasc._task_entropy import N, Tasks, U, chain_rule, o, tasks, values
from simspec.claims.tasc.conditioning import CONDITIONING_SOME, NONE_SHARED
from simspec.laws import Array, exact

UNIFORM = "the prior over tasks is uniform"


def _at_outcome(d: Derivation, t: Tasks, alone: Fact) -> Fact:
    """p log(p/m) = p log V."""
    p = t.p[i, o]
    r = t.r[i, o]
    s = t.s[o]
    goal = eq(p * (sp.log(r) - sp.log(s)), p * sp.log(V))
    none = d.case("the task never gives it", le(p, 0))
    some = d.case("the task gives it", gt(p, 0))
    same = d.smt("then r = p", eq(r, p), some, *t.r_is_p)
    shared = d.smt("and the mixture is an m-th of it", eq(s, r / V), some, same, alone, *t.s_is_m)
    quotient = d.derive("the logarithm of a quotient", eq(sp.log(U / V), sp.log(U) - sp.log(V)), by="algebra")
    quotient = d.instantiate("of this one", quotient, {U: r}, t.r_is_p[1])
    level = d.derive("so its logarithm", eq(sp.log(s), sp.log(r / V)), shared, t.s_is_m[1], t.r_is_p[1], by="algebra")
    where_positive = d.smt("there", goal, level, quotient)
    zero = d.smt("its share is zero", eq(p, 0), none, t.p_not_negative)
    where_zero = d.smt("where it gives nothing", goal, zero, t.r_is_p[1], t.s_is_m[1])
    return d.cases("whether the task gives it or not", where_zero, where_positive)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every number of tasks and of outcomes, all laws without a common outcome."""
    t = tasks(d)
    uniform = d.domain(UNIFORM, eq(t.w[i], 1 / V))
    alone = d.assume(NONE_SHARED, eq(t.p[i, o] * (V * t.m[o] - t.p[i, o]), 0))
    gap = chain_rule(d, t, sign)
    log_distance = d.sum("over the outcomes", _at_outcome(d, t, alone), o, upto=N)
    logs = t.p[i, o] * (sp.log(t.r[i, o]) - sp.log(t.s[o]))
    log_distance = d.smt("a task is log m away", eq(total(logs, o, upto=N), sp.log(V)), log_distance, t.rows)
    log_distance = d.derive("weighted", eq(t.w[i] * total(logs, o, upto=N), t.w[i] * sp.log(V)), log_distance)
    log_distance = d.sum("over the tasks", log_distance, i)
    d.qed(
        d.smt(
            "with the chain rule", eq(t.entropy, t.average + constant * sp.log(V)), gap, log_distance, t.prior, uniform
        )
    )


def bind(laws: Array) -> dict[str, Any]:
    """Tasks with equal weights."""
    return values(laws, exact([1] * len(laws)) / len(laws))


PROOF = Proof(CONDITIONING_SOME, prove, drop=NONE_SHARED, bind=bind)
