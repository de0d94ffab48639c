"""One place of a call with two drafts, seen as a call with one draft, and rows that were read at another place.

After an accepted first draft x, speculative decoding verifies the second as if it were the first of a call of its own.  So what
tells the parts of one draft apart tells those of the second, too: `second_drafts` are what it is asked of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from simspec.audit.diagnosis.acceptance import (
    accepts_apart,
    accepts_other_ids,
    draws_from_another_law,
    drops_drafts,
    gives_up_passed_drafts,
    is_right_with_one,
    last_masses,
    overlap_masses,
    recovers_apart,
    twos,
)
from simspec.audit.diagnosis.observations import Observation
from simspec.audit.diagnosis.reported import is_right_for_other_laws
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.laws.unchecked import ratio
from simspec.methods.block import Prefix

__all__ = [
    "draws_second_from_another_law",
    "emits_second_too_often",
    "first_drafts_of_several",
    "has_second_ids_exchanged",
    "is_second_right_for_other_laws",
    "passes_first_test_again",
    "reads_rows_of_another_place",
    "second_drafts",
    "second_drafts_after_each",
    "stops_before_second",
]

SEEN = 1 / 32
"""Mass of an accepted first draft from which on what follows it is looked at for itself."""


def second_drafts(observations: Sequence[Observation]) -> list[Observation]:
    """What follows an accepted first draft of two, whichever it is, as calls with one draft; [] unless the first place is right.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> ones = [Observation(pair, {(x,): pair.p[0][x] for x in range(pair.vocab)}) for pair in probes()[:1]]
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal laws")  # p = q: every draft is accepted
    >>> whole = {(x, y, z): pair.p[0][x] * pair.p[1][y] * pair.p[2][z] for x in range(3) for y in range(3) for z in range(3)}
    >>> [second] = second_drafts([*ones, Observation(pair, whole)])
    >>> (second.first(True) == pair.p[1]).all()
    np.True_
    """
    return [_after(observation, range(observation.pair.vocab)) for observation in _with_right_first(observations)]


def second_drafts_after_each(observations: Sequence[Observation]) -> list[Observation]:
    """The same after each first draft that is accepted often enough."""
    return [second for observation in _with_right_first(observations) for second in _after_each(observation)]


def _after_each(observation: Observation) -> list[Observation]:
    """What follows each first draft that is accepted often enough."""
    return [_after(observation, [int(token)]) for token in np.flatnonzero(observation.first(True) > SEEN)]


def first_drafts_of_several(observations: Sequence[Observation]) -> list[Observation]:
    """First drafts of two as calls with one draft; [] unless they alone are wrong.

    Calls with one draft are right then, and so are the second drafts after each first one: drafts that changed places are not.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> ones = [Observation(pair, {(x,): pair.p[0][x] for x in range(pair.vocab)}) for pair in probes()[:1]]
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal laws")  # p = q, first (1, 3, 4)/8
    >>> ends = {(x, y, 2): mass * pair.p[1][y] for x, mass in ((0, 1 / 2), (1, 1 / 2)) for y in range(3)}
    >>> [first] = first_drafts_of_several([*ones, Observation(pair, ends)])
    >>> first.first(True).tolist()
    [0.5, 0.5, 0.0]
    """
    several = twos(observations)
    is_wrong = any(accepts_apart(observation) or recovers_apart(observation) for observation in several)
    after_each = [second for observation in several for second in _after_each(observation)]
    is_second_wrong = any(accepts_apart(second) or recovers_apart(second) for second in after_each)
    is_first_alone_wrong = is_wrong and not is_second_wrong and is_right_with_one(observations)
    return [_first(observation) for observation in several] if is_first_alone_wrong else []


def _first(observation: Observation) -> Observation:
    """The first draft and the token after it, or the token after its refusal."""
    ends: dict[Prefix, float] = {}
    for text, mass in observation.ends.items():
        ends[text[:2]] = ends.get(text[:2], 0.0) + mass
    pair = Pair(f"{observation.pair.name}: the first draft", observation.pair.p[:2], observation.pair.q[:1])
    return observation._replace(pair=pair, ends=ends)


def _with_right_first(observations: Sequence[Observation]) -> list[Observation]:
    """What was seen with two drafts, where the first of them, and calls with one, are accepted and refused right."""
    several = twos(observations)
    is_first_right = is_right_with_one(observations) and not any(
        accepts_apart(observation) or recovers_apart(observation) for observation in several
    )
    return [observation for observation in several if observation.first(True).sum() > SEEN] if is_first_right else []


def _after(observation: Observation, tokens: Sequence[int]) -> Observation:
    """What follows one of these first drafts, as shares of the calls that accept one of them."""
    ends: dict[Prefix, float] = {}
    for text, mass in observation.ends.items():
        if len(text) > 1 and text[0] in tokens:
            ends[text[1:]] = ends.get(text[1:], 0.0) + mass
    total = sum(ends.values())
    pair = Pair(f"{observation.pair.name}: the second draft", observation.pair.p[1:], observation.pair.q[1:])
    shares = {text: mass / total for text, mass in ends.items()}
    return Observation(pair, shares, round(observation.calls * total), observation.slack / total)


def _after_sure_drafts(observations: Sequence[Observation]) -> list[Observation]:
    """Calls with one draft, and those of several whose first draft always passes, since p = q there."""
    return [
        observation
        for observation in observations
        if observation.pair.gamma == 1 or np.array_equal(observation.pair.p[0], observation.pair.q[0])
    ]


def draws_second_from_another_law(observations: Sequence[Observation]) -> bool:
    """Second drafts have another law than the reported one, after each first draft or after all; they are tested right.

    That is asked where p = q at the first place, so that all first drafts are accepted: else a random number of the first test
    that draws the second draft would do the same.

    >>> pair = Pair("", np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]), np.array([[0.5, 0.5], [0.5, 0.5]]))
    >>> ones = [Observation(pair._replace(p=pair.p[1:], q=pair.q[1:]), {(0,): 0.5, (1,): 0.5})]
    >>> def drafting(law):
    ...     return Observation(pair, {(x, y, z): law[y] / 4 for x, y, z in product(range(2), repeat=3)})
    >>> [draws_second_from_another_law([*ones, drafting(law)]) for law in ((0.5, 0.5), (0.25, 0.75))]
    [False, True]
    """
    sure_observations = _after_sure_drafts(observations)
    return draws_from_another_law(second_drafts(sure_observations)) or draws_from_another_law(
        second_drafts_after_each(sure_observations)
    )


def has_second_ids_exchanged(observations: Sequence[Observation]) -> bool:
    """Second drafts are tested right and emitted under other ids."""
    return accepts_other_ids(second_drafts(observations))


def is_second_right_for_other_laws(observations: Sequence[Observation]) -> bool:
    """After a first draft that always passes the second is verified as with another target, or another reported law."""
    return is_right_for_other_laws(second_drafts(_after_sure_drafts(observations)))


def stops_before_second(observations: Sequence[Observation]) -> bool:
    """Second drafts are dropped, or given up after they passed, after some first draft or after all."""
    after_each = second_drafts_after_each(observations)
    is_stopped = drops_drafts(after_each) or gives_up_passed_drafts(after_each)
    return is_stopped and not passes_first_test_again(observations)


def passes_first_test_again(observations: Sequence[Observation]) -> bool:
    """Second drafts are accepted with the chance of the first draft, min(1, p/q), times their own: its ratio counts again.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: unequal rows")  # p(0)/q(0) = 1/6, p(1)/q(1) > 1
    >>> ones = [Observation(probes()[0], {(x,): probes()[0].p[0][x] for x in range(3)})]
    >>> def shares(chance):
    ...     second = np.minimum(pair.p[1], pair.q[1])
    ...     kept = [(0, chance / 8), (1, 1 / 4)]  # first drafts, and the mass with which they pass, the second's chance too
    ...     both = {(x, y, 0): mass * second[y] for x, mass in kept for y in range(3)}
    ...     refused = {(0, 0): 1 / 8 - chance / 8 * second.sum(), (1, 0): 1 / 4 * (1 - second.sum()), (1,): 1 / 8, (2,): 1 / 2}
    ...     return Observation(pair, both | refused)
    >>> [passes_first_test_again([*ones, shares(chance)]) for chance in (1 / 6, 1)]
    [True, False]
    """
    steps = []
    for observation in _with_right_first(observations):
        chance = np.minimum(1, ratio(observation.pair.p[0], observation.pair.q[0], 1))
        steps += [(_after(observation, [int(x)]), chance[x]) for x in np.flatnonzero(observation.first(True) > SEEN)]
    return any(chance < 1 and accepts_apart(second) for second, chance in steps) and not any(
        second.differs(second.first(True), chance * overlap_masses(second)) for second, chance in steps
    )


def emits_second_too_often(observations: Sequence[Observation]) -> bool:
    """After a first draft that always passes a second one is accepted more often than it is drafted: no test does that.

    That is asked where p = q at the first place.  Drafts that are drawn from another law are asked for before.

    >>> pair = Pair("", np.array([[0.5, 0.5]] * 3), np.array([[0.5, 0.5]] * 2))
    >>> ones = [Observation(pair._replace(p=pair.p[1:], q=pair.q[1:]), {(0,): 0.5, (1,): 0.5})]
    >>> again = Observation(pair, {(x, x, z): 1 / 4 for x, z in product(range(2), repeat=2)})
    >>> emits_second_too_often([*ones, again])
    True
    """
    sure_observations = _after_sure_drafts(observations)
    return any(
        second.above(second.first(True), second.pair.q[0]) for second in second_drafts_after_each(sure_observations)
    )


# --- rows of another place --------------------------------------------------------------------------------------------


def reads_rows_of_another_place(observations: Sequence[Observation]) -> bool:
    """Each test, each refusal and the bonus follows from some rows of the call, though not all from their own.

    With two drafts a test may compare p_j and q_k for any places j and k, a refusal may draw from (p_j - q_k)+ or another p_j,
    and the bonus from any row of the target or the draft; drafts come from their own rows.  With one draft all is right.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> ones = [Observation(pair, {(x,): pair.p[0][x] for x in range(pair.vocab)}) for pair in probes()[:1]]
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal laws")  # p = q: every draft is accepted
    >>> def bonus_from(row):
    ...     ends = product(range(3), repeat=3)
    ...     return Observation(pair, {(x, y, z): pair.p[0][x] * pair.p[1][y] * pair.p[row][z] for x, y, z in ends})
    >>> [reads_rows_of_another_place([*ones, bonus_from(row)]) for row in (0, 2)]
    [True, False]
    """
    several = twos(observations)
    if not several or not is_right_with_one(observations):
        return False
    is_another = False
    for name in STEPS:
        steps = [step for observation in several if (step := _step(observation, name)) is not None]
        fits = [
            not any(step.is_apart_from(number) for step in steps)
            for number in range(len(steps[0].laws) if steps else 1)
        ]
        if not any(fits):
            return False
        is_another = is_another or not fits[0]
    return is_another


STEPS = ("test 0", "refusal 0", "test 1", "refusal 1", "bonus")
"""What rows are read for in a call with two drafts."""


class _Step(NamedTuple):
    """Calls, masses of tokens in them, and laws that these may have: the right one first, None or NaN where any mass would do."""

    observation: Observation
    masses: Array
    laws: list[Array | None]

    def is_apart_from(self, number: int) -> bool:
        """Whether the masses differ from a law."""
        law = self.laws[number]
        return law is not None and self.observation.differs(self.masses, np.where(np.isnan(law), self.masses, law))


def _step(observation: Observation, name: str) -> _Step | None:
    """What one step of a call does; None where it is seldom done."""
    p = observation.pair.p
    q = observation.pair.q
    if name == "bonus":
        last = last_masses(observation, len(p))
        return _Step(observation, last, [_normalised(row, last.sum()) for row in (p[2], p[0], p[1], *q)])
    place = int(name[-1])
    if place:
        if observation.first(True).sum() < SEEN:
            return None
        observation = _after(observation, range(observation.pair.vocab))
    if name.startswith("test"):
        tests: list[Array | None] = [np.where(q[place] > 0, q[place] * _chance(p[j], q[k]), 0) for j, k in _rows(place)]
        return _Step(observation, observation.first(True), tests)
    refused = observation.first(False)
    residuals = [_normalised(np.maximum(p[j] - q[k], 0), refused.sum()) for j, k in _rows(place)]
    whole = [_normalised(p[j], refused.sum()) for j in range(3) if j != place]
    return _Step(observation, refused, [*residuals, *whole])


def _rows(place: int) -> Iterator[tuple[int, int]]:
    """Places of a target row and a draft row, their own first."""
    yield place, place
    yield from ((j, k) for j, k in product(range(3), range(2)) if (j, k) != (place, place))


def _chance(p: Array, q: Array) -> Array:
    """min(1, p/q); NaN where q is 0, of which tests make what they like."""
    return np.minimum(1, ratio(p, q, np.nan))


def _normalised(weights: Array, total: float) -> Array | None:
    return weights * total / weights.sum() if weights.any() else None
