"""stop.entropy-bound: no function of the draft's entropy bounds the acceptance; the cross-entropy with the target does."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Fact, Proof, Refutation, Relation, eq, ge, gt, le, total, x, y
from proofs_check.tasc._task_entropy import U, W, gibbs, pinsker
from simspec.claims.stop.entropy_bound import COVERS, ENTROPY_BOUND, ENTROPY_BOUND_CORRECTED, ENTROPY_BOUND_SHARP

LEAST = "b is a least likely token"
MASS = "r is q, and t is p, where that is positive"


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Attained for every q by a target that is sure of a least likely token.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    b = d.weights("b")
    smallest_mass = sp.Symbol("least", real=True)
    below, bit, b_sums_to_unit, at = d.domain(
        LEAST,
        ge(q[x], smallest_mass),
        eq(b[x] * (1 - b[x]), 0),
        eq(total(b[x], x), 1),
        eq(b[x] * q[x], b[x] * constant * smallest_mass),
    )
    terms = []
    for law, mass in ((p, mass_p), (q, mass_q)):
        some = d.derive("no mass is negative", ge(law[x], 0))
        part_of_mass = d.term("a mass is part of all", some, x, y)
        terms.append(
            d.instantiate("at most one", d.derive("of one", le(law[y], 1), part_of_mass, mass, by="smt"), {y: x})
        )
    per_token = d.smt("in both laws", ge(sp.Min(p[x], q[x]), p[x] * smallest_mass), below, *terms)
    overlap_bound = d.sum("over the vocabulary", per_token, x)
    overlap_bound = d.derive(
        "at least the least mass",
        ge(total(sp.Min(p[x], q[x]), x), sign * smallest_mass),
        overlap_bound,
        mass_p,
        by="smt",
    )
    sure = d.smt("a sure target", eq(sp.Min(b[x], q[x]), b[x] * smallest_mass), at, bit, terms[1])
    sure = d.sum("over the vocabulary", sure, x)
    d.qed(
        overlap_bound,
        d.derive("attains it", ge(smallest_mass, total(sp.Min(b[x], q[x]), x)), sure, b_sums_to_unit, by="smt"),
    )


def _at_token(d: Derivation, scalar: Fact, goal: Relation, conditions: list[Fact], covers: list[Fact]) -> Fact:
    """A statement about q(x) and p(x) from the one about positive numbers: where q(x) = 0 it is plain."""
    p, q, r, t = (sp.IndexedBase(name, nonnegative=True) for name in "pqrt")
    none = d.case(f"q = 0: {goal}", le(q[x], 0))
    some = d.case(f"q > 0: {goal}", gt(q[x], 0))
    same = d.smt("then r = q", eq(r[x], q[x]), some, *conditions)
    mass = d.smt("and p > 0", gt(p[x], 0), some, *covers)
    also = d.smt("so that t = p", eq(t[x], p[x]), mass, *conditions)
    there = d.instantiate("at q and p", scalar, {U: r[x], W: t[x]}, *conditions)
    at_positive = d.smt("there", goal, there, same, also, some)
    zero = d.derive("q is zero", eq(q[x], 0), none, by="smt")
    return d.cases("whether q is zero or not", at_positive, d.smt("where q = 0", goal, zero, *conditions))


def prove_corrected(d: Derivation, sign: int = 1, three: Any = 3, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws of which the target has every token of the draft.

    The factor 1/2 is the largest: for q = (½, ½) and p = (½ + ε, ½ − ε) the sides differ by O(ε⁴), and TV² = ε².
    """
    (p, mass_p) = d.law("p")
    (q, mass_q) = d.law("q")
    r = d.weights("r")
    t = d.weights("t")
    lacks = d.weights("lacks")
    covers = d.assume(COVERS, gt(p[x] + lacks[x], 0), eq(lacks[x] * q[x], 0))
    conditions = d.domain(MASS, eq(q[x] * (r[x] - q[x]), 0), gt(r[x], 0), eq(p[x] * (t[x] - p[x]), 0), gt(t[x], 0))
    logs = q[x] * (sp.log(r[x]) - sp.log(t[x]))
    base = 2 * q[x] + 4 * p[x]
    term = logs - q[x] + p[x]
    point = _at_token(d, pinsker(d, three), ge(base * term, 3 * (q[x] - p[x]) ** 2), conditions, covers)
    gibbs_bound = _at_token(d, gibbs(d), ge(term, 0), conditions, covers)
    a, b, k, s = sp.symbols("a_0 b_0 k_0 s_0", real=True)
    cauchy = d.suppose("3a² ≤ b k", ge(b, 0), ge(k, 0), ge(b * k, 3 * a**2))
    cauchy = _cauchy(d, cauchy, (a, b, k, s))
    L = sp.Symbol("distance", real=True)
    apart = d.define("ℓ1, twice the total variation", L, total(sp.Abs(q[x] - p[x]), x))
    per_token = d.instantiate(
        "at a token", cauchy, {a: q[x] - p[x], b: base, k: term, s: L}, point, gibbs_bound, *conditions
    )
    pinsker_sum = d.sum("over the vocabulary", per_token, x)
    pinsker_sum = d.smt("Pinsker", ge(total(logs, x), L**2 / 2), pinsker_sum, apart, mass_p, mass_q)
    goal = le(constant * (total(sp.Abs(p[x] - q[x]), x) / 2) ** 2, sign * total(logs, x) / 2)
    turned = d.sum("either way", d.smt("a distance", eq(sp.Abs(q[x] - p[x]), sp.Abs(p[x] - q[x]))), x)
    d.qed(d.smt("as total variation", goal, pinsker_sum, apart, turned))


