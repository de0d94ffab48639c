"""coupling.pareto: token by token the race matches at least as often as a point on the union of the sub-graphs."""

from __future__ import annotations

import sympy as sp

from proofs_check.coupling._race import WINS, race, values
from proofs_check.coupling.minhash_bound import token_by_token
from proofs_check.language import Derivation, Proof, ge, gt, total, x, y
from simspec.claims.coupling.pareto import PARETO


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Equality for laws that share one token of equal mass and nothing else.
    """
    r = race(d)
    small = sp.Min(r.p[x], r.q[x])
    large = sp.Max(r.p[x], r.q[x])
    per_token = d.sum("over the tokens", token_by_token(d, r), y)
    union_mass = d.summed("the union is no less than one law", ge(large, r.p[x]), by="smt")
    union_mass = d.derive("of mass one", ge(total(large, x), 1), union_mass, r.mass_p, by="smt")
    some = d.derive("so it is positive", gt(total(large, x), 0), union_mass, by="smt")
    match = sign * total(r.wins.m[y], y)
    shared = constant * total(small, x) / total(large, x)
    d.qed(d.smt("divided", ge(match, shared), per_token, some))


PROOF = Proof(PARETO, prove, drop=WINS, bind=values)
