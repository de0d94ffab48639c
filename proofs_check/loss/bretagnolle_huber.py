"""loss.bretagnolle-huber: the affinity Σ √(p q) is at least exp(−KL/2), and its square at most Σ min times Σ max."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._logarithms import SOME, grows, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from simspec.claims.balls import ball
from simspec.claims.loss.bretagnolle_huber import BRETAGNOLLE_HUBER
from simspec.laws import Array, overlap

ROOTS = "r is the root of p q, and c the root of Σ max/Σ min"
FINITE = "q is positive where p is"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws of which the draft has every token of the target.

    Equality at p = q.
    """
    lg = logs(d)
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    r = d.weights("r")
    c = d.number("c", positive=True)
    z, is_z = zeros(d, "z", p)
    finite = d.domain(FINITE, gt(q[x] + z[x], 0))
    low = sp.Min(p[x], q[x])
    high = sp.Max(p[x], q[x])
    shared = total(low, x)
    joint = total(high, x)
    root, ratio = d.domain(ROOTS, eq(r[x] ** 2, p[x] * q[x]), eq(c**2 * shared, joint))
    joint_mass = d.sum("over the vocabulary", d.smt("the smaller and the larger", eq(low + high, p[x] + q[x])), x)
    joint_mass = d.smt("together two", eq(joint, 2 - shared), joint_mass, mass_p, mass_q)
    mean = d.smt("a geometric mean", le(2 * c * r[x], c**2 * low + high), root, *_low(d, p, q, r))
    affinity = total(r[x], x)
    mean = d.smt("over the vocabulary", le(2 * c * affinity, c**2 * shared + joint), d.sum("summed", mean, x))
    mean = d.smt("so the affinity is at most", le(affinity, c * shared), mean, ratio)
    some = d.sum("roots", d.derive("a root", ge(r[x], 0)), x)
    square = d.smt("its square", le(affinity**2, shared * joint), mean, ratio, some)
    square = d.smt("in α", le(affinity**2, shared * (2 - sign * shared)), square, joint_mass)
    P = p[x] + z[x]
    R = q[x] + z[x]
    term = sp.IndexedBase("D", real=True)
    adds = d.define("what a token adds to KL", term[x], p[x] * (sp.log(P) - sp.log(R)), is_z[2], finite)
    positive = d.domain("the affinity is positive", gt(affinity, 0))
    full = d.smt("with a root", gt(r[x] + z[x], 0), root, *is_z, finite, *_low(d, p, q, r))
    scaled = d.smt("positive", gt(P * affinity, 0), is_z[2], positive)
    line = d.instantiate("the tangent", lg.tangent, {lg.v: P * affinity, lg.w: r[x] + z[x]}, scaled, full)
    split = d.instantiate("log of a product", lg.product, {lg.v: P, lg.w: affinity}, is_z[2], positive)
    squared = d.instantiate("log of a square", lg.product, {lg.v: r[x] + z[x], lg.w: r[x] + z[x]}, full)
    product = d.instantiate("log of a product", lg.product, {lg.v: P, lg.w: R}, is_z[2], finite)
    has = d.case("p is positive", gt(p[x], 0))
    no_z = d.smt("z is 0", eq(z[x], 0), is_z[0], has)
    same = d.smt("the same product", eq((r[x] + z[x]) ** 2, P * R), root, no_z)
    same = d.derive("its logarithm", eq(sp.log((r[x] + z[x]) ** 2), sp.log(P * R)), same, full, is_z[2], finite)
    sizes = [is_z[2], finite, full, positive]
    logarithms = [line, split, squared, product, same]
    line = d.smt(
        "halved",
        ge(P * affinity * (sp.log(P) - sp.log(R) + 2 * sp.log(affinity)), 2 * P * affinity - 2 * (r[x] + z[x])),
        *logarithms,
        *sizes,
    )
    token = ge(affinity * (term[x] + 2 * p[x] * sp.log(affinity)), 2 * p[x] * affinity - 2 * r[x])
    masses = [*is_z, *_low(d, p, q, r)]
    case_has = d.smt("of a token", token, line, adds, no_z, *masses, *sizes)
    lacks = d.case("p is 0", le(p[x], 0))
    no_p = d.smt("p is none", eq(p[x], 0), lacks, *_low(d, p))
    no_r = d.smt("nor the root", eq(r[x], 0), root, no_p)
    case_lacks = d.smt("of a token", token, adds, no_p, no_r, *sizes)
    token = d.cases("whether p is 0", case_has, case_lacks)
    token = d.sum("over the vocabulary", token, x)
    K = total(term[x], x)
    jensen = d.smt("times the affinity", ge(affinity * (K + 2 * sp.log(affinity)), 0), token, mass_p, positive)
    jensen = d.smt("Jensen", ge(2 * sp.log(affinity) + K, 0), jensen, positive)
    g, delta, rises = grows(d)
    rise = d.instantiate("exp grows", rises, {g: -K, delta: 2 * sp.log(affinity) + K}, jensen, positive)
    goal = ge(shared * (2 - shared), constant * sp.exp(-K))
    first = d.smt("so", goal, rise, square, positive)
    shared_nonnegative = d.sum(
        "over the vocabulary", d.derive("at least 0", ge(low, 0), *_low(d, p, q, r), by="smt"), x
    )
    d.qed(first, d.smt("and more simply", ge(2 * shared, sp.exp(-K)), first, shared_nonnegative))


def _low(d: Derivation, *weights: Any) -> list[Any]:
    return [d.derive("not negative", ge(w[x], 0)) for w in weights]


def _values(p: Array, q: Array) -> dict[str, Any]:
    alpha = overlap(p, q)
    roots = np.array([ball(m * n).sqrt() for m, n in zip(p, q, strict=True)])
    return {**SOME, "p": p, "q": q, "r": roots, "c": ball((2 - alpha) / alpha).sqrt(), "z": flags(p == 0), "V": len(p)}


PROOF = Proof(BRETAGNOLLE_HUBER, prove, drop=ROOTS, bind=_values)
