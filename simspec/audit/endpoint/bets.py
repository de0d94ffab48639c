r"""Evidence against "each token has the reference's law", valid at every stop, from categories of known probability.

Whatever came before, under the hypothesis the next token falls into category c = {1st, …, k-th, rest} with the reference's
probability P(c).  A *bet* is another law Q on the categories, fixed before the token is seen; its wealth is multiplied by
Q(c)/P(c), which is 1 on average.  A wealth that began at 1 ever reaches 1/a with probability at most a (Ville), and so does the
mean of many.  The bets here are what faults of engines do:

- mode: more mass on the most likely token, as where a draft is accepted too often; off mode: less;
- temperature: :math:`Q \propto P^\beta`; min-p, top-p: no mass on unlikely tokens; truncation: none in a part of the cases;
  tail: less mass on the others together, as under top-k;
- draft: mass from a flatter law, as of a smaller model whose tokens are not verified;
- where the draft's own law is known: drafted, mass from it; relaxed, drafts accepted too often; recovery, refused drafts replaced
  from P itself.  Such faults move mass to and fro and hardly show on average, so without it they take many times the tokens;
- repetition: mass on the token before; agreement: mass on what an earlier answer to the same text had here, as where
  requests share their random numbers;
- unprocessed, late, narrowed: under options, the law without them, with penalties that know only what stood before the step, and
  without the last token that a truncation leaves, as where its end is read another way;
- learned: P tilted by what earlier tokens had too often, by rank, by token, after the token before, and after this very text,
  which is the law of the first tokens over many seeds.

Strengths of a family stand about threefold apart: a bet of half or one and a half times a fault's strength still wins three
quarters of what the right one would.  `python -m benchmarks served` measures how many tokens all of this costs.

Each bet is also placed on parts of the tokens only: the end of a text that `max_tokens` cut, requests alone, requests in company.
Rounding of the reference's probabilities moves a factor by as much as they are rounded; :math:`Q/P` is capped, and P of the rest
is taken to be `ROUNDED` at least, which makes wealth only smaller, so that no rounded zero decides.

Sources: Ville (1939); Shafer and Vovk, "Game-Theoretic Foundations for Probability and Finance" (2019), for bets as tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simspec.audit.endpoint.categories import Judged
from simspec.audit.endpoint.tail import tail_of
from simspec.laws import Array

__all__ = ["BETS", "PARTS", "UNDER_OPTIONS", "Bet", "Laws", "Wealth", "divergence", "fixed_laws"]

CAP = 1e4
"""Largest factor of a token."""
ROUNDED = 1e-5
"""Mass of the rest that may be rounding: it is one less the sum of what the reference states, often in single precision."""
LEAST = 0.02
"""Total variation a token from which a bet counts as a fault that was looked for."""
PRIOR = 4.0
"""Tokens of the prior by which learned bets are cautious."""
UNLIKELY = 0.05
"""Truncation drops what has less than this part of the most likely token's mass, min-p's usual value."""
SPARED = 0.1
"""Share of the bet on min-p that stays on the reference's law, so that one unlikely token does not end the bet."""
FLAT = 0.4
"""Power of the law that stands for an unknown draft's."""
OVERLAP = 0.5
"""Share of the smaller of both masses of the rest that is of the same tokens, where the draft is known."""


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
    "min-p": "tokens below {:g} of the most likely one missing",
    "top-p": "tokens beyond the {:.0%} most likely mass missing",
    "tail": "all but the most likely tokens rarer by {:.0%}",
    "draft": "{:.0%} of the tokens from a flatter law, as from a draft that is not verified",
    "truncation": "unlikely tokens (below 0.05 of the most likely one, or beyond the k-th) missing in {:.0%} of the cases",
    "drafted": "{:.0%} of the tokens from the draft, not verified",
    "relaxed": "drafts accepted up to {:g} times as often as they may be",
    "recovery": "refused drafts replaced from the target's own law in {:.0%} of the cases",
    "repetition": "{:.0%} of the tokens replaced by the one before",
    "agreement": "{:.0%} of the tokens shared with an earlier answer to the same text",
    "unprocessed": "options ignored for {:.0%} of the tokens",
    "late": "penalties a step late for {:.0%} of the tokens",
    "narrowed": "the least likely token that an option leaves missing in {:.0%} of the cases",
    "learned by rank": "some ranks too frequent",
    "learned by token": "some tokens too frequent",
    "learned by pair": "some tokens too frequent after another",
    "learned by text": "some first tokens too frequent",
}
"""Families of bets, and what each is aimed at."""

