"""ears.two-paths: the law of a token accepted by a path is what the path keeps, made a law, and its divergence follows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._logarithms import SOME, Log, Logs, compared, divergence, log_of, logs
from proofs_check.ears._one_coin import Paths, coins, paths
from proofs_check.ears._relaxed_step import Step, pardoned, tolerance, two_laws
from proofs_check.ears._truth_values import flag, flags, truth, zeros
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims.ears import parts
from simspec.claims.ears.two_paths import TWO_PATHS
from simspec.laws import Array, normalise


class Path(NamedTuple):
    """The law of a token accepted by one path, from the tests and in closed form."""

    law: Any
    R: Any
    """The path's rate, or 1 where it is 0."""
    closed: Fact
    """R law = kept."""
    mass: Fact
    known: list[Fact]
    """`closed`, signs, what is kept and whether it is nothing; R > 0 comes last."""
    kept: Any
    gain: Any
    """What the path keeps, and p in its place where that is nothing (`kept`)."""


def path(
    d: Derivation,
    s: Step,
    by_tests: sp.Expr,
    closed: sp.Expr,
    accept_rule: Fact,
    extra_facts: list[Fact],
    names: tuple[str, str],
) -> Path:
    """The law of a token that the path accepts: what it keeps, divided by its sum; p, where that is 0."""
    law, rate = names
    p = s.p
    k = sp.IndexedBase(f"k_{law}", real=True)
    R = sp.Symbol(rate, real=True)
    means = d.define("what the path keeps", k[x], closed)
    same = d.smt("by the tests", eq(by_tests, k[x]), accept_rule, means)
    sums = d.sum("over the vocabulary", same, x)
    often = d.define("how often it accepts", R, total(k[x], x))
    none, is_none = truth(d, f"none_{law}", R)
    equal = d.smt("by the tests as often", eq(total(by_tests, x), R), sums, often)
    positive = d.smt("this is positive", gt(total(by_tests, x) + none, 0), equal, is_none[2])
    a = sp.IndexedBase(law, real=True)
    accepted_law = (by_tests + none * p[x]) / (total(by_tests, x) + none)
    accepted_law = d.define("the law of what it accepts, p where that is nothing", a[x], accepted_law, positive)
    text = "in closed form"
    form = d.smt(text, eq(a[x] * (R + none), k[x] + none * p[x]), accepted_law, same, equal, is_none[2])
    forms = d.sum("over the vocabulary", form, x)
    mass = d.smt("it is a law", eq(total(a[x], x), 1), forms, often, s.mass_p, is_none[2])
    never = d.smt("what is kept is not negative", ge(k[x], 0), means, *extra_facts)
    single = d.term("one of them is at most their sum", never, x)
    nothing = d.smt(
        "where the path accepts nothing, it keeps nothing", eq(none * k[x], 0), single, often, never, *is_none
    )
    positive = d.smt("so the law is not negative", ge(a[x], 0), form, never, is_none[1], is_none[2])
    return Path(a, R + none, form, mass, [form, never, nothing, positive, means, *is_none], k[x] + none * p[x], k)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and β; where a path accepts nothing, p stands in for its law, as in the claim."""
    lg = logs(d)
    s = two_laws(d)
    p = s.p
    q = s.q
    t, _, not_negative = tolerance(d)
    way = paths(d, s, t, not_negative, sign)
    draft_facts = [way.ratio, *way.is_none]
    first = d.smt("the first test keeps", eq(q[x] * way.standard[x], sp.Min(p[x], q[x])), way.first, *draft_facts)
    text = "the second keeps beyond it"
    second = d.smt(text, eq(q[x] * way.pardon[x], pardoned(s, t)), way.first, way.second, not_negative, *draft_facts)
    standard_path = path(d, s, q[x] * way.standard[x], sp.Min(p[x], q[x]), first, [], ("a", "alpha"))
    two = path(d, s, q[x] * way.pardon[x], pardoned(s, t), second, [not_negative], ("b", "G"))
    z, is_z = zeros(d, "z", p)
    log_p = log_of(d, "p", p, is_z, z)
    laws = [
        d.smt("the law of the path", eq(way_.law[x], way_.kept / way_.R), way_.closed, way_.known[-1])
        for way_ in (standard_path, two)
    ]
    near = standard(d, lg, s, standard_path, way, log_p, constant)
    far = pardon(d, lg, s, two, t, log_p)
    d.qed(*laws, near, far)


def standard(d: Derivation, lg: Logs, s: Step, way: Path, path_pair: Paths, of_p: Log, constant: sp.Expr | int) -> Fact:
    """exp(−KL) of the standard path, one of `path_pair`."""
    p = s.p
    q = s.q
    a = way.law
    R = way.R
    z, is_z, log_p, p_log = of_p
    w, is_w, log_q, q_log = log_of(d, "q", q, path_pair.is_none, path_pair.none)
    of = divergence(d, a, of_p)
    inner, is_inner = truth(d, "I_a", of.outside)
    T = sp.IndexedBase("T", real=True)
    short = d.domain(
        "T is 1 where 0 < q < p, else 0",
        *(
            eq(T[x] * (1 - T[x]), 0),
            ge(T[x] * (p[x] - q[x]), 0),
            ge((T[x] - 1) * (p[x] - q[x]) * q[x], 0),
            gt(1 - T[x] + T[x] * q[x], 0),
        ),
    )
    path_facts = [*way.known, *of_p.known, *of.facts]
    E = sp.Symbol("E", real=True)
    exponent = sp.log(R) + constant * total(T[x] * q[x] * (log_p[x] - log_q[x]), x) / R
    is_E = d.define("minus the closed form of the divergence", E, exponent, *way.known)
    accepted = a[x] + of.zero
    draft_mass = q[x] + w[x]
    target = p[x] + z[x]
    named = [p_log, q_log, of.facts[3]]
    sizes = [is_z[2], is_w[2], of.facts[2], way.known[-1]]
    text = "a token with q < p has q/α"
    alike = d.smt(text, eq(T[x] * q[x] * (R * accepted - draft_mass), 0), *short, *is_w, *path_facts)
    lines = compared(d, lg, (R, accepted), (draft_mass, sp.S.One), *sizes)
    logs_ = T[x] * q[x] * (sp.log(R) + of.log - log_q[x])
    logs_agree = d.smt("so are the logarithms", eq(logs_, 0), alike, *lines, *named, *sizes)
    text = "any other token on the support p/α"
    inside = (1 - T[x]) * (1 - z[x]) * a[x]
    alike = d.smt(text, eq(inside * (R * accepted - target), 0), *short, *path_facts)
    lines = compared(d, lg, (R, accepted), (target, sp.S.One), *sizes)
    logs_ = inside * (sp.log(R) + of.log - log_p[x])
    down = d.smt("so are the logarithms", eq(logs_, 0), alike, *lines, *named, *sizes)
    per_token = d.summed(
        "a token is kept whole, or down to p",
        eq(R * of.part, T[x] * q[x] * (log_q[x] - log_p[x]) - R * sp.log(R) * a[x]),
        *(logs_agree, down, *short, *is_w, *path_facts),
        by="smt",
    )
    value = d.smt("the divergence", eq(-of.value, E), per_token, way.mass, of.mean, is_E, way.known[-1])
    inside = d.summed("a token with p = 0 is not kept", eq(z[x] * a[x], 0), *path_facts, by="smt")
    finite = d.smt("so the divergence is finite", eq(inner, 1), inside, of.rest, *is_inner)
    return d.derive("and the closeness", eq(inner * sp.exp(-of.value), sp.exp(E)), value, finite)


class Ratio(NamedTuple):
    """g/p, or 1 where p or g is 0 (there f is 1)."""

    f: Any
    is_f: list[Fact]
    ratio: Any
    match: Fact
    """ratio p = g, where f is 0."""
    positive: Fact
    log: Any
    logarithm: Fact
    """log = log(ratio)."""


def pardoned_ratio(d: Derivation, s: Step, way: Path, t: Any, of_p: Log, path_facts: list[Fact]) -> Ratio:
    """What the pardon path keeps over the target's mass, and its logarithm."""
    p = s.p
    q = s.q
    z = of_p.zero
    f = sp.IndexedBase("f", real=True)
    v = sp.IndexedBase("v_q", real=True)
    ratio = sp.IndexedBase("rho", real=True)
    plain = d.domain(
        "f is 1 where p or g is 0, else 0",
        *(eq(f[x] * (1 - f[x]), 0), eq(f[x] * p[x] * way.gain[x], 0), gt(p[x] * way.gain[x] + f[x], 0)),
    )
    over = d.define("how much likelier the draft is than the target", v[x], q[x] / (p[x] + z[x]), *path_facts)
    is_ratio = d.define(
        "a pardon over the target's mass, or 1", ratio[x], (1 - f[x]) * sp.Min(v[x] - 1, t * v[x]) + f[x]
    )
    match = d.smt(
        "which is g/p", eq((1 - f[x]) * (ratio[x] * p[x] - way.gain[x]), 0), is_ratio, over, *plain, *path_facts
    )
    positive = d.smt("it is positive", gt(ratio[x], 0), is_ratio, match, *plain, *path_facts)
    log_r = sp.IndexedBase("L_rho", real=True)
    return Ratio(
        f, plain, ratio, match, positive, log_r, d.define("its logarithm", log_r[x], sp.log(ratio[x]), positive)
    )


