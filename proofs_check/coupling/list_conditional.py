"""coupling.list-conditional: the larger of two ratios is at most their sum, and at the token itself half of it."""

from __future__ import annotations

from typing import Any

from proofs_check.coupling._lists import SAME, K, Lists, bind, lists
from proofs_check.coupling._race import Quotient, quotient
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, y
from simspec.claims.coupling.list_conditional import LIST_CONDITIONAL, LIST_CONDITIONAL_SHARP

BOUND = "the bound, times p_j"


def _own_stream(d: Derivation, v: Lists, bound: Quotient, below: Any) -> Fact:
    """One's own stream drafts the token as often as the bound says: the numerator is the same, over a smaller sum.

    `below`: the sum of the bound.
    """
    r = v.race
    p = r.p[y]
    q = r.q[y]
    goal = ge(v.same.m[y], bound.m[y])
    product, positive, at_p, _ = v.same.facts
    bound_product, bound_positive, bound_at_p, _ = bound.facts
    over = positive.relation.lhs
    bound_over = bound_positive.relation.lhs
    room = d.smt("the sum for one draft is smaller", ge(below - (K - 1) * q - r.D[y], 0), r.at_most_both(d))
    room = d.smt("times a mass", ge(q * (below - (K - 1) * q - r.D[y]), 0), room)
    room = d.smt("times both", ge(p * q * (below - (K - 1) * q - r.D[y]), 0), room)
    smaller = d.smt("where both have it", ge(p * q * (bound_over - over), 0), room, at_p, bound_at_p)
    neither = d.case("a law lacks the token", le(p * q, 0))
    none = d.smt("the bound is none", eq(bound.m[y], 0), neither, v.some, bound_product, bound_positive)
    at_none = d.smt("without a mass", goal, none)
    both = d.case("both laws have it", gt(p * q, 0))
    smaller = d.smt("a smaller sum", le(over, bound_over), smaller, both)
    some = d.smt("the bound is positive", gt(bound.m[y], 0), both, v.some, bound_product, bound_positive)
    more = d.smt("more than the bound", ge((v.same.m[y] - bound.m[y]) * over, 0), product, bound_product, smaller, some)
    return d.cases("either way", at_none, d.smt("over the same sum", goal, more, positive))


def _prove(d: Derivation, sharp: int, sign: int, constant: int) -> None:
    v = lists(d)
    r = v.race
    below = K * r.q[y] + r.p[y] * (1 - sharp * r.q[y])
    lower_bound = quotient(d, "least", BOUND, constant * K * r.p[y] * r.q[y], below, r.p, r.q)
    own_stream = _own_stream(d, v, lower_bound, below)
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