BETS = (
    *(Bet("mode", share) for share in (0.03, 0.1, 0.3)),
    *(Bet("off mode", share) for share in (0.1, 0.3)),
    *(Bet("temperature", value) for value in (0.7, 0.85, 0.93, 0.97, 1.03, 1.07, 1.15, 1.4)),
    Bet("truncation", 0.3),
    *(Bet("min-p", threshold) for threshold in (0.0005, 0.005, 0.03, 0.1)),
    *(Bet("top-p", mass) for mass in (0.98, 0.95, 0.85, 0.7)),
    *(Bet("tail", share) for share in (0.1, 0.3)),
    *(Bet("draft", share) for share in (0.02, 0.05, 0.2)),
    *(Bet("repetition", share) for share in (0.02, 0.1, 0.3)),
    *(Bet("agreement", share) for share in (0.1, 0.5)),
    *(Bet("unprocessed", share) for share in (0.1, 0.4)),
    *(Bet("late", share) for share in (0.4, 0.9)),
    *(Bet("narrowed", share) for share in (0.3, 0.9)),
    *(Bet("drafted", share) for share in (0.03, 0.1, 0.3)),
    *(Bet("relaxed", factor) for factor in (1.15, 1.6, 4.0)),
    *(Bet("recovery", share) for share in (0.2, 0.6, 1.0)),
    *(Bet(f"learned by {name}", PRIOR) for name in ("rank", "token", "pair", "text")),
)
FIXED = tuple(bet for bet in BETS if not bet.family.startswith("learned"))
FIXED_FAMILIES = tuple(dict.fromkeys(bet.family for bet in FIXED))
UNDER_OPTIONS = ("unprocessed", "late", "narrowed")
"""Families that bet only where options are set; elsewhere they get no stake."""
WITH_DRAFT = ("drafted", "relaxed", "recovery")
"""Families that bet only where the draft's law is known; elsewhere they get no stake."""
PARTS = ("all tokens", "the end of texts cut by max_tokens", "requests alone", "requests in company")
SHARES = (0.55, 0.15, 0.15, 0.15)
"""Parts of the tokens, and the share of the stake that is placed on each."""


MIXED = {
    family: np.array([bet.strength for bet in FIXED if bet.family == family])[:, None] for family in FIXED_FAMILIES
}
"""Strengths of the bets of each family, in the order of `FIXED`, as a column."""
POWERS = np.concatenate([1 / MIXED["temperature"], [[FLAT]]])
"""Powers of the reference's law: those of other temperatures, then that of an unknown draft, as a column."""


class Laws(NamedTuple):
    """The bets of `FIXED` at a token.

    Attributes
    ----------
    laws : (bets, categories)
    gains : (categories, bets); logarithms of the factors Q/P, capped
    divergences, distances : (bets,); KL(Q || P) and total variation
    """

    laws: Array
    gains: Array
    divergences: Array
    distances: Array


def fixed_laws(token: Judged) -> Laws:
    """The fixed bets at a token: each row of the laws sums to 1.

    >>> token = Judged((0.5, 0.3, 0.2), 0, 7, (7, 8), 8, 1, -1, 0, False, False)
    >>> fixed_laws(token).laws[0].round(3).tolist()  # 3 % of the mass goes to the mode
    [0.515, 0.291, 0.194]
    """
    return _laws(
        token.masses, token.repeated, token.agreed, token.unprocessed, token.late, token.narrowed, token.drafted
    )


