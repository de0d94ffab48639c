"""rdk.taylor-order: with Ω_ij = c_i p_j the rows lie on one softmax curve, at the points c_i, and each form is a tangent."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, V, eq, ge, i, j, le, total
from proofs_check.rdk._taylor_remainder import Line, curvature, mixed, row_remainder, triangle
from proofs_check.rdk._two_levels import two_levels
from proofs_check.rdk._variance_range import FACTOR, Sharp, of_numbers, sharp_curvature
from simspec.claims.rdk.first_order import TILT
from simspec.claims.rdk.taylor_order import RANK_ONE, TAYLOR_ORDER, TAYLOR_ORDER_SHARP

QUARTER, SHARE = sp.Rational(1, 4), (1 - 1 / sp.sqrt(3)) / 2


def prove(d: Derivation, sign: int = 1, factor: Any = QUARTER, sharp: bool = False) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    √3/18 may stand in place of ¼ and is the least factor: rdk.taylor-order-sharp.
    """
    q, mass = d.law("q")
    p, mass_p = d.law("p")
    omega, c = (sp.IndexedBase(name, real=True) for name in ("Omega", "c"))
    high, low, s = sp.symbols("high low cbar", real=True)
    t, tau = d.number("t", low=0), d.number("tau", positive=True)
    above = d.domain("no p_j is above max p", le(p[j], high))
    below = d.domain("no p_j is below min p", ge(p[j], low))
    form = d.assume(RANK_ONE, eq(omega[i, j], c[i] * p[j]))
    tilt = d.assume(TILT, ge(total(q[i] * c[i], i), 0))
    mean = d.define("the mean factor", s, total(q[i] * c[i], i))
    tilt = d.smt("the mean factor is not negative", ge(s, 0), tilt, mean)
    weighted = d.summed("a row, weighted", eq(q[i] * omega[i, j], q[i] * c[i] * p[j]), form, over=i)
    linear = d.smt("Σ_i q_i Ω_ij", eq(total(q[i] * omega[i, j], i), s * p[j]), weighted, mean)
    within = d.derive("p lies between its ends", ge((high - p[j]) * (p[j] - low), 0), above, below)
    off, off_n, off_e = (sp.IndexedBase(f"error_{kind}", real=True) for kind in ("affine", "normalised", "exponential"))

    shown = of_numbers(d) if sharp else None

    def rows(which: str, base: Any, slope: Any, factor_i: Any, form: Fact) -> Any:
        if shown is not None:
            return sharp_rows(shown, which, base, slope, factor_i, form)
        line = Line(base, slope, factor_i * low, factor_i * high, name=f" of {which}")
        scaled = d.derive(
            "so between the scaled ends",
            eq((line.hi - slope) * (slope - line.lo), factor_i**2 * (high - p[j]) * (p[j] - low)),
            form,
        )
        square = d.smt("times a square", ge(factor_i**2 * (high - p[j]) * (p[j] - low), 0), within)
        inside = d.smt("that is", ge((line.hi - slope) * (slope - line.lo), 0), scaled, square)

        def curved(at: Line, least: Fact, most: Fact) -> Fact:
            return curvature(d, at, t, inside, least, most)

        return line, *row_remainder(d, line, which, t, 1 / tau, curved, factor)

    def sharp_rows(shown: Sharp, which: str, base: Any, slope: Any, factor_i: Any, form: Fact) -> Any:
        hi, lo = (sp.IndexedBase(f"{end}_{which}", real=True) for end in ("hi", "lo"))
        ends = factor_i * low, factor_i * high
        upper = d.define("the upper end", hi[i], sp.Max(*ends))
        lower = d.define("the lower end", lo[i], sp.Min(*ends))
        line = Line(base, slope, lo[i], hi[i], name=f" of {which}")
        most = d.smt("below it", le(slope, hi[i]), upper, form, above, below)
        least = d.smt("above it", ge(slope, lo[i]), lower, form, above, below)

        def curved(at: Line, down: Fact, up: Fact) -> Fact:
            return sharp_curvature(d, shown, at, t, most, least, down, up)

        a, meaning, bound = row_remainder(d, line, which, t, 1 / tau, curved, factor)
        width = eq((hi[i] - lo[i]) ** 2, (factor_i * high - factor_i * low) ** 2)
        width = d.derive("their distance", width, upper, lower, by="cases")
        rhs = factor * (factor_i * high - factor_i * low) ** 2 / tau**2
        return line, a, meaning, d.smt("so", le(bound.relation.lhs, rhs), bound, width)

    drafted = total(q[i] * sp.exp(omega[i, j] / tau) / total(sp.exp(omega[i, j] / tau), j), i)

    # the affine form: every row about the uniform law
    line, a, meaning, bound = rows("a", sp.S.Zero, omega[i, j], c[i], form)
    affine = (1 + s / tau * (p[j] * V - 1) / V) / V
    wrong = d.define("the affine form is off by", off[j], affine - drafted)
    term = d.summed("what a row contributes", eq(q[i] * a[i, j], q[i] * meaning.relation.rhs), meaning, over=i)
    columns = d.sum("over the columns", linear, j)
    same = d.derive(
        "the form is the rows to first order",
        eq(off[j], -total(q[i] * a[i, j], i)),
        *(wrong, term, linear, columns, mass, mass_p),
    )
    first = mixed(d, q, a, bound, off[j], same, sign)
    squares, spread = total(q[i] * c[i] ** 2, i), (high - low) ** 2
    first = d.smt("the affine form", le(total(sp.Abs(off[j]), j), factor * spread * squares / tau**2), first)

    # the normalised form: that, and what normalising moves
    theta = s / tau
    wrong_n = d.define("the normalised form is off by", off_n[j], (1 + theta * p[j]) / (V + theta) - drafted, tilt)
    dev = sp.IndexedBase("deviation", real=True)
    apart = d.define("p against the uniform law", dev[j], p[j] - 1 / V)
    share, most = theta**2 / (V * (V + theta)), theta**2 / V**2
    moved = d.derive(
        "against the affine form", eq(off_n[j], off[j] - share * dev[j]), wrong_n, wrong, apart, by="algebra"
    )
    names = {"X_0": off_n[j], "Y_0": off[j], "Z_0": dev[j], "r_0": share, "R_0": most}
    moved = d.instantiate(
        "triangle inequality", triangle(d), {sp.Symbol(n, real=True): e for n, e in names.items()}, moved, tilt
    )
    moved = d.sum("over the tokens", moved, j)
    second = d.smt(
        "the normalised form",
        le(moved.relation.lhs, (factor * spread * squares + s**2 * total(sp.Abs(dev[j]), j) / V**2) / tau**2),
        *(moved, first),
    )

    # the exponential form: every row about the mean factor
    base, rest = s * p[j] / tau, sp.IndexedBase("rest", real=True)
    beside = d.define("what the mean factor leaves", rest[i, j], omega[i, j] - s * p[j])
    form_e = d.derive("again of rank one", eq(rest[i, j], (c[i] - s) * p[j]), beside, form)
    line, e, meaning, bound = rows("e", base, rest[i, j], c[i] - s, form_e)
    law = sp.exp(base) / total(sp.exp(base), j)
    wrong_e = d.define("the exponential form is off by", off_e[j], law - drafted)
    whole = d.derive("the logits at τ", eq(line.weight(1 / tau), sp.exp(omega[i, j] / tau)), beside)
    sums = d.sum("over the row", whole, j)
    row = sp.exp(omega[i, j] / tau) / total(sp.exp(omega[i, j] / tau), j)
    row = d.summed("so the row is M's", eq(q[i] * line.law(1 / tau), q[i] * row), sums, whole, over=i)
    term = d.summed("what a row contributes", eq(q[i] * e[i, j], q[i] * meaning.relation.rhs), meaning, over=i)
    none = d.summed("a row, weighted", eq(q[i] * rest[i, j], q[i] * omega[i, j] - s * q[i] * p[j]), beside, over=i)
    none = d.derive("nothing is left on average", eq(total(q[i] * rest[i, j], i), 0), none, linear, mass)
    columns = d.summed("times a weight", eq(sp.exp(base) * none.relation.lhs, 0), none, over=j)
    same = d.derive(
        "the form is the rows to first order",
        eq(off_e[j], -total(q[i] * e[i, j], i)),
        *(wrong_e, term, row, columns, none, mass),
    )
    third = mixed(d, q, e, bound, off_e[j], same, sign)
    third = d.smt(
        "the exponential form",
        le(total(sp.Abs(off_e[j]), j), factor * spread * (squares - s**2) / tau**2),
        *(third, mean, mass),
    )
    d.qed(first, second, third)


