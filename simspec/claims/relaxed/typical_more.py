"""Typical acceptance accepts at least as often as speculative decoding.

`relaxed.typical-more`, with its correction: Medusa; vLLM #5015, #8639.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, at_least, bound, broken, exact, identity, law
from simspec.claims.balls import ball, exp
from simspec.claims.relaxed.parts import pair, xlogx
from simspec.laws import overlap

__all__ = ["entropic", "typical_tokens"]

PAPER = "Cai et al. 2024 (Medusa); vLLM #5015, #8639"
LIMIT = F(9, 100)
FACTOR = F(3, 10)
"""vLLM's ε and δ."""


def entropic(p: Array) -> Any:
    """exp(−H(p)), H in nats."""
    return exp(sum((xlogx(m, F(1)) for m in p), ball(0)))


def typical_tokens(p: Array) -> Array:
    """Which tokens are above min(ε, δ exp(−H)), certified."""
    limit = ball(FACTOR) * entropic(p)
    return np.array([bool(m > LIMIT or ball(m) > limit) for m in p])


def _accepted(p: Array, q: Array) -> Any:
    return np.where(typical_tokens(p), q, 0).sum()


TYPICAL_MORE = bound(
    name="relaxed.typical-more",
    statement=r"Typical acceptance ($\varepsilon = 0.09$, $\delta = 0.3$) accepts at least as often as speculative "
    r"decoding, for all $p$, $q$",
    reference=PAPER,
    instances=pair,
    lhs=_accepted,
    rhs=lambda p, q: overlap(p, q),
    relation=at_least,
    sources=("exact",),
    corrected_by=("relaxed.typical-more-corrected",),
    note="A token of little mass is never kept, which speculative decoding keeps if the draft says it as seldom.",
)


def _gain(p: Array, q: Array) -> Any:
    """Σ_A (q − p)₊ − Σ outside A of min(p, q)."""
    return np.where(typical_tokens(p), np.maximum(q - p, 0), -np.minimum(p, q)).sum()


TYPICAL_MORE_CORRECTED = identity(
    name="relaxed.typical-more-corrected",
    statement=r"With $A$ the typical tokens it accepts $q(A) = \alpha + \sum_{x \in A} (q(x) - p(x))_+ - \sum_{x \notin "
    r"A} \min(p(x), q(x))$",
    reference="correction of " + PAPER,
    instances=pair,
    lhs=lambda p, q: _accepted(p, q) - overlap(p, q),
    rhs=_gain,
    sources=("exact",),
    note="How much it may lose: relaxed.typical-more-corrected.least.",
    broken=[broken("the rejected mass", rhs=lambda p, q: np.maximum(q - p, 0).sum())],
)


def _not_typical(p: Array) -> Any:
    return np.where(typical_tokens(p), 0, p).sum()


TYPICAL_LEAST = bound(
    name="relaxed.typical-more-corrected.least",
    statement=r"Typical acceptance accepts at least $\alpha - p(A^c)$, $A$ the typical tokens; a draft that is the target is "
    r"accepted just so often, so that no more can be said",
    reference="own statement, on " + PAPER,
    instances=pair,
    relation=at_least,
    lhs=lambda p, q: exact([_accepted(p, q), _accepted(p, p), -_accepted(p, p)]),
    rhs=lambda p, q: exact([overlap(p, q) - _not_typical(p), 1 - _not_typical(p), _not_typical(p) - 1]),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2")},),
    sources=("exact",),
    broken=[broken("one is taken off", rhs=lambda p, q: exact([overlap(p, q), 0, -1]))],
)
