"""`folk.residual-zero` in two readings, with a correction: TorchCode #16."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, exact, procedure
from simspec.claims.folk.parts import pair

__all__ = ["float32_row"]


def float32_row(weights: list[int]) -> Array:
    """Weights over 2²⁴, divided by their sum in float32, as the fractions that these floats are.

    >>> sum(float32_row([2**24] * 3)) - 1
    Fraction(1, 33554432)
    """
    w = np.array(weights, dtype=np.float32) / np.float32(2**24)
    total = np.float32(0)
    for x in w:
        total = np.float32(total + x)
    return exact([F(float(x)) for x in (w / total).astype(np.float32)])


def _rows(draw: Draw) -> Instance:
    vocab = draw.integer(2, 4)
    p, q = ([2**24 - draw.integer(0, 3) for _ in range(vocab)] for _ in range(2))
    return {"p": float32_row(p), "q": float32_row(q)}


def _rejected(p: Array, q: Array) -> Array:
    """Mass drafted and not kept."""
    return np.maximum(q - p, 0).sum(axis=-1)


def _left(p: Array, q: Array) -> Array:
    return np.maximum(p - q, 0).sum(axis=-1)


REAL = procedure(
    name="folk.residual-zero.real",
    statement=r"After a rejection $\sum_x (p - q)_+ = 0$ cannot happen, in real arithmetic: it is the probability of a rejection",
    reference="TorchCode #16",
    instances=pair,
    lhs=_left,
    rhs=_rejected,
    note="Both are 1 − α.",
)

FLOAT32 = procedure(
    name="folk.residual-zero.float32",
    statement=r"After a rejection $\sum_x (p - q)_+ = 0$ cannot happen with softmax rows in float32: wherever a draft can be "
    r"rejected, it is positive",
    reference="TorchCode #16",
    instances=_rows,
    lhs=lambda p, q: int(_left(p, q) > 0),
    rhs=lambda p, q: int(_rejected(p, q) > 0),
    relation=at_least,
    sources=("exact",),
    corrected_by=("folk.residual-zero.float32-corrected",),
    note="Rows in float32 do not sum to one. Where p is nowhere above q and somewhere below, a draft can be rejected and "
    "nothing is left to draw from: 0/0.",
)

FLOAT32_CORRECTED = procedure(
    name="folk.residual-zero.float32-corrected",
    statement=r"$\sum_x (p - q)_+ = \sum_x (q - p)_+ + \sum p - \sum q$ for any rows",
    reference="correction of TorchCode #16",
    instances=_rows,
    lhs=_left,
    rhs=lambda p, q: _rejected(p, q) + p.sum() - q.sum(),
    sources=("exact",),
    note="After a rejection the first sum on the right is above zero: the residual can be zero only if p sums to less than q.",
)
