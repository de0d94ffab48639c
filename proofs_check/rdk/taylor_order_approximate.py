"""rdk.taylor-order-approximate: the forms differ from the general first-order one at order 1/τ unless u − ū = s(p − 1/V)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, V, eq, ge, i, j, laws, le, total
from proofs_check.rdk._taylor_remainder import Line, curvature, row_remainder
from proofs_check.rdk.taylor_order_general import QUARTER, general
from proofs_check.rdk.taylor_order_general import values as general_values
from simspec.claims.claim import Instance
from simspec.claims.rdk.first_order import TILT
from simspec.claims.rdk.taylor_order_approximate import TAYLOR_ORDER_APPROXIMATE, TAYLOR_ORDER_APPROXIMATE_CORRECTED
from simspec.laws import Array, exact


def _between(d: Derivation) -> tuple[Fact, Fact]:
    """The distance of |X + G + Y| from |G| is at most |X| + |Y|."""
    W, X, Y, G = (sp.Symbol(f"{name}_0", real=True) for name in "WXYG")
    parts = d.suppose("W = X + G + Y", eq(W, X + G + Y))
    bound = sp.Abs(X) + sp.Abs(Y)
    up = d.smt("triangle inequality", le(sp.Abs(W) - sp.Abs(G), bound), parts)
    return up, d.smt("triangle inequality", le(sp.Abs(G) - sp.Abs(W), bound), parts)


def _moved(d: Derivation, share: Any, share_bound: Any, apart: Any, tilt: Fact) -> Fact:
    """What normalising moves, Σ |share · apart|, is at most Σ most · |apart|; `tilt`: the mean factor is not negative."""
    largest = d.smt("a larger denominator", le(share, share_bound), tilt)
    not_negative = d.smt("and not negative", ge(share, 0), tilt)
    r, R, y = sp.symbols("r_0 R_0 y_0", real=True)
    extra = d.suppose("0 ≤ r ≤ R", ge(r, 0), le(r, R))
    extra = d.derive("a smaller factor", le(sp.Abs(-r * y), R * sp.Abs(y)), *extra)
    extra = d.instantiate(
        "what normalising moves", extra, {r: share, R: share_bound, y: apart}, largest, not_negative, tilt
    )
    return d.sum("over the tokens", extra, j)


def prove(d: Derivation, sign: int = 1, factor: sp.Expr = QUARTER) -> None:
    """Every vocabulary size, laws p and q, factors c, matrix Ω (factored or not) and temperature.

    ¼ may be √3/18 in both places, by rdk.taylor-order-sharp and rdk.taylor-order-general-sharp; no less for all V.
    """
    taylor_terms = general(d, False, sign, factor)
    q = taylor_terms.q
    omega = taylor_terms.omega
    tau = taylor_terms.tau
    t = taylor_terms.t
    error = taylor_terms.wrong.relation.lhs
    p, mass_p = d.law("p")
    c = sp.IndexedBase("c", real=True)
    high, low, s = sp.symbols("high low cbar", real=True)
    above = d.domain("no p_j is above max p", le(p[j], high))
    below = d.domain("no p_j is below min p", ge(p[j], low))
    tilt = d.assume(TILT, ge(total(q[i] * c[i], i), 0))
    mean = d.define("the mean factor", s, total(q[i] * c[i], i))
    tilt = d.smt("the mean factor is not negative", ge(s, 0), tilt, mean)
    theta = s / tau
    rows = sp.exp(omega[i, j] / tau)
    drafted = total(q[i] * rows / total(rows, j), i)
    u = total(q[i] * omega[i, j], i)
    affine = (1 + theta * (p[j] * V - 1) / V) / V
    gap = sp.IndexedBase("gap", real=True)
    dev = sp.IndexedBase("deviation", real=True)
    apart = d.define("affine against first order, at τ = 1", gap[j], (s * (p[j] * V - 1) / V - u + total(u, j) / V) / V)
    uniform = d.define("p against the uniform law", dev[j], p[j] - 1 / V)

    # affine, normalised, exponential: off by the first-order error, the gap over τ, and an extra term
    line = Line(sp.S.Zero, p[j], low, high, name=" of e")
    inside = d.derive("p lies between its ends", ge((high - p[j]) * (p[j] - low), 0), above, below)

    def curved(at: Line, lower_bound: Fact, upper_bound: Fact) -> Fact:
        return curvature(d, at, t, inside, lower_bound, upper_bound)

    e, meaning, small = row_remainder(d, line, "e", t, theta, curved, factor, premises=[tilt])
    law = sp.exp(theta * p[j]) / total(sp.exp(theta * p[j]), j)
    share = theta**2 / (V * (V + theta))
    upper_bound = theta**2 / V**2
    up, down = _between(d)
    W, X, Y, G = (sp.Symbol(f"{name}_0", real=True) for name in "WXYG")
    extra = _moved(d, share, upper_bound, dev[j], tilt)
    rest = taylor_terms.bound.relation.rhs
    spread = (high - low) ** 2

    def about(kind: str, form: Any, term: Any, lower_bound: Fact | None, constant: sp.Expr | int) -> Fact:
        """Derive that the error of a form differs from the gap over τ by at most the first-order bound plus `constant`/τ²."""
        off = sp.IndexedBase(f"error_{kind}", real=True)
        wrong = d.define(f"the {kind} form is off by", off[j], form - drafted, tilt)
        facts = [wrong, taylor_terms.wrong, apart, uniform, tilt]
        facts += [meaning, mass_p] if kind == "exponential" else []
        same = d.derive("three parts", eq(off[j], error + term + gap[j] / tau), *facts, by="algebra")
        names = {W: off[j], X: error, Y: term, G: gap[j] / tau}
        two = [
            d.sum("over the tokens", d.instantiate("triangle inequality", fact, names, same, tilt), j)
            for fact in (up, down)
        ]
        lhs = sp.Abs(total(sp.Abs(off[j]), j) - total(sp.Abs(gap[j]), j) / tau)
        return d.derive(
            f"the {kind} form",
            le(lhs, rest + constant / tau**2),
            *(*two, taylor_terms.bound, *([lower_bound] if lower_bound else [])),
        )

    d.qed(
        about("affine", affine, sp.S.Zero, None, 0),
        about(
            "normalised",
            (1 + theta * p[j]) / (V + theta),
            -share * dev[j],
            extra,
            s**2 * total(sp.Abs(dev[j]), j) / V**2,
        ),
        about("exponential", law, e[j], small, factor * s**2 * spread),
    )


def values(p: Array, q: Array, c: Array, U: Array, lam: Array, diag: Array, tau: Fraction) -> dict[str, Any]:
    return {**general_values(U, lam, diag, q, tau), "p": p, "c": c, "high": max(p), "low": min(p)}


def small_cases(exactly: bool = False) -> Iterator[Instance]:
    """Ω = ppᵀ plus, unless it is exactly of that form, one per cent of p_0² at its first entry; the draft a point mass."""
    for vocab in (1, 2):
        for denominator in (1, 2):
            for p in laws(vocab, denominator):
                for q in laws(vocab, 1):
                    diag = exact([0] * vocab)
                    diag[0] = F(0) if exactly else p[0] ** 2 / 100
                    yield {"p": p, "q": q, "kappa": F(1), "diag": diag}


PROOFS = (
    Refutation(
        TAYLOR_ORDER_APPROXIMATE,
        small_cases,
        scope="the first in order of vocabulary and denominator of p: two tokens, p uniform (one token never differs)",
        repaired={"Ω_ij = c_i p_j exactly": lambda: small_cases(True)},
    ),
    Proof(TAYLOR_ORDER_APPROXIMATE_CORRECTED, prove, drop=TILT, change={"factor": sp.Rational(1, 5)}, bind=values),
)
