"""Traversal as a machine: a subtree is accepted with probability a, and its text then has the target's law."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x, y
from proofs_check.tree._machine import N, Step, Texts, n, s, start, step, t, texts, w

__all__ = ["WEIGHT", "prove"]

WEIGHT = "a child is accepted with min(1, aM/S)"
ROOT = "the root is accepted for sure"


def _refused(d: Derivation, a: Any, st: Step, go: Any, back: Any) -> tuple[Any, Fact]:
    """The probability R[n, s] that all of the tree below a state is refused, 1 − a for every state and size."""
    R = sp.IndexedBase("R", real=True)
    S = sp.IndexedBase("S", real=True)
    omega = st.omega
    end, before = d.recursion(
        "all of the tree below a state is refused",
        eq(R[0, s], 1 - a[s]),
        eq(R[n + 1, s], (1 - omega[s]) * (1 - a[s]) + total(S[s, x] * R[n, go] * R[n, back], x)),
    )
    refused = eq(R[n, s], 1 - a[s])
    hypothesis = d.suppose("refused, with less of the tree", refused)
    there, after_refusal = (d.instantiate("there", hypothesis, {s: to}) for to in (go, back))
    product = eq(S[s, x] * R[n, go] * R[n, back], st.left * (1 - a[back]))
    product = d.summed("the child, and then the others", product, there, after_refusal)
    return R, d.inductive("refused with 1 − a", refused, n, [end], [before, product, st.weights, hypothesis])


def _again(d: Derivation, share: Any, back: Any, M: Any, tx: Texts, law: Fact) -> Fact:
    """The target's texts after a refusal: the context is the same, so a token goes on as it would have before."""
    T = tx.T
    c = tx.c
    again = eq(share * M[back, y] * c[back, y, t], share * M[back, y] * c[s, y, t])
    again = d.summed("the context is the same", again, tx.stays, over=y, by="smt")
    return d.derive(
        "or another text", eq(share * T[back, t], total(share * M[back, y] * c[s, y, t], y)), again, law, by="smt"
    )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every tree shape, all laws by context; by induction on what is left of the tree."""
    a, F, M, S = (sp.IndexedBase(name, real=True) for name in ("a", "F", "M", "S"))
    acc = d.map("acc")
    ref = d.map("ref")
    low, high = d.domain("a is a probability", ge(a[s], 0), le(a[s], 1))
    weight_rule = d.domain(WEIGHT, eq(S[s, x] * a[acc[s, x]], sp.Min(S[s, x], a[s] * M[s, x])))
    bounds = [d.instantiate("of the child", f, {s: acc[s, x]}) for f in (low, high)]
    bounds += [d.instantiate("after a refusal", f, {s: ref[s, x]}) for f in (low, high)]
    range_facts = (low, high, *bounds)
    st = step(
        d,
        ref=ref,
        a=a[s],
        after=a[ref[s, x]],
        accept_rate=a[acc[s, x]],
        range_facts=range_facts,
        kept_is=weight_rule,
        constant=constant,
    )
    tx = texts(d, M, S, acc, ref)
    b = tx.b
    T = tx.T
    c = tx.c
    tail = tx.tail
    omega = st.omega
    go = acc[s, x]
    back = ref[s, x]
    R, refused_all = _refused(d, a, st, go, back)
    last, level_step = d.recursion(
        "it is accepted, and the text begins with t",
        eq(F[0, s, t], a[s] * T[s, t]),
        eq(
            F[n + 1, s, t],
            (1 - omega[s]) * a[s] * T[s, t]
            + total(S[s, x] * (b[t, x] * F[n, go, tail[t]] + sign * R[n, go] * F[n, back, t]), x),
        ),
    )
    text = eq(F[n, s, t], a[s] * T[s, t])
    hypothesis = d.suppose("the law, with less of the tree", text)
    inside = d.instantiate("of the child", hypothesis, {s: go, t: tail[t]})
    after = d.instantiate("after a refusal", hypothesis, {s: back})
    gone = d.instantiate("the child is refused", refused_all, {s: go})
    law = d.instantiate("the text after a refusal", tx.law, {s: back})
    overlap = sp.Min(S[s, x], a[s] * M[s, x])
    first = d.summed(
        "the child's text",
        eq(S[s, x] * b[t, x] * F[n, go, tail[t]], overlap * c[s, x, t]),
        inside,
        weight_rule,
        tx.grows,
        by="smt",
    )
    share = st.left * a[back]
    again = _again(d, share, back, M, tx, law)
    later = eq(S[s, x] * R[n, go] * F[n, back, t], total(share * M[back, y] * c[s, y, t], y))
    later = d.summed("of a refused child", later, again, after, gone, by="smt")
    along = eq(
        c[s, y, t] * (overlap.subs(x, y) + total(share * M[back, y], x) + (1 - omega[s]) * a[s] * M[s, y]),
        c[s, y, t] * a[s] * M[s, y],
    )
    along = d.summed("each token with its text", along, st.drawn, over=y, by="smt")
    for_every_n = d.inductive(
        "accepted with a, the text as the target says it",
        text,
        n,
        [last],
        [level_step, first, later, along, tx.law],
        by="smt",
    )
    root = d.domain(ROOT, eq(a[start], 1))
    for_every_n = d.instantiate("from the root", for_every_n, {n: N, s: start, t: w})
    d.qed(d.derive("for sure", eq(F[N, start, w], T[start, w]), for_every_n, root))
