r"""What is accepted and what is drawn after a refusal, with one draft: which drafts were drawn, tested and emitted.

Of the first token y, let k(y) be the mass with which it is emitted as an accepted draft, and r(y) that of a token drawn after
a refusal.  Speculative decoding has :math:`k = \min(p, q)` and r in proportion to :math:`(p - q)^+`.  Each function here asks
whether k and r are those of a step in which one part is another, on all laws of one draft together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from simspec.audit.diagnosis.observations import SIGMAS, Observation
from simspec.laws import Array

__all__ = [
    "accepts_apart",
    "accepts_for_another_call",
    "accepts_other_ids",
    "draws_from_another_law",
    "drops_drafts",
    "first_law",
    "gives_up_passed_drafts",
    "is_first_wrong",
    "is_residual_alone_wrong",
    "is_right_with_one",
    "is_test_alone_wrong",
    "last_masses",
    "overlap_masses",
    "recovers_apart",
    "recovers_certain_drafts_wrong",
    "recovers_one_id",
    "recovers_other_ids",
    "singles",
    "twos",
]

MOST_PERMUTED = 4
"""Most tokens whose ids are exchanged in all ways."""


def singles(observations: Sequence[Observation]) -> list[Observation]:
    """What was seen with one draft."""
    return [observation for observation in observations if observation.pair.gamma == 1]


def twos(observations: Sequence[Observation]) -> list[Observation]:
    """What was seen with two drafts."""
    return [observation for observation in observations if observation.pair.gamma == 2]


def is_right_with_one(observations: Sequence[Observation]) -> bool:
    """Whether there are calls with one draft, and their texts are right."""
    ones = singles(observations)
    return bool(ones) and not any(observation.biased() for observation in ones)


def last_masses(observation: Observation, length: int) -> Array:
    """Mass (V,) of each token at the end of texts of so many tokens or more.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> last_masses(Observation(probes()[0], {(0, 1): 0.25, (2, 1): 0.25, (1,): 0.5}), 2).tolist()
    [0.0, 0.5, 0.0]
    """
    masses = np.zeros(observation.pair.vocab)
    for tokens, mass in observation.ends.items():
        masses[tokens[-1]] += mass if len(tokens) >= length else 0
    return masses


def first_law(observation: Observation) -> Array:
    """The law of the first token."""
    return observation.first(True) + observation.first(False)


def is_first_wrong(observation: Observation) -> bool:
    """Whether the first token has another law than the target's."""
    return observation.differs(first_law(observation), observation.pair.p[0])


def accepts_apart(observation: Observation) -> bool:
    """Whether k is not min(p, q)."""
    return observation.differs(observation.first(True), overlap_masses(observation))


def recovers_apart(observation: Observation, ids: Sequence[int] | None = None) -> bool:
    """Whether r is not in proportion to (p - q)+, under other ids where these are given, where anything is left of it."""
    refused = observation.first(False)
    residual = np.maximum(observation.pair.p[0] - observation.pair.q[0], 0)
    if ids is not None:
        residual = residual[[*ids]]
    return bool(residual.any()) and observation.differs(refused, refused.sum() * residual / residual.sum())


def overlap_masses(observation: Observation) -> Array:
    """min(p, q) of the first token."""
    masses: Array = np.minimum(observation.pair.p[0], observation.pair.q[0])
    return masses


def _fits(observations: Sequence[Observation], law: Callable[[Observation], Array]) -> bool:
    """Whether k has a law on all of these, and not that of speculative decoding on some."""
    return any(map(accepts_apart, observations)) and not any(
        observation.differs(observation.first(True), law(observation)) for observation in observations
    )


def draws_from_another_law(observations: Sequence[Observation]) -> bool:
    r"""Tests and refusals are right, and drafts have another law than the reported one.

    Then :math:`k(y) / \min(1, p(y)/q(y))` is the law of the drafts: it sums to 1, or to less where the target never says a
    token.  A wrong test of right drafts does not give a law on all pairs.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # p = (5, 2, 1)/8, q = (1, 9, 6)/16
    >>> padded = {(0, 0): 1.0}  # token 0 is drafted whatever q says, and p >= q
    >>> tested_wrong = {(0, 0): 1 / 16, (1, 0): 9 / 16, (0,): 6 / 16}
    >>> [draws_from_another_law([Observation(pair, ends)]) for ends in (padded, tested_wrong)]
    [True, False]
    """
    ones = singles(observations)
    if any(map(recovers_apart, ones)):
        return False
    drawn_laws = [_drawn_law(observation) for observation in ones]
    is_law = all(
        total <= 1 + SIGMAS * sigma and (total >= 1 - SIGMAS * sigma or not is_complete)
        for _, _, total, sigma, is_complete in drawn_laws
    )
    return (
        is_law
        and any(is_complete for *_, is_complete in drawn_laws)
        and any(
            (abs(law - observation.pair.q[0]) > SIGMAS * sigmas)[observation.pair.p[0] > 0].any()
            for observation, (law, sigmas, *_) in zip(ones, drawn_laws, strict=True)
        )
    )


