"""What claims about the threshold of C-SQS share: instances, and the threshold run along them.

Where the readings of an empty set are not separate claims, both are tried in every instance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact, is_exact, law
from simspec.claims.claim import call
from simspec.laws import Scalar, tv
from simspec.methods.csqs.conformal import Drafting, draft_thresholds
from simspec.methods.csqs.threshold_rules import budget_path
from simspec.methods.csqs.thresholds import ranked
from simspec.methods.sqs.quantised import dropped_mass, sparsify

__all__ = [
    "CERTAIN",
    "HALVES",
    "INSIDE",
    "KEEPS",
    "ONE",
    "OWN",
    "READINGS",
    "STEP",
    "TARGET",
    "TIMES",
    "along",
    "any_sets",
    "averages",
    "both",
    "distances",
    "exact_token_counts",
    "floors",
    "keeps_a_token",
    "lost_mass",
    "misses",
    "number",
    "off_budget",
    "part",
    "positive",
    "rates",
    "rounding_factor",
    "scaled",
    "sequence",
    "some_target",
    "steps",
    "token_counts",
    "two_tokens",
    "without_start",
]

READINGS = (False, True)
"""What a threshold above every probability keeps: nothing, as Eq. 6 says (literal), or the most likely token (keep-top)."""

ONE = np.stack([law(1)])
"""A text of one token, over a vocabulary of one."""
HALVES = np.stack([law("1/2", "1/2")])
"""A text of one token, over two equally likely ones."""


def number(draw: Draw, low: Scalar | str, high: Scalar | str) -> Any:
    """A number in [low, high] in the arithmetic of the draw."""
    return draw.number(F(low), F(high)) if draw.exact else draw.number(float(F(low)), float(F(high)))


def sequence(draw: Draw, longest: int = 4) -> Array:
    """Draft laws (T, V) of the tokens of a text; in floating point on the few hundred most likely tokens."""
    n = draw.vocab(matrix=True)
    if not draw.exact:
        return draw.law(n)
    return np.stack([draw.law(n) for _ in range(draw.integer(1, longest))])


TIMES = (1, 20)
STEP = (F(1, 4), F(1))
TARGET = (F(1, 8), F(7, 8))
"""What a step size is a multiple of, and how many times; what a target is drawn from."""


def rates(draw: Draw) -> dict[str, Any]:
    """A step size, up to 20, and a target between 1/8 and 7/8."""
    step = draw.integer(*TIMES) * number(draw, *STEP)
    return {"step_size": step, "dropped_target": number(draw, *TARGET)}


def steps(draw: Draw) -> Instance:
    """A text, a start from -2 to 2, a step size and a target."""
    return {"q": sequence(draw), "start": number(draw, 0, 2) - draw.integer(0, 2), **rates(draw)}


def both(value: Callable[[bool], Any]) -> Array:
    """A value in the literal and in the keep-top reading, stacked."""
    return np.stack([np.asarray(value(reading)) for reading in READINGS])


def along(value: Callable[[Drafting], Any]) -> Callable[..., Array]:
    """A function of an instance: what `value` makes of the thresholds along its text, in both readings."""

    def of_instance(q: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar) -> Array:
        return both(lambda top: value(draft_thresholds(q, start, step_size, dropped_target, top)))

    return of_instance


def distances(q: Array, out: Drafting) -> Array:
    """TV(q̃, q) at each token, 1 where nothing is kept."""
    row_distances = [
        tv(row, sparsify(row, mask)) if mask.any() else row.sum() for row, mask in zip(q, out.masks, strict=True)
    ]
    return np.array(row_distances, dtype=object if is_exact(q) else np.float64)


def averages(dropped: Array) -> Array:
    """Average of the first token, the first two, and so on."""
    count = np.arange(1, len(dropped) + 1)
    return dropped.cumsum() / (count if dropped.dtype.kind == "f" else exact(count))


def positive(x: Scalar) -> Any:
    """The positive part.

    >>> positive(-1), positive(F(1, 2))
    (0, Fraction(1, 2))
    """
    return max(x, 0)


def part(q: Array) -> Any:
    """1/V in the arithmetic of the laws."""
    return F(1, q.shape[-1]) if is_exact(q) else 1 / q.shape[-1]


mean_dropped = along(lambda out: averages(out.dropped))
"""Average dropped mass of the first T tokens, for every T and both readings."""


def token_counts(q: Array) -> Array:
    """The numbers of tokens 1, 2, …, T."""
    return np.arange(1, len(q) + 1)


INSIDE = "the start lies in the range"

CERTAIN = "no draft law is more certain than 1 − α"

OWN = "own statement"


def exact_token_counts(q: Array) -> Array:
    """The numbers of tokens 1, 2, …, T in the arithmetic of the laws."""
    count = np.arange(1, len(q) + 1)
    return exact(count) if is_exact(q) else count


def two_tokens(draw: Draw) -> Instance:
    """A text over at least two tokens."""
    instance = steps(draw)
    q = instance["q"]
    return {**instance, "q": q if q.shape[-1] > 1 else np.concatenate([q, 0 * q], axis=-1)}


def _floor(q: Array, step_size: Scalar, dropped_target: Scalar, most: Scalar) -> Any:
    """What the threshold comes down to at most, from any start above it, when at most the mass `most` is ever dropped."""
    return min(dropped_target / (q.shape[-1] - 1), part(q) - step_size * (most - dropped_target))


def floors(q: Array, step_size: Scalar, dropped_target: Scalar) -> list[Any]:
    """The least threshold in the literal and in the keep-top reading."""
    return [_floor(q, step_size, dropped_target, largest_mass) for largest_mass in (1, 1 - part(q))]


def misses(q: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar) -> Array:
    """How far the average dropped mass of the first T tokens is from the target, read literally."""
    return abs(averages(draft_thresholds(q, start, step_size, dropped_target, False).dropped) - dropped_target)


def off_budget(q: Array, dropped_target: Scalar, budget: Scalar, keep_top: bool) -> Array:
    """How far the average is above and below the target."""
    mean = averages(budget_path(ranked(q), dropped_target, budget, keep_top=keep_top).dropped)
    return np.stack([mean - dropped_target, dropped_target - mean])


KEEPS = "every set keeps a token"


def keeps_a_token(kept: Array) -> bool:
    """Whether every set keeps a token."""
    return bool(kept.any(axis=-1).all())


def any_sets(draw: Draw) -> Instance:
    """A text, and any tokens kept of each law."""
    q = sequence(draw)
    return {"q": q, "kept": np.stack([draw.mask(q.shape[-1]) for _ in q])}


def lost_mass(q: Array, mask: Array) -> Any:
    """Mass dropped over the whole text."""
    return dropped_mass(q, mask).sum()


def some_target(draw: Draw, reached: Scalar) -> Any:
    """A target from `reached` to 1."""
    return reached + (1 - reached) * number(draw, 0 if draw.exact else "1/16", 1)


def rounding_factor(q: Array) -> Any:
    """A factor that rounding may add."""
    return 1 if is_exact(q) else 1 + 1e-9


def scaled(claim: Any, factor: F) -> Callable[..., Any]:
    """The right side of a claim times a factor."""
    return lambda **instance: call(claim.rhs, instance) * factor


def without_start(rhs: Callable[..., Any]) -> Callable[..., Any]:
    """A right side with the term of β₁ and η taken out."""
    return lambda **instance: rhs(**{**instance, "start": 0 * instance["start"]})