def pardon(d: Derivation, lg: Logs, s: Step, way: Path, t: Any, of_p: Log) -> Fact:
    """exp(−KL) of the pardon path."""
    b = way.law
    R = way.R
    z, is_z, log_p, p_log = of_p
    of = divergence(d, b, of_p)
    inner, is_inner = truth(d, "I_b", of.outside)
    Q = sp.Symbol("N_g", real=True)
    rest = d.define("what is pardoned outside the support", Q, total(z[x] * way.gain[x], x))
    J, is_J = truth(d, "I_g", Q)
    path_facts = [*way.known, *of_p.known, *of.facts]
    f, plain, ratio, match, positive, log_r, logarithm = pardoned_ratio(d, s, way, t, of_p, path_facts)
    path_facts += [match, positive, logarithm, *plain]
    named = [p_log, of.facts[3], logarithm]
    sizes = [is_z[2], of.facts[2], way.known[-1], positive]
    path_mass = b[x] + of.zero
    target = s.p[x] + z[x]
    is_f = plain[0]
    text = "a pardoned token is drawn with g/G"
    alike = d.smt(text, eq((1 - f[x]) * (R * path_mass - ratio[x] * target), 0), *path_facts)
    lines = compared(d, lg, (R, path_mass), (ratio[x], target), *sizes)
    logs_ = sp.log(R) + of.log - log_r[x] - log_p[x]
    some = d.smt("so are the logarithms", eq((1 - f[x]) * logs_, 0), alike, is_f, *lines, *named, *sizes)
    text = "any other token on the support only where nothing is pardoned, and then with p"
    alike = d.smt(text, eq(f[x] * (1 - z[x]) * b[x] * (R * path_mass - target), 0), *path_facts)
    lines = compared(d, lg, (R, path_mass), (target, sp.S.One), *sizes)
    logs_ = sp.log(R) + of.log - log_p[x]
    logs_elsewhere = eq(f[x] * (1 - z[x]) * b[x] * logs_, 0)
    logs_elsewhere = d.smt("so are the logarithms", logs_elsewhere, alike, is_f, *lines, *named, *sizes)
    E = sp.Symbol("F", real=True)
    exponent = sp.log(R) - total((1 - f[x]) * way.gain[x] * log_r[x], x) / R
    is_E = d.define("minus the closed form of the divergence", E, exponent, *way.known)
    per_token = d.summed(
        "a token is drawn with g/G",
        eq(R * of.part, (1 - f[x]) * way.gain[x] * log_r[x] - (1 - z[x]) * R * sp.log(R) * b[x]),
        *(some, logs_elsewhere, *path_facts),
        by="smt",
    )
    out = d.summed(
        "outside the support it has what is pardoned there",
        eq(R * z[x] * b[x], z[x] * way.gain[x]),
        *path_facts,
        by="smt",
    )
    out = d.smt("in all", eq(R * of.outside, Q), out, rest, of.rest)
    alike = d.smt("one is infinite where the other is", eq(inner, J), out, *is_inner, *is_J, way.known[-1])
    value = d.smt(
        "else the divergence",
        eq(inner * of.value, -inner * E),
        *(per_token, out, way.mass, of.mean, of.rest, is_E, way.known[-1], *is_inner),
    )
    return closeness(d, (inner, is_inner), (J, alike), (of.value, E), value)


