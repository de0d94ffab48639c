"""coupling.minhash-bound: the larger of two products is at most the product of the larger ones."""

from __future__ import annotations

import sympy as sp

from proofs_check.coupling._race import WINS, Race, race, values
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x, y
from simspec.claims.coupling.minhash_bound import MINHASH_BOUND

__all__ = ["token_by_token"]


def token_by_token(d: Derivation, r: Race) -> Fact:
    """wins[y] · Σ max(p, q) ≥ min(p[y], q[y])."""
    M = sp.Symbol("M", real=True)
    small = sp.Min(r.p[y], r.q[y])
    large = sp.Max(r.p[y], r.q[y])
    union = d.define("the union of the sub-graphs", M, total(sp.Max(r.p[x], r.q[x]), x))
    per_token = d.smt("a larger product", ge(sp.Max(r.p[x], r.q[x]) * large, r.larger))
    per_token = d.sum("over the tokens", per_token, x)
    at_most_union = d.derive("in short", ge(M * large, r.D[y]), per_token, union, r.sums, by="smt")
    some = d.derive("the union is no less than nothing", ge(M, 0), union)
    goal = ge(r.wins.m[y] * M, small)
    none = d.case("one law lacks y", le(small, 0))
    both_have_it = d.case("both have y", gt(small, 0))
    zero = d.smt("nothing to show", goal, none, some)
    over = sp.IndexedBase("over_wins", real=True)[y]
    is_sum = d.smt("the sum itself", eq(over, r.D[y]), both_have_it, *r.wins.facts)
    product = d.derive("multiplied", eq(r.wins.m[y] * r.D[y], r.p[y] * r.q[y]), is_sum, r.wins.facts[0], by="smt")
    scaled = d.smt("as products", ge(r.wins.m[y] * M * large, r.wins.m[y] * r.D[y]), at_most_union)
    divided = d.smt("divided", goal, scaled, product, both_have_it)
    in_both_cases = d.cases("one law or both", divided, zero)
    return d.derive("of the union", ge(r.wins.m[y] * union.relation.rhs, small), in_both_cases, union, by="smt")


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Equality in the first bound for laws that share one token of equal mass and nothing else; in the second for equal laws.
    """
    r = race(d)
    T = sp.Symbol("T", real=True)
    small = sp.Min(r.p[x], r.q[x])
    large = sp.Max(r.p[x], r.q[x])
    tv = d.define("total variation", T, total(sp.Abs(r.p[x] - r.q[x]), x) / 2)
    per_token = d.sum("over the tokens", token_by_token(d, r), y)
    above = d.summed("the larger", eq(2 * large, r.p[x] + r.q[x] + sp.Abs(r.p[x] - r.q[x])), by="smt")
    below = d.summed("the smaller", eq(2 * small, r.p[x] + r.q[x] - sp.Abs(r.p[x] - r.q[x])), by="smt")
    above = d.derive("the union", eq(total(large, x), 1 + T), above, tv, r.mass_p, r.mass_q, by="smt")
    below = d.derive("the common part", eq(total(small, x), 1 - T), below, tv, r.mass_p, r.mass_q, by="smt")
    some = d.derive("a distance", ge(T, 0), tv)
    match = total(r.wins.m[y], y)
    product = d.derive("multiplied", ge(match * (1 + T), 1 - T), per_token, above, below, by="smt")
    divided = d.smt("divided", ge(match, (1 - sign * T) / (1 + T)), product, some)
    linear_bound = d.smt("which is more than", ge((1 - sign * T) / (1 + T), constant - 2 * T), some)
    d.qed(divided, linear_bound)


PROOF = Proof(MINHASH_BOUND, prove, drop=WINS, bind=values)
