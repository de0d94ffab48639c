"""What the SQS and C-SQS claims share: instances, all lattice points, and drafts that depend on the text so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction as F
from functools import lru_cache
from typing import Any

import numpy as np

from simspec.claims.claim import Instance
from simspec.claims.draw import Draw
from simspec.laws import Array, exact, is_exact
from simspec.methods.block import Model, Prefix, block_outcomes
from simspec.methods.csqs import csqs, update
from simspec.methods.payload import payload_bits
from simspec.methods.sd import SD
from simspec.methods.sqs import dropped_mass, sqs, threshold_mask, top_mask
from simspec.methods.step import Method

__all__ = [
    "Text",
    "compositions",
    "few",
    "fine",
    "fixed_or_adaptive",
    "rejections",
    "scheme",
    "sizes",
    "some_kept",
    "table",
    "top_of",
    "worst_rounding",
]

ROWS = 6
"""Rows of a batch of floating-point laws that a claim looks at: sorting a whole vocabulary is what takes the time."""


def few(laws: Array) -> Array:
    """A few rows of a batch, spread over it; one exact law passes."""
    return laws if laws.ndim == 1 else laws[:: -(-len(laws) // ROWS)]


def top_of(draw: Draw, vocab: int) -> int:
    """A number of kept tokens: any for a small vocabulary, at most 200 of a large one."""
    return draw.integer(1, vocab if draw.exact else min(vocab, 200))


def fine(draw: Draw) -> int:
    """A resolution: coarse in exact trials, up to twice the paper's in floating point."""
    return draw.integer(1, 6 if draw.exact else 200)


def some_kept(draw: Draw) -> Instance:
    """A draft law, any set of kept tokens that holds the most likely one, and a resolution."""
    n = draw.vocab()
    q = few(draw.law(n))
    return {"q": q, "kept": draw.mask(n) | top_mask(q, 1), "resolution": fine(draw)}


def sizes(kept: Array, like: Array) -> Any:
    """Number of kept tokens K in the arithmetic of the array `like`."""
    count = kept.sum(axis=-1)
    return exact(count)[()] if is_exact(like) else count


