"""relaxed.certificate-reverse: p with √(p₁p₂) on both tokens, made a law, is the nearest."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import LARGEST, MARKS, case_of, hot
from simspec.claims.balls import ball
from simspec.claims.relaxed.certificate_reverse import CERTIFICATE_REVERSE
from simspec.claims.relaxed.parts import rank
from simspec.laws import Array

POSITIVE = "p is positive"
SECOND = "e is a token of mass p₂, another than a"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p that is nowhere zero, and every q."""
    lg = logs(d)
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    a = d.weights("a")
    b = d.weights("b")
    e = d.weights("e")
    r1 = d.number("r_1", positive=True)
    r2 = d.number("r_2", positive=True)
    pb = d.number("p_b", 0)
    Qa = d.number("Q_a", 0)
    Qb = d.number("Q_b", 0)
    marks = d.domain(
        MARKS,
        *(eq(a[x] * (1 - a[x]), 0), eq(b[x] * (1 - b[x]), 0), eq(a[x] * b[x], 0)),
        *(eq(total(a[x], x), 1), eq(total(b[x], x), 1)),
        *(eq(a[x] * p[x], a[x] * r1**2), eq(b[x] * p[x], b[x] * pb)),
        *(eq(a[x] * q[x], a[x] * Qa), eq(b[x] * q[x], b[x] * Qb)),
    )
    second = d.domain(
        SECOND, eq(e[x] * (1 - e[x]), 0), eq(a[x] * e[x], 0), eq(total(e[x], x), 1), eq(e[x] * p[x], e[x] * r2**2)
    )
    sizes = d.domain(LARGEST, le(pb, r2**2), le(r2, r1), le(Qa, Qb))
    some = d.domain(POSITIVE, gt(p[x], 0))
    z, is_z = zeros(d, "z", q)
    Z, normaliser_positive, norm = _norm(d, p, (a, e), (r1, r2), (marks, second, mass_p), constant)
    pos = [d.derive("positive", gt(v, 0)) for v in (Z, r1, r2)]
    divergence_term, gap = (sp.IndexedBase(name, real=True) for name in ("D", "gap"))
    up = sp.log(r2) - sp.log(r1)
    per_token, named = _tokens(d, lg, (p, q, z, a, b, r1, r2, Z), (pb, Qa, Qb), (marks, some, is_z, pos))
    sums = d.sum("over the vocabulary", per_token, x)
    parts = d.sum("over the vocabulary", named, x)
    K, tilt = sp.symbols("K tilt", real=True)
    factor = d.define("the factor", K, Z * r1 * r2)
    turn = d.define("what the tilt adds", tilt, (Qa - Qb) * up, *pos)
    spare = r1 * r2 * (1 - r1**2 - pb + r1 * r2) + pb * r1**2
    all_ = eq(total(gap[x], x), K * (total(divergence_term[x], x) - tilt + sp.log(Z)) - K + spare)
    premises = [parts, factor, turn, *marks[3:5], mass_p, mass_q, *pos]
    all_ = d.derive("one a and one b", all_, *premises)
    over = sp.Symbol("S", real=True)
    excess_definition = d.define("over the bound", over, total(divergence_term[x], x) + sign * sp.log(Z), *pos)
    line = d.instantiate("the larger root", lg.tangent, {lg.v: r1, lg.w: r2}, *pos)
    falls = d.smt("log r₂ ≤ log r₁", le(up, 0), line, sizes[1], *pos)
    helps = d.smt("the tilt helps", ge(tilt, 0), falls, sizes[2], turn, *pos)
    size = d.smt("positive", gt(K, 0), factor, *pos)
    spare = d.smt("and the reference has no more than one", le(spare, K), factor, norm, sizes[0], sizes[1], *pos)
    far = d.smt("times the factor", ge(K * (over - tilt), 0), sums, all_, spare, excess_definition, pos[0])
    far = d.smt("and by itself", ge(over, 0), far, size, helps)
    far = d.smt("KL from below", ge(total(divergence_term[x], x), -sign * sp.log(Z)), far, excess_definition, pos[0])
    near = _attained(d, p, (a, e), (r1, r2, Z), (marks, second, some, norm, mass_p, *pos))
    value = -sp.log(1 - (r1 - r2) ** 2)
    same = d.derive("Z", eq(-sp.log(Z), value), norm, normaliser_positive, pos[0])
    attained_divergence = near.relation.lhs
    d.qed(
        d.smt("from below", ge(total(divergence_term[x], x), value), far, same, normaliser_positive, pos[0]),
        d.derive("attained", eq(attained_divergence, value), near, norm, normaliser_positive),
        d.derive("that is", eq(-attained_divergence, -value), near, norm, normaliser_positive),
    )


