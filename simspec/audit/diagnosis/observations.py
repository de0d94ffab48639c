"""What a sampler emitted, as shares of the ways to end, and laws that separate causes which look alike on others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspec.audit.evidence import text_law
from simspec.audit.levels import rest
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Prefix

__all__ = ["SIGMAS", "Observation", "probes"]

SIGMAS = 4.5
"""Standard deviations beyond which shares are said to differ."""


class Observation(NamedTuple):
    """What a sampler emitted on a pair.

    Attributes
    ----------
    pair : Pair
    ends : {emitted tokens: share of the calls}
    calls : int; calls counted, 0 where the shares are exact
    slack : float; how far exact shares may be off
    """

    pair: Pair
    ends: dict[Prefix, float]
    calls: int = 0
    slack: float = 0.0

    def law(self) -> Array:
        """Law of texts of gamma + 1 tokens, continued with the target's own."""
        out = np.zeros((self.pair.vocab,) * (self.pair.gamma + 1))
        for tokens, mass in self.ends.items():
            out[tokens] += mass * text_law(rest(self.pair.p, tokens))
        return out

    def lengths(self) -> Array:
        """Share of the calls that emit 1, ..., gamma + 1 tokens."""
        out = np.zeros(self.pair.gamma + 1)
        for tokens, mass in self.ends.items():
            out[len(tokens) - 1] += mass
        return out

    def sigma(self, masses: Array) -> Array:
        """Standard deviation of shares of these masses; where they are exact, so much that `SIGMAS` of it are the slack."""
        if not self.calls:
            return np.full(np.shape(masses), self.slack / SIGMAS + 1e-10)
        return np.sqrt(np.maximum(masses * (1 - masses), 1 / self.calls) / self.calls)

    def above(self, shares: Array, masses: Array) -> bool:
        """Whether some share is larger than its mass, beyond chance or the slack."""
        return bool((shares - masses > SIGMAS * self.sigma(masses)).any())

    def differs(self, shares: Array, masses: Array) -> bool:
        """Whether some share is larger or smaller."""
        return self.above(shares, masses) or self.above(1 - shares, 1 - masses)

    def biased(self) -> bool:
        """Whether the texts have another law than the target's."""
        return self.differs(self.law(), text_law(self.pair.p))

    def first(self, is_accepted: bool) -> Array:
        """Mass of each first token, as a kept draft or after a refusal."""
        out = np.zeros(self.pair.vocab)
        for tokens, mass in self.ends.items():
            if (len(tokens) > 1) == is_accepted:
                out[tokens[0]] += mass
        return out


def probes() -> list[Pair]:
    """Laws that separate causes, of one draft and of two, over three tokens or four.

    >>> [pair.gamma for pair in probes()]
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    """
    p = np.array([1, 3, 4]) / 8
    q = np.array([6, 2, 0]) / 8
    full = np.array([5, 2, 1]) / 8
    turned = np.array([1, 4, 3]) / 8
    zero = np.array([0, 6, 2]) / 8
    even = np.array([4, 4, 0]) / 8
    two = np.array([p, turned])
    four = np.array([6, 2, 6, 2]) / 16
    rising = np.array([[2, 1, 8, 5], [4, 4, 4, 4]]) / 16
    small = np.array([1, 9, 6]) / 16
    likely = np.array([29, 2, 1]) / 32
    sure = np.array([[4, 0, 0], [1, 0, 3]]) / 4
    return [
        Pair("probe: no zeros", np.array([full, turned]), small[None]),
        Pair("probe: the same order of drafts", np.array([full, turned]), np.array([[9, 12, 11]]) / 32),
        Pair("probe: two ways to recover", two, q[None]),
        Pair("probe: tokens in another order", two[:, ::-1].copy(), q[None, ::-1].copy()),
        Pair("probe: two tokens exchanged", two[:, [1, 0, 2]].copy(), q[None, [1, 0, 2]].copy()),
        Pair("probe: tokens moved on by one", np.roll(two, 1, axis=1), np.roll(q, 1)[None]),
        Pair("probe: four tokens", np.roll(rising, 2, axis=1), four[None]),
        Pair("probe: the same target, another draft law", np.roll(rising, 2, axis=1), np.array([[3, 7, 1, 5]]) / 16),
        Pair("probe: the same draft law, another target", rising, four[None]),
        Pair("probe: sure drafts", two, sure[:1]),
        Pair("probe: a token that nobody says", np.array([zero, turned]), np.array([[0, 7, 1]]) / 8),
        Pair("probe: a token that the target never says", np.array([zero, turned]), full[None]),
        Pair("probe: a draft law that is the target", np.array([small, turned]), small[None]),
        Pair("probe: a likely token", np.array([likely, turned]), small[None]),
        Pair("probe: equal rows", np.array([p] * 3), np.array([q] * 2)),
        Pair("probe: unequal rows", np.array([p, full, turned]), np.array([q, turned])),
        Pair("probe: equal laws", np.array([p, full, turned]), np.array([p, full])),
        Pair("probe: two ways to recover after a sure draft", np.array([even, even, turned]), sure),
        Pair("probe: no zeros after a likely token", np.array([likely, full, turned]), np.array([likely, small])),
    ]
