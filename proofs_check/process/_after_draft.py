"""One draft, and then a token of a law that is another one than it should be after an accepted draft."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, eq, total, x, y
from proofs_check.process._step import NORMED, emitted, residual
from simspec.claims.folk.parts import rest_of_p
from simspec.laws import Array

__all__ = ["NORMED", "prove", "values"]


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws at both tokens, whatever is used after an accepted draft in place of the right law.

    Zero exactly where the two laws agree after every token that can be accepted.
    """
    step = emitted(d, sign=sign, constant=constant)
    used = d.weights("used", x, y)
    right = d.weights("right", x, y)
    accepted = step.accepted
    redrawn = (1 - total(accepted, x)) * step.r[x]
    emitted_mass = accepted * used[x, y] + redrawn * right[x, y]
    target_mass = step.p[x] * right[x, y]
    difference = d.derive(
        "after a rejection the law is right",
        eq(emitted_mass - target_mass, accepted * (used[x, y] - right[x, y])),
        step.lossless,
    )
    distance = d.derive(
        "of the two tokens",
        eq(sp.Abs(emitted_mass - target_mass), accepted * sp.Abs(used[x, y] - right[x, y])),
        difference,
    )
    rows = d.sum("over the second token", distance, y)
    texts = d.sum("over the first token", rows, x)
    left = total(total(sp.Abs(emitted_mass - target_mass), y), x) / 2
    d.qed(d.derive("half of it", eq(left, total(accepted * total(sp.Abs(used[x, y] - right[x, y]), y), x) / 2), texts))


def values(first: Array, q: Array, used: Array, right: Array) -> dict[str, Any]:
    """What the symbols stand for: laws at the first token, and the rows after it."""
    return {**residual(first, q), "r": rest_of_p(first, q), "used": used, "right": right}
