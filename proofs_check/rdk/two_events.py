"""rdk.two-events: the union bound; for jointly Gaussian logits correlation helps, since P(|Y| ≤ 3 | X = x) falls with |x|."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le
from simspec.claims.balls import ball
from simspec.claims.rdk.two_events import JOINT, TWO_EVENTS, TWO_EVENTS_ATTAINED, TWO_EVENTS_SHARP, both_within

WITHIN = sp.erf(3 / sp.sqrt(2))
"""P(|X| ≤ 3) of a standard normal X."""
PRINTED = sp.Rational(9946, 10_000)
INDEPENDENT = "r, the size of ρ, is 0, and s = √(1 − ρ²) is 1"
MARGINS = "each logit alone is Gaussian"


def prove(d: Derivation, sign: int = 1, printed: sp.Expr = PRINTED) -> None:
    """Every coupling of two Gaussian logits, jointly Gaussian or not.

    2 erf(3/√2) − 1 = 0.9946004…, attained by failures that never meet; the printed figure is it, rounded down.
    """
    joint_probability, first, second, neither = (
        sp.Symbol(n, real=True) for n in ("both", "first_only", "second_only", "neither")
    )
    d.domain("probabilities are not negative", ge(joint_probability, 0), ge(first, 0), ge(second, 0))
    left_over = d.domain("nor that of neither", ge(neither, 0))
    total_is_one = d.domain("they add up to one", eq(joint_probability + first + second + neither, 1))
    first_margin, second_margin = d.domain(
        MARGINS, eq(joint_probability + first, WITHIN), eq(joint_probability + second, WITHIN)
    )
    union = d.smt(
        "union bound",
        ge(joint_probability, 1 - 2 * sign * (1 - WITHIN)),
        *(first_margin, second_margin, total_is_one, left_over),
    )
    value = d.numeric("its value", ge(1 - 2 * (1 - WITHIN), printed))
    d.qed(d.smt("together", ge(joint_probability, printed), union, value))


def _cells(rho: Fraction | None) -> dict[str, Any]:
    joint_probability = both_within(rho)
    within = (ball(3) / ball(2).sqrt()).erf()
    return {
        "both": joint_probability,
        "first_only": within - joint_probability,
        "second_only": within - joint_probability,
        "neither": 1 - 2 * within + joint_probability,
    }


def prove_sharp(d: Derivation, sign: int = 1, power: int = 2) -> None:
    """Every correlation; Šidák's inequality for two variables is proved, but for the monotonicity of the integral and the
    integrals that P is made of, which are given: a proof in part. A negative correlation by the sign of one logit, ρ = ±1
    with h = 1 on |x| ≤ 3 and 0 beyond.

    erf(3/√2)² = 0.994608, attained at ρ = 0: rdk.two-events-sharp.attained.
    """
    u, v = sp.symbols("u v", nonnegative=True)
    # |ρ|, and √(1 − ρ²)
    r = sp.Symbol("r", nonnegative=True)
    s = sp.Symbol("s", positive=True)
    a, b = sp.symbols("a_0 b_0", real=True)
    right = d.suppose("b ≥ a", ge(b - a, 0))
    falls = d.derive("its slope", ge(sp.exp(-b), 0))
    falls = d.increasing("exp(−b) falls", -sp.exp(-b), b, a, falls, right)

    # h(x) = P(|Y| ≤ 3 | X = x) falls as x ≥ 0 rises: its derivative is a difference of densities at 3 + r x and 3 − r x
    def h(x: sp.Expr) -> Any:
        near = (3 - r * x) / (sp.sqrt(2) * s)
        far = (3 + r * x) / (sp.sqrt(2) * s)
        return (sp.erf(near) + sp.erf(far)) / 2

    near = (3 - sign * r * v) ** 2 / (2 * s**2)
    far = (3 + sign * r * v) ** 2 / (2 * s**2)
    square = d.derive("3 + r x is farther from 0 than 3 − r x", ge(far - near, 0))
    density = d.instantiate("so the density is smaller there", falls, {a: near, b: far}, square)
    density = d.derive("times a factor", ge(density.relation.difference * r / (s * sp.sqrt(2 * sp.pi)), 0), density)
    slope = d.smt("h falls", ge(sp.diff(-h(v), v), 0), density)
    beyond = d.suppose("v ≥ u", ge(v - u, 0))
    fall = d.increasing("h(v) ≤ h(u) for v ≥ u ≥ 0", -h(v), v, u, slope, beyond)
    x = sp.Symbol("x_0", nonnegative=True)
    three = sp.Integer(3)
    inner = d.instantiate("at |x| ≤ 3", fall, {v: three, u: sp.Min(x, 3)})
    outer = d.instantiate("at |x| ≥ 3", fall, {u: three, v: sp.Max(x, 3)})
    within = d.smt("inside h is at least h(3)", ge(h(sp.Min(x, 3)) - h(three), 0), inner)
    beside = d.smt("outside it is at most h(3)", ge(h(three) - h(sp.Max(x, 3)), 0), outer)

    # I = ∫ over |x| ≤ 3 of φ (h − h(3)), O = ∫ over the rest of φ (h(3) − h)
    I, O, level, joint_probability = sp.symbols("I O h_3 both", real=True)  # noqa: E741
    source = "the integral of a function that is not negative is not negative"
    inside = d.cite("I, from the first", ge(I, 0), source, within)
    outside = d.cite("O, from the second", ge(O, 0), source, beside)
    joint, marginal = d.assume(JOINT, eq(joint_probability, I + level * WITHIN), eq(WITHIN, level + I - O))
    within_at_most_one = d.numeric("a probability", le(WITHIN, 1))
    some = d.numeric("which is positive", ge(WITHIN, 0))
    d.qed(
        d.smt(
            "both hold at least as often as if independent",
            ge(joint_probability, WITHIN**power),
            *(inside, outside, joint, marginal, within_at_most_one, some),
        )
    )


def _parts(rho: Fraction) -> dict[str, Any]:
    joint_probability = both_within(rho)
    within = (ball(3) / ball(2).sqrt()).erf()
    r = abs(rho)
    width = ball(2 * (1 - r * r)).sqrt()
    level = ball(1) if r == 1 else ((ball(3 - 3 * r) / width).erf() + (ball(3 + 3 * r) / width).erf()) / 2
    inside = joint_probability - level * within
    return {"both": joint_probability, "h_3": level, "I": inside, "O": level + inside - within}


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every size t of the two boxes: without correlation h(x) = P(|Y| ≤ t | X = x) is the same for every x."""
    size = d.number("size", 0)
    x = sp.Symbol("x_0", real=True)
    # |ρ|, and √(1 − ρ²)
    r = sp.Symbol("r", nonnegative=True)
    s = sp.Symbol("s", positive=True)
    none, unit = d.domain(INDEPENDENT, eq(r, 0), eq(s, 1))
    within = sp.erf(size / sp.sqrt(2))
    near = (size - r * x) / (sp.sqrt(2) * s)
    far = (size + sign * r * x) / (sp.sqrt(2) * s)
    same = eq((sp.erf(near) + sign * sp.erf(far)) / 2, within)
    same = d.derive("whatever the one logit is, the other is within", same, none, unit)
    I, joint_probability = sp.symbols("I both", real=True)  # noqa: E741
    joint = d.domain("I is the integral of φ (h − erf(t/√2)) over |x| ≤ t", eq(joint_probability, I + within**2))
    inside = d.cite("I, from that", eq(I, 0), "the integral of zero is zero", same)
    d.qed(d.derive("the product of both", eq(joint_probability, constant * within**2), joint, inside))


def _apart(size: Fraction | int) -> dict[str, Any]:
    joint_probability = both_within(F(0), size)
    within = (ball(size) / ball(2).sqrt()).erf()
    return {"size": size, "r": 0, "s": 1, "x_0": 0, "both": joint_probability, "I": joint_probability - within**2}


PROOFS = (
    Proof(TWO_EVENTS, prove, drop=MARGINS, change={"printed": sp.Rational(9947, 10_000)}, bind=_cells),
    Proof(TWO_EVENTS_SHARP, prove_sharp, drop=JOINT, change={"power": 1}, bind=_parts, whole=False),
    Proof(TWO_EVENTS_ATTAINED, prove_attained, drop=INDEPENDENT, bind=_apart),
)
