"""rdk.best-affinity: min(p, r) lies below its tangents; what is gained along one is bilinear in M and what M is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, index, laws, le, total, x, y
from simspec.claims.authoring import Array, law
from simspec.claims.claim import Instance
from simspec.claims.rdk.best_affinity import (
    CERTIFICATE,
    MEANS,
    MEANS_CORRECTED,
    ONE_TARGET,
    means,
    slope,
    worth,
)

ROWS = "the rows of the other affinity are laws"
SLOPE = "g is a slope of min(p, r) in r"
LARGEST = "G is at most L, the largest of its row"
c = index("c")
C = sp.Symbol("C", integer=True, positive=True)


def _image(q: sp.IndexedBase, M: sp.IndexedBase) -> Any:
    return total(q[c, x] * M[x, y], x)


def _mean(w: sp.IndexedBase, e: sp.Expr) -> Any:
    return total(w[c] * total(e, y), c, upto=C)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, every number of contexts, all laws and weights, every two affinities, every slope at ties.

    With equality for every two best ones.
    """
    w = d.weights("w", c)
    p = d.weights("p", c, y)
    q = d.weights("q", c, x)
    M = d.weights("M", x, y)
    rival = d.weights("other", x, y)
    g = d.weights("g", c, y)
    L = sp.IndexedBase("L", real=True)
    rows = d.domain(ROWS, eq(total(rival[x, y], y), 1))
    r, t, G = (sp.IndexedBase(name, real=True) for name in ("r", "t", "G"))
    is_r = d.define("by M", r[c, y], _image(q, M))
    is_t = d.define("by the other", t[c, y], _image(q, rival))
    slope_bound, low, high = d.domain(
        SLOPE,
        le(g[c, y], 1),
        eq((1 - g[c, y]) * sp.Max(p[c, y] - _image(q, M), 0), 0),
        eq(g[c, y] * sp.Max(_image(q, M) - p[c, y], 0), 0),
    )
    low = d.derive("in short", eq((1 - g[c, y]) * sp.Max(p[c, y] - r[c, y], 0), 0), low, is_r, by="smt")
    high = d.derive("in short", eq(g[c, y] * sp.Max(r[c, y] - p[c, y], 0), 0), high, is_r, by="smt")
    line = le(sp.Min(p[c, y], t[c, y]), sp.Min(p[c, y], r[c, y]) + sign * g[c, y] * (t[c, y] - r[c, y]))
    line = d.smt("below the tangent", line, low, high, slope_bound)
    step = total(g[c, y] * q[c, x] * (rival[x, y] - M[x, y]), x)
    along_tangent = d.derive("along it", eq(g[c, y] * (t[c, y] - r[c, y]), step), is_r, is_t, by="smt")
    token_bound = le(sp.Min(p[c, y], _image(q, rival)), sp.Min(p[c, y], _image(q, M)) + step)
    line = d.derive("in full", token_bound, line, along_tangent, is_r, is_t, by="smt")
    line = d.sum("over the vocabulary", line, y)
    line = d.derive("by weight", le(w[c] * line.relation.lhs, w[c] * line.relation.rhs), line)
    line = d.sum("over the contexts", line, c, upto=C)
    is_G = d.define("what a place is worth", G[x, y], total(w[c] * q[c, x] * g[c, y], c, upto=C))
    largest_entry = d.domain(LARGEST, ge(L[x], total(w[c] * q[c, x] * g[c, y], c, upto=C)))
    largest_entry = d.derive("in short", ge(L[x], G[x, y]), largest_entry, is_G, by="smt")
    best = d.summed("a row of the other", le(rival[x, y] * G[x, y], rival[x, y] * L[x]), largest_entry, over=y)
    best = d.derive("is worth no more", le(total(rival[x, y] * G[x, y], y), L[x]), best, rows, by="smt")
    best = d.sum("over the rows", best, x)
    places = d.summed("place by place", eq(rival[x, y] * G[x, y], rival[x, y] * is_G.relation.rhs), is_G, over=(x, y))
    affinity_entries = d.summed("place by place", eq(M[x, y] * G[x, y], M[x, y] * is_G.relation.rhs), is_G, over=(x, y))
    slack = total(L[x], x) - constant * total(M[x, y] * total(w[c] * q[c, x] * g[c, y], c, upto=C), x, y)
    goal = le(_mean(w, sp.Min(p[c, y], _image(q, rival))), _mean(w, sp.Min(p[c, y], _image(q, M))) + slack)
    d.qed(d.derive("together", goal, line, best, places, affinity_entries, by="smt"))