def worst_rounding(size: Any, resolution: int) -> Any:
    r"""Largest distance between a law over K tokens and its nearest lattice point: :math:`m (K - m) / (K\ell)` with
    :math:`m = \min(\ell, \lfloor K/2 \rfloor)`.

    >>> worst_rounding(F(2), 1), worst_rounding(F(3), 1), worst_rounding(F(100), 1)
    (Fraction(1, 2), Fraction(2, 3), Fraction(99, 100))
    """
    up = np.minimum(resolution, size // 2) if np.ndim(size) else min(resolution, size // 2)
    return up * (size - up) / (size * resolution)


@lru_cache(maxsize=256)
def compositions(total: int, parts: int, low: int = 0) -> tuple[tuple[int, ...], ...]:
    """Every way to write `total` as an ordered sum of `parts` integers of at least `low`.

    >>> compositions(2, 2), compositions(2, 2, low=1)
    (((0, 2), (1, 1), (2, 0)), ((1, 1),))
    """
    return tuple(_compositions(total, parts, low))


def _compositions(total: int, parts: int, low: int) -> Iterator[tuple[int, ...]]:
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(low, total + 1):
        for rest in _compositions(total - first, parts - 1, low):
            yield (first, *rest)


# --- one step, and texts whose laws depend on the last token ---------------------------------------------------------


def scheme(k: int, resolution: int, threshold: Any = None) -> Method:
    """K-SQS at k, or one step of C-SQS when a threshold is given (empty set: the most likely token is kept)."""
    return sqs(k, resolution) if threshold is None else csqs(threshold, resolution)


def fixed_or_adaptive(draw: Draw, vocab: int) -> dict[str, Any]:
    """K-SQS, or C-SQS with a start, a step size and a target."""
    drawn: dict[str, Any] = {"k": top_of(draw, vocab), "resolution": draw.integer(1, 3) if draw.exact else fine(draw)}
    if not draw.integer(0, 1):
        return {**drawn, "threshold": None, "step_size": None, "dropped_target": None}
    low = F(1, 8) if draw.exact else 0.125
    return {
        **drawn,
        "threshold": draw.number(0, 1) if draw.exact else draw.number(0, 0.01),
        "step_size": low + draw.number(0, 2),
        "dropped_target": draw.number(low, 1 - low),
    }


def table(laws: Array) -> Model:
    """First-order Markov model from laws (V + 1, V): row 0 before the text, row x + 1 after token x."""
    return lambda prefix: laws[prefix[-1] + 1 if prefix else 0]


class Text:
    """Target, draft and what the edge sends of one instance, as functions of the text so far.

    `k` of K-SQS; with a `threshold`, C-SQS (keep-top), whose threshold is a function of the text by Eq. 8.  `stop` ends a
    batch when the bits of the next law would exceed the budget: they are known before its token is drawn.
    """

    def __init__(
        self,
        p: Array,
        q: Array,
        k: int,
        resolution: int,
        threshold: Any,
        step_size: Any,
        dropped_target: Any,
        budget: int | None,
    ) -> None:
        self.target, self.draft = table(p), table(q)
        self.k, self.resolution, self.budget = k, resolution, budget
        self.step_size, self.dropped_target = step_size, dropped_target
        self._thresholds: dict[Prefix, Any] = {(): threshold}
        self._sent: dict[Prefix, Array] = {}

    def threshold(self, prefix: Prefix) -> Any:
        """Threshold in force after a text; None for K-SQS."""
        if prefix not in self._thresholds:
            before, law = self.threshold(prefix[:-1]), self.draft(prefix[:-1])
            self._thresholds[prefix] = before
            if before is not None:
                dropped = dropped_mass(law, threshold_mask(law, before))
                self._thresholds[prefix] = update(before, dropped, self.step_size, self.dropped_target)
        return self._thresholds[prefix]

    def kept(self, prefix: Prefix) -> Array:
        """Tokens that are kept after a text."""
        law, threshold = self.draft(prefix), self.threshold(prefix)
        return top_mask(law, self.k) if threshold is None else threshold_mask(law, threshold)

    def sent(self, prefix: Prefix) -> Array:
        """The quantised law that is sent and drafted from."""
        if prefix not in self._sent:
            method = scheme(self.k, self.resolution, self.threshold(prefix))
            self._sent[prefix] = method.propose(self.draft(prefix))
        return self._sent[prefix]

    def bits(self, prefix: Prefix) -> int:
        """Bits of that law."""
        kept = self.kept(prefix)
        adaptive = self.threshold(prefix) is not None
        return payload_bits(len(kept), int(kept.sum()), self.resolution, adaptive)

    def stop(self, prefix: Prefix, drafts: Prefix) -> bool:
        """Whether a batch ends before the next draft."""
        if self.budget is None:
            return False
        return sum(self.bits(prefix + drafts[:n]) for n in range(len(drafts) + 1)) > self.budget

    def mean(self, length: int, value: Callable[[Prefix], Any]) -> Any:
        """Sum over the first `length` positions of the mean of value(text so far) under the target."""
        total: Any = F(0)
        texts: dict[Prefix, Any] = {(): F(1)}
        for _ in range(length):
            total = total + sum(mass * value(text) for text, mass in texts.items())
            texts = {
                (*text, x): mass * part
                for text, mass in texts.items()
                for x, part in enumerate(self.target(text).tolist())
                if part
            }
        return total


def rejections(text: Text, length: int, gamma: int) -> Any:
    """Expected number of drafts rejected among the first `length` tokens, every outcome of every batch enumerated."""
    total: Any = F(0)
    open_texts: dict[Prefix, Any] = {(): F(1)}
    while open_texts:
        prefix, weight = open_texts.popitem()
        reach = min(gamma, length - len(prefix))  # drafts beyond the text change nothing in it
        for outcome in block_outcomes(SD, text.target, text.sent, prefix, reach, text.stop):
            kept, mass = outcome.accepted, weight * outcome.probability
            if kept < reach and not text.stop(prefix, outcome.tokens[:kept]):
                total = total + mass
            longer = prefix + outcome.tokens
            if len(longer) < length:
                open_texts[longer] = open_texts.get(longer, F(0)) + mass
    return total
