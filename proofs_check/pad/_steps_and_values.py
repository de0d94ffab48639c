"""One step of pivot-aware decoding at any context, and the values of texts by backward induction over states.

A state is a context (how many there are is not said), h the number of tokens still to be written;
``step[state, x]`` is the state after token x.  Flags f[h, state, x] are 1 where the classifier calls x a pivot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, index, le, total, x, y
from simspec.laws import Array

__all__ = [
    "Models",
    "Rule",
    "at_start",
    "bind",
    "bind_all",
    "expected",
    "flags",
    "flags_of",
    "grow",
    "h",
    "models",
    "never_loses",
    "no_loss",
    "one_step",
    "replaced",
    "rule",
    "state",
    "values_of",
    "worth",
]

h = sp.Symbol("h", integer=True, nonnegative=True)
state = index("s")
start = index("start")


class Models(NamedTuple):
    """The laws of target, draft and replacement, and the target's values."""

    p: Any
    q: Any
    r: Any
    step: Any
    utility: Any
    U: Any
    mass_p: Fact
    mass_q: Fact
    mass_r: Fact
    residual: Fact
    finished: Fact
    earlier: Fact


def flags(d: Derivation, name: str = "f") -> tuple[Any, Fact]:
    """The classifier's flags, 0 or 1."""
    f = sp.IndexedBase(name, real=True)
    return f, d.domain(f"a flag {name} is 0 or 1", eq(f[h, state, x] ** 2, f[h, state, x]))


class Rule(NamedTuple):
    """Flags, the law o of a step of the rule, its overrides g, and what is known of them."""

    f: Any
    k: Any
    o: Any
    g: Any
    flag: Fact
    overrides: Fact
    kept: Fact
    law: Fact
    not_negative: Fact


def models(d: Derivation) -> Models:
    """Laws at every context, the residual of speculative decoding, and the target's values by backward induction."""
    p, q, r = (sp.IndexedBase(name, nonnegative=True) for name in "pqr")
    U = sp.IndexedBase("U", real=True)
    utility = sp.IndexedBase("utility", real=True)
    step = d.map("step")
    d.domain("masses are not negative", ge(p[state, x], 0), ge(q[state, x], 0), ge(r[state, x], 0))
    mass_p = d.domain("the target's law sums to one", eq(total(p[state, x], x), 1))
    mass_q = d.domain("the draft's law sums to one", eq(total(q[state, x], x), 1))
    residual = d.domain(
        "the replacement is the normalised residual",
        eq(r[state, x] * total(sp.Max(p[state, y] - q[state, y], 0), y), sp.Max(p[state, x] - q[state, x], 0)),
    )
    mass_r = d.domain("the replacement's law sums to one", eq(total(r[state, x], x), 1))
    finished, earlier = d.recursion(
        "what the target's text is worth: the utility of the state it ends in",
        eq(U[0, state], utility[state]),
        eq(U[h + 1, state], total(p[state, x] * U[h, step[state, x]], x)),
    )
    return Models(
        p=p,
        q=q,
        r=r,
        step=step,
        utility=utility,
        U=U,
        mass_p=mass_p,
        mass_q=mass_q,
        mass_r=mass_r,
        residual=residual,
        finished=finished,
        earlier=earlier,
    )


def rule(
    d: Derivation, m: Models, f: sp.Expr, flag: Fact, name: str = "", sign: int = 1, constant: sp.Expr | int = 1
) -> Rule:
    """The law of a step: o = p + g − (Σg)·r, g the overrides.

    Parameters
    ----------
    f : expression
        the flag of token x with h tokens to follow it, f[h, state, x].
    flag : that a flag is 0 or 1
    name : ends the names of k, o and g, where there are two rules
    """
    p = m.p
    q = m.q
    r = m.r
    k, o, g = (sp.IndexedBase(letter + name, real=True) for letter in "kog")
    keeps = d.define(
        "kept mass: all of a draft that is not flagged, min(p, q) of a flagged one",
        k[h, state, x],
        f * sp.Min(p[state, x], q[state, x]) + (1 - f) * constant * q[state, x],
    )
    emits = d.define(
        "the emitted token: the draft that is kept, or else its replacement",
        o[h, state, x],
        k[h, state, x] + (1 - total(k[h, state, x], x)) * r[state, x],
    )
    overrides = d.define(
        "overrides: what is kept although speculative decoding rejects it",
        g[h, state, x],
        (1 - f) * sp.Max(q[state, x] - p[state, x], 0),
    )
    G = total(g[h, state, x], x)
    accept_rule = d.derive(
        "kept is what the target would write less the residual, and the overrides",
        eq(k[h, state, x], p[state, x] - sp.Max(p[state, x] - q[state, x], 0) + g[h, state, x]),
        *(keeps, overrides),
    )
    rate = d.sum("over the vocabulary", accept_rule, x)
    law = d.derive(
        "the overrides come from the replacement",
        eq(o[h, state, x], p[state, x] + g[h, state, x] - sign * G * r[state, x]),
        *(emits, rate, accept_rule, m.residual, m.mass_p),
    )
    low = d.derive("a kept mass is not negative", ge(k[h, state, x], 0), keeps, flag)
    high = d.summed("kept is a part of the draft", le(k[h, state, x], q[state, x]), keeps, flag)
    not_negative = d.derive("an emitted mass is not negative", ge(o[h, state, x], 0), emits, low, high, m.mass_q)
    return Rule(
        f=f, k=k, o=o, g=g, flag=flag, overrides=overrides, kept=accept_rule, law=law, not_negative=not_negative
    )


