"""tasc.task-entropy: the mixture's entropy is the mean of the tasks' entropies and the information about the task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, V, eq, ge, gt, i, laws, le, total
from proofs_check.tasc._task_entropy import N, U, W, at_outcome, chain_rule, gibbs, o, tasks, values
from simspec.claims.claim import Instance
from simspec.claims.tasc.task_entropy import (
    TASK_ENTROPY,
    TASK_ENTROPY_ATTAINED,
    TASK_ENTROPY_CORRECTED,
    TASK_ENTROPY_SHARP,
)
from simspec.laws import Array, exact

MOST = sp.log(V)
UNIFORM = "the prior over tasks is uniform"


def prove(d: Derivation, mixed: bool = True, sign: int = 1, factor: int = 1) -> None:
    """Every number of tasks and of outcomes, all laws and priors."""
    t = tasks(d, mixed)
    d.qed(chain_rule(d, t, sign, factor))


def prove_sharp(d: Derivation, sign: int = 1, excess_limit: sp.Expr = MOST) -> None:
    """Every number of tasks and of outcomes, all laws.

    Both ends are attained: tasc.task-entropy-sharp.attained.
    """
    t = tasks(d)
    uniform = d.domain(UNIFORM, eq(t.w[i], 1 / V))
    positive = d.smt("every task has weight", ge(t.w[i] * V, 1), uniform)
    gap = chain_rule(d, t, sign)
    logs = t.p[i, o] * (sp.log(t.r[i, o]) - sp.log(t.s[o]))

    # none below zero: u log(u/v) ≥ u − v
    mass = d.summed("the mixture, in full", eq(t.m[o], t.mixture.relation.rhs), t.mixture, over=o, upto=N)
    row = d.summed("every task has mass one", eq(t.w[i] * t.rows.relation.lhs, t.w[i]), t.rows, over=i, by="algebra")
    mass = d.smt("so has the mixture", eq(mass.relation.lhs, 1), mass, row, t.prior)
    lower = at_outcome(d, t, gibbs(d), ge(logs, t.p[i, o] - t.m[o]), positive)
    lower = d.sum("over the outcomes", lower, o, upto=N)
    lower = d.smt("no divergence is negative", ge(lower.relation.lhs, 0), lower, t.rows, mass)
    lower = d.smt("weighted", ge(t.w[i] * lower.relation.lhs, 0), lower, t.p_not_negative, positive)
    lower = d.sum("over the tasks", lower, i)

    # none above log V: the mixture is at least a V-th of each task
    higher = d.suppose("v ≥ u / V", ge(W - U / V, 0))
    slope = d.derive("the logarithm rises", ge(1 / W, 0))
    rises = d.increasing("from u / V on", sp.log(W), W, U / V, slope, higher)
    ratio = d.derive("the logarithm of a quotient", eq(sp.log(U / V), sp.log(U) - sp.log(V)), by="algebra")
    rises = d.smt("so", ge(sp.log(V) - sp.log(U) + sp.log(W), 0), rises, ratio)
    upper = at_outcome(d, t, rises, le(logs, t.p[i, o] * sp.log(V)), positive, uniform)
    upper = d.sum("over the outcomes", upper, o, upto=N)
    upper = d.smt("a divergence is at most log V", le(upper.relation.lhs, sp.log(V)), upper, t.rows)
    upper = d.smt("weighted", le(t.w[i] * upper.relation.lhs, t.w[i] * sp.log(V)), upper, t.weights)
    upper = d.sum("over the tasks", upper, i)
    excess = t.entropy - t.average
    d.qed(
        d.smt("at least nothing", le(-excess, 0), gap, lower),
        d.smt("at most log V", le(excess, excess_limit), gap, upper, t.prior),
    )


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of tasks and of outcomes, all laws."""
    p, r, a, b = (sp.IndexedBase(name, real=True) for name in ("p", "r", "a", "b"))
    rows = d.domain("every task has a law", eq(total(p[i, o], o, upto=N), 1))
    d.domain("r is p where p is positive, else 1", eq(p[i, o] * (r[i, o] - p[i, o]), 0))
    some = d.domain("r is positive", gt(r[i, o], 0))
    b_positive = d.domain("b is the one law a where a is positive, else positive", gt(b[o], 0))

    shared = sp.IndexedBase("m", real=True)
    mixture = d.define("the mixture of equal laws", shared[o], total(a[o] / V, i))
    mixture = d.derive("is that law", eq(shared[o], a[o]), mixture)
    same = d.derive(
        "so is its logarithm", eq(shared[o] * sp.log(b[o]), sign * a[o] * sp.log(b[o])), mixture, b_positive
    )
    same = d.sum("over the outcomes", same, o, upto=N)
    average = total(-total(a[o] * sp.log(b[o]), o, upto=N) / V, i)
    equal = d.derive("nothing is gained", eq(-same.relation.lhs - average, 0), same)

    size = d.derive("tasks are some", gt(V, 0))
    quotient = d.derive("log of the quotient", eq(sp.log(r[i, o] / V), sp.log(r[i, o]) - sp.log(V)), some, size)
    per_task = eq(p[i, o] / V * sp.log(r[i, o] / V), p[i, o] * sp.log(r[i, o]) / V - p[i, o] * sp.log(V) / V)
    per_task = d.derive("a V-th of each law, over outcomes of its own", per_task, quotient, some)
    per_task = d.sum("over the outcomes", per_task, o, upto=N)
    entropy = total(per_task.relation.lhs, i)
    task = eq(per_task.relation.lhs, total(p[i, o] * sp.log(r[i, o]), o, upto=N) / V - sp.log(V) / V)
    task = d.sum("over the tasks", d.derive("of one task", task, per_task, rows, some), i)
    average = total(-total(p[i, o] * sp.log(r[i, o]), o, upto=N) / V, i)
    d.qed(equal, d.derive("all of log V is gained", eq(-entropy - average, constant * sp.log(V)), task, some))


def both(laws: Array) -> dict[str, Any]:
    ones = np.where(laws > 0, laws, 1)
    first = laws[0]
    count, size = laws.shape
    sizes = {"V": count, "N": size, "ranges": {"o": range(1, size + 1)}}
    return {"p": laws, "r": ones, "a": first, "b": ones[0], **sizes}


def uniform(laws: Array) -> dict[str, Any]:
    return values(laws, exact([1] * len(laws)) / len(laws))


def pairs(same: bool = False) -> Iterator[Instance]:
    """Two tasks with laws over one or two outcomes, masses in multiples of 1/2, in order of size."""
    for outcomes in (1, 2):
        for denominator in (1, 2):
            for a, b in combinations_with_replacement(laws(outcomes, denominator), 2):
                yield {"laws": np.stack([a, a if same else b])}


PROOFS = (
    Refutation(
        TASK_ENTROPY,
        pairs,
        scope="the first of two tasks with laws over few outcomes, in order of their number and of the denominator: two "
        "tasks that always give one output each (one task alone, or one outcome, never differs)",
        repaired={"all tasks have one law": lambda: pairs(True)},
    ),
    Proof(TASK_ENTROPY_CORRECTED, prove, drop={"mixed": False}, change={"factor": 2}, bind=values),
    Proof(TASK_ENTROPY_SHARP, prove_sharp, drop=UNIFORM, change={"excess_limit": sp.log(V) / 2}, bind=uniform),
    Proof(TASK_ENTROPY_ATTAINED, prove_attained, drop="every task has a law", bind=both),
)
