"""No way to make laws of three tokens one-hot by a key keeps the acceptance of every pair.

`watermark.no-go`: Hu and Huang 2024 (2410.20418).
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, exact, law
from simspec.claims.watermark.parts import ABSTRACT
from simspec.laws import overlap

__all__ = ["LAWS", "OUTCOMES", "agreements"]

LAWS = (law("1/2", "1/2", 0), law("1/2", 0, "1/2"), law(0, "1/2", "1/2"))
"""Three laws of which each pair shares a token of mass 1/2."""
OUTCOMES = tuple(product(*(tuple(np.flatnonzero(masses > 0).tolist()) for masses in LAWS)))
"""What a key can make of the three: a token of each."""


def agreements(keys: Array) -> list[Any]:
    """Probability that the first two agree, the outer two, and the last two, for the probabilities of the outcomes.

    >>> [str(m) for m in agreements(law("1/2", 0, 0, 0, "1/2", 0, 0, 0))]
    ['1/2', '1/2', '0']
    """
    pairs = ((0, 1), (0, 2), (1, 2))
    return [sum((w for w, o in zip(keys, OUTCOMES, strict=True) if o[a] == o[b]), start=F(0)) for a, b in pairs]


THIRDS = exact(
    [F(int(outcome in ((0, 0, 1), (0, 0, 2), (1, 0, 1), (1, 2, 1), (0, 2, 2), (1, 2, 2))), 6) for outcome in OUTCOMES]
)
"""Six keys that give each law its masses, and each pair an agreement of 1/3."""

NO_GO = bound(
    name="watermark.no-go",
    statement=r"For $V \ge 3$ no map from laws to one-hot keyed laws keeps $\sum \min(p, q)$ for every pair: of $(\frac12, "
    r"\frac12, 0)$, $(\frac12, 0, \frac12)$, $(0, \frac12, \frac12)$ some pair agrees with probability $\frac13$ at most, in "
    r"place of $\frac12$",
    reference=ABSTRACT,
    instances=lambda draw: {"keys": draw.law(len(OUTCOMES))},
    lhs=lambda keys: min(agreements(keys)),
    rhs=lambda: overlap(LAWS[0], LAWS[1]) - F(1, 6),
    tight=[{"keys": THIRDS}],
    sources=("exact",),
    note="Given the key at most one of the three pairs agrees: each pair shares another token. Attained by six keys of equal "
    "probability. With V > 3 the other tokens have no mass.",
    broken=[broken("a quarter in place of a third", rhs=lambda: F(1, 4))],
)
