"""KL(a‖p) ≤ log S wherever Σ a²/p ≤ S: Jensen's inequality, by tangents of the logarithm."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, logs
from proofs_check.ears._truth_values import zeros
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x

__all__ = ["SOME", "below_log", "divergence_parts", "sign_of_sum"]


def divergence_parts(d: Derivation, a: Any, p: Any, z: Any, is_z: list[Fact]) -> tuple[Any, list[Fact], Any]:
    """What each token adds to KL(a‖p), with 0 log 0 = 0; what the names mean; the flag n, 1 where a is 0."""
    n, is_n = zeros(d, f"n_{a.label}", a)
    log_a, log_p, divergence_term = (sp.IndexedBase(f"{kind}_{a.label}", real=True) for kind in ("L", "M", "D"))
    facts = [
        d.define(f"log {a.label}, or 0 where {a.label} is 0", log_a[x], sp.log(a[x] + n[x]), is_n[2]),
        d.define("log p, or 0 where p is 0", log_p[x], sp.log(p[x] + z[x]), is_z[2]),
        d.define("what a token adds to the divergence", divergence_term[x], a[x] * (log_a[x] - log_p[x])),
    ]
    return divergence_term, [*facts, *is_n], n


def below_log(
    d: Derivation, a: Any, p: Any, S: Any, g: Any, facts: dict[str, Fact], is_z: list[Fact]
) -> tuple[Fact, Logs]:
    """Σ a log(a/p) ≤ log S, from g (p + z) = a² (`square`), Σ g ≤ S (`sum`), a a law (`mass`), S > 0 (`size`), a ≥ 0 (`some`)."""
    z = sp.IndexedBase("z", nonnegative=True)
    lg = logs(d)
    divergence_term, parts, n = divergence_parts(d, a, p, z, is_z)
    *named, zero, _bit, full = parts
    P = p[x] + z[x]
    A = a[x] + n[x]
    scaled = d.smt("positive", gt(P * S, 0), is_z[2], facts["size"])
    line = d.instantiate("the tangent of log", lg.tangent, {lg.v: P * S, lg.w: A}, scaled, full)
    split = d.instantiate("log of the product", lg.product, {lg.v: P, lg.w: S}, is_z[2], facts["size"])
    X = sp.IndexedBase("X", real=True)
    over = d.define("log(a/(p S))", X[x], sp.log(A) - sp.log(P) - sp.log(S), full, is_z[2], facts["size"])
    line = d.smt("at most its tangent", le(P * S * X[x], A - P * S), line, split, over)
    line = d.smt("times a", le(P * S * X[x] * a[x], A * a[x] - P * S * a[x]), line, facts["some"])
    exact_square = d.smt("a (a + n) is a²", eq(A * a[x], g[x] * P), zero, facts["square"])
    line = d.smt("so", le(P * (S * X[x] * a[x] - g[x] + S * a[x]), 0), line, exact_square)
    line = d.smt("and over p", le(S * X[x] * a[x] - g[x] + S * a[x], 0), line, is_z[2])
    per_token = d.derive(
        "what it adds", eq(divergence_term[x], X[x] * a[x] + sp.log(S) * a[x]), *named, over, facts["size"]
    )
    sums = d.sum("over the vocabulary", line, x)
    all_ = d.sum("over the vocabulary", per_token, x)
    rest = d.smt("S Σ X a ≤ 0", le(S * total(X[x] * a[x], x), 0), sums, facts["sum"], facts["mass"])
    rest = d.smt("nor is the sum positive", le(total(X[x] * a[x], x), 0), rest, facts["size"])
    goal = le(total(divergence_term[x], x), sp.log(S))
    return d.smt("together", goal, all_, rest, facts["mass"], facts["size"]), lg


def sign_of_sum(d: Derivation, weights: Any) -> Fact:
    """Masses are not negative."""
    return d.derive("masses are not negative", ge(weights[x], 0))
