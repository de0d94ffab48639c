"""greedy.tree: of all draft laws that miss the first token the nearest is p with the pool's mean on the pool."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.greedy._pool import levelled, pool, pooled
from proofs_check.language import Derivation, Proof, eq, ge, gt, total, x
from proofs_check.relaxed._certificates import hot
from simspec.claims.greedy.trees import TREE, ranked
from simspec.claims.greedy.trees import pool as pool_of
from simspec.laws import Array

SORTED = "u has the masses of q, the first token's where it was and the others in the order of p"
COVERED = "the first token (marked a) has no more than any token of A, and no other token of A is above c"
REARRANGED = "Hardy, Littlewood and Pólya (1934), Inequalities, Theorem 368"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every number of branches below it, every p, and every q that is positive where p is.

    Attained by p with the pool's mean on the pool.
    """
    lg = logs(d)
    p, mass_p = d.law("p")
    q = d.weights("q")
    u = d.weights("u")
    a = d.weights("a")
    first = d.number("U_1", 0)
    z, is_z = zeros(d, "z", p)
    it = pool(d, p, z)
    finite, positive, mass_u = d.domain(SORTED, gt(q[x] + z[x], 0), gt(u[x] + z[x], 0), eq(total(u[x], x), 1))
    bit, member, at, covered, below = d.domain(
        COVERED,
        *(eq(a[x] * (1 - a[x]), 0), eq(it.g[x] * a[x], a[x]), eq(a[x] * u[x], a[x] * first)),
        *(ge(it.g[x] * (u[x] - first), 0), ge(it.g[x] * (1 - a[x]) * (it.c - p[x]), 0)),
    )
    P = p[x] + z[x]
    before, after = (p[x] * (sp.log(P) - sp.log(w[x] + z[x])) for w in (q, u))
    sizes = [finite, positive, is_z[2]]
    term, after_term = (sp.IndexedBase(name, real=True) for name in ("D", "D_u"))
    adds = d.define("what a token adds to KL", term[x], before, *sizes)
    adds_after = d.define("and in order", after_term[x], after, *sizes)
    larger = ge(total(p[x] * sp.log(u[x] + z[x]), x), total(p[x] * sp.log(q[x] + z[x]), x))
    larger = d.cite("sums of products are largest in order", larger, REARRANGED, finite, positive)
    apart = eq(term[x] - after_term[x], p[x] * sp.log(u[x] + z[x]) - p[x] * sp.log(q[x] + z[x]))
    apart = d.sum("over the vocabulary", d.derive("two logarithms", apart, adds, adds_after, *sizes), x)
    raised = ge(it.g[x] * (u[x] - first) * (it.c - p[x]), 0)
    set_facts = [bit, member, at, covered, below, it.bit]
    raised = d.smt("a token of A below c has no less than the first", raised, *set_facts)
    tilt = ge(total(it.g[x] * u[x] * (it.c - p[x]), x), 0)
    tilt = d.smt("so the pool is not below the first", tilt, d.sum("over the vocabulary", raised, x), it.mean)
    some = d.derive("masses are not negative", ge(u[x], 0))
    mass = d.smt("both are laws", eq(total(u[x], x), total(p[x], x)), mass_u, mass_p)
    facts = {"z": is_z, "positive": positive, "some": some, "tilt": tilt, "mass": mass}
    far = pooled(d, lg, it, p, u[x], z, facts)
    value = total(it.g[x] * p[x] * it.worth, x)
    same = d.sum("over the vocabulary", d.derive("that is", eq(after_term[x], after), adds_after, *sizes), x)
    parts = [far, apart, larger, same]
    far = d.smt("KL from below", ge(total(term[x], x), sign * constant * value), *parts, *sizes, it.size)
    near, near_sum = levelled(d, it, p, z, is_z)
    attained = d.derive("attained", eq(near, value), near_sum, is_z[2], it.size)
    d.qed(far, attained, d.derive("that is", eq(-near, -value), attained, is_z[2], it.size))


def _values(p: Array, q: Array, m: int) -> dict[str, Any]:
    height, members = pool_of(p, m)
    first, *others = ranked(p)
    u = q.copy()
    for y, mass in zip(others, sorted((q[y] for y in others), reverse=True), strict=True):
        u[y] = mass
    return {
        **{**SOME, "p": p, "q": q, "u": u, "V": len(p), "z": flags(p == 0), "g": flags(members), "c": height},
        **{"a": hot(len(p), first), "U_1": q[first]},
    }


PROOF = Proof(TREE, prove, drop=COVERED, bind=_values)
