"""ears.two-paths-order: pardons live on {q > p}, so they are as far as any law there; the standard path is at most p/α."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.ears._logarithms import SOME, Divergence, Log, Logs, compared, divergence, grows, log_of, logs
from proofs_check.ears._relaxed_step import kept, tolerance, two_laws
from proofs_check.ears._truth_values import flag, flags, truth, zeros
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims.ears.two_paths_order import PARDONS, TWO_PATHS_ORDER
from simspec.laws import Array, normalise
from simspec.methods import ears


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    All constants 1 are the least: p = (1/2, 1/2), q = (0, 1), β = 1 has equality in every part.
    """
    lg = logs(d)
    g, delta, grow = grows(d)
    s = two_laws(d)
    p = s.p
    q = s.q
    t, _, not_negative = tolerance(d)
    k, rule, _below = kept(d, s, t)
    low = sp.Min(p[x], q[x])
    alpha, G, W = sp.symbols("alpha G W", real=True)
    e = sp.IndexedBase("e", real=True)
    extra = d.define("what only the pardon path accepts", e[x], k[x] - low)
    rate = d.define("the standard path accepts", alpha, total(low, x))
    d.define("and the pardon path", G, total(e[x], x))
    some = d.assume(PARDONS, gt(G, 0))
    a, mass_a = d.law("a")
    b, mass_b = d.law("b")
    is_a = d.domain("a is the law of a token accepted by the standard path", eq(a[x] * alpha, low))
    is_b = d.domain("b is that of one accepted by the pardon path", eq(b[x] * G, e[x]))
    S = d.weights("S")
    inside = d.domain(
        "S is 1 where q > p, else 0",
        *(eq(S[x] * (1 - S[x]), 0), ge(S[x] * (q[x] - p[x]), 0), ge((S[x] - 1) * (q[x] - p[x]), 0)),
    )
    within = d.define("p(S)", W, total(S[x] * p[x], x))
    z, is_z = zeros(d, "z", p)
    of_p = log_of(d, "p", p, is_z, z)

    premises = [is_b, some, extra, rule, not_negative, *inside]
    only = d.smt("pardons live on S", eq((1 - S[x]) * b[x], 0), *premises)
    per_token = d.summed("p on S is shared with q", le(S[x] * p[x], low), *inside, by="smt")
    middle = d.smt("so p(S) is at most α", le(W, sign * alpha), per_token, within, rate)
    per_token = d.summed(
        "what pardons share with p is on S", le(sp.Min(b[x], p[x]), S[x] * p[x]), only, *inside, by="smt"
    )
    near_b = d.smt("so it is at most p(S)", le(total(sp.Min(b[x], p[x]), x), W), per_token, within)
    per_token = d.summed("what is shared", le(low, p[x]))
    alpha_at_most_one = d.smt("α is at most 1", le(alpha, 1), per_token, rate, s.mass_p)
    per_token = d.summed("nor negative", ge(low, 0))
    never = d.smt("in all", ge(alpha, 0), per_token, rate)
    per_token = d.summed(
        "a is at least what is kept", ge(sp.Min(a[x], p[x]), low), is_a, alpha_at_most_one, never, by="smt"
    )
    near_a = d.smt(
        "so it shares α with p at least", le(alpha, constant * total(sp.Min(a[x], p[x]), x)), per_token, rate
    )

    of_a = divergence(d, a, of_p)
    of_b = divergence(d, b, of_p)
    finite = truth(d, "I", of_a.outside)
    J = truth(d, "J", of_b.outside)
    paths = Setting(lg, (g, delta, grow), p, of_p)
    far_a = standard(d, paths, Accepted(a, mass_a, of_a, *finite), is_a, alpha)
    far_b = pardon(d, paths, Accepted(b, mass_b, of_b, *J), only, Support(S, inside, W, within))
    d.qed(far_b, middle, far_a, near_b, near_a)


class Setting(NamedTuple):
    """The target and its logarithm, and what is known of all logarithms and exponentials."""

    lg: Logs
    exp: tuple[Any, Any, Fact]
    """g, δ, and exp(g + δ) ≥ exp(g)."""
    p: Any
    of_p: Log


class Accepted(NamedTuple):
    """The law of a token that a path accepts."""

    law: Any
    mass: Fact
    of: Divergence
    finite: Any
    """1 where the divergence is finite, else 0."""
    is_finite: list[Fact]


class Support(NamedTuple):
    """S, 1 where q > p, and W = p(S)."""

    S: Any
    inside: list[Fact]
    W: Any
    within: Fact