def _cauchy(d: Derivation, conditions: list[Fact], symbols: tuple[sp.Symbol, ...]) -> Fact:
    """s |a| ≤ s² b/12 + k where 3a² ≤ b k: the square of the right side is that of the left, a square, and a product."""
    a, b, k, s = symbols
    b_nonnegative, k_nonnegative, product = conditions
    left, right = sp.symbols("left_0 right_0", real=True)
    squares = d.suppose("of squares", ge(right, 0), ge(right**2 - left**2, 0))
    of_roots = d.smt("the root is no less", le(left, right), *squares)
    half = s**2 * b
    half_nonnegative = d.smt("a part", ge(half, 0), b_nonnegative, d.derive("a square", ge(s**2, 0)))
    side = half / 12 + k
    side_nonnegative = d.smt("the right side", ge(side, 0), half_nonnegative, k_nonnegative)
    apart = d.derive("a square", ge((half / 12 - k) ** 2, 0))
    weighed = d.smt(
        "the product, weighed", ge(s**2 * (b * k - 3 * a**2), 0), product, d.derive("a square", ge(s**2, 0))
    )
    larger = d.smt("the larger square", ge(side**2 - s**2 * a**2, 0), apart, weighed)
    bounds = [
        d.instantiate("of either sign", of_roots, {left: sign * s * a, right: side}, side_nonnegative, larger)
        for sign in (1, -1)
    ]
    return d.smt("Cauchy and Schwarz, for one token", le(s * sp.Abs(a), side), *bounds)


def _sharp(p: Any, q: Any) -> dict[str, Any]:
    at = int(np.argmin(q))
    return {"p": p, "q": q, "b": [int(k == at) for k in range(len(q))], "least": min(q), "V": len(q)}


def _corrected(p: Any, q: Any) -> dict[str, Any]:
    ones = {"r": np.where(q > 0, q, 1), "t": np.where(p > 0, p, 1)}
    return {"p": p, "q": q, **ones, "lacks": [int(m == 0) for m in q], "V": len(q)}


PROOFS = (
    Refutation(
        ENTROPY_BOUND,
        by_size,
        scope="the first pair by vocabulary and denominator: a draft that is sure of what the target never says, so that no "
        "constant holds",
        repaired={
            "target and draft are the same": lambda: (i for i in by_size() if (i["p"] == i["q"]).all()),
            "the cross-entropy with the target": ENTROPY_BOUND_CORRECTED,
        },
    ),
    Proof(ENTROPY_BOUND_CORRECTED, prove_corrected, drop=MASS, bind=_corrected),
    Proof(ENTROPY_BOUND_SHARP, prove_sharp, drop=LEAST, bind=_sharp),
)
