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
    left = sp.IndexedBase("left", real=True)
    whole = total(left[n, x], x)
    first, then = d.recursion(
        "what refusals leave of p",
        eq(left[0, x], r.p[x]),
        eq(left[n + 1, x], sp.Max(left[n, x] - constant * whole * r.q[x], 0)),
    )
    some = d.inductive("a mass", ge(left[n, x], 0), n, [first], [then], by="smt")
    mass = d.sum("over the tokens", some, x)
    less = d.smt("a part of what was left", le(left[n + 1, x], left[n, x]), then, mass, some)
    each = d.inductive("a part of p", le(left[n, x], r.p[x]), n, [first], [less], by="smt")
    most = d.sum("over the tokens", each, x)
    most = d.derive("at most one", le(whole, 1), most, r.mass_p, by="smt")
    taken = d.smt("a draft takes at most q", ge(left[n + 1, x], left[n, x] - r.q[x]), then, most)
    found = d.inductive("n drafts", le(r.p[x] - left[n, x], n * r.q[x]), n, [first], [taken], by="smt")
    return left, d.smt("and at most p", le(r.p[x] - left[n, x], sp.Min(r.p[x], n * r.q[x])), found, some)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    The half is the largest share for one draft: laws that have one token of mass ε in common have ε/(2 − ε) of ε.
    """
    v = lists(d)
    r = v.race
    most = r.at_most_both(d)
    enough = sp.Min(r.p[y], K * r.q[y])
    short = d.smt("no more than both", le(r.D[y] + (K - 1) * r.q[y], r.p[y] + K * r.q[y]), most)
    scaled = d.smt(
        "own stream", ge(v.same.m[y] * (r.p[y] + K * r.q[y]), K * r.p[y] * r.q[y]), short, v.some, *v.same.facts
    )
    half = d.smt("half of the smaller", ge(2 * v.same.m[y], constant * enough), scaled, v.some)
    half = d.derive("or another stream", ge(2 * (v.same.m[y] + sign * v.other[y]), constant * enough), half, by="smt")
    half = d.sum("over the tokens", half, y)
    left, taken = _refused(d, r, constant)
    taken = d.instantiate("K drafts", taken, {n: K})
    taken = d.sum("over the tokens", taken, x)
    whole = ge(total(sp.Min(r.p[x], K * r.q[x]), x), 1 - total(left[K, x], x))
    d.qed(half, d.derive("what is accepted", whole, taken, r.mass_p, by="smt"))


def _values(p: Any, q: Any, drafts: int) -> dict[str, Any]:
    made = bind(p, q, drafts)
    return {**made, "ranges": {**made["ranges"], "n": range(drafts + 1)}}


def _no_gap() -> Any:
    """One draft of two tokens."""
    found: list[Instance] = [{**pair, "drafts": 1} for pair in by_size((1, 2), 6)]
    return iter(found)


PROOFS = (
    Refutation(
        LIST_OVER_RRS,
        lambda: with_drafts(1, 2),
        scope="the first by vocabulary, denominator and number of drafts: one draft, three tokens",
        repaired={"one draft of two tokens": _no_gap, "half of it": LIST_OVER_RRS_CORRECTED},
    ),
    Proof(LIST_OVER_RRS_CORRECTED, prove, drop=SAME, bind=_values),
)
