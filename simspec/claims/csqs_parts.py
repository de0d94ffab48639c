"""What the C-SQS claims share: instances, and the threshold run along them in both readings of an empty set."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Instance
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.laws import Array, exact, is_exact, tv
from simspec.methods.csqs import Drafting, draft_thresholds
from simspec.methods.sqs import sparsify

__all__ = [
    "HALVES",
    "ONE",
    "READINGS",
    "averages",
    "both",
    "distances",
    "number",
    "part",
    "positive",
    "rates",
    "run",
    "sequence",
    "steps",
]

READINGS = (False, True)
"""What a threshold above every probability keeps: nothing, as Eq. 6 says (literal), or the most likely token (keep-top)."""

ONE = np.stack([law(1)])
"""A text of one token, over a vocabulary of one."""
HALVES = np.stack([law("1/2", "1/2")])
"""A text of one token, over two equally likely ones."""


def number(draw: Draw, low: Any, high: Any) -> Any:
    """A number in [low, high] in the arithmetic of the draw."""
    return draw.number(F(low), F(high)) if draw.exact else draw.number(float(F(low)), float(F(high)))


def sequence(draw: Draw, longest: int = 4) -> Array:
    """Draft laws (T, V) of the tokens of a text; in floating point on the few hundred most likely tokens."""
    n = draw.vocab(matrix=True)
    if not draw.exact:
        return draw.law(n)
    return np.stack([draw.law(n) for _ in range(draw.integer(1, longest))])


def rates(draw: Draw) -> dict[str, Any]:
    """A step size, up to 20, and a target between 1/8 and 7/8."""
    step = draw.integer(1, 20) * number(draw, "1/4", 1)
    return {"step_size": step, "dropped_target": number(draw, "1/8", "7/8")}


def steps(draw: Draw) -> Instance:
    """A text, a start from -2 to 2, a step size and a target."""
    return {"q": sequence(draw), "start": number(draw, 0, 2) - draw.integer(0, 2), **rates(draw)}


def run(q: Array, start: Any, step_size: Any, dropped_target: Any, keep_top: bool) -> Drafting:
    """Thresholds, dropped masses and kept tokens along a text."""
    return draft_thresholds(q, start, step_size, dropped_target, keep_top)


def both(value: Callable[[bool], Any]) -> Array:
    """A value in the literal and in the keep-top reading, stacked."""
    return np.stack([np.asarray(value(reading)) for reading in READINGS])


def distances(q: Array, out: Drafting) -> Array:
    """TV(q̃, q) at each token, 1 where nothing is kept."""
    found = [tv(row, sparsify(row, mask)) if mask.any() else row.sum() for row, mask in zip(q, out.masks, strict=True)]
    return np.array(found, dtype=object if is_exact(q) else np.float64)


def averages(dropped: Array) -> Array:
    """Average of the first token, the first two, and so on."""
    count = np.arange(1, len(dropped) + 1)
    return dropped.cumsum() / (count if dropped.dtype.kind == "f" else exact(count))


def positive(x: Any) -> Any:
    """The positive part.

    >>> positive(-1), positive(F(1, 2))
    (0, Fraction(1, 2))
    """
    return max(x, 0)


def part(q: Array) -> Any:
    """1/V in the arithmetic of the laws."""
    return F(1, q.shape[-1]) if is_exact(q) else 1 / q.shape[-1]