def values(p: Any, q: Any, c: Any, omega: Any, tau: Any) -> dict[str, Any]:
    return {
        "Omega": omega,
        "p": p,
        "q": q,
        "c": c,
        "tau": tau,
        "t": 1 / tau,
        "V": len(q),
        "high": max(p),
        "low": min(p),
    }


def prove_sharp(d: Derivation, sign: int = 1, factor: Any = FACTOR, share: Any = SHARE) -> None:
    """Every vocabulary size, laws, factors and temperature. That no smaller factor serves any of the three forms is in
    the last steps: g ≥ √3/18 − 3(p − p̂)² − t/24 for every share p = m/V and t > 0, and fractions p come as near to p̂
    = (1 − 1/√3)/2, and t to 0, as one likes.

    √3/18 is the least factor for each form: a target uniform on a share of the tokens that tends to (1 − 1/√3)/2, and a
    draft of two tokens with c = 1 and −1, as τ → ∞; for the affine form with one token, too.
    """
    prove(d, sign, factor, sharp=True)
    two_levels(d, factor, share)


PROOFS = (
    Proof(TAYLOR_ORDER, prove, drop=RANK_ONE, change={"factor": sp.Rational(1, 5)}, bind=values),
    Proof(
        TAYLOR_ORDER_SHARP, prove_sharp, drop=RANK_ONE, change={"factor": sp.Rational(96, 1000)}, bind=values, deep=True
    ),
)