@lru_cache(maxsize=4096)  # first tokens of one prompt come again with every seed
def _laws(
    masses: tuple[float, ...],
    repeated: int,
    agreed: int,
    unprocessed: tuple[float, ...],
    late: tuple[float, ...],
    narrowed: tuple[float, ...],
    drafted: tuple[float, ...],
) -> Laws:
    """What `fixed_laws` says, by all that it depends on."""
    p = np.array(masses)
    last = len(p) - 1
    tail = tail_of(masses[:-1], masses[-1])
    is_likely = p >= UNLIKELY * p[0]
    is_likely[last] = False
    likely = np.where(is_likely, p, 0)
    off_mode = np.tile(p, (len(MIXED["off mode"]), 1))
    off_mode[:, :1] *= 1 - MIXED["off mode"]
    off_tail = np.tile(p, (len(MIXED["tail"]), 1))
    off_tail[:, last:] *= 1 - MIXED["tail"]
    powers = p**POWERS
    powers[:, last:] = tail.powered(POWERS)
    powers = _normalised(powers)
    thresholds = MIXED["min-p"] * p[0]
    cut = np.where(p >= thresholds, p, 0)
    cut[:, last] = [p[last] * tail.above(float(threshold)) for threshold in thresholds[:, 0]]
    mass_before = np.cumsum(p) - p
    nucleus = np.where(mass_before < MIXED["top-p"], p, 0)
    nucleus[:, last] = np.clip(MIXED["top-p"][:, 0] - mass_before[last], 0, p[last])
    # a repeated token that is not among the k is one of many in the last category, which then has more mass
    repetition = _point(repeated, last) if repeated >= 0 else p
    agreement = _point(agreed, last) if 0 <= agreed < last else p
    laws = np.concatenate(
        [
            p + MIXED["mode"] * (_point(0, last) - p),
            _normalised(off_mode),
            powers[:-1],
            p + MIXED["truncation"] * (likely / likely.sum() - p),
            p + (1 - SPARED) * (_normalised(cut) - p),
            p + (1 - SPARED) * (_normalised(nucleus) - p),
            _normalised(off_tail),
            p + MIXED["draft"] * (powers[-1] - p),
            p + MIXED["repetition"] * (repetition - p),
            p + MIXED["agreement"] * (agreement - p),
            p + MIXED["unprocessed"] * (np.array(unprocessed or masses) - p),
            p + MIXED["late"] * (np.array(late or masses) - p),
            p + MIXED["narrowed"] * (np.array(narrowed or masses) - p),
            *_drafted_laws(p, np.array(drafted) if drafted else None),
        ]
    )
    divergences = (laws * np.log(np.maximum(laws, 1e-300) / p)).sum(axis=1)
    distances = np.abs(laws - p).sum(axis=1) / 2
    factors = laws / p
    factors[:, last] = laws[:, last] / max(p[last], ROUNDED)
    # a cap from above only lowers wealth; from below it would be a gift, so 1e-300 only keeps the logarithm finite
    gains = np.log(np.clip(factors, 1e-300, CAP)).T.copy()
    return Laws(laws, gains, divergences, distances)


def _drafted_laws(p: Array, q: Array | None) -> list[Array]:
    """Laws of the families of `WITH_DRAFT`, where a draft has the law q; the reference's law where q is not known."""
    if q is None:
        return [np.tile(p, (len(MIXED[family]), 1)) for family in WITH_DRAFT]
    accepted = np.minimum(p, q)
    # the rest holds many tokens: both laws may have its mass on others of them
    accepted[-1] *= OVERLAP
    residual = np.maximum(p - q, 0)
    residual[-1] = p[-1] - accepted[-1]
    residual = residual / residual.sum() if residual.sum() > 0 else p
    # where q is below p all is accepted already: of the rest about half of the mass can be accepted more often
    factors = np.where(np.arange(len(p)) < len(p) - 1, MIXED["relaxed"], np.sqrt(MIXED["relaxed"]))
    relaxed = np.minimum(q, factors * np.where(np.arange(len(p)) < len(p) - 1, p, accepted))
    return [
        p + MIXED["drafted"] * (q - p),
        relaxed + (1 - relaxed.sum(axis=1, keepdims=True)) * residual,
        p + MIXED["recovery"] * (accepted + (1 - accepted.sum()) * p - p),
    ]


def _normalised(weights: Array) -> Array:
    """Rows that sum to 1."""
    return weights / weights.sum(axis=1, keepdims=True)


def _point(category: int, last: int) -> Array:
    """All mass on a category."""
    law = np.zeros(last + 1)
    law[category] = 1
    return law


