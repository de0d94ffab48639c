r"""Tokens at the end of a truncation, which rounding may put on either side of it.

Kernels round the logits by the shape of the batch, so that the third and the fourth token may change places under `top_k` 3:
an engine without a fault then emits a token to which the reference gives no mass.  Let no difference of two logits move by more
than r nats.  A token is *certain* where every such move leaves it on the same side of the cut:

- top-k: fewer than k tokens stand above it or within r below it, or k tokens stand more than r above it;
- min-p: its distance to the threshold :math:`\ln p_1 + \ln m` is more than r;
- top-p: the mass before it, whose odds move by a factor of at most :math:`e^r`, stays on one side of p.

Given that the next token is a certain one, its law is :math:`w_i/\sum_j w_j` over the certain tokens that are left, whichever of
the others an engine leaves besides.  So a token at the cut is passed over and a certain one is judged by that law: each factor
Q/P of a bet is 1 on average, and the evidence stays a martingale for every engine that rounds by at most r.  Which tokens are
certain hangs on the reference's rows and on r alone.  A token that is certain to be dropped is evidence as before.

What is not here: how much rounding there is (`greedy`), and how rounding moves the masses on one side of the cut.  A request has
one option that cuts, as in `plan.OPTIONS`: what one cut does to the next is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.categories import FLOOR, Judged
from simspec.audit.endpoint.records import TopRow

__all__ = ["Cut", "cut_of", "judged_off_cut"]

LEAST_CERTAIN = 1e-9
"""Mass of the certain tokens below which a place says nothing."""


class Cut(NamedTuple):
    """Which tokens are not certain.

    Attributes
    ----------
    listed : the tokens of the reference's row
    uncertain : those of them that rounding may keep or drop
    are_others_uncertain : bool; whether that may be so of tokens which are not in the row
    """

    listed: frozenset[int] = frozenset()
    uncertain: frozenset[int] = frozenset()
    are_others_uncertain: bool = False

    def is_uncertain(self, token: int) -> bool:
        """Whether rounding may keep or drop a token."""
        return token in self.uncertain or (self.are_others_uncertain and token not in self.listed)

    @property
    def is_empty(self) -> bool:
        """Whether all tokens are certain."""
        return not self.uncertain and not self.are_others_uncertain


def cut_of(options: Mapping[str, float], row: TopRow, rounding: float) -> Cut:
    """Tokens that rounding may put on either side of the cut of some options.

    Parameters
    ----------
    options : `top_k`, `top_p` and `min_p` cut; others do not, and leave all tokens certain
    row : the reference's most likely tokens, without options
    rounding : float; nats by which the difference of two logits may move

    >>> row = ((3, -0.7), (5, -1.5), (7, -1.55), (9, -6.0))
    >>> sorted(cut_of({"top_k": 2}, row, 0.1).uncertain), sorted(cut_of({"top_k": 2}, row, 0.01).uncertain)
    ([5, 7], [])
    >>> sorted(cut_of({"min_p": math.exp(-0.8)}, row, 0.06).uncertain), sorted(cut_of({"top_p": 0.71}, row, 0.1).uncertain)
    ([5, 7], [5, 7])
    """
    if not options.get("top_k") and options.get("top_p", 1.0) >= 1 and not options.get("min_p"):
        return Cut()
    # a token outside of the row may have any log-probability up to the row's last one
    bound = row[-1][1]
    unlisted = max(1 - _mass([value for _, value in row]), 0.0)
    limits = _Limits(options, row[0][1], rounding)
    uncertain = set()
    for token, logprob in row:
        near_or_above = [value for rival, value in row if rival != token and value >= logprob - rounding]
        well_above = [value for _, value in row if value > logprob + rounding]
        is_unlisted_near = bound > logprob - rounding
        is_kept = limits.keep(logprob, near_or_above, unlisted if is_unlisted_near else 0.0)
        if not is_kept and not limits.drop(logprob, well_above):
            uncertain.add(token)
    all_above = [value for _, value in row if value > bound + rounding or not rounding]
    return Cut(frozenset(token for token, _ in row), frozenset(uncertain), not limits.drop(bound, all_above))


class _Limits(NamedTuple):
    """Where options end, and what surely stands on one side of it.

    Attributes
    ----------
    options : as in `cut_of`
    largest : float; log-probability of the most likely token
    rounding : float; nats
    """

    options: Mapping[str, float]
    largest: float
    rounding: float

    def keep(self, logprob: float, near_or_above: Sequence[float], unlisted: float) -> bool:
        """Whether a token is surely left: `near_or_above`, and tokens of the mass `unlisted`, may stand before it."""
        options = self.options
        if (top_k := int(options.get("top_k", 0))) and (len(near_or_above) >= top_k or unlisted):
            return False
        if (top_p := options.get("top_p", 1.0)) < 1:
            before = _mass(near_or_above) + unlisted
            if _log_odds(before) + self.rounding >= _log_odds(top_p):
                return False
        threshold = self._threshold()
        return logprob - threshold > self.rounding or threshold == -math.inf

    def drop(self, logprob: float, well_above: Sequence[float]) -> bool:
        """Whether a token is surely dropped: `well_above` stand before it in any case."""
        options = self.options
        if (top_k := int(options.get("top_k", 0))) and len(well_above) >= top_k:
            return True
        top_p = options.get("top_p", 1.0)
        if top_p < 1 and _log_odds(_mass(well_above)) - self.rounding >= _log_odds(top_p):
            return True
        return self._threshold() - logprob > self.rounding

    def _threshold(self) -> float:
        """The log-probability below which min-p drops a token."""
        min_p = self.options.get("min_p", 0.0)
        return self.largest + math.log(min_p) if min_p > 0 else -math.inf


def _mass(logprobs: Sequence[float]) -> float:
    """The sum of some probabilities."""
    return math.fsum(math.exp(value) for value in logprobs)


def _log_odds(mass: float) -> float:
    """Logarithm of the odds of a mass, infinite where it is none or all."""
    if mass <= 0:
        return -math.inf
    return math.log(mass / (1 - mass)) if mass < 1 else math.inf


def judged_off_cut(token: Judged, cut: Cut, row: TopRow, stated: TopRow = ()) -> Judged | None:
    """A token beside the law that it has given that it is a certain one; None where it is none.

    Parameters
    ----------
    token : beside the law under options, for one reading of the cut
    cut : what is not certain
    row, stated : the reference's most likely tokens, without options and under them; none where it does not state these

    >>> row = ((3, math.log(0.5)), (5, math.log(0.26)), (7, math.log(0.24)))
    >>> token = Judged((0.66, 0.34, 0.0, 0.0), 0, 3, (3, 5, 7), 1, -1, -1, 0, False, True)
    >>> cut = cut_of({"top_k": 2}, row, 0.1)
    >>> [round(mass, 6) for mass in judged_off_cut(token, cut, row).masses]
    [1.0, 0.0, 0.0, 0.0]
    >>> judged_off_cut(token._replace(category=1, token=5), cut, row) is None
    True
    """
    if cut.is_empty:
        return token
    if cut.is_uncertain(token.token):
        return None
    is_certain = [not cut.is_uncertain(listed) for listed in token.ids]
    shares_of_rest = _certain_share(token.masses[-1], token.ids, cut, stated)
    law = _conditional(token.masses, is_certain, shares_of_rest)
    if not law:
        return None
    unprocessed = token.unprocessed
    if unprocessed:
        share = _certain_share(unprocessed[-1], token.ids, cut, row)
        unprocessed = _conditional(unprocessed, is_certain, share)
    # the most likely token first, as everywhere: those at the cut have no mass any more
    order = sorted(range(len(token.ids)), key=lambda place: -law[place])
    places = [*order, len(order)]

    def reordered(masses: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(masses[place] for place in places) if masses else ()

    return token._replace(
        masses=reordered(law),
        category=places.index(token.category),
        ids=tuple(token.ids[place] for place in order),
        unprocessed=reordered(unprocessed),
        late=reordered(_conditional(token.late, is_certain, shares_of_rest)),
        narrowed=reordered(_conditional(token.narrowed, is_certain, shares_of_rest)),
    )


def _certain_share(rest: float, listed: Sequence[int], cut: Cut, known: TopRow) -> float:
    """The part of the mass of all others that is certain, of which the known tokens are some."""
    masses = {token: math.exp(value) for token, value in known if token not in listed}
    certain = math.fsum(mass for token, mass in masses.items() if not cut.is_uncertain(token))
    unknown = 0.0 if cut.are_others_uncertain else max(rest - math.fsum(masses.values()), 0.0)
    return min((certain + unknown) / rest, 1.0) if rest > 0 else 0.0


def _conditional(masses: Sequence[float], is_certain: Sequence[bool], share_of_rest: float) -> tuple[float, ...]:
    """A law given that the token is a certain one; empty where these have no mass."""
    weights = [mass if is_kept else 0.0 for mass, is_kept in zip(masses, is_certain, strict=False)]
    weights.append(masses[-1] * share_of_rest if masses else 0.0)
    total = math.fsum(weights)
    if total < LEAST_CERTAIN:
        return ()
    floored = [max(weight / total, FLOOR) for weight in weights]
    floored_total = math.fsum(floored)
    return tuple(weight / floored_total for weight in floored)