def standard(d: Derivation, at: Setting, path: Accepted, is_a: Fact, alpha: sp.Symbol) -> Fact:
    """α ≤ exp(−KL(a‖p)), for a law a with a α = min(p, q) (`is_a`)."""
    (g, delta, grow) = at.exp
    (a, mass, of, finite, is_finite) = path
    lg = at.lg
    p = at.p
    z = at.of_p.zero
    support_facts = at.of_p.known
    goal = le(alpha, finite * sp.exp(-of.value))
    some = d.case("the standard path accepts something", gt(alpha, 0))
    lines = compared(d, lg, (p[x] + z[x], 1), (alpha, a[x] + of.zero), some, support_facts[2], of.facts[2])
    per_token = d.summed(
        "a is at most p/α",
        le(of.part, -sp.log(alpha) * a[x]),
        *(some, *lines, is_a, *support_facts, *of.facts),
        by="smt",
    )
    bound = d.smt("so its divergence is at most −log α", ge(-of.value - sp.log(alpha), 0), per_token, of.mean, mass)
    larger = d.instantiate("exp grows", grow, {g: sp.log(alpha), delta: -of.value - sp.log(alpha)}, bound, some)
    off = d.summed("nothing outside the support is kept", eq(z[x] * a[x], 0), is_a, some, *support_facts, by="smt")
    some_accepted = d.smt("so it is as near", goal, larger, off, of.rest, *is_finite, some)
    none = d.case("the standard path accepts nothing", le(alpha, 0))
    none_accepted = d.smt("nothing to show", goal, none, *is_finite)
    return d.cases("whether the standard path accepts something", some_accepted, none_accepted)


def pardon(d: Derivation, at: Setting, path: Accepted, only: Fact, s: Support) -> Fact:
    """exp(−KL(b‖p)) ≤ p(S), for a law b that lives on S (`only`)."""
    (g, delta, grow) = at.exp
    (b, mass, of, J, is_J) = path
    lg = at.lg
    p = at.p
    z = at.of_p.zero
    support_facts = at.of_p.known
    S, inside, W, within = s
    goal = le(J * sp.exp(-of.value), W)
    positive = d.derive("a probability on S", ge(S[x] * p[x], 0))
    mass_nonnegative = d.smt("p(S) is not negative", ge(W, 0), d.sum("over the vocabulary", positive, x), within)
    off = d.case("a token with p = 0 is pardoned", gt(of.outside, 0))
    infinite = d.smt("the divergence is infinite", goal, off, mass_nonnegative, *is_J)
    none = d.case("no token with p = 0 is pardoned", le(of.outside, 0))
    off_support_zero = d.smt("a mass is not negative", ge(z[x] * b[x], 0), *support_facts)
    off_support_zero = d.term("one of them is at most their sum", off_support_zero, x)
    off_support_zero = d.smt("so b is 0 where p is", le(z[x] * b[x], 0), off_support_zero, none, of.rest)
    some = d.case("p(S) is positive", gt(W, 0))
    lines = compared(d, lg, (W, b[x] + of.zero), (p[x] + z[x], 1), some, support_facts[2], of.facts[2])
    per_token = d.smt(
        "the tangent of log at the law p on S",
        ge(W * (of.part + sp.log(W) * b[x]), W * b[x] - S[x] * p[x]),
        *(some, off_support_zero, only, *lines, *inside, *support_facts, *of.facts),
    )
    per_token = d.sum("over the vocabulary, with both sums 1", per_token, x)
    bound = d.smt("data processing", ge(of.value + sp.log(W), 0), per_token, some, of.mean, mass, within)
    larger = d.instantiate("exp grows", grow, {g: -of.value, delta: of.value + sp.log(W)}, bound, some)
    with_mass = d.smt("so it is as far", goal, larger, mass_nonnegative, *is_J)
    empty = d.case("p(S) is 0", le(W, 0))
    single = d.term("one of them is at most their sum", positive, x)
    premises = [single, empty, off_support_zero, only, within, *inside, *support_facts]
    nowhere = d.summed(
        "nothing can be pardoned then",
        le(b[x], 0),
        *premises,
        by="smt",
    )
    without_mass = d.smt("which cannot be", goal, nowhere, mass)
    return d.cases(
        "whether a token with p = 0 is pardoned", infinite, d.cases("whether p(S) is 0", with_mass, without_mass)
    )


def bind(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    low = np.minimum(p, q)
    a = normalise(low, otherwise=p)
    b = normalise(ears(beta).accept(p, q) - low, otherwise=p)
    return {
        **SOME,
        **{"p": p, "q": q, "beta": beta, "m": max(p), "a": a, "b": b, "V": len(p)},
        **{"S": flags(q > p), "z": flags(p == 0), "n_a": flags(a == 0), "n_b": flags(b == 0)},
        **{"I": flag(not a[p == 0].any()), "J": flag(not b[p == 0].any())},
    }


PROOF = Proof(
    TWO_PATHS_ORDER,
    prove,
    drop="b is that of one accepted by the pardon path",
    change={"constant": sp.Rational(9, 10)},
    bind=bind,
)