def closeness(
    d: Derivation, finite: tuple[Any, list[Fact]], same: tuple[Any, Fact], values: tuple[Any, Any], value: Fact
) -> Fact:
    """I exp(−K) = J exp(E), for a truth value I that is J (`same`), and K = −E where it is 1 (`value`)."""
    (inner, is_inner) = finite
    (J, alike) = same
    (K, E) = values
    goal = eq(inner * sp.exp(-K), J * sp.exp(E))
    case = d.case("the divergence is finite", gt(inner, 0))
    closed = d.smt("then it is the closed form", eq(-K, E), value, case)
    finite_case = d.derive("and so is the closeness", goal, closed, alike)
    infinite = d.case("it is infinite", le(inner, 0))
    zero = d.smt("then the closeness is 0", eq(inner, 0), infinite, *is_inner)
    infinite_case = d.smt("on both sides", goal, alike, zero)
    return d.cases("whether a token with p = 0 can be pardoned", finite_case, infinite_case)


def bind(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    low = np.minimum(p, q)
    g = parts.pardoned(p, q, beta)
    a = normalise(low, otherwise=p)
    b = normalise(g, otherwise=p)
    return {
        **SOME,
        **coins(p, q, beta),
        **{"p": p, "q": q, "beta": beta, "m": max(p), "V": len(p), "T": flags((q > 0) & (q < p))},
        **{"z": flags(p == 0), "n_a": flags(a == 0), "n_b": flags(b == 0)},
        **{"none_a": flag(not low.any()), "none_b": flag(not g.any())},
        **{"I_a": flag(not a[p == 0].any()), "I_b": flag(not b[p == 0].any()), "I_g": flag(not g[p == 0].any())},
        **{"f": flags(p * g == 0)},
    }


PROOF = Proof(TWO_PATHS, prove, drop="w is 1 where q is 0, else 0", bind=bind)