def _norm(
    d: Derivation, p: Any, tokens: Any, numbers: Any, facts: Any, constant: sp.Expr | int
) -> tuple[Any, Any, Any]:
    """Z = 1 − (r₁ − r₂)², which is positive."""
    (a, e) = tokens
    (r1, r2) = numbers
    (marks, second, mass_p) = facts
    Z = sp.Symbol("Z", positive=True)
    two = ge(p[x] - a[x] * r1**2 - e[x] * r2**2, 0)
    low = d.derive("masses are not negative", ge(p[x], 0))
    premises = [low, marks[0], marks[5], second[0], second[1], second[3]]
    two = d.smt("a and e are apart", two, *premises)
    two = d.sum("over the vocabulary", two, x)
    two = d.smt("two masses are at most 1", le(r1**2 + r2**2, 1), two, marks[3], second[2], mass_p)
    normaliser_positive = d.smt("so Z is positive", gt(1 - (r1 - r2) ** 2, 0), two)
    norm = d.define(
        "the mass of p with the roots' product on both", Z, 1 - constant * (r1 - r2) ** 2, normaliser_positive
    )
    return Z, normaliser_positive, norm


def _tokens(d: Derivation, lg: Any, names: Any, masses: Any, facts: Any) -> tuple[Any, Any]:
    """Of each token: what it adds to KL(q‖p), times Z r₁ r₂, above the bound; and the name of that."""
    (p, q, z, a, b, r1, r2, Z) = names
    (pb, Qa, Qb) = masses
    (marks, some, is_z, pos) = facts
    divergence_term = sp.IndexedBase("D", real=True)
    R = q[x] + z[x]
    adds = d.define(
        "what a token adds to KL(q‖p)", divergence_term[x], q[x] * (sp.log(R) - sp.log(p[x])), is_z[2], some
    )
    up = sp.log(r2) - sp.log(r1)
    share = r1 * r2 * p[x] + a[x] * r1**2 * (r2**2 - r1 * r2) + b[x] * pb * (r1**2 - r1 * r2)
    left_side = Z * r1 * r2 * (divergence_term[x] - (a[x] * Qa - b[x] * Qb) * up + q[x] * sp.log(Z))
    gap = sp.IndexedBase("gap", real=True)
    named = d.define(
        "what a token adds, from below", gap[x], left_side - Z * r1 * r2 * q[x] + share, some, is_z[2], *pos
    )
    goals = ge(gap[x], 0)

    def shown(top: Any, below: Any, factor: Any, *masses: Any) -> Any:
        """The function that derives the bound for a token, with factors `top` and `below` and the masses of its case."""

        def found(on: Any) -> Any:
            """Derive that the token adds no less than the bound, from the tangent of the logarithm."""
            left = R * Z * below
            right = p[x] * top
            positives = [d.smt("positive", gt(left, 0), is_z[2], *pos), d.smt("positive", gt(right, 0), some, *pos)]
            line = d.instantiate("the tangent", lg.tangent, {lg.v: left, lg.w: right}, *positives)
            scale = d.smt("positive", gt(Z * below, 0), *pos)
            logs_ = [
                d.instantiate("log of the product", lg.product, {lg.v: R, lg.w: Z * below}, is_z[2], scale),
                d.instantiate("log of the product", lg.product, {lg.v: Z, lg.w: below}, *pos),
                d.instantiate("log of the product", lg.product, {lg.v: p[x], lg.w: top}, some, *pos),
            ]
            logs_ = logs_ if below != 1 else [logs_[0], logs_[2]]
            X = sp.log(R) + sp.log(Z) + sp.log(below) - sp.log(p[x]) - sp.log(top)
            line = d.smt("that is", ge(left * X, left - right), line, *logs_)
            line = d.smt("of q", ge(q[x] * Z * below * X, q[x] * Z * below - p[x] * top), line, *is_z, some, *pos)
            gain = divergence_term[x] + q[x] * (sp.log(Z) + sp.log(below) - sp.log(top))
            line = d.smt("of KL", ge(Z * below * gain, Z * below * q[x] - p[x] * top), line, adds, is_z[2], some, *pos)
            line = d.smt(
                "times", ge(factor * (Z * below * gain - Z * below * q[x] + p[x] * top), 0), line, is_z[2], *pos
            )
            its = [d.smt("its mass", eq(*same), *on, *marks[5:9]) for same in masses]
            same = Z * r1 * r2 * (gain - q[x]) + p[x] * top * factor
            premises = [named, *on, *its, is_z[2], some, *pos]
            same = d.derive("what it adds", eq(gap[x], same), *premises)
            return d.smt("is not negative", goals, line, same)

        return found

    unit = sp.Integer(1)
    ways = (
        shown(r2, r1, r2, (q[x], Qa), (p[x], r1**2)),
        shown(r1, r2, r1, (q[x], Qb), (p[x], pb)),
        shown(unit, unit, r1 * r2),
    )
    per_token = case_of(d, "from below", marks, (a, b), ways)
    return per_token, named


