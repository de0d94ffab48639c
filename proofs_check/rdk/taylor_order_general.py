"""rdk.taylor-order-general: a row's remainder is ∫ (t − u) f″(u) du, and ‖f″‖₁ is at most (√3/9) range²."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, V, eq, ge, i, j, le, total
from proofs_check.rdk._taylor_remainder import Line, curvature, mixed, row_remainder
from proofs_check.rdk._two_levels import LEVELS, level_values, two_levels
from proofs_check.rdk._variance_range import FACTOR, of_numbers, sharp_curvature
from simspec.claims.rdk.first_order import assembled
from simspec.claims.rdk.taylor_order_general import (
    TAYLOR_ORDER_GENERAL,
    TAYLOR_ORDER_GENERAL_APPROACHED,
    TAYLOR_ORDER_GENERAL_SHARP,
)
from simspec.laws import Array

QUARTER = sp.Rational(1, 4)
SHARE = (1 - 1 / sp.sqrt(3)) / 2
LARGEST = "hi is the largest entry of a row"
LEAST = "lo is the least entry of a row"


class General(NamedTuple):
    """Names of the proof, the definition of what the form is off by, and its bound."""

    q: Any
    mass: Fact
    omega: Any
    tau: Any
    t: Any
    wrong: Fact
    bound: Fact


def general(d: Derivation, sharp: bool, sign: int, factor: sp.Expr) -> General:
    """Derive the error of the first-order form from the remainders of its rows; `sharp` selects the bound on f″."""
    q, mass = d.law("q")
    omega, hi, lo = (sp.IndexedBase(name, real=True) for name in ("Omega", "hi", "lo"))
    t = d.number("t", low=0)
    tau = d.number("tau", positive=True)
    above = d.domain(LARGEST, le(omega[i, j], hi[i]))
    below = d.domain(LEAST, ge(omega[i, j], lo[i]))

    def curved(line: Line, low: Fact, high: Fact) -> Fact:
        if sharp:
            return sharp_curvature(
                d, sharp_facts=of_numbers(d), line=line, t=t, above=above, below=below, low=low, high=high
            )
        inside = ge((line.hi - line.x) * (line.x - line.lo), 0)
        return curvature(d, line, t, d.derive("between the ends", inside, above, below), low, high)

    line = Line(sp.S.Zero, omega[i, j], lo[i], hi[i])
    a, meaning, rows = row_remainder(d, line, "a", t, 1 / tau, curved, factor)
    u = total(q[i] * omega[i, j], i)
    form = (1 + (u - total(u, j) / V) / tau) / V
    error = sp.IndexedBase("error", real=True)
    wrong = d.define("what the form is off by", error[j], form - total(q[i] * line.law(1 / tau), i))
    term = d.summed("what a row contributes", eq(q[i] * a[i, j], q[i] * meaning.relation.rhs), meaning, over=i)
    same = d.derive("the form is the rows to first order", eq(error[j], -total(q[i] * a[i, j], i)), wrong, term, mass)
    return General(q, mass, omega, tau, t, wrong, mixed(d, q, a, rows, error[j], same, sign))


def prove(d: Derivation, sign: int = 1, factor: sp.Expr = QUARTER) -> None:
    """Every vocabulary size, law, matrix Ω (factored or not) and temperature.

    The sharp constant over all V is √3/18 = 0.0962…, not ¼: rdk.taylor-order-general-sharp.
    """
    d.qed(general(d, False, sign, factor).bound)


def prove_sharp(d: Derivation, sign: int = 1, factor: sp.Expr = FACTOR) -> None:
    """Every vocabulary size, law, matrix Ω (factored or not) and temperature.

    √3/18 is the infimum of the factors that serve every V: rdk.taylor-order-general-sharp.approached. No V attains it.
    """
    d.qed(general(d, True, sign, factor).bound)


def prove_approached(d: Derivation, sign: int = 1, share: sp.Expr = SHARE) -> None:
    """Every number of tokens of each kind and every temperature.

    As p comes near to p̂, and t to 0, no factor below √3/18 is left that serves every V.
    """
    d.qed(two_levels(d, FACTOR, share, sign))


def values(U: Array, lam: Array, diag: Array, q: Array, tau: Fraction) -> dict[str, Any]:
    omega = assembled(U, lam, diag)
    return {"Omega": omega, "q": q, "tau": tau, "t": 1 / tau, "V": len(q), "hi": omega.max(-1), "lo": omega.min(-1)}


PROOFS = (
    Proof(TAYLOR_ORDER_GENERAL, prove, drop=LARGEST, change={"factor": sp.Rational(1, 5)}, bind=values),
    Proof(TAYLOR_ORDER_GENERAL_SHARP, prove_sharp, drop=LEAST, change={"factor": sp.Rational(96, 1000)}, bind=values),
    Proof(
        TAYLOR_ORDER_GENERAL_APPROACHED,
        prove_approached,
        drop=LEVELS,
        change={"share": sp.Rational(1, 5)},
        bind=lambda upper, lower, tau: level_values(upper, lower, 2 / tau),
    ),
)
