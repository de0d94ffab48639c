"""numerics.temperature-zero-limit: the others together have from one to V − 1 times the second's share of the first."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Derivation, Proof, V, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import hot
from simspec.claims.numerics.tokens import ZERO_LIMIT
from simspec.laws import Array

RATIOS = "u is the share of the first token's weight: 1 at a, R at b, and no more at others"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary of two tokens or more, all logits, every temperature.

    Both are attained by two tokens.
    """
    u, a, b = (d.weights(name) for name in ("u", "a", "b"))
    R = d.number("R", 0)
    bit, bit_b, apart, mass_a, mass_b, first, second, others = d.domain(
        RATIOS,
        *(eq(a[x] * (1 - a[x]), 0), eq(b[x] * (1 - b[x]), 0), eq(a[x] * b[x], 0), eq(total(a[x], x), 1)),
        *(
            eq(total(b[x], x), 1),
            eq(a[x] * u[x], a[x]),
            eq(b[x] * u[x], b[x] * R),
            le((1 - a[x]) * u[x], (1 - a[x]) * R),
        ),
    )
    low = d.derive("shares are not negative", ge(u[x], 0))
    sum_at_most = d.sum("over the vocabulary", d.smt("at most", le(u[x], a[x] + (1 - a[x]) * R), first, others, bit), x)
    marks = [apart, bit, bit_b]
    sum_at_least = d.smt("at least", ge(u[x], a[x] + b[x] * R), first, second, *marks, low)
    sum_at_least = d.sum("over the vocabulary", sum_at_least, x)
    size = d.smt("positive", gt(total(u[x], x), 0), sum_at_least, mass_a, mass_b)
    above = d.smt("no more than all", le(total(u[x], x), 1 + (V - 1) * R), sum_at_most, mass_a)
    lower = d.smt("so no less", ge(1 / total(u[x], x), constant / (1 + (V - 1) * R)), above, size)
    below = d.smt("no fewer than two", ge(total(u[x], x), 1 + sign * R), sum_at_least, mass_a, mass_b)
    d.qed(lower, d.smt("so no more", ge(-1 / total(u[x], x), -1 / (1 + sign * R)), below, size))


def _values(w: Array, n: int) -> dict[str, Any]:
    powers = (w / w.max()) ** n
    first, second = sorted(range(len(w)), key=lambda y: (-w[y], y))[:2]
    return {"u": powers, "a": hot(len(w), first), "b": hot(len(w), second), "R": powers[second], "V": len(w)}


PROOF = Proof(ZERO_LIMIT, prove, drop=RATIOS, bind=_values)