def _drawn_law(observation: Observation) -> tuple[Array, Array, float, float, bool]:
    """The law of drafts that right tests imply, its standard deviations, its sum, that of the sum, and whether all is seen."""
    p = observation.pair.p[0]
    q = observation.pair.q[0]
    accepted = observation.first(True)
    chance = np.where(q > 0, np.minimum(p / np.where(q > 0, q, 1), 1), (p > 0) * 1.0)
    is_seen = chance > 0
    safe = np.where(is_seen, chance, 1)
    law = np.where(is_seen, accepted / safe, 0)
    sigmas = np.where(is_seen, observation.sigma(accepted) / safe, 0)
    return law, sigmas, float(law.sum()), float(np.sqrt((sigmas**2).sum())), bool(is_seen.all())


def accepts_other_ids(observations: Sequence[Observation]) -> bool:
    """Drafts are tested right and emitted under other ids; what is drawn after a refusal has its own.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # min(p, q) = (1, 4, 2)/16
    >>> ends = {((x + 1) % 3, 0): min(pair.p[0][x], pair.q[0][x]) for x in range(3)} | {(0,): 9 / 16}
    >>> accepts_other_ids([Observation(pair, ends)])
    True
    """
    ones = singles(observations)
    if not ones or any(map(recovers_apart, ones)):
        return False
    return any(map(accepts_apart, ones)) and _are_under_other_ids(ones, _accepts_apart_from_ids)


def _are_under_other_ids(
    observations: Sequence[Observation], is_apart: Callable[[Observation, tuple[int, ...]], bool]
) -> bool:
    """Whether all observations of each vocabulary size agree under one permutation of its ids."""
    sizes = {observation.pair.vocab for observation in observations}
    return all(
        size <= MOST_PERMUTED
        and any(
            not any(is_apart(observation, ids) for observation in observations if observation.pair.vocab == size)
            for ids in permutations(range(size))
        )
        for size in sizes
    )


def _accepts_apart_from_ids(observation: Observation, ids: tuple[int, ...]) -> bool:
    return observation.differs(observation.first(True), overlap_masses(observation)[[*ids]])


def accepts_for_another_call(observations: Sequence[Observation]) -> bool:
    """As many drafts are accepted as should be, whichever they are: the tests are those of another call or place.

    k is q times the sum of min(p, q), and refusals are right.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # min(p, q) = (1, 4, 2)/16
    >>> blind = {(x, 0): pair.q[0][x] * 7 / 16 for x in range(3)} | {(0,): 9 / 16}
    >>> accepts_for_another_call([Observation(pair, blind)])
    True
    """
    ones = singles(observations)
    return not any(map(recovers_apart, ones)) and _fits(
        ones, lambda observation: observation.pair.q[0] * overlap_masses(observation).sum()
    )


def is_test_alone_wrong(observations: Sequence[Observation]) -> bool:
    """With one draft, drafts are not accepted as they should be, and refusals are right.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # p = (5, 2, 1)/8, q = (1, 9, 6)/16
    >>> is_test_alone_wrong([Observation(pair, {(1, 0): 9 / 16, (0,): 7 / 16})])
    True
    """
    ones = singles(observations)
    return any(map(accepts_apart, ones)) and not any(map(recovers_apart, ones))


def is_residual_alone_wrong(observations: Sequence[Observation]) -> bool:
    """With one draft, drafts are accepted as they should be, and refusals are wrong.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # min(p, q) = (1, 4, 2)/16, and p - q is positive for 0 only
    >>> is_residual_alone_wrong([Observation(pair, {(0, 0): 1 / 16, (1, 0): 4 / 16, (2, 0): 2 / 16, (1,): 9 / 16})])
    True
    """
    ones = singles(observations)
    return any(map(recovers_apart, ones)) and not any(map(accepts_apart, ones))


