"""relaxed.certificate-additive: p cut down to λ on A is the law nearest to p of those whose mode is b."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import FINITE
from simspec.claims.relaxed.certificate_additive import CERTIFICATE_ADDITIVE, level
from simspec.laws import Array

MODE = "q has at most Q on every token, and Q on b"
SET = "A (g is 1) holds b and the tokens above λ, the mean of p on A"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p and b, and every q that is positive where p is and whose mode is b."""
    lg = logs(d)
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    b = d.weights("b")
    g = d.weights("g")
    Q = d.number("Q", 0)
    height = d.number("lambda_", positive=True)
    z, is_z = zeros(d, "z", p)
    finite = d.domain(FINITE, gt(q[x] + z[x], 0))
    mark, mode_bound, at_b = d.domain(MODE, eq(b[x] * (1 - b[x]), 0), le(q[x], Q), eq(b[x] * q[x], b[x] * Q))
    bit, mode_flag, above, _, mean = d.domain(
        SET,
        *(eq(g[x] * (1 - g[x]), 0), eq(g[x] * b[x], b[x])),
        *(ge(g[x] * (1 - b[x]) * (p[x] - height), 0), ge((1 - g[x]) * (height - p[x]), 0)),
        eq(total(g[x] * p[x], x), height * total(g[x], x)),
    )
    divergence_term = sp.IndexedBase("D", real=True)
    near = sp.IndexedBase("E", real=True)[x]
    P = p[x] + z[x]
    R = q[x] + z[x]
    size = d.derive("positive", gt(height, 0))
    adds = d.define("what a token adds to KL", divergence_term[x], p[x] * (sp.log(P) - sp.log(R)), is_z[2], finite)
    rest = sp.log(P) - sp.log(height)
    plain = d.instantiate("the tangent at q", lg.tangent, {lg.v: P, lg.w: R}, is_z[2], finite)
    cut = d.instantiate("the tangent at q", lg.tangent, {lg.v: height, lg.w: R}, size, finite)
    cut = d.smt(
        "times p", ge(p[x] * height * (sp.log(height) - sp.log(R)), p[x] * height - p[x] * R), cut, is_z[2], finite
    )
    cut = d.smt(
        "over p",
        ge(height * divergence_term[x], height * p[x] * rest + p[x] * height - p[x] * q[x]),
        cut,
        adds,
        is_z[0],
        size,
    )
    goal = ge(
        height * divergence_term[x],
        height * g[x] * p[x] * rest + height * p[x] - q[x] * (height + g[x] * (p[x] - height)),
    )
    inside = d.case("in A", gt(g[x], 0))
    on = d.smt("g is 1", eq(g[x], 1), inside, bit)
    case_inside = d.smt("of this token", goal, on, cut, is_z[2], size)
    outside = d.case("not in A", le(g[x], 0))
    off = d.smt("g is 0", eq(g[x], 0), outside, d.derive("sizes", ge(g[x], 0)))
    premises = [plain, adds, is_z[0], is_z[1], is_z[2], finite]
    token_divergence = d.smt("KL of one token", ge(divergence_term[x], p[x] - q[x]), *premises)
    two = d.smt("of this token", goal, off, token_divergence, size, is_z[2])
    per_token = d.sum("over the vocabulary", d.cases("whether it is in A", case_inside, two), x)
    premises = [above, mode_bound, at_b, mode_flag, mark, bit]
    away = d.smt(
        "no token of A has more than b",
        ge(g[x] * (p[x] - height) * (Q - q[x]), 0),
        *premises,
    )
    away = d.sum("over the vocabulary", away, x)
    value = sign * total(g[x] * p[x] * rest, x)
    premises = [per_token, away, mean, mass_p, mass_q, size, is_z[2]]
    far = d.smt(
        "times λ",
        ge(height * total(divergence_term[x], x), height * value),
        *premises,
    )
    far = d.smt("KL from below", ge(total(divergence_term[x], x), value), far, size)
    attained_value = _cut_down(d, (p, g, z, height), (bit, is_z, size), constant)
    attained_value = d.derive("attained", eq(total(near, x), value), attained_value, is_z[2], size)
    d.qed(far, attained_value, d.derive("that is", eq(-total(near, x), -value), attained_value, is_z[2], size))


def _cut_down(d: Derivation, names: Any, facts: Any, constant: sp.Expr | int) -> Any:
    """What each token adds to KL(p‖u), u being p cut down to λ on A, and in all."""
    (p, g, z, height) = names
    (bit, is_z, size) = facts
    u = sp.IndexedBase("u", real=True)
    near = sp.IndexedBase("E", real=True)
    P = p[x] + z[x]
    rest = sp.log(p[x] + z[x]) - sp.log(height)
    cut_definition = d.define("p cut down", u[x], p[x] + g[x] * (height - p[x]))
    some = d.smt("positive where p is", gt(u[x] + z[x], 0), cut_definition, bit, *is_z, size)
    token_term = d.define("what a token adds", near[x], p[x] * (sp.log(P) - sp.log(u[x] + z[x])), is_z[2], some)
    goal = eq(near[x], constant * g[x] * p[x] * rest)
    inside = d.case("x is in A", gt(g[x], 0))
    on = d.smt("g is 1", eq(g[x], 1), inside, bit)
    level_ = d.smt("its level", eq(u[x], height), cut_definition, on)
    zero = d.case("p is 0", le(p[x], 0))
    sizes = (is_z[2], some, size, d.derive("sizes", ge(p[x], 0)))
    none = d.smt("nothing", goal, token_term, zero, *sizes)
    full = d.case("p is positive", gt(p[x], 0))
    no = d.smt("z is 0", eq(z[x], 0), is_z[0], full)
    log = d.derive("log λ", eq(sp.log(u[x] + z[x]), sp.log(height)), level_, no, some, size)
    there = d.smt("that", goal, token_term, log, on, *sizes)
    there = d.cases("whether p is 0", there, none)
    outside = d.case("x is not in A", le(g[x], 0))
    off = d.smt("g is 0", eq(g[x], 0), outside, d.derive("sizes", ge(g[x], 0)))
    same = d.smt("unchanged", eq(u[x], p[x]), cut_definition, off)
    log = d.derive("the same logarithm", eq(sp.log(u[x] + z[x]), sp.log(P)), same, some, is_z[2])
    rest_ = d.smt("nothing", goal, token_term, log, off, *sizes)
    return d.sum("over the vocabulary", d.cases("whether x is in A", there, rest_), x)


def bind(p: Array, q: Array, b: int) -> dict[str, Any]:
    height, members = level(p, b)
    marks = [int(y == b) for y in range(len(p))]
    return {
        **{**SOME, "p": p, "q": q, "b": marks, "g": [int(v) for v in members], "Q": q[b]},
        **{"lambda_": height, "z": flags(p == 0), "V": len(p)},
    }


PROOF = Proof(CERTIFICATE_ADDITIVE, prove, drop=MODE, bind=bind)