class Wealth:
    """The wealth of all bets on all parts, after the tokens so far.

    Parameters
    ----------
    aimed : families of bets that get half of the stake between them; by default all have equal stakes, but those of
        `UNDER_OPTIONS`, which have none
    knows_draft : bool; whether the tokens say what the draft's law is; else the families of `WITH_DRAFT` have no stake

    Attributes
    ----------
    logs : array (parts, bets); logarithm of each wealth
    stakes : int; bets that share the stake
    log_stakes : array (parts, bets); logarithms of the shares of the stake
    tokens : int; tokens seen
    largest : float; the largest logarithm of the mixture so far
    latest : array; the logarithm of the mixture after each token that was added last
    gains : array (tokens, bets); what each bet on all tokens won by each token that was added last, as a logarithm
    divergences, distances : arrays (FIXED,); sums of KL(Q || P) and of total variations over the tokens
    """

    def __init__(self, aimed: Sequence[str] = (), knows_draft: bool = False) -> None:
        """Give every bet with a stake its share, and a wealth of 1 before the first token."""
        is_aimed = np.array([bet.family in aimed for bet in BETS])
        idle = (() if aimed else UNDER_OPTIONS) + (() if knows_draft else WITH_DRAFT)
        has_stake = np.array([bet.family not in idle for bet in BETS])
        self.stakes = int(has_stake.sum())
        number = int(is_aimed.sum())
        others = self.stakes - number
        stakes = np.where(is_aimed, 0.5 / max(number, 1), has_stake * (0.5 if number else 1.0) / others)
        self.log_stakes = np.log(np.array(SHARES)[:, None] * np.maximum(stakes, 1e-300))
        self.logs = np.zeros((len(PARTS), len(BETS)))
        self.tokens = 0
        self.largest = 0.0
        self.divergences = np.zeros(len(FIXED))
        self.distances = np.zeros(len(FIXED))
        self.latest = np.zeros(0)
        self.gains = np.zeros((0, len(BETS)))
        # what is learned, by rank, by token, after a token, after a text: of each rank or token how often it was seen and how
        # often that was expected, both with the prior
        self._seen: dict[object, dict[int, list[float]]] = {}

    @property
    def log_value(self) -> float:
        """Logarithm of the mixture: the evidence now."""
        return float(_log_sums(self.logs + self.log_stakes))

    @property
    def best(self) -> tuple[str, Bet]:
        """The part and the bet whose wealth is largest."""
        row, column = np.unravel_index(int(self.logs.argmax()), self.logs.shape)
        return PARTS[int(row)], BETS[int(column)]

    def add(self, tokens: Iterable[Judged]) -> Wealth:
        """This wealth after more tokens, in the order in which they were asked for."""
        added = [*tokens]
        gains = np.empty((len(added), len(BETS)))
        self.gains = gains
        if not added:
            return self
        laws = [fixed_laws(token) for token in added]
        for number, (token, fixed) in enumerate(zip(added, laws, strict=True)):
            gains[number, : len(FIXED)] = fixed.gains[token.category]
            gains[number, len(FIXED) :] = self._learned_gains(token)
        counts_in_part = np.array(
            [(True, token.is_ending, not token.has_company, token.has_company) for token in added]
        )
        logs = self.logs + np.cumsum(counts_in_part[:, :, None] * gains[:, None, :], axis=0)
        self.logs = logs[-1]
        self.latest = _log_sums(logs + self.log_stakes)
        self.largest = max(self.largest, float(self.latest.max()))
        self.divergences += np.sum([fixed.divergences for fixed in laws], axis=0)
        self.distances += np.sum([fixed.distances for fixed in laws], axis=0)
        self.tokens += len(added)
        return self

    def _learned_gains(self, token: Judged) -> list[float]:
        """Pay the learned bets by a token, then learn: P is tilted by how much more often than expected a key was seen."""
        masses = token.masses
        last = len(masses) - 1
        names = (*token.ids, -1)
        gains = []
        for condition, keys in (
            ("rank", range(last + 1)),
            ("token", names),
            (("pair", token.previous), names),
            (("text", token.context), names),
        ):
            counts_by_key = self._seen.setdefault(condition, {})
            cells = [counts_by_key.get(key) or counts_by_key.setdefault(key, [PRIOR, PRIOR]) for key in keys]
            total = 0.0
            for mass, cell in zip(masses, cells, strict=True):
                total += mass * cell[0] / cell[1]
            cell = cells[token.category]
            factor = cell[0] / cell[1] / total
            if token.category == last:
                factor *= masses[last] / max(masses[last], ROUNDED)
            gains.append(math.log(min(factor, CAP)))
            cell[0] += 1
            for mass, cell in zip(masses, cells, strict=True):
                cell[1] += mass
        return gains


def _log_sums(logs: Array) -> Array:
    """Logarithms of the sums of exponentials over the last two axes."""
    largest = logs.max(axis=(-2, -1))
    return largest + np.log(np.exp(logs - largest[..., None, None]).sum(axis=(-2, -1)))


def divergence(wealth: Wealth, error: float) -> tuple[Bet, float, float]:
    """The known fault that is hardest to see on the tokens so far: it, its TV a token, and tokens that show it on average.

    A bet gains KL(Q || P) a token where Q is the law, and has to reach ln(1/error) and what its share of the stake costs.
    """
    gain = wealth.divergences / max(wealth.tokens, 1)
    cost = -math.log(error) + math.log(wealth.stakes) - math.log(SHARES[0])
    # a bet that has little to bet on, such as one on options where none is set, is no fault that was looked for
    distance = wealth.distances / max(wealth.tokens, 1)
    hardest = int(np.where(distance >= LEAST, gain, np.inf).argmin())
    needed = cost / gain[hardest] if gain[hardest] > 0 else math.inf
    return FIXED[hardest], float(distance[hardest]), float(needed)
