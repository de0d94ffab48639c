"""What is emitted of a call whose tests are right: tokens of another row or in another order, every pass counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from simspec.audit.diagnosis.acceptance import is_first_wrong, overlap_masses, singles, twos
from simspec.audit.diagnosis.observations import Observation
from simspec.laws import Array
from simspec.methods.block import Prefix

__all__ = [
    "depends_on_draft",
    "draws_depend",
    "emits_from_another_row",
    "emits_in_another_order",
    "follows_draft",
    "gives_up_after_draft",
    "goes_wrong_late",
    "has_row_of_another_place",
    "is_end_alone_wrong",
    "is_row_of_another_place",
    "recovers_without_token",
    "stops_elsewhere",
]

ORDERS: tuple[Callable[[Prefix], Prefix], ...] = (
    lambda tokens: tokens[::-1],
    lambda tokens: (tokens[1], tokens[0], *tokens[2:]),
    lambda tokens: (*tokens[:-2], tokens[-1], tokens[-2]),
    lambda tokens: (*tokens[1:], tokens[0]),
    lambda tokens: (tokens[-1], *tokens[:-1]),
)
"""Other orders of two tokens or more."""
RARE = 1 / 32
"""Mass of drafts from which on it is no chance that none is accepted: of 500 calls 15 are expected."""


def emits_in_another_order(observations: Sequence[Observation]) -> bool:
    """Texts are wrong, and right once the tokens of every call, or of every call without a refusal, change places in one way.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]._replace(q=probes()[0].p[:1])  # p = q: every draft is accepted
    >>> ends = {(x, y): pair.p[0][x] * pair.p[1][y] for x in range(3) for y in range(3)}
    >>> turned = {(y, x): mass for (x, y), mass in ends.items()}
    >>> emits_in_another_order([Observation(pair, turned)]), emits_in_another_order([Observation(pair, ends)])
    (True, False)
    """
    if not any(observation.biased() for observation in observations):
        return False
    return any(
        not any(_reordered(observation, order, needs_all).biased() for observation in observations)
        for order in ORDERS
        for needs_all in (True, False)
    )


def _reordered(observation: Observation, order: Callable[[Prefix], Prefix], needs_all: bool) -> Observation:
    """The same calls with their tokens in another order; where `needs_all`, of calls without a refusal only."""
    least = observation.pair.gamma + 1 if needs_all else 2
    ends = {
        order(tokens) if len(tokens) >= max(least, 2) else tokens: mass for tokens, mass in observation.ends.items()
    }
    return observation._replace(ends=ends)


def emits_from_another_row(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of several, where p = q and every test passes, the token at some place has a wrong law.

    No test, no uniform and no residual does that where each is right alone: the token was read at another place.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal laws")
    >>> copied = {(x, x, z): pair.p[0][x] * pair.p[2][z] for x in range(3) for z in range(3)}
    >>> emits_from_another_row([Observation(pair, copied)]), draws_depend([Observation(pair, copied)])
    (True, False)
    """
    return _is_right_with_one(observations) and any(map(_is_marginal_wrong, _with_equal_laws(observations)))