def flagged(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> tuple[Models, Rule]:
    """The laws, and the rule with flags as they come."""
    m = models(d)
    f, flag = flags(d)
    return m, rule(d, m, f[h, state, x], flag, sign=sign, constant=constant)


def one_step(d: Derivation, m: Models, s: Rule, after: sp.Expr) -> Fact:
    """What the step does to the mean of `after`: Σ o·a = Σ p·a + Σ g·(a − Σ r·a)."""
    o = s.o[h, state, x]
    g = s.g[h, state, x]
    r = m.r[state, x]
    p = m.p[state, x]
    per_token = d.derive(
        "what comes after, token by token", eq(o * after, p * after + g * after - total(g, x) * r * after), s.law
    )
    return d.sum("over the vocabulary", per_token, x)


def worth(d: Derivation, m: Models, o: sp.Expr, name: str = "W", text: str = "what the rule's text is worth") -> Any:
    """Values of a rule by backward induction: the symbol and the two facts that define it."""
    W = sp.IndexedBase(name, real=True)
    base, step = d.recursion(
        text, eq(W[0, state], m.utility[state]), eq(W[h + 1, state], total(o * W[h, m.step[state, x]], x))
    )
    return W, base, step


def expected(d: Derivation, m: Models, o: sp.Expr, name: str, cost: sp.Expr, text: str) -> Any:
    """Expected sum of a cost along the rule's path, by its first token: the symbol and the two facts that define it."""
    E = sp.IndexedBase(name, real=True)
    none, recursion_step = d.recursion(
        text, eq(E[0, state], 0), eq(E[h + 1, state], cost + total(o * E[h, m.step[state, x]], x))
    )
    return E, none, recursion_step


def replaced(m: Models, after: sp.Expr) -> Any:
    """Mean of what comes after, under the law of the replacement."""
    return total(m.r[state, x] * after, x)


def at_start(d: Derivation, fact: Fact) -> Fact:
    """A statement about every context, at the start of a text of T tokens."""
    T = sp.Symbol("T", integer=True, nonnegative=True)
    return d.instantiate("at the start of the text", fact, {h: T, state: start})


def no_loss(d: Derivation, m: Models, s: Rule, assumption: str) -> Fact:
    """Every override gains, when all tokens worth less than their replacement are flagged."""
    after = m.U[h, m.step[state, x]]
    advantage = after - replaced(m, after)
    recall = d.assume(assumption, ge((1 - s.f) * advantage, 0))
    gain = d.derive(
        "an override is worth at least its replacement",
        ge(s.g[h, state, x] * advantage, 0),
        s.overrides,
        recall,
        s.flag,
    )
    return d.sum("over the vocabulary", gain, x)


def grow(
    d: Derivation, m: Models, o: sp.Expr, not_negative: Fact, statement: Relation, base: Fact, *step: Fact, text: str
) -> Fact:
    """Backward induction: the statement after each token, weighted with the law o of a step, and then the step."""
    so_far = d.suppose(f"{text}: with h tokens to write", statement)
    after = d.instantiate("after a token", so_far, {state: m.step[state, x]})
    weighted_sides = (sp.expand(o * side) for side in (after.relation.lhs, after.relation.rhs))
    later = d.summed(
        "weighted with the law of a step",
        Relation(next(weighted_sides), statement.op, next(weighted_sides)),
        after,
        not_negative,
    )
    next_token = d.derive("one token more", statement.replace({h: h + 1}), *step, later)
    return d.induction(text, statement, h, base, next_token)


def never_loses(d: Derivation, m: Models, o: sp.Expr, not_negative: Fact, lossless_step: Fact) -> Fact:
    """From steps with law o that lose nothing (Σ p·U ≤ Σ o·U): texts lose nothing either."""
    W, at_end, before_it = worth(d, m, o)
    statement = ge(W[h, state], m.U[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished)
    premises = [before_it, m.earlier, lossless_step]
    return grow(d, m, o, not_negative, statement, base, *premises, text="at every context")


# --- instances ------------------------------------------------------------------------------------------------------


def flags_of(flags: Array) -> Any:
    """Flags (T, S, V) by tokens still to be written; beyond the text's beginning everything is flagged."""
    return lambda remaining, state, token: (
        remaining >= len(flags) or bool(flags[len(flags) - 1 - remaining, state - 1, token - 1])
    )


def values_of(target: Array, draft: Array, step: Array, utility: Array, horizon: int) -> dict[str, Any]:
    """Values of the symbols of `models`, and the ranges of states and of tokens still to be written."""
    from simspec.methods import SD

    r = np.asarray(SD.residual(target, draft))
    ranges = {"s": range(1, len(target) + 1), "h": range(horizon - 1, -1, -1)}
    laws = {"p": target, "q": draft, "r": r, "step": step + 1, "utility": utility, "V": target.shape[1]}
    return {**laws, "T": horizon, "start": 1, "ranges": ranges}


def bind(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> dict[str, Any]:
    """Values for a statement about each position."""
    return {**values_of(target, draft, step, utility, horizon), "f": flags_of(flags)}


def bind_all(target: Array, draft: Array, step: Array, utility: Array, horizon: int, flags: Array) -> dict[str, Any]:
    """Values for a statement about each position and the finished text."""
    values = bind(target, draft, step, utility, horizon, flags)
    return {**values, "ranges": {**values["ranges"], "h": range(horizon, -1, -1)}}
