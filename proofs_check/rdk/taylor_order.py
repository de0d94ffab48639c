"""rdk.taylor-order: with Ω_ij = c_i p_j the rows lie on one softmax curve, at the points c_i, and each form is a tangent."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, V, eq, ge, i, j, le, total
from proofs_check.rdk._taylor_remainder import Line, curvature, mixed, row_remainder, triangle
from proofs_check.rdk._two_levels import LEVELS, level_values, two_levels
from proofs_check.rdk._variance_range import FACTOR, Sharp, of_numbers, sharp_curvature
from simspec.claims.rdk.first_order import TILT
from simspec.claims.rdk.taylor_order import RANK_ONE, TAYLOR_ORDER, TAYLOR_ORDER_APPROACHED, TAYLOR_ORDER_SHARP
from simspec.laws import Array

QUARTER = sp.Rational(1, 4)
SHARE = (1 - 1 / sp.sqrt(3)) / 2


class Setting(NamedTuple):
    """Laws q and p, Ω = c pᵀ, the mean factor s = Σ q c ≥ 0, and max p and min p (high, low)."""

    q: Any
    p: Any
    mass: Fact
    mass_p: Fact
    omega: Any
    c: Any
    high: Any
    low: Any
    s: Any
    t: Any
    tau: Any
    above: Fact
    below: Fact
    """p is between its ends."""
    form: Fact
    """Ω = c pᵀ."""
    tilt: Fact
    mean: Fact
    linear: Fact
    """Σ_i q_i Ω_ij = s p_j."""
    within: Fact
    """(high − p)(p − low) ≥ 0."""
    shown: Sharp | None
    """What the sharp factor needs; None for ¼."""
    factor: Any

    @property
    def spread(self) -> Any:
        """(max p − min p)²."""
        return (self.high - self.low) ** 2

    @property
    def squares(self) -> Any:
        """Σ q c²."""
        return total(self.q[i] * self.c[i] ** 2, i)

    @property
    def drafted(self) -> Any:
        """Σ_i q_i M_ij, with M the rows of softmax(Ω/τ)."""
        rows = sp.exp(self.omega[i, j] / self.tau)
        return total(self.q[i] * rows / total(rows, j), i)


class Row(NamedTuple):
    """Logits of a row, its remainder to first order, what that means, and its bound."""

    line: Line
    a: Any
    meaning: Fact
    bound: Fact


def setting(d: Derivation, factor: sp.Expr, sharp: bool) -> Setting:
    """What the three forms share."""
    q, mass = d.law("q")
    p, mass_p = d.law("p")
    omega, c = (sp.IndexedBase(name, real=True) for name in ("Omega", "c"))
    high, low, s = sp.symbols("high low cbar", real=True)
    t = d.number("t", low=0)
    tau = d.number("tau", positive=True)
    above = d.domain("no p_j is above max p", le(p[j], high))
    below = d.domain("no p_j is below min p", ge(p[j], low))
    form = d.assume(RANK_ONE, eq(omega[i, j], c[i] * p[j]))
    tilt = d.assume(TILT, ge(total(q[i] * c[i], i), 0))
    mean = d.define("the mean factor", s, total(q[i] * c[i], i))
    tilt = d.smt("the mean factor is not negative", ge(s, 0), tilt, mean)
    weighted = d.summed("a row, weighted", eq(q[i] * omega[i, j], q[i] * c[i] * p[j]), form, over=i)
    linear = d.smt("Σ_i q_i Ω_ij", eq(total(q[i] * omega[i, j], i), s * p[j]), weighted, mean)
    within = d.derive("p lies between its ends", ge((high - p[j]) * (p[j] - low), 0), above, below)
    sharp_facts = of_numbers(d) if sharp else None
    return Setting(
        q=q,
        p=p,
        mass=mass,
        mass_p=mass_p,
        omega=omega,
        c=c,
        high=high,
        low=low,
        s=s,
        t=t,
        tau=tau,
        above=above,
        below=below,
        form=form,
        tilt=tilt,
        mean=mean,
        linear=linear,
        within=within,
        shown=sharp_facts,
        factor=factor,
    )


def row(d: Derivation, at: Setting, row_name: str, base: sp.Expr, slope: sp.Expr, factor: sp.Expr, form: Fact) -> Row:
    """A row of logits base + slope/τ, where slope = factor p (`form`)."""
    if at.shown is not None:
        return sharp_row(
            d, at=at, sharp_facts=at.shown, row_name=row_name, base=base, slope=slope, factor=factor, form=form
        )
    line = Line(base, slope, factor * at.low, factor * at.high, name=f" of {row_name}")
    square = factor**2 * (at.high - at.p[j]) * (at.p[j] - at.low)
    scaled = d.derive("so between the scaled ends", eq((line.hi - slope) * (slope - line.lo), square), form)
    positive = d.smt("times a square", ge(square, 0), at.within)
    inside = d.smt("that is", ge((line.hi - slope) * (slope - line.lo), 0), scaled, positive)

    def curved(line: Line, sign_low: Fact, sign_high: Fact) -> Fact:
        return curvature(d, line, at.t, inside, sign_low, sign_high)

    return Row(line, *row_remainder(d, line, row_name, at.t, 1 / at.tau, curved, at.factor))


def sharp_row(
    d: Derivation, at: Setting, sharp_facts: Sharp, row_name: str, base: Any, slope: Any, factor: Any, form: Fact
) -> Row:
    """The same with the sharp factor: the ends of the row are in order."""
    hi, lo = (sp.IndexedBase(f"{end}_{row_name}", real=True) for end in ("hi", "lo"))
    ends = factor * at.low, factor * at.high
    upper = d.define("the upper end", hi[i], sp.Max(*ends))
    lower = d.define("the lower end", lo[i], sp.Min(*ends))
    line = Line(base, slope, lo[i], hi[i], name=f" of {row_name}")
    below_high = d.smt("below it", le(slope, hi[i]), upper, form, at.above, at.below)
    above_low = d.smt("above it", ge(slope, lo[i]), lower, form, at.above, at.below)

    def curved(line: Line, down: Fact, up: Fact) -> Fact:
        return sharp_curvature(
            d, sharp_facts=sharp_facts, line=line, t=at.t, above=below_high, below=above_low, low=down, high=up
        )

    a, meaning, bound = row_remainder(d, line, row_name, at.t, 1 / at.tau, curved, at.factor)
    width = eq((hi[i] - lo[i]) ** 2, (factor * at.high - factor * at.low) ** 2)
    width = d.derive("their distance", width, upper, lower, by="cases")
    rhs = at.factor * (factor * at.high - factor * at.low) ** 2 / at.tau**2
    return Row(line, a, meaning, d.smt("so", le(bound.relation.lhs, rhs), bound, width))


def affine(d: Derivation, at: Setting, sign: int) -> tuple[Fact, Fact]:
    """What the affine form is off by, and its bound: every row about the uniform law."""
    q = at.q
    p = at.p
    off = sp.IndexedBase("error_affine", real=True)
    _, a, meaning, bound = row(d, at, "a", sp.S.Zero, at.omega[i, j], at.c[i], at.form)
    form = (1 + at.s / at.tau * (p[j] * V - 1) / V) / V
    wrong = d.define("the affine form is off by", off[j], form - at.drafted)
    term = d.summed("what a row contributes", eq(q[i] * a[i, j], q[i] * meaning.relation.rhs), meaning, over=i)
    columns = d.sum("over the columns", at.linear, j)
    same = d.derive(
        "the form is the rows to first order",
        eq(off[j], -total(q[i] * a[i, j], i)),
        *(wrong, term, at.linear, columns, at.mass, at.mass_p),
    )
    first = mixed(d, q, a, bound, off[j], same, sign)
    error_bound = at.factor * at.spread * at.squares / at.tau**2
    return wrong, d.smt("the affine form", le(total(sp.Abs(off[j]), j), error_bound), first)


def normalised(d: Derivation, at: Setting, wrong: Fact, first: Fact) -> Fact:
    """The bound of the normalised form: that of the affine one (`wrong`, `first`), and what normalising moves."""
    off, off_n, dev = (sp.IndexedBase(name, real=True) for name in ("error_affine", "error_normalised", "deviation"))
    theta = at.s / at.tau
    form = (1 + theta * at.p[j]) / (V + theta)
    wrong_n = d.define("the normalised form is off by", off_n[j], form - at.drafted, at.tilt)
    apart = d.define("p against the uniform law", dev[j], at.p[j] - 1 / V)
    share = theta**2 / (V * (V + theta))
    share_bound = theta**2 / V**2
    normalising_shift = d.derive(
        "against the affine form", eq(off_n[j], off[j] - share * dev[j]), wrong_n, wrong, apart, at.tilt, by="algebra"
    )
    larger = d.smt("a larger denominator", le(share, share_bound), at.tilt)
    not_negative = d.smt("and not negative", ge(share, 0), at.tilt)
    names = {"X_0": off_n[j], "Y_0": off[j], "Z_0": dev[j], "r_0": share, "R_0": share_bound}
    values = {sp.Symbol(name, real=True): e for name, e in names.items()}
    normalising_shift = d.instantiate(
        "triangle inequality", triangle(d), values, *(normalising_shift, larger, not_negative, at.tilt)
    )
    normalising_shift = d.sum("over the tokens", normalising_shift, j)
    rhs = (at.factor * at.spread * at.squares + at.s**2 * total(sp.Abs(dev[j]), j) / V**2) / at.tau**2
    return d.smt("the normalised form", le(normalising_shift.relation.lhs, rhs), *(normalising_shift, first))


def exponential(d: Derivation, at: Setting, sign: int) -> Fact:
    """The bound of the exponential form: every row about the mean factor."""
    q = at.q
    p = at.p
    s = at.s
    omega = at.omega
    tau = at.tau
    off = sp.IndexedBase("error_exponential", real=True)
    rest = sp.IndexedBase("rest", real=True)
    base = s * p[j] / tau
    beside = d.define("what the mean factor leaves", rest[i, j], omega[i, j] - s * p[j])
    form = d.derive("again of rank one", eq(rest[i, j], (at.c[i] - s) * p[j]), beside, at.form)
    line, e, meaning, bound = row(d, at, "e", base, rest[i, j], at.c[i] - s, form)
    law = sp.exp(base) / total(sp.exp(base), j)
    wrong = d.define("the exponential form is off by", off[j], law - at.drafted)
    row_logits = d.derive("the logits at τ", eq(line.weight(1 / tau), sp.exp(omega[i, j] / tau)), beside)
    sums = d.sum("over the row", row_logits, j)
    row_law = sp.exp(omega[i, j] / tau) / total(sp.exp(omega[i, j] / tau), j)
    row_law = d.summed("so the row is M's", eq(q[i] * line.law(1 / tau), q[i] * row_law), sums, row_logits, over=i)
    term = d.summed("what a row contributes", eq(q[i] * e[i, j], q[i] * meaning.relation.rhs), meaning, over=i)
    none = d.summed("a row, weighted", eq(q[i] * rest[i, j], q[i] * omega[i, j] - s * q[i] * p[j]), beside, over=i)
    none = d.derive("nothing is left on average", eq(total(q[i] * rest[i, j], i), 0), none, at.linear, at.mass)
    columns = d.summed("times a weight", eq(sp.exp(base) * none.relation.lhs, 0), none, over=j)
    same = d.derive(
        "the form is the rows to first order",
        eq(off[j], -total(q[i] * e[i, j], i)),
        *(wrong, term, row_law, columns, none, at.mass),
    )
    third = mixed(d, q, e, bound, off[j], same, sign)
    error_bound = at.factor * at.spread * (at.squares - s**2) / tau**2
    return d.smt("the exponential form", le(total(sp.Abs(off[j]), j), error_bound), *(third, at.mean, at.mass))


def prove(d: Derivation, sign: int = 1, factor: sp.Expr = QUARTER, sharp: bool = False) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    √3/18 may stand in place of ¼ and is the least factor: rdk.taylor-order-sharp.
    """
    at = setting(d, factor, sharp)
    wrong, first = affine(d, at, sign)
    second = normalised(d, at, wrong, first)
    d.qed(first, second, exponential(d, at, sign))


