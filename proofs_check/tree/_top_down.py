"""Rules that go down a tree as a machine: a child is kept or refused for good, and below it the text begins anew."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x, y
from proofs_check.tree._machine import N, n, s, start, step, t, texts, w

__all__ = ["KEPT", "M", "S", "emitted", "keep", "least", "prove"]

M, S, keep = (sp.IndexedBase(name, real=True) for name in ("M", "S", "keep"))
KEPT = "a child is kept with min(1, M/S)"


def least(d: Derivation, constant: int = 1) -> Fact:
    """As recursive rejection keeps a child."""
    return d.domain(KEPT, eq(S[s, x] * keep[s, x], sp.Min(S[s, x], constant * M[s, x])))


def emitted(
    d: Derivation, sign: int = 1, constant: int = 1, rule: Callable[[Derivation, int], Fact] = least
) -> tuple[sp.IndexedBase, sp.IndexedBase, Fact]:
    """F and T, and that from every state the text has the target's law: F[n, s, t] = T[s, t].

    `rule` gives that a child that is drawn with S is kept with S·keep = min(S, M).
    """
    F = sp.IndexedBase("F", real=True)
    acc = d.map("acc")
    ref = d.map("ref")
    keep_range = d.domain("keep is a probability", ge(keep[s, x], 0), le(keep[s, x], 1))
    keep_rule = rule(d, constant)
    st = step(d, ref, sp.S.One, sp.S.One, keep[s, x], tuple(keep_range), keep_rule)
    tx = texts(d, M, S, acc, ref)
    b = tx.b
    T = tx.T
    c = tx.c
    tail = tx.tail
    omega = st.omega
    go = acc[s, x]
    back = ref[s, x]
    last, level_step = d.recursion(
        "the emitted text begins with t",
        eq(F[0, s, t], T[s, t]),
        eq(
            F[n + 1, s, t],
            (1 - omega[s]) * T[s, t]
            + total(S[s, x] * (keep[s, x] * b[t, x] * F[n, go, tail[t]] + sign * (1 - keep[s, x]) * F[n, back, t]), x),
        ),
    )
    text = eq(F[n, s, t], T[s, t])
    hypothesis = d.suppose("the law, with less of the tree", text)
    inside = d.instantiate("of the child", hypothesis, {s: go, t: tail[t]})
    after = d.instantiate("after a refusal", hypothesis, {s: back})
    law = d.instantiate("the text after a refusal", tx.law, {s: back})
    overlap = sp.Min(S[s, x], M[s, x])
    refused_mass = st.left
    first = eq(S[s, x] * keep[s, x] * b[t, x] * F[n, go, tail[t]], overlap * c[s, x, t])
    first = d.summed("the child's text", first, inside, keep_rule, tx.grows, by="smt")
    again = eq(refused_mass * M[back, y] * c[back, y, t], refused_mass * M[back, y] * c[s, y, t])
    again = d.summed("the context is the same", again, tx.stays, over=y, by="smt")
    again = d.derive(
        "or another text",
        eq(refused_mass * T[back, t], total(refused_mass * M[back, y] * c[s, y, t], y)),
        again,
        law,
        by="smt",
    )
    later = eq(refused_mass * F[n, back, t], total(refused_mass * M[back, y] * c[s, y, t], y))
    later = d.summed("of a refused child", later, again, after, by="smt")
    along = eq(
        c[s, y, t] * (overlap.subs(x, y) + total(refused_mass * M[back, y], x) + (1 - omega[s]) * M[s, y]),
        c[s, y, t] * M[s, y],
    )
    along = d.summed("each token with its text", along, st.drawn, over=y, by="smt")
    return (
        F,
        T,
        d.inductive("as the target says it", text, n, [last], [level_step, first, later, along, tx.law], by="smt"),
    )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every tree shape, all laws by context; by induction on what is left of the tree.

    Of the law of a child nothing is used but that it was drawn from the one that the verifier is told.
    """
    _, _, for_every_state = emitted(d, sign, constant)
    d.qed(d.instantiate("from the root", for_every_state, {n: N, s: start, t: w}))