def prove_means(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, every number of contexts, all laws and weights, every affinity.

    With equality for one context of weight one.
    """
    w = d.weights("w", c)
    p = d.weights("p", c, y)
    q = d.weights("q", c, x)
    M = d.weights("M", x, y)
    mean_p = total(w[c] * p[c, y], c, upto=C)
    mean_r = total(M[x, y] * total(w[c] * q[c, x], c, upto=C), x)
    shared = sp.Min(p[c, y], _image(q, M))
    below_target = d.derive("no more than p", le(w[c] * shared, sign * w[c] * p[c, y]), by="smt")
    two = d.derive("no more than r", le(w[c] * shared, w[c] * _image(q, M)), by="smt")
    below_target, two = (d.sum("over the contexts", f, c, upto=C) for f in (below_target, two))
    mean_bound = le(constant * total(w[c] * shared, c, upto=C), sp.Min(mean_p, mean_r))
    mean_bound = d.derive("than either", mean_bound, below_target, two, by="smt")
    d.qed(d.sum("over the vocabulary", mean_bound, y))


def by_size(number: int = 2, vocabularies: tuple[int, ...] = (1, 2), most: int = 1) -> Iterator[Instance]:
    """Contexts of equal weight, their laws and two affinities, by vocabulary and denominator; the first fits the means."""
    for vocab, denominator in product(vocabularies, range(1, most + 1)):
        all_laws = list(laws(vocab, denominator))
        for p, q, rows in product(
            product(all_laws, repeat=number), product(all_laws, repeat=number), product(all_laws, repeat=vocab)
        ):
            it = {"w": law(*[f"1/{number}"] * number), "p": _stack(p), "q": _stack(q)}
            yield {**it, "M": _stack([means(it["w"], it["p"])] * vocab), "other": _stack(rows)}


def single(vocabularies: tuple[int, ...] = (1, 2), most: int = 2) -> Iterator[Instance]:
    """One context, its laws and an affinity."""
    for it in by_size(1, vocabularies, most):
        yield {**{name: it[name] for name in "wpq"}, "M": it["other"]}


def _stack(rows: Sequence[Array]) -> Array:
    return np.stack(list(rows))


def _bind(w: Array, p: Array, q: Array, M: Array) -> dict[str, Any]:
    return {"w": w, "p": p, "q": q, "M": M, "V": len(M), "C": len(w), "ranges": {"c": range(1, len(w) + 1)}}


def _bind_two(w: Array, p: Array, q: Array, M: Array, other: Array, tie: Fraction) -> dict[str, Any]:
    G = worth(w, p, q, M, tie)
    return {**_bind(w, p, q, M), "other": other, "g": slope(p, q @ M, tie), "L": G.max(axis=1)}


PROOFS = (
    Proof(CERTIFICATE, prove, drop=SLOPE, change={"constant": 2}, bind=_bind_two),
    Refutation(
        ONE_TARGET,
        single,
        scope="the first with one context by vocabulary and denominator: two tokens",
        repaired={"one token": lambda: single((1,), 4)},
    ),
    Refutation(
        MEANS,
        by_size,
        scope="the first with two contexts, laws of one token each, and the affinity whose rows are the mean target law",
        repaired={"one context": lambda: by_size(1, (1, 2), 2)},
    ),
    Proof(MEANS_CORRECTED, prove_means, drop={"sign": 0}, change={"constant": 2}, bind=_bind),
)