def _attained(d: Derivation, p: Any, tokens: Any, numbers: Any, facts: Any) -> Any:
    """KL(u‖p) = −log Z of u = p/Z, √(p₁p₂)/Z on both tokens."""
    (a, e) = tokens
    (r1, r2, Z) = numbers
    marks, second, some, norm, mass_p = facts[:5]
    lg_v = [d.derive("positive", gt(v, 0)) for v in (r1, r2, Z)]
    u, adds, level = (sp.IndexedBase(name, real=True) for name in ("u", "E", "M"))
    law_definition = d.define("the law", u[x], (p[x] + a[x] * (r1 * r2 - r1**2) + e[x] * (r1 * r2 - r2**2)) / Z)
    token_marks = [marks[0], second[0], second[1]]
    up = sp.log(r2) - sp.log(r1)
    times = d.smt(
        "times Z", eq(u[x] * Z, p[x] + a[x] * (r1 * r2 - r1**2) + e[x] * (r1 * r2 - r2**2)), law_definition, *lg_v
    )

    def size(mark: Any) -> Any:
        return lambda on: d.smt("there", gt(u[x] * Z, 0), times, mark, *on, some, *lg_v)

    positive = case_of(d, "positive", token_marks, (a, e), (size(marks[5]), size(second[3]), size(marks[5])))
    positive = d.smt("over Z", gt(u[x], 0), positive, *lg_v)
    log = d.define("log of it", level[x], sp.log(u[x]), positive)
    term_definition = d.define("what a token adds", adds[x], u[x] * (level[x] - sp.log(p[x])), some)
    goal = eq(adds[x], u[x] * ((a[x] - e[x]) * up - sp.log(Z)))

    def of(mark: Any, mass: Any, value: Any) -> Any:
        def found(on: Any) -> Any:
            its = [] if mass is None else [d.smt("its mass", eq(p[x], mass), mark, *on)]
            here = d.smt("times Z", eq(u[x] * Z, value), times, *its, *on)
            here = d.smt("its mass", eq(u[x], value / Z), here, *lg_v)
            token_log = d.derive("its logarithm", eq(level[x], sp.log(value / Z)), log, here, *lg_v, some, positive)
            two = d.derive("its p", eq(sp.log(p[x]), sp.log(mass)), *its, *lg_v, some) if its else None
            plain = d.derive("split", eq(sp.log(value / Z), _split(value, p) - sp.log(Z)), *lg_v, some)
            premises = [term_definition, token_log, plain, *on, *lg_v, some] + ([two] if two else [])
            if two:
                premises.append(d.derive("split", eq(sp.log(mass), 2 * sp.log(sp.sqrt(mass))), *lg_v))
            return d.smt("of this token", goal, *premises)

        return found

    ways = of(marks[5], r1**2, r1 * r2), of(second[3], r2**2, r1 * r2), of(marks[5], None, p[x])
    per_token = d.sum("over the vocabulary", case_of(d, "attained", token_marks, (a, e), ways), x)
    mark_masses = [marks[5], second[3]]
    at_a = d.summed(
        "of a and e",
        eq((a[x] - e[x]) * u[x] * Z, r1 * r2 * (a[x] - e[x])),
        times,
        *token_marks,
        *mark_masses,
        by="smt",
    )
    all_ = d.sum("mass", times, x)
    ones = [marks[3], second[2]]
    mass = d.smt("it is a law", eq(total(u[x], x), 1), all_, norm, mass_p, *ones, *lg_v)
    tilt = d.smt("both alike", eq(total((a[x] - e[x]) * u[x], x), 0), at_a, marks[3], second[2], *lg_v)
    return d.derive("in all", eq(total(adds[x], x), -sp.log(Z)), per_token, tilt, mass, *lg_v, by="smt")


def _split(value: Any, p: Any) -> Any:
    return sp.log(p[x]) if value == p[x] else sum(sp.log(f) for f in value.args)


def bind(p: Array, q: Array, b: int) -> dict[str, Any]:
    first, second = rank(p)
    return {
        **{**SOME, "p": p, "q": q, "a": hot(len(p), first), "b": hot(len(p), b), "e": hot(len(p), second)},
        **{"r_1": ball(p[first]).sqrt(), "r_2": ball(p[second]).sqrt(), "p_b": p[b], "Q_a": q[first], "Q_b": q[b]},
        **{"z": flags(q == 0), "V": len(p)},
    }


PROOF = Proof(CERTIFICATE_REVERSE, prove, drop=LARGEST, bind=bind)