def draws_depend(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of several, where p = q, each token has its law and yet they depend on each other.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal laws")._replace(p=np.full((3, 2), 0.5))
    >>> pair = pair._replace(q=pair.p[:2])
    >>> draws_depend([Observation(pair, {(x, x, z): 1 / 4 for x in range(2) for z in range(2)})])
    True
    """
    alike = _with_equal_laws(observations)
    return (
        _is_right_with_one(observations)
        and any(observation.biased() for observation in alike)
        and not any(map(_is_marginal_wrong, alike))
    )


def _is_right_with_one(observations: Sequence[Observation]) -> bool:
    return not any(observation.biased() for observation in observations if observation.pair.gamma == 1)


def _with_equal_laws(observations: Sequence[Observation]) -> list[Observation]:
    """What was seen with several drafts whose laws are the target's."""
    several = [observation for observation in observations if observation.pair.gamma > 1]
    return [observation for observation in several if np.array_equal(observation.pair.p[:-1], observation.pair.q)]


def _is_marginal_wrong(observation: Observation) -> bool:
    law = observation.law()
    places = range(law.ndim)
    return any(
        observation.differs(law.sum(axis=tuple(other for other in places if other != place)), observation.pair.p[place])
        for place in places
    )


def stops_elsewhere(observations: Sequence[Observation]) -> bool:
    """How many of two drafts are accepted follows from the tests of both, though not by the first refusal.

    With one draft all is right.  With two, the tests are right and independent, and each of their four outcomes leads to a number
    of accepted drafts, always the same: as many drafts are emitted, then a token of the residual of that place, or the bonus.
    All other ways to choose the numbers are tried: as many as pass, up to the last that passes, one too few, ...

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal laws")  # p = q: both pass
    >>> whole = {(x, y, z): pair.p[0][x] * pair.p[1][y] * pair.p[2][z] for x in range(3) for y in range(3) for z in range(3)}
    >>> at_most_one = {(x, y): pair.p[0][x] * pair.p[1][y] for x in range(3) for y in range(3)}
    >>> [stops_elsewhere([Observation(pair, ends)]) for ends in (whole, at_most_one)]
    [False, True]
    """
    several = twos(observations)
    if not several or not _is_right_with_one(observations):
        return False
    open_rules = [RIGHT_STOP, *(numbers for numbers in product(range(3), repeat=4) if numbers != RIGHT_STOP)]
    is_right = True
    for observation in several:
        laws = _laws_by_outcome(observation)
        shares = _ends(observation)
        open_rules = [
            numbers
            for numbers in open_rules
            if not observation.differs(shares, np.sum([laws[at, number] for at, number in enumerate(numbers)], axis=0))
        ]
        is_right = is_right and RIGHT_STOP in open_rules
    return bool(open_rules) and not is_right


RIGHT_STOP = (0, 0, 1, 2)
"""Accepted drafts where both tests fail, the second alone passes, the first alone passes, both pass."""


def _ends(observation: Observation) -> Array:
    """Shares of the ways to end with two drafts, (V + 1, V + 1, V + 1); V stands for no token."""
    vocab = observation.pair.vocab
    shares = np.zeros((vocab + 1,) * 3)
    for tokens, mass in observation.ends.items():
        shares[(*tokens, vocab, vocab)[:3]] += mass
    return shares


def _laws_by_outcome(observation: Observation) -> dict[tuple[int, int], Array]:
    """Masses of the ways to end where two tests have an outcome, 0 to 3, and then a number of drafts is accepted."""
    p = observation.pair.p
    vocab = observation.pair.vocab
    passing = np.minimum(p[:-1], observation.pair.q)
    failing = observation.pair.q - passing
    excess = np.maximum(p[:-1] - observation.pair.q, 0)
    rows = [row if row.any() else p[i] for i, row in enumerate(excess)]
    after = [row / row.sum() for row in (*rows, p[-1])]
    laws = {}
    for outcome, number in product(range(4), range(3)):
        first, second = ((failing, passing)[bit][i] for i, bit in enumerate(divmod(outcome, 2)))
        law = np.zeros((vocab + 1,) * 3)
        if number == 0:
            law[:vocab, vocab, vocab] = first.sum() * second.sum() * after[0]
        elif number == 1:
            law[:vocab, :vocab, vocab] = np.outer(first * second.sum(), after[1])
        else:
            law[:vocab, :vocab, :vocab] = first[:, None, None] * second[:, None] * after[2]
        laws[outcome, number] = law
    return laws


def follows_draft(observations: Sequence[Observation]) -> bool:
    """A token has the right law but for the mass of the draft before it, by which its row or its draft law was penalised.

    Either the token after one draft, where the first token is right; or the second token where p = q and with one draft all is
    right.  After draft x, tokens other than x are in proportion to the row, and x itself has more or less than its mass there,
    though not all of it: that would be the draft again.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]._replace(q=probes()[0].p[:1])  # p = q: every draft is accepted
    >>> def after(factor):
    ...     rows = pair.p[1] * np.where(np.eye(3, dtype=bool), factor, 1)
    ...     rows /= rows.sum(axis=1, keepdims=True)
    ...     return Observation(pair, {(x, y): pair.p[0][x] * rows[x, y] for x in range(3) for y in range(3)})
    >>> [follows_draft([after(factor)]) for factor in (0.5, 1, 2, 1e9)]
    [True, False, True, False]
    """
    ones = singles(observations)
    if any(is_first_wrong(observation) for observation in ones):
        return False
    seconds = [(observation, _after_draft(observation)) for observation in ones]
    if _is_right_with_one(observations):
        alike = _with_equal_laws(observations)
        seconds += [
            (observation, observation.law().sum(axis=tuple(range(2, observation.law().ndim)))) for observation in alike
        ]
    only_draft = [_differs_in_draft(observation, joint) for observation, joint in seconds]
    return None not in only_draft and True in only_draft


def _differs_in_draft(observation: Observation, joint: Array) -> bool | None:
    """Whether the token after a draft differs from its row in the draft's own mass; None where it differs otherwise."""
    row = observation.pair.p[1]
    differs = False
    for x, after in enumerate(joint):
        mass = after.sum()
        others = np.arange(len(row)) != x
        if not mass or not row[others].any():
            continue
        if observation.differs(after[others], after[others].sum() * row[others] / row[others].sum()):
            return None
        if row[x] > 0 and after[others].sum() <= 1e-6 * mass:
            return None
        differs = differs or observation.differs(after, mass * row)
    return differs


def _after_draft(observation: Observation) -> Array:
    """Mass (V, V) of each draft that is accepted and each token after it."""
    masses = np.zeros((observation.pair.vocab,) * 2)
    for tokens, mass in observation.ends.items():
        if len(tokens) == 2:
            masses[tokens] += mass
    return masses


def is_end_alone_wrong(observations: Sequence[Observation]) -> bool:
    """With one draft the first token is right, and the token after it has a wrong law, the same after each draft.

    A random number that serves twice would make that token depend on the draft.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]._replace(q=probes()[0].p[:1])  # p = q: every draft is accepted
    >>> ends = {(x, y): pair.p[0][x] * pair.p[0][y] for x in range(3) for y in range(3)}
    >>> is_end_alone_wrong([Observation(pair, ends)])
    True
    """
    ones = singles(observations)
    if not ones or any(map(is_first_wrong, ones)):
        return False
    joints = [(observation, _after_draft(observation)) for observation in ones]
    return any(
        observation.differs(joint.sum(axis=0), joint.sum() * observation.pair.p[1]) for observation, joint in joints
    ) and not any(
        observation.differs(joint, np.outer(joint.sum(axis=1), joint.sum(axis=0)) / max(joint.sum(), 1e-12))
        for observation, joint in joints
    )


def _accepts_more_than_one_draft(observation: Observation) -> bool:
    """Whether more is accepted than a draft from q can be, of which the token has the law p."""
    overlap = overlap_masses(observation).sum()
    return observation.above(np.array([observation.first(True).sum()]), np.array([overlap]))


def depends_on_draft(observations: Sequence[Observation]) -> bool:
    """With one draft the first token is right, and the law of the token after it depends on the draft, which it does not repeat.

    The draft, its test and that token share a random number.  Where more is accepted than one draft can be, the sum of min(p, q),
    several were tested, and what follows may depend on which one was kept: then nothing is said.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]._replace(p=np.full((2, 2), 0.5), q=np.full((1, 2), 0.5))  # every draft is accepted
    >>> other = {(x, 1 - x): 0.5 for x in range(2)}
    >>> again = {(x, x): 0.5 for x in range(2)}
    >>> [depends_on_draft([Observation(pair, ends)]) for ends in (other, again)]
    [True, False]
    """
    ones = singles(observations)
    if any(map(is_first_wrong, ones)) or any(map(_accepts_more_than_one_draft, ones)):
        return False
    joints = [(observation, _after_draft(observation)) for observation in ones]
    return any(
        observation.differs(joint, np.outer(joint.sum(axis=1), joint.sum(axis=0)) / max(joint.sum(), 1e-12))
        for observation, joint in joints
    ) and not all(np.array_equal(joint, np.diag(np.diag(joint))) for _, joint in joints)


def recovers_without_token(observations: Sequence[Observation]) -> bool:
    """With one draft, drafts are accepted right, and after a refusal one id is never drawn; the others have the residual's law.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: two ways to recover")
    >>> kept = {(x, y): min(pair.p[0][x], pair.q[0][x]) * pair.p[1][y] for x in range(3) for y in range(3)}
    >>> [recovers_without_token([Observation(pair, kept | {(1,): 5 / 8 - after, (2,): after})]) for after in (0, 1 / 2)]
    [True, False]
    """
    ones = singles(observations)
    ids = range(-1, min((observation.pair.vocab for observation in ones), default=1) - 1)
    accepts_right = not any(
        observation.differs(observation.first(True), overlap_masses(observation)) for observation in ones
    )
    return accepts_right and any(
        any(_lacks(observation, token) for observation in ones)
        and not any(_is_residual_without_apart(observation, token) for observation in ones)
        for token in ids
    )


def _lacks(observation: Observation, token: int) -> bool:
    """Whether a token that the residual has is never drawn after a refusal, though others are."""
    residual = np.maximum(observation.pair.p[0] - observation.pair.q[0], 0)
    refused = observation.first(False)
    return bool(residual[token] > 0 and np.delete(residual, token).any() and not refused[token] and refused.any())


def _is_residual_without_apart(observation: Observation, token: int) -> bool:
    """Whether refusals have another law than the residual without a token; where nothing is left of that, nothing is said."""
    residual = np.maximum(observation.pair.p[0] - observation.pair.q[0], 0)
    residual[token] = 0
    refused = observation.first(False)
    return bool(residual.any()) and observation.differs(refused, refused.sum() * residual / residual.sum())


def is_row_of_another_place(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of several, before the last place, a token comes that only another row says.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: two ways to recover after a sure draft")
    >>> is_row_of_another_place([Observation(pair, {(0, 2): 1.0})])  # p_1 = (1/2, 1/2, 0), p_2 = (1/8, 1/2, 3/8)
    True
    """
    return _is_right_with_one(observations) and any(
        observation.pair.p[place, token] == 0 and (observation.pair.p[:, token] > 0).any()
        for observation in observations
        for tokens, mass in observation.ends.items()
        if mass > observation.slack + 1e-9
        for place, token in enumerate(tokens)
        if len(tokens) <= observation.pair.gamma
    )


def has_row_of_another_place(observations: Sequence[Observation]) -> bool:
    """With one draft the first token has not its own row's law but that of the row after it.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]
    >>> [has_row_of_another_place([Observation(pair, {(x,): row[x] for x in range(3)})]) for row in pair.p]
    [False, True]
    """
    ones = singles(observations)
    return any(map(is_first_wrong, ones)) and not any(
        observation.differs(observation.first(True) + observation.first(False), observation.pair.p[1])
        for observation in ones
    )


def gives_up_after_draft(observations: Sequence[Observation]) -> bool:
    """With one draft all is right; of several no second draft is accepted after some first one, though p >= q passes any test.

    No uniform does that, whatever else it serves for: the drafts were given up.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal rows")  # p = (1, 3, 4)/8, q = (6, 2, 0)/8
    >>> after_first = {(1, y): 1 / 4 * pair.p[0][y] for y in range(3)}
    >>> gives_up_after_draft([Observation(pair, after_first | {(2,): 3 / 4})])
    True
    """
    return _is_right_with_one(observations) and any(
        _has_draft_given_up_after(observation) for observation in observations if observation.pair.gamma > 1
    )


def _has_draft_given_up_after(observation: Observation) -> bool:
    """Whether some first draft is accepted and never a second one, though so many pass any test that chance does not do it."""
    accepted = np.zeros(observation.pair.vocab)
    for tokens, mass in observation.ends.items():
        if len(tokens) > 2:
            accepted[tokens[0]] += mass
    sure = observation.pair.q[1][observation.pair.p[1] >= observation.pair.q[1]].sum()
    expected = np.where(accepted > 0, 0, observation.first(True) * sure)
    return bool((expected > RARE).any())


def goes_wrong_late(observations: Sequence[Observation]) -> bool:
    """With one draft all is right, and of several the first token; what comes later is wrong.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: equal rows")
    >>> goes_wrong_late([Observation(pair, {(x, 0): pair.p[0][x] for x in range(3)})])
    True
    """
    return (
        _is_right_with_one(observations)
        and any(observation.biased() for observation in observations)
        and not any(map(is_first_wrong, observations))
    )
