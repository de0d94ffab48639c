"""KL(p‖q) from below, where q has on a token b at least as much as on the first token a of p."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x
from simspec.claims.relaxed.parts import rank
from simspec.laws import Array

__all__ = ["FINITE", "MARKS", "SOME", "Refused", "bind", "case_of", "hot", "refused", "weighed"]

MARKS = "a and b are two tokens"
LARGEST = "a has p₁, b at most p₂, which is at most p₁"
FINITE = "q is positive where p is"


class Refused(NamedTuple):
    """Both laws, the tokens a and b, their masses, the divergence by token, and what is known of all that."""

    lg: Logs
    p: Any
    q: Any
    a: Any
    b: Any
    first: Any
    second: Any
    pb: Any
    Qa: Any
    Qb: Any
    z: Any
    part: Any
    masses: list[Fact]
    marks: list[Fact]
    sizes: list[Fact]
    is_z: list[Fact]
    finite: Fact
    means: list[Fact]


def refused(d: Derivation) -> Refused:
    """KL(p‖q) = Σ part, part = p (log p − log q)."""
    lg = logs(d)
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    a = d.weights("a")
    b = d.weights("b")
    first = d.number("p_1", positive=True)
    second = d.number("p_2", 0)
    pb = d.number("p_b", 0)
    Qa = d.number("Q_a", 0)
    Qb = d.number("Q_b", 0)
    marks = d.domain(
        MARKS,
        *(eq(a[x] * (1 - a[x]), 0), eq(b[x] * (1 - b[x]), 0), eq(a[x] * b[x], 0)),
        *(eq(total(a[x], x), 1), eq(total(b[x], x), 1)),
        *(eq(a[x] * p[x], a[x] * first), eq(b[x] * p[x], b[x] * pb)),
        *(eq(a[x] * q[x], a[x] * Qa), eq(b[x] * q[x], b[x] * Qb)),
    )
    sizes = d.domain(LARGEST, le(pb, second), le(second, first), le(Qa, Qb))
    z, is_z = zeros(d, "z", p)
    finite = d.domain(FINITE, gt(q[x] + z[x], 0))
    divergence_term, log_p, log_q = (sp.IndexedBase(name, real=True) for name in ("D", "L", "M"))
    means = [
        d.define("log p, or 0 where p is 0", log_p[x], sp.log(p[x] + z[x]), is_z[2]),
        d.define("log q", log_q[x], sp.log(q[x] + z[x]), finite),
        d.define("what a token adds to the divergence", divergence_term[x], p[x] * (log_p[x] - log_q[x])),
    ]
    at = (lg, p, q, a, b, first, second, pb, Qa, Qb, z, divergence_term)
    return Refused(*at, [mass_p, mass_q], marks, sizes, is_z, finite, means)


def case_of(d: Derivation, name: str, marks: list[Fact], tokens: tuple[Any, Any], ways: tuple[Any, Any, Any]) -> Fact:
    """One statement in the three cases: x is a, x is b, x is another token; each from the facts a = …, b = …."""
    (a, b) = tokens
    (of_a, of_b, of_others) = ways
    sizes = [d.derive("marks are not negative", ge(w[x], 0)) for w in (a, b)]
    here = d.case(f"{name}: x is a", gt(a[x], 0))
    on = [d.smt("a is 1", eq(a[x], 1), here, marks[0]), d.smt("b is 0", eq(b[x], 0), here, marks[2])]
    case_a = of_a(on)
    away = d.case(f"{name}: x is not a", le(a[x], 0))
    not_a = d.smt("a is 0", eq(a[x], 0), away, sizes[0])
    there = d.case(f"{name}: x is b", gt(b[x], 0))
    two = of_b([not_a, d.smt("b is 1", eq(b[x], 1), there, marks[1])])
    off = d.case(f"{name}: x is not b", le(b[x], 0))
    three = of_others([not_a, d.smt("b is none", eq(b[x], 0), off, sizes[1])])
    return d.cases("whether x is a", case_a, d.cases("whether x is b", two, three))


def weighed(d: Derivation, it: Refused, s: Any, high: Any, low: Any, flag: Any, facts: dict[str, Fact]) -> Fact:
    """s KL ≥ s (p₁ log(high/s) + p_b log(low/s)) + Q_a (s − high) + Q_b (s − low).

    `flag` is 1 where `low` is 0; `facts`: s > 0 (`s`), high > 0 (`high`), low + flag > 0 (`low`), flag p_b = 0 (`off`), and
    flag low = 0 (`none`).
    """
    lg = it.lg
    p = it.p[x]
    q = it.q[x]
    z = it.z[x]
    divergence_term = it.part[x]
    P = p + z
    Q = q + z
    level = sp.IndexedBase("l", real=True)
    up = sp.log(high) - sp.log(s)
    down = sp.log(low + flag) - sp.log(s)
    log = d.define("the logarithm", level[x], it.a[x] * up + it.b[x] * down, facts["high"], facts["low"], facts["s"])
    weight = s + it.a[x] * (high - s) + it.b[x] * (low - s)
    goal = ge(s * (divergence_term - p * level[x]), s * p - q * weight)
    scaled = d.smt("positive", gt(P * s, 0), it.is_z[2], facts["s"])
    log_product = d.instantiate("log of the product", lg.product, {lg.v: P, lg.w: s}, it.is_z[2], facts["s"])

    def line(K: Any, positive: Fact) -> list[Fact]:
        right = d.smt("positive", gt(Q * K, 0), it.finite, positive)
        tangent = d.instantiate("the tangent", lg.tangent, {lg.v: P * s, lg.w: Q * K}, scaled, right)
        return [
            tangent,
            log_product,
            d.instantiate("log of the product", lg.product, {lg.v: Q, lg.w: K}, it.finite, positive),
        ]

    def shown(K: Any, positive: Fact, extra_facts: tuple[Fact, ...]) -> Any:
        def found(on: list[Fact]) -> Fact:
            log_level = d.smt("its logarithm", eq(level[x], sp.log(K) - sp.log(s)), log, *on)
            lines = line(K, positive)
            plain = P * s * (sp.log(P) - sp.log(Q) - sp.log(K) + sp.log(s))
            plain = d.smt("that is", ge(plain, P * s - Q * K), *lines)
            premises = [plain, log_level, *on, *it.means, *it.is_z, *extra_facts, facts["s"]]
            return d.smt("of this token", goal, *premises)

        return found

    low_ = tuple(facts[name] for name in ("off", "none", "low"))
    per_token = case_of(
        d,
        "from below",
        it.marks,
        (it.a, it.b),
        (
            shown(high, facts["high"], (it.marks[5], facts["high"])),
            shown(low + flag, facts["low"], (it.marks[6], *low_)),
            shown(s, facts["s"], ()),
        ),
    )
    sums = d.sum("over the vocabulary", per_token, x)
    logs_ = d.smt(
        "their logarithms", eq(p * level[x], it.a[x] * it.first * up + it.b[x] * it.pb * down), log, *it.marks
    )
    logs_ = d.sum("over the vocabulary", logs_, x)
    share = eq(q * weight, s * q + it.a[x] * it.Qa * (high - s) + it.b[x] * it.Qb * (low - s))
    share = d.sum("over the vocabulary", d.smt("their masses", share, *it.marks), x)
    rest = it.Qa * (s - high) + it.Qb * (s - low)
    goal = ge(s * total(divergence_term, x), s * (it.first * up + it.pb * down) + rest)
    return d.smt("in all", goal, sums, logs_, share, *it.marks[3:5], *it.masses)


def hot(vocab: int, token: int) -> Array:
    """1 at a token."""
    return np.array([int(y == token) for y in range(vocab)], dtype=object)


def bind(p: Array, q: Array, b: int) -> dict[str, Any]:
    """What the names stand for."""
    first, second = rank(p)
    return {
        **{**SOME, "p": p, "q": q, "a": hot(len(p), first), "b": hot(len(p), b), "z": flags(p == 0), "V": len(p)},
        **{"p_1": p[first], "p_2": p[second], "p_b": p[b], "Q_a": q[first], "Q_b": q[b]},
    }
