"""coupling.list-conditional: the larger of two ratios is at most their sum, and at the token itself half of it."""

from __future__ import annotations

from typing import Any

from proofs_check.coupling._lists import SAME, K, bind, lists
from proofs_check.coupling._race import quotient
from proofs_check.language import Derivation, Proof, ge, y
from simspec.claims.coupling.list_conditional import LIST_CONDITIONAL, LIST_CONDITIONAL_SHARP

BOUND = "the bound, times p_j"


def _prove(d: Derivation, sharp: int, sign: int, constant: int) -> None:
    v = lists(d)
    r = v.race
    below = K * r.q[y] + r.p[y] * (1 - sharp * r.q[y])
    lower_bound = quotient(d, "least", BOUND, constant * K * r.p[y] * r.q[y], below, r.p, r.q)
    at_most_both = r.at_most_both(d)
    own_stream = d.smt(
        "own stream", ge(v.same.m[y], lower_bound.m[y]), at_most_both, v.some, *v.same.facts, *lower_bound.facts
    )
    d.qed(d.derive("or another", ge(v.same.m[y] + sign * v.other[y], lower_bound.m[y]), own_stream, by="smt"))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    Not sharp: `coupling.list-conditional-sharp`.
    """
    _prove(d, 0, sign, constant)


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    Attained for one draft by laws that have nothing in common but j.
    """
    _prove(d, 1, sign, constant)


def _values(sharp: int) -> Any:
    def made(p: Any, q: Any, drafts: int) -> dict[str, Any]:
        below = [drafts * b + a * (1 - sharp * b) or 1 for a, b in zip(p, q, strict=True)]
        return {**bind(p, q, drafts), "over_least": below, "least": drafts * p * q / below}

    return made


PROOFS = (
    Proof(LIST_CONDITIONAL, prove, drop=SAME, bind=_values(0)),
    Proof(LIST_CONDITIONAL_SHARP, prove_sharp, drop=SAME, bind=_values(1)),
)
