"""coupling.list-lemma: a match in the stream in which the target's token won is a match."""

from __future__ import annotations

from typing import Any

from proofs_check.coupling._lists import LEMMA, SAME, K, Lists, above, bind, lists
from proofs_check.coupling._race import Quotient, quotient
from proofs_check.language import Derivation, Fact, Proof, eq, ge, total, x, y
from simspec.claims.coupling.list_lemma import LIST_LEMMA

__all__ = ["lemma", "same_as_lemma"]


def lemma(d: Derivation, v: Lists, extra_drafts: Any = 0, name: str = "lemma") -> Quotient:
    """The lemma's term, multiplied through, for K + `extra_drafts` drafts."""
    r = v.race
    k = K + extra_drafts
    text = LEMMA if name == "lemma" else f"{LEMMA}, for one draft more"
    lemma_term = quotient(d, name, text, k * r.p[y] * r.q[y], total(r.larger, x) + (k - 1) * r.q[y], r.p, r.q)
    return Quotient(lemma_term.m, above(d, lemma_term, r, name, r.D[y] + (k - 1) * r.q[y], r.sums))


def same_as_lemma(d: Derivation, v: Lists, sign: int = 1) -> tuple[Quotient, Fact]:
    """Token by token the two are equal."""
    printed = lemma(d, v)
    equal_quotients = d.smt("the same quotient", eq(v.same.m[y], sign * printed.m[y]), *v.same.facts, *printed.facts)
    return printed, equal_quotients


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    Equality for one draft, and where no other stream can draft what the first does not.
    """
    v = lists(d, constant)
    printed, same = same_as_lemma(d, v)
    per_token = d.derive(
        "another stream may draft it too", ge(sign * v.same.m[y] + v.other[y], printed.m[y]), same, by="smt"
    )
    d.qed(d.sum("over the tokens", per_token, y))


PROOF = Proof(LIST_LEMMA, prove, drop=SAME, bind=bind)