def recovers_other_ids(observations: Sequence[Observation]) -> bool:
    """Drafts are accepted right; what is drawn after a refusal has the residual's law under other ids.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: four tokens")  # p - q = (2, 3, -4, -1)/16
    >>> kept = {(x, 0): min(pair.p[0][x], pair.q[0][x]) for x in range(4)}
    >>> [recovers_other_ids([Observation(pair, kept | {(x,): 2 / 16, (x + 1,): 3 / 16})]) for x in (0, 1)]
    [False, True]
    """
    ones = [observation for observation in singles(observations) if observation.first(False).any()]
    return is_residual_alone_wrong(ones) and _are_under_other_ids(ones, recovers_apart)


def recovers_one_id(observations: Sequence[Observation]) -> bool:
    """Drafts are accepted right; after a refusal one id comes, the same on all pairs, though the residual often lacks it.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: two ways to recover")  # p - q = (-5, 1, 4)/8
    >>> kept = {(0, 0): 1 / 8, (1, 0): 2 / 8}
    >>> [recovers_one_id([Observation(pair, kept | {(x,): 5 / 8})]) for x in (0, 2)]
    [True, False]
    """
    ones = [observation for observation in singles(observations) if observation.first(False).any()]
    ids = {token for observation in ones for token in np.flatnonzero(observation.first(False))}
    return (
        len(ids) == 1
        and not any(map(accepts_apart, ones))
        and any((observation.pair.p[0] <= observation.pair.q[0])[list(ids)].all() for observation in ones)
    )


def drops_drafts(observations: Sequence[Observation]) -> bool:
    """Some tokens are never accepted as drafts, though p >= q passes every test; the others are accepted as they should be.

    They were drawn, since the others are no more frequent than without them, and then dropped.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # p = (5, 2, 1)/8, q = (1, 9, 6)/16
    >>> dropped = {(1, 0): 4 / 16, (2, 0): 2 / 16, (0,): 10 / 16}
    >>> drops_drafts([Observation(pair, dropped)])
    True
    """
    ones = singles(observations)
    return any(map(_drops_sure_draft, ones)) and not any(
        observation.differs(observation.first(True), overlap_masses(observation) * (observation.first(True) > 0))
        for observation in ones
    )


def _drops_sure_draft(observation: Observation) -> bool:
    p = observation.pair.p[0]
    q = observation.pair.q[0]
    is_seldom = SIGMAS * observation.sigma(np.zeros(1))[0] >= q
    return bool(((observation.first(True) == 0) & (p >= q) & ~is_seldom).any() and observation.first(True).any())


def gives_up_passed_drafts(observations: Sequence[Observation]) -> bool:
    """A share of the drafts that pass is refused all the same, whichever they are; refusals are right.

    k is min(p, q) times a factor of at most 1, which may differ from pair to pair and is not 0 on all.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]
    >>> half = {(x, 0): min(pair.p[0][x], pair.q[0][x]) / 2 for x in range(3)}
    >>> gives_up_passed_drafts([Observation(pair, half | {(0,): 1 - sum(half.values())})])
    True
    """
    ones = singles(observations)
    if any(map(recovers_apart, ones)) or not any(observation.first(True).any() for observation in ones):
        return False
    return _fits(ones, _scaled_overlap) and not any(
        observation.above(observation.first(True), overlap_masses(observation)) for observation in ones
    )


def _scaled_overlap(observation: Observation) -> Array:
    overlap = overlap_masses(observation)
    total = overlap.sum()
    return overlap * observation.first(True).sum() / total if total > 0 else overlap


def recovers_certain_drafts_wrong(observations: Sequence[Observation]) -> bool:
    """One token alone is ever accepted, with the target's mass, as a draft that was certain must be; the first token is wrong.

    What mends that is p without this token after a refusal.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]  # p = (5, 2, 1)/8; token 1 is the likeliest draft
    >>> ends = {(1, 0): 2 / 8, (0,): 30 / 64, (1,): 12 / 64, (2,): 6 / 64}  # p again after a refusal
    >>> recovers_certain_drafts_wrong([Observation(pair, ends)])
    True
    """
    ones = singles(observations)
    certain = [(observation, np.flatnonzero(observation.first(True))) for observation in ones]
    return any(map(is_first_wrong, ones)) and not any(
        len(tokens) > 1 or observation.differs(observation.first(True), _certain(observation, tokens))
        for observation, tokens in certain
    )


def _certain(observation: Observation, tokens: Array) -> Array:
    """The target's mass of the likeliest draft or, where one was accepted, of that."""
    law = np.zeros(observation.pair.vocab)
    token = tokens[0] if len(tokens) else observation.pair.q[0].argmax()
    law[token] = observation.pair.p[0][token]
    return law
