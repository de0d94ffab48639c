"""coupling.list-monotone: K/(D + (K − 1) q) does not fall with K, since D is at least q."""

from __future__ import annotations

from typing import Any

from proofs_check.coupling._lists import LEMMA, bind, lists
from proofs_check.coupling._race import sums
from proofs_check.coupling.list_lemma import lemma
from proofs_check.language import Derivation, Proof, le, y
from simspec.claims.coupling.list_monotone import LIST_MONOTONE


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    Equality where nothing of a token is left to gain: for equal laws.
    """
    v = lists(d)
    now = lemma(d, v)
    then = lemma(d, v, 1, "next")
    at_least_q, _ = v.race.at_least_one(d)
    per_token = d.smt(
        "token by token", le(constant * now.m[y], sign * then.m[y]), at_least_q, v.some, *now.facts, *then.facts
    )
    d.qed(d.sum("over the tokens", per_token, y))


def _values(p: Any, q: Any, drafts: int) -> dict[str, Any]:
    next_drafts = drafts + 1
    below = [w or 1 for w in sums(p, q) + (next_drafts - 1) * q]
    return {**bind(p, q, drafts), "over_next": below, "next": next_drafts * p * q / below}


PROOF = Proof(LIST_MONOTONE, prove, drop=LEMMA, bind=_values)
