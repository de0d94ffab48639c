"""coupling.list-over-rrs: the list has half of min(p, K q), and recursive rejection takes no more than that of any token."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.coupling._lists import SAME, K, bind, lists
from proofs_check.coupling._race import Race
from proofs_check.coupling.list_exact import with_drafts
from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, total, x, y
from simspec.claims.claim import Instance
from simspec.claims.coupling.list_over_rrs import LIST_OVER_RRS, LIST_OVER_RRS_CORRECTED

n = sp.Symbol("n", integer=True, nonnegative=True)


def _refused(d: Derivation, r: Race, constant: int) -> tuple[Any, Fact]:
    """What n refusals leave of p, as mass: left[n + 1] = (left[n] − Σ left[n] · q)₊; p − left[n] ≤ min(p, n q)."""
    remaining = sp.IndexedBase("left", real=True)
    remaining_mass = total(remaining[n, x], x)
    first, then = d.recursion(
        "what refusals leave of p",
        eq(remaining[0, x], r.p[x]),
        eq(remaining[n + 1, x], sp.Max(remaining[n, x] - constant * remaining_mass * r.q[x], 0)),
    )
    some = d.inductive("a mass", ge(remaining[n, x], 0), n, [first], [then], by="smt")
    mass = d.sum("over the tokens", some, x)
    falls = d.smt("a part of what was left", le(remaining[n + 1, x], remaining[n, x]), then, mass, some)
    part_of_p = d.inductive("a part of p", le(remaining[n, x], r.p[x]), n, [first], [falls], by="smt")
    at_most_one = d.sum("over the tokens", part_of_p, x)
    at_most_one = d.derive("at most one", le(remaining_mass, 1), at_most_one, r.mass_p, by="smt")
    per_draft = d.smt("a draft takes at most q", ge(remaining[n + 1, x], remaining[n, x] - r.q[x]), then, at_most_one)
    after_n = d.inductive("n drafts", le(r.p[x] - remaining[n, x], n * r.q[x]), n, [first], [per_draft], by="smt")
    return remaining, d.smt("and at most p", le(r.p[x] - remaining[n, x], sp.Min(r.p[x], n * r.q[x])), after_n, some)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    The half is the largest share for one draft: laws that have one token of mass ε in common have ε/(2 − ε) of ε.
    """
    v = lists(d)
    r = v.race
    at_most_both = r.at_most_both(d)
    enough = sp.Min(r.p[y], K * r.q[y])
    short = d.smt("no more than both", le(r.D[y] + (K - 1) * r.q[y], r.p[y] + K * r.q[y]), at_most_both)
    scaled = d.smt(
        "own stream", ge(v.same.m[y] * (r.p[y] + K * r.q[y]), K * r.p[y] * r.q[y]), short, v.some, *v.same.facts
    )
    half = d.smt("half of the smaller", ge(2 * v.same.m[y], constant * enough), scaled, v.some)
    half = d.derive("or another stream", ge(2 * (v.same.m[y] + sign * v.other[y]), constant * enough), half, by="smt")
    half = d.sum("over the tokens", half, y)
    remaining, removed = _refused(d, r, constant)
    removed = d.instantiate("K drafts", removed, {n: K})
    removed = d.sum("over the tokens", removed, x)
    goal = ge(total(sp.Min(r.p[x], K * r.q[x]), x), 1 - total(remaining[K, x], x))
    d.qed(half, d.derive("what is accepted", goal, removed, r.mass_p, by="smt"))


def _values(p: Any, q: Any, drafts: int) -> dict[str, Any]:
    bindings = bind(p, q, drafts)
    return {**bindings, "ranges": {**bindings["ranges"], "n": range(drafts + 1)}}


def _no_gap() -> Any:
    """One draft of two tokens."""
    single_drafts: list[Instance] = [{**pair, "drafts": 1} for pair in by_size((1, 2), 6)]
    return iter(single_drafts)


PROOFS = (
    Refutation(
        LIST_OVER_RRS,
        lambda: with_drafts(1, 2),
        scope="the first by vocabulary, denominator and number of drafts: one draft, three tokens",
        repaired={"one draft of two tokens": _no_gap, "half of it": LIST_OVER_RRS_CORRECTED},
    ),
    Proof(LIST_OVER_RRS_CORRECTED, prove, drop=SAME, bind=_values),
)
