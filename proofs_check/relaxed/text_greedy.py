"""relaxed.text-greedy: what passes beyond min(p, q) is worth 1 + α(x); λ prices it token by token."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.relaxed.text_greedy import (
    TEXT_GREEDY,
    TEXT_GREEDY_ATTAINED,
    TEXT_GREEDY_CORRECTED,
    prefer,
)

RANGE = "what is kept is a part of the draft, and at least min(p, q)"
CHOSEN = "q where α is above the price, else min(p, q)"


def _dual(p: Any, q: Any, k: Any, after: Any, price: Any) -> Any:
    overlap = sp.Min(p[x], q[x])
    over = sp.Max(q[x] - p[x], 0)
    paid = total(k[x], x) - total(overlap, x)
    return total(overlap * (1 + after[x]), x) + (1 + price) * paid + total(over * sp.Max(after[x] - price, 0), x)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, all laws, every kept mass between min(p, q) and q, every price.

    Attained: relaxed.text-greedy-corrected.attained.
    """
    p = d.weights("p")
    q = d.weights("q")
    k = d.weights("k")
    after = d.weights("after")
    price = d.number("price", 0)
    within_draft, enough = d.domain(RANGE, le(k[x], q[x]), ge(k[x], sp.Min(p[x], q[x])))
    overlap = sp.Min(p[x], q[x])
    over = sp.Max(q[x] - p[x], 0)
    worth = sp.Max(after[x] - price, 0)
    excess_bound = d.smt("more than min(p, q)", le(k[x] - overlap, over), within_draft, enough)
    priced = le((k[x] - overlap) * (after[x] - price), (k[x] - overlap) * worth)
    priced = d.derive("at its price", priced, enough, by="smt")
    two = d.derive("at most all", le((k[x] - overlap) * worth, sign * over * worth), excess_bound, by="smt")
    per_token = le(k[x] * (1 + after[x]), overlap * (1 + after[x]) + (1 + price) * (k[x] - overlap) + over * worth)
    per_token = d.derive("a token", per_token, priced, two)
    rate = le(constant * total(k[x] * (1 + after[x]), x), _dual(p, q, k, after, price))
    d.qed(d.derive("in all", rate, d.sum("over the vocabulary", per_token, x)))


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, all laws, every price."""
    p = d.weights("p")
    q = d.weights("q")
    k = d.weights("k")
    after = d.weights("after")
    price = d.number("price", 0)
    b = d.weights("b")
    overlap = sp.Min(p[x], q[x])
    over = sp.Max(q[x] - p[x], 0)
    worth = sp.Max(after[x] - price, 0)
    _, accepted_rule, above = d.domain(
        CHOSEN,
        eq(b[x] * (1 - b[x]), 0),
        eq(k[x], b[x] * q[x] + constant * (1 - b[x]) * overlap),
        eq(b[x] * (after[x] - price), worth),
    )
    beyond_overlap = d.smt("beyond min(p, q)", eq(k[x] - overlap, sign * b[x] * over), accepted_rule)
    priced = d.derive("worth", eq((k[x] - overlap) * (after[x] - price), over * worth), beyond_overlap, above, by="smt")
    per_token = eq(k[x] * (1 + after[x]), overlap * (1 + after[x]) + (1 + price) * (k[x] - overlap) + over * worth)
    per_token = d.derive("a token", per_token, priced)
    rate = eq(total(k[x] * (1 + after[x]), x), _dual(p, q, k, after, price))
    d.qed(d.derive("in all", rate, d.sum("over the vocabulary", per_token, x)))


def by_size(vocabularies: tuple[int, ...] = (1, 2, 3), most: int = 2) -> Iterator[Instance]:
    """Laws and rules by vocabulary and denominator; as many kept by each; the second draft always passes or never."""
    for vocab, denominator in product(vocabularies, range(1, most + 1)):
        for p, q in product(laws(vocab, denominator), repeat=2):
            for after, first_order, two in product(product((0, 1), repeat=vocab), repeat=3):
                if sum(first_order) != sum(two):
                    continue
                rules = {"k": prefer(p, q, law(*first_order), 0), "other": prefer(p, q, law(*two), 0)}
                yield {"p": p, "q": q, "after": law(*after), **rules}


def _bind(p: Any, q: Any, k: Any, after: Any, price: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "after": after, "price": price, "V": len(p)}


def _bind_chosen(p: Any, q: Any, after: Any, price: Any) -> dict[str, Any]:
    return {**_bind(p, q, prefer(p, q, after, price), after, price), "b": (after > price) * 1}


PROOFS = (
    Refutation(
        TEXT_GREEDY,
        by_size,
        scope="the first by vocabulary and denominator, where a draft above p is kept whole or not beyond p, and the second "
        "draft accepted always or never",
        repaired={"two tokens": lambda: by_size((1, 2), 2)},
    ),
    Proof(TEXT_GREEDY_CORRECTED, prove, drop=RANGE, change={"constant": 2}, bind=_bind),
    Proof(TEXT_GREEDY_ATTAINED, prove_attained, drop=CHOSEN, change={"constant": 2}, bind=_bind_chosen),
)