def values(p: Array, q: Array, c: Array, omega: Array, tau: Fraction) -> dict[str, Any]:
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


def prove_sharp(d: Derivation, sign: int = 1, factor: sp.Expr = FACTOR) -> None:
    """Every vocabulary size, laws, factors and temperature.

    √3/18 is the least factor for each form: rdk.taylor-order-sharp.approached.
    """
    prove(d, sign, factor, sharp=True)


def prove_approached(d: Derivation, sign: int = 1, share: sp.Expr = SHARE) -> None:
    """Every number of tokens of each kind and every temperature, each of the three forms: all are the uniform law.

    As p comes near to p̂, and t to 0, no factor below √3/18 is left that serves every V.
    """
    bound = two_levels(d, FACTOR, share, sign)
    d.qed(bound, bound, bound)


PROOFS = (
    Proof(TAYLOR_ORDER, prove, drop=RANK_ONE, change={"factor": sp.Rational(1, 5)}, bind=values),
    Proof(
        TAYLOR_ORDER_SHARP, prove_sharp, drop=RANK_ONE, change={"factor": sp.Rational(96, 1000)}, bind=values, deep=True
    ),
    Proof(
        TAYLOR_ORDER_APPROACHED,
        prove_approached,
        drop=LEVELS,
        change={"share": sp.Rational(1, 5)},
        bind=lambda upper, lower, tau: level_values(upper, lower, 1 / tau),
    ),
)
