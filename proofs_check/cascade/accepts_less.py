"""cascade.accepts-less: token by token the smaller of q and m, and of it the share p/m, is at most the smaller of p and q."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import equivalent, flag
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, laws, le, total, x
from simspec.claims.cascade.accepts_less import BOUND, EQUALITY, EQUALITY_CORRECTED, between
from simspec.claims.claim import Instance
from simspec.laws import Array

KEEP = "c is the chance that the target keeps a token of the middle model, min(1, p/m)"


def _survivors(d: Derivation, sign: int) -> tuple[Any, Any, Any, Any, list[Fact], Fact]:
    """The laws, what survives at a token, what is known of it, and that it is at most min(p, q)."""
    p = d.weights("p")
    m = d.weights("m")
    q = d.weights("q")
    c = d.weights("c")
    keep = d.domain(KEEP, eq(c[x] * m[x], sp.Min(p[x], m[x])), le(c[x], 1))
    low = [d.derive("not negative", ge(w[x], 0)) for w in (p, m, q, c)]
    survivors = sp.Min(q[x], m[x]) * c[x]
    at_most = d.smt("no more than the smaller of p and q", le(survivors, sign * sp.Min(p[x], q[x])), *keep, *low)
    return p, m, q, survivors, [*keep, *low], at_most


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Equality where m lies between p and q.
    """
    _, _, _, survivors, _, at_most = _survivors(d, sign)
    at_most = d.sum("over the vocabulary", at_most, x)
    d.qed(d.derive("in all", le(constant * total(survivors, x), at_most.relation.rhs), at_most))


def equality(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws."""
    p, m, q, survivors, premises, at_most = _survivors(d, sign)
    low = sp.Min(p[x], q[x])
    outside = low * (sp.Max(m[x] - sp.Max(p[x], q[x]), 0) + sp.Max(low - m[x], 0))
    D = sp.Symbol("D", real=True)
    N = sp.Symbol("N", real=True)
    lost = d.define("what is lost", D, total(low - survivors, x))
    far = d.define("how far m is from between, where both have the token", N, total(outside, x))
    some = d.smt("nothing is gained", ge(low - survivors, 0), at_most)
    positive = d.smt("no distance is negative", ge(outside, 0), *premises)
    sums = [d.sum("over the vocabulary", fact, x) for fact in (some, positive)]
    signs = (d.derive("not negative", ge(D, 0), lost, sums[0]), d.derive("not negative", ge(N, 0), far, sums[1]))

    def only_if(zero: Fact) -> Fact:
        term = d.term("one of all", some, x)
        term = d.smt("nothing is lost of a token", le(low - survivors, 0), term, lost, zero)
        here = d.smt("so m is between", le(outside, 0), term, *premises)
        return d.derive("in all", le(N, 0), d.sum("over the vocabulary", here, x), far)

    def if_(zero: Fact) -> Fact:
        term = d.term("one of all", positive, x)
        term = d.smt("m is between", le(outside, 0), term, far, zero)
        none = d.case("one law lacks the token", le(low, 0))
        first = d.smt("nothing to lose", le(low - survivors, 0), none, *premises)
        has = d.case("both have it", gt(low, 0))
        second = d.smt("nothing is lost", le(low - survivors, 0), term, has, *premises)
        here = d.cases("whether both have it", second, first)
        return d.derive("in all", le(D, 0), d.sum("over the vocabulary", here, x), lost)

    equivalence = equivalent(d, D, N, only_if, if_, signs)
    d.qed(d.derive("as numbers", eq(constant * equivalence.relation.lhs, equivalence.relation.rhs), equivalence))


def _values(p: Array, m: Array, q: Array) -> dict[str, Any]:
    chance = [min(a / b, 1) if b else 0 for a, b in zip(p, m, strict=True)]
    return {"p": p, "m": m, "q": q, "c": chance, "V": len(p)}


def _flags(p: Array, m: Array, q: Array) -> dict[str, Any]:
    values = _values(p, m, q)
    survival = sum(min(a, b) * c for a, b, c in zip(q, m, values["c"], strict=True))
    inside = [(low <= 0) or near for low, near in zip(map(min, p, q), between(p, m, q), strict=True)]
    return {**values, "I": flag(survival == sum(map(min, p, q))), "J": flag(all(inside))}


def _triples(full: bool) -> Iterator[Instance]:
    for vocab in (2, 3):
        for size in range(1, 4):
            for p, m, q in product(list(laws(vocab, size)), repeat=3):
                if not full or ((p > 0).all() and (q > 0).all()):
                    yield {"p": p, "m": m, "q": q}


PROOFS = (
    Proof(BOUND, prove, drop=KEEP, bind=_values),
    Refutation(
        EQUALITY,
        lambda: _triples(False),
        scope="the first by vocabulary and denominator",
        repaired={
            "target and draft with every token": lambda: _triples(True),
            "tokens that both have": EQUALITY_CORRECTED,
        },
    ),
    Proof(EQUALITY_CORRECTED, equality, drop=KEEP, bind=_flags),
)
