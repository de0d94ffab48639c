"""ears.cache: verification depends on p through its mass at the draft and max p, so a true cache decides the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le
from simspec.claims.ears.cache import CACHE, TRUE_CACHE
from simspec.laws import Array

n, T = sp.symbols("n T", integer=True, nonnegative=True)


def test(d: Derivation, name: str, condition: str, margin: sp.Expr) -> tuple[Any, list[Fact]]:
    """Whether room ≥ 0, at each position: 1 or 0."""
    flag = sp.IndexedBase(name, real=True)[n]
    text = f"{name} is 1 where {condition}, else 0"
    return flag, d.domain(text, eq(flag * (1 - flag), 0), ge(flag * margin, 0), gt(flag + (flag - 1) * margin, 0))


def run(d: Derivation, name: str, first_test: sp.Expr, two: sp.Expr) -> tuple[Any, Any, list[Fact]]:
    """Decision of two tests at each position, which positions are examined, and how many before each."""
    decided, looked, number = (sp.IndexedBase(f"{letter}_{name}", real=True) for letter in "DXN")
    kinds = d.define("0: standard, 1: pardon, 2: reject", decided[n], (1 - first_test) * (2 - two))
    start, go = d.recursion(
        "examined, until a rejection",
        eq(looked[0], 1),
        eq(looked[n + 1], looked[n] * (first_test + two - first_test * two)),
    )
    none, count_step = d.recursion("how many were examined", eq(number[0], 0), eq(number[n + 1], number[n] + looked[n]))
    return decided, (looked, number), [kinds, start, go, none, count_step]


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Blocks of every length, all drafts that q can draw, all coins, every vocabulary size."""
    vocab = sp.Symbol("V", integer=True, positive=True)
    p, q, u, m, cached_peak = (sp.IndexedBase(name, real=True) for name in ("p", "q", "u", "m", "held"))
    beta = d.number("beta", low=0)
    draft_possible = d.domain("q can draw the draft", gt(q[n], 0))
    peak = d.domain("m = max p is at most 1", le(m[n], 1))
    true = d.assume(TRUE_CACHE, eq(cached_peak[n], m[n]))
    R = sp.IndexedBase("R", real=True)
    ratio = d.define("the ratio at the draft", R[n], p[n] / q[n], draft_possible)

    first, is_first = test(d, "A", "u q ≤ p", p[n] - u[n] * q[n])
    read, is_read = test(
        d, "B", "u q ≤ p + β(1 − m) q, from the cache", p[n] + beta * sp.Max(1 - cached_peak[n], 0) * q[n] - u[n] * q[n]
    )
    scan, is_scan = test(d, "C", "u q ≤ p + β(1 − m) q, from p", p[n] + beta * sp.Max(1 - m[n], 0) * q[n] - u[n] * q[n])
    printed, is_printed = test(d, "F", "R ≥ u", R[n] - u[n])
    pardon, is_pardon = test(d, "G", "R ≥ u − β(1 − m)", R[n] - u[n] + sign * beta * (1 - m[n]))
    same = d.smt("the ratio multiplied out", eq(first, printed), ratio, draft_possible, *is_first, *is_printed)
    premises = [ratio, draft_possible, peak, true, *is_read, *is_pardon]
    by_cache = d.smt("and in the second test", eq(read, pardon), *premises)
    by_scan = d.smt("likewise", eq(scan, pardon), ratio, draft_possible, peak, *is_scan, *is_pardon)

    reference_decision, (looked, number), meaning = run(d, "0", printed, pardon)
    conclusions = []
    for name, method, second, alike, cost in (
        ("1", "cached", read, by_cache, 1),
        ("2", "scanned", scan, by_scan, vocab),
    ):
        decided, (sees, count), means = run(d, name, first, second)
        kind = d.smt("the same decision", eq(decided[n], reference_decision[n]), means[0], meaning[0], same, alike)
        looks = _always(
            d,
            f"the same positions are examined, {method}",
            eq(sees[n], looked[n]),
            [same, alike],
            means[1:3],
            meaning[1:3],
        )
        counts = _always(d, f"as many, {method}", eq(count[n], number[n]), [looks], means[3:5], meaning[3:5])
        padded = [on[n] * kinds[n] - (1 - on[n]) for on, kinds in ((sees, decided), (looked, reference_decision))]
        same_output = d.smt("−1 after a rejection", eq(*padded), kind, looks)
        counts = d.instantiate("at the end", counts, {n: T})
        cost_equation = eq(constant * cost * count[T], cost * number[T])
        reads = d.derive("numbers read, at one cost for each", cost_equation, counts)
        conclusions += [same_output, reads]
    d.qed(*conclusions)


def _always(
    d: Derivation, text: str, statement: Any, using: list[Fact], counted: list[Fact], reference: list[Fact]
) -> Fact:
    """A statement about two recursions, by induction."""
    return d.inductive(text, statement, n, [counted[0], reference[0]], [counted[1], reference[1], *using], by="smt")


def bind(p: Array, q: Array, tokens: Array, coins: Array, beta: Fraction, cached: Array) -> dict[str, Any]:
    """The values of the symbols of `prove`: masses of the drafted tokens, coins, peaks, and the tests' outcomes."""
    at = np.arange(len(tokens))
    P = p[at, tokens]
    Q = q[at, tokens]
    peaks = p.max(axis=-1)
    R = P / Q
    t = beta * (1 - peaks)
    reached = coins * Q

    def values(array: Any) -> Any:
        return lambda k: array[k]

    tests = {
        **{"A": reached <= P, "B": reached <= P + beta * np.maximum(1 - cached, 0) * Q},
        **{"C": reached <= P + t * Q, "F": coins <= R, "G": coins - t <= R},
    }
    arrays = {"p": P, "q": Q, "u": coins, "m": peaks, "held": cached}
    return {
        **{name: values(array) for name, array in arrays.items()},
        **{name: values([int(bool(v)) for v in array]) for name, array in tests.items()},
        **{"beta": beta, "V": p.shape[-1], "T": len(tokens), "ranges": {"n": range(len(tokens))}},
    }


PROOF = Proof(CACHE, prove, drop="m = max p is at most 1", bind=bind)
