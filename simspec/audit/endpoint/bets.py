r"""Evidence against "each token has the reference's law", valid at every stop, from categories of known probability.

Whatever came before, under the hypothesis the next token falls into category c = {1st, …, k-th, rest} with the reference's
probability P(c).  A *bet* is another law Q on the categories, fixed before the token is seen; its wealth is multiplied by
Q(c)/P(c), which is 1 on average.  A wealth that began at 1 ever reaches 1/a with probability at most a (Ville), and so does the
mean of many.  The bets here are what faults of engines do:

- mode: more mass on the most likely token, as where a draft is accepted too often; off mode: less;
- temperature: :math:`Q \propto P^\beta`; truncation: no mass on unlikely tokens (top-k, min-p, top-p);
- repetition: mass on the token before; agreement: mass on what an earlier answer to the same text had here, as where
  requests share their random numbers;
- unprocessed, late: under options, the law without them and with penalties that know only what stood before the step;
- learned: P tilted by what earlier tokens had too often, by rank, by token, after the token before, and after this very text,
  which is the law of the first tokens over many seeds.

Each bet is also placed on parts of the tokens only: the end of a text that `max_tokens` cut, requests alone, requests in company.
Rounding of the reference's probabilities moves a factor by as much as they are rounded; :math:`Q/P` is capped, which makes wealth
only smaller, so that no rounded zero decides.

Sources: Ville (1939); Shafer and Vovk, "Game-Theoretic Foundations for Probability and Finance" (2019), for bets as tests.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from simspec.audit.endpoint.categories import Judged
from simspec.laws import Array

__all__ = ["BETS", "PARTS", "Bet", "Wealth", "divergence", "fixed_laws"]

CAP = 1e4
"""Largest factor of a token."""
LEAST = 0.005
"""Total variation a token from which a bet counts as a fault that was looked for."""
PRIOR = 4.0
"""Tokens of the prior by which learned bets are cautious."""
UNLIKELY = 0.05
"""Truncation drops what has less than this part of the most likely token's mass, min-p's usual value."""


class Bet(NamedTuple):
    """A bet: its family, and how strong it is."""

    family: str
    strength: float

    @property
    def words(self) -> str:
        """What the fault does, in words."""
        return FAMILIES[self.family].format(self.strength)


FAMILIES = {
    "mode": "{:.0%} of the tokens replaced by the most likely one",
    "off mode": "the most likely token's probability lower by {:.0%}",
    "temperature": "temperature {:g} in place of 1",
    "truncation": "unlikely tokens (below 0.05 of the most likely one, or beyond the k-th) missing in {:.0%} of the cases",
    "repetition": "{:.0%} of the tokens replaced by the one before",
    "agreement": "{:.0%} of the tokens shared with an earlier answer to the same text",
    "unprocessed": "options ignored for {:.0%} of the tokens",
    "late": "penalties a step late for {:.0%} of the tokens",
    "learned by rank": "some ranks too frequent",
    "learned by token": "some tokens too frequent",
    "learned by pair": "some tokens too frequent after another",
    "learned by text": "some first tokens too frequent",
}
"""Families of bets, and what each is aimed at."""

BETS = (
    *(Bet("mode", share) for share in (0.03, 0.1, 0.3)),
    *(Bet("off mode", share) for share in (0.1, 0.3)),
    *(Bet("temperature", value) for value in (0.7, 0.85, 1.15, 1.4)),
    *(Bet("truncation", share) for share in (0.3, 0.9)),
    *(Bet("repetition", share) for share in (0.03, 0.2)),
    *(Bet("agreement", share) for share in (0.1, 0.5)),
    *(Bet("unprocessed", share) for share in (0.1, 0.4)),
    *(Bet("late", share) for share in (0.4, 0.9)),
    *(Bet(f"learned by {name}", PRIOR) for name in ("rank", "token", "pair", "text")),
)
FIXED = tuple(bet for bet in BETS if not bet.family.startswith("learned"))
PARTS = ("all tokens", "the end of texts cut by max_tokens", "requests alone", "requests in company")
SHARES = (0.55, 0.15, 0.15, 0.15)
"""Parts of the tokens, and the share of the stake that is placed on each."""


MIXED = {
    family: np.array([bet.strength for bet in FIXED if bet.family == family])[:, None]
    for family in ("mode", "off mode", "temperature", "truncation", "repetition", "agreement", "unprocessed", "late")
}
"""Strengths of the bets of each family, in the order of `FIXED`, as a column."""


def fixed_laws(token: Judged) -> Array:
    """Laws of the bets of `FIXED` at a token, (bets, categories): each row sums to 1.

    >>> token = Judged((0.5, 0.3, 0.2), 0, 7, (7, 8), 8, 1, -1, 0, False, False)
    >>> fixed_laws(token)[0].round(3).tolist()  # 3 % of the mass goes to the mode
    [0.515, 0.291, 0.194]
    """
    p = np.array(token.masses)
    last = len(p) - 1
    is_likely = p >= UNLIKELY * p[0]
    is_likely[last] = False
    likely = np.where(is_likely, p, 0)
    off_mode = np.tile(p, (len(MIXED["off mode"]), 1))
    off_mode[:, :1] *= 1 - MIXED["off mode"]
    powers = p ** (1 / MIXED["temperature"])
    # a repeated token that is not among the k is one of many in the last category: nothing to bet on
    repeated = _point(token.repeated, last) if token.repeated < last else p
    agreed = _point(token.agreed, last) if 0 <= token.agreed < last else p
    return np.concatenate(
        [
            p + MIXED["mode"] * (_point(0, last) - p),
            off_mode / off_mode.sum(axis=1, keepdims=True),
            powers / powers.sum(axis=1, keepdims=True),
            p + MIXED["truncation"] * (likely / likely.sum() - p),
            p + MIXED["repetition"] * (repeated - p),
            p + MIXED["agreement"] * (agreed - p),
            p + MIXED["unprocessed"] * (np.array(token.unprocessed or token.masses) - p),
            p + MIXED["late"] * (np.array(token.late or token.masses) - p),
        ]
    )


def _point(category: int, last: int) -> Array:
    """All mass on a category."""
    law = np.zeros(last + 1)
    law[category] = 1
    return law


class Wealth:
    """The wealth of all bets on all parts, after the tokens so far.

    Parameters
    ----------
    aimed : families of bets that get half of the stake between them; by default all bets have equal stakes

    Attributes
    ----------
    logs : array (parts, bets); logarithm of each wealth
    tokens : int; tokens seen
    largest : float; the largest logarithm of the mixture so far
    divergences : array (FIXED,); sum of KL(Q || P) over the tokens
    """

    def __init__(self, aimed: Sequence[str] = ()) -> None:
        is_aimed = np.array([bet.family in aimed for bet in BETS])
        number = int(is_aimed.sum())
        stakes = np.where(is_aimed, 0.5 / max(number, 1), 0.5 / (len(BETS) - number)) if number else 1 / len(BETS)
        self._log_stakes = np.log(np.array(SHARES)[:, None] * np.broadcast_to(stakes, len(BETS)))
        self.logs = np.zeros((len(PARTS), len(BETS)))
        self.tokens = 0
        self.largest = 0.0
        self.divergences = np.zeros(len(FIXED))
        self.distances = np.zeros(len(FIXED))
        # how often a key had a token, and how often it was expected
        self._counts: dict[object, float] = defaultdict(float)
        self._expected: dict[object, float] = defaultdict(float)

    @property
    def log_value(self) -> float:
        """Logarithm of the mixture: the evidence now."""
        return float(np.logaddexp.reduce((self.logs + self._log_stakes).ravel()))

    @property
    def best(self) -> tuple[str, Bet]:
        """The part and the bet whose wealth is largest."""
        row, column = np.unravel_index(int(self.logs.argmax()), self.logs.shape)
        return PARTS[int(row)], BETS[int(column)]

    def add(self, tokens: Iterable[Judged]) -> Wealth:
        """This wealth after more tokens, in the order in which they were asked for."""
        for token in tokens:
            self._add(token)
        return self

    def _add(self, token: Judged) -> None:
        """Pay every bet by a token, then learn from it."""
        p = np.array(token.masses)
        laws = fixed_laws(token)
        keys = _keys(token)
        weights = np.array([[self._weight(key) for key in row] for row in keys])
        learned = p * weights
        learned /= learned.sum(axis=1, keepdims=True)
        ratios = np.concatenate([laws, learned])[:, token.category] / p[token.category]
        # a cap from above only lowers wealth; from below it would be a gift, so 1e-300 only keeps the logarithm finite
        gains = np.log(np.clip(ratios, 1e-300, CAP))
        parts = np.array([True, token.is_ending, not token.has_company, token.has_company])
        self.logs += parts[:, None] * gains
        self.divergences += (laws * np.log(np.maximum(laws, 1e-300) / p)).sum(axis=1)
        self.distances += np.abs(laws - p).sum(axis=1) / 2
        self.tokens += 1
        self.largest = max(self.largest, self.log_value)
        for row in keys:
            for place, mass in enumerate(token.masses):
                self._expected[row[place]] += mass
            self._counts[row[token.category]] += 1

    def _weight(self, key: object) -> float:
        """How much more often than expected a key was seen, with a prior of a few tokens."""
        return (self._counts[key] + PRIOR) / (self._expected[key] + PRIOR)


def _keys(token: Judged) -> list[list[object]]:
    """What is learned about each category, for each learned bet: by rank, by token, by the token before, by the text before."""
    names: list[int] = [*token.ids, -1]
    return [
        [("rank", place) for place in range(len(names))],
        [("token", name) for name in names],
        [("pair", token.previous, name) for name in names],
        [("text", token.context, name) for name in names],
    ]


def divergence(wealth: Wealth, error: float) -> tuple[Bet, float, float]:
    """The known fault that is hardest to see on the tokens so far: it, its TV a token, and tokens that show it on average.

    A bet gains KL(Q || P) a token where Q is the law, and has to reach ln(1/error) and what its share of the stake costs.
    """
    gain = wealth.divergences / max(wealth.tokens, 1)
    cost = -math.log(error) + math.log(len(BETS)) - math.log(SHARES[0])
    # a bet that has little to bet on, such as one on options where none is set, is no fault that was looked for
    distance = wealth.distances / max(wealth.tokens, 1)
    hardest = int(np.where(distance >= LEAST, gain, np.inf).argmin())
    needed = cost / gain[hardest] if gain[hardest] > 0 else math.inf
    return FIXED[hardest], float(distance[hardest]), float(needed)
