"""Traversal as a machine: a subtree is accepted with probability a, and its text then has the target's law."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, eq, ge, le, total, x, y
from proofs_check.tree._machine import N, n, s, start, step, t, texts, w

__all__ = ["WEIGHT", "prove"]

WEIGHT = "a child is accepted with min(1, aM/S)"
ROOT = "the root is accepted for sure"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every tree shape, all laws by context; by induction on what is left of the tree."""
    a, R, F, M, S = (sp.IndexedBase(name, real=True) for name in ("a", "R", "F", "M", "S"))
    acc, ref = d.map("acc"), d.map("ref")
    low, high = d.domain("a is a probability", ge(a[s], 0), le(a[s], 1))
    kept = d.domain(WEIGHT, eq(S[s, x] * a[acc[s, x]], sp.Min(S[s, x], a[s] * M[s, x])))
    bounds = [d.instantiate("of the child", f, {s: acc[s, x]}) for f in (low, high)]
    bounds += [d.instantiate("after a refusal", f, {s: ref[s, x]}) for f in (low, high)]
    room = (low, high, *bounds)
    st = step(d, ref, a[s], a[ref[s, x]], a[acc[s, x]], room, kept, constant)
    tx = texts(d, M, S, acc, ref)
    b, T, c, tail, omega = tx.b, tx.T, tx.c, tx.tail, st.omega
    go, back = acc[s, x], ref[s, x]
    end, before = d.recursion(
        "all of the tree below a state is refused",
        eq(R[0, s], 1 - a[s]),
        eq(R[n + 1, s], (1 - omega[s]) * (1 - a[s]) + total(S[s, x] * R[n, go] * R[n, back], x)),
    )
    refused = eq(R[n, s], 1 - a[s])
    hypothesis = d.suppose("refused, with less of the tree", refused)
    there, other = (d.instantiate("there", hypothesis, {s: to}) for to in (go, back))
    product = eq(S[s, x] * R[n, go] * R[n, back], st.left * (1 - a[back]))
    product = d.summed("the child, and then the others", product, there, other)
    refused_all = d.inductive("refused with 1 − a", refused, n, [end], [before, product, st.weights, hypothesis])
    last, more = d.recursion(
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
    least = sp.Min(S[s, x], a[s] * M[s, x])
    first = d.summed(
        "the child's text",
        eq(S[s, x] * b[t, x] * F[n, go, tail[t]], least * c[s, x, t]),
        inside,
        kept,
        tx.grows,
        by="smt",
    )
    share = st.left * a[back]
    again = eq(share * M[back, y] * c[back, y, t], share * M[back, y] * c[s, y, t])
    again = d.summed("the context is the same", again, tx.stays, over=y, by="smt")
    again = d.derive(
        "or another text", eq(share * T[back, t], total(share * M[back, y] * c[s, y, t], y)), again, law, by="smt"
    )
    later = eq(S[s, x] * R[n, go] * F[n, back, t], total(share * M[back, y] * c[s, y, t], y))
    later = d.summed("of a refused child", later, again, after, gone, by="smt")
    along = eq(
        c[s, y, t] * (least.subs(x, y) + total(share * M[back, y], x) + (1 - omega[s]) * a[s] * M[s, y]),
        c[s, y, t] * a[s] * M[s, y],
    )
    along = d.summed("each token with its text", along, st.drawn, over=y, by="smt")
    every = d.inductive(
        "accepted with a, the text as the target says it",
        text,
        n,
        [last],
        [more, first, later, along, tx.law],
        by="smt",
    )
    root = d.domain(ROOT, eq(a[start], 1))
    every = d.instantiate("from the root", every, {n: N, s: start, t: w})
    d.qed(d.derive("for sure", eq(F[N, start, w], T[start, w]), every, root))
