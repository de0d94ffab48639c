"""Whether a verifier is right for other laws than those that it is given: another draft law is reported, or another target.

Tests and refusals then belong together, which those of a step with one wrong part do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from simspec.audit.diagnosis.acceptance import accepts_apart, first_law, recovers_apart, singles
from simspec.audit.diagnosis.observations import SIGMAS, Observation
from simspec.laws import Array

__all__ = ["contradicts_draft_law", "is_right_for_other_laws", "verifies_by_another_draft_law"]


def is_right_for_other_laws(observations: Sequence[Observation]) -> bool:
    """No token is refused as a draft and drawn after a refusal, and yet drafts of the target's own law are refused.

    With one target p' for p, or one draft law t for q, a draft y is refused only where p'(y) < t(y), and then (p' - t)+ has none
    of it.  A wrong test of drafts from p = q refuses some, and the token after them comes from p, since nothing is left of p - q.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = next(pair for pair in probes() if pair.name == "probe: a draft law that is the target")  # (1, 9, 6)/16
    >>> reported_twice = {(0, 0): 1 / 32, (1, 0): 9 / 16, (2, 0): 6 / 16, (1,): 1 / 32}  # q(0) as 2/16, q(1) as 8/16
    >>> refused_half = {(0, 0): 1 / 32, (1, 0): 9 / 16, (2, 0): 6 / 16, (0,): 1 / 512, (1,): 9 / 512, (2,): 6 / 512}
    >>> [is_right_for_other_laws([Observation(pair, ends)]) for ends in (reported_twice, refused_half)]
    [True, False]
    """
    ones = singles(observations)
    equal = [observation for observation in ones if np.array_equal(observation.pair.p[0], observation.pair.q[0])]
    if not any(_refused(observation).any() for observation in equal):
        return False
    is_possible = not any(
        (_refused(observation) & _recovered(observation)).any()
        or observation.above(observation.first(True), observation.pair.q[0])
        for observation in ones
    )
    return is_possible and (_has_one_target(ones) or None not in map(_agrees_on_draft_law, _by_draft_law(ones)))


def _has_one_target(observations: Sequence[Observation]) -> bool:
    """Whether the law of the first token follows from the target, whatever the draft law."""
    return not any(
        (abs(first_law(a) - first_law(b)) > SIGMAS * np.hypot(a.sigma(first_law(a)), b.sigma(first_law(b)))).any()
        for a, b in combinations(observations, 2)
        if np.array_equal(a.pair.p[0], b.pair.p[0])
    )


def _by_draft_law(observations: Sequence[Observation]) -> list[list[Observation]]:
    """Observations that have one draft law."""
    groups: dict[bytes, list[Observation]] = {}
    for observation in observations:
        groups.setdefault(observation.pair.q.tobytes(), []).append(observation)
    return list(groups.values())


def _refused(observation: Observation) -> Array:
    """Tokens that are accepted less often than they are drafted."""
    q = observation.pair.q[0]
    return observation.first(True) < q - SIGMAS * observation.sigma(q)


def _recovered(observation: Observation) -> Array:
    """Tokens that come after a refusal."""
    refused = observation.first(False)
    return refused > SIGMAS * observation.sigma(refused)


def verifies_by_another_draft_law(observations: Sequence[Observation]) -> bool:
    """Tests and refusals are those of one wrong draft law t, which may have any sum, whatever the target.

    A draft y that is refused now and then has t(y) = p(y) q(y)/k(y), with k(y) the mass with which it is accepted.  With several
    targets and one draft law these must agree, and refusals must have the law (p - t)+.  A wrong test draws from (p - q)+.

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pairs = [pair for pair in probes() if pair.q.tolist() == [[6 / 16, 2 / 16, 6 / 16, 2 / 16]]]
    >>> t = pairs[0].q[0] * 5 / 4
    >>> def refusing(law):
    ...     return [observed(pair, np.maximum(pair.p[0] - law, 0)) for pair in pairs]
    >>> def observed(pair, residual):
    ...     kept = pair.q[0] * np.minimum(1, pair.p[0] / t)
    ...     rest = residual if residual.any() else pair.p[0]
    ...     rest = (1 - kept.sum()) * rest / rest.sum()
    ...     return Observation(pair, {(x, 0): kept[x] for x in range(4)} | {(x,): rest[x] for x in range(4)})
    >>> [verifies_by_another_draft_law(refusing(law)) for law in (t, t * 4 / 5)]
    [True, False]
    """
    groups = _by_draft_law(singles(observations))
    several = [group for group in groups if len({a.pair.p[0].tobytes() for a in group}) > 1]
    agreements = [_agrees_on_draft_law(group) for group in several]
    return None not in agreements and True in agreements


def _agrees_on_draft_law(group: Sequence[Observation]) -> bool | None:
    """Whether one wrong draft law explains what is accepted and drawn, of which something is left; None where none does."""
    masses, sigmas = _completed(group, *_tested_masses(group))
    if any(contradicts_draft_law(observation, masses, sigmas) for observation in group):
        return None
    return bool(np.isfinite(masses).all()) and any(
        accepts_apart(observation)
        and recovers_apart(observation)
        and (observation.pair.p[0] - masses > SIGMAS * sigmas).any()
        for observation in group
    )


def _tested_masses(group: Sequence[Observation]) -> tuple[Array, Array]:
    """t where drafts are refused now and then on some target, NaN elsewhere, and its standard deviation: the most exact ones."""
    masses = np.full(group[0].pair.vocab, np.nan)
    sigmas = np.full(group[0].pair.vocab, np.inf)
    for observation in group:
        accepted = observation.first(True)
        is_tested = _refused(observation) & (accepted > 0) & (observation.pair.p[0] > 0)
        safe = np.where(is_tested, accepted, 1)
        estimates = observation.pair.p[0] * observation.pair.q[0] / safe
        errors = estimates * observation.sigma(accepted) / safe
        is_better = is_tested & (errors < sigmas)
        masses = np.where(is_better, estimates, masses)
        sigmas = np.where(is_better, errors, sigmas)
    return masses, sigmas


def _completed(group: Sequence[Observation], masses: Array, sigmas: Array) -> tuple[Array, Array]:
    """The draft law with masses that only refusals show: p - t is in proportion to what is drawn, and known for some token."""
    is_known = np.isfinite(masses)
    for observation in group:
        refused = observation.first(False)
        shown = np.maximum(observation.pair.p[0] - masses, 0)[is_known]
        drawn = refused[is_known].sum()
        if shown.sum() <= SIGMAS * sigmas[is_known].sum() or drawn <= SIGMAS * observation.sigma(refused[:1])[0]:
            continue
        scale = shown.sum() / drawn
        scale_error = (
            np.hypot(np.linalg.norm(sigmas[is_known]), shown.sum() * observation.sigma(drawn[None])[0] / drawn) / drawn
        )
        is_better = ~is_known & _recovered(observation) & ~np.isfinite(masses)
        masses = np.where(is_better, observation.pair.p[0] - scale * refused, masses)
        errors = np.hypot(scale * observation.sigma(refused), scale_error * refused)
        sigmas = np.where(is_better, errors, sigmas)
    return masses, sigmas


def contradicts_draft_law(observation: Observation, masses: Array, sigmas: Array) -> bool:
    """Whether drafts are accepted, or tokens drawn after a refusal, otherwise than by a draft law, where that is known.

    Parameters
    ----------
    masses, sigmas : (V,); the draft law and its standard deviations, NaN where it is not known

    >>> from simspec.audit.diagnosis.observations import probes
    >>> pair = probes()[0]
    >>> right = Observation(pair, {(0, 0): 1 / 16, (1, 0): 4 / 16, (2, 0): 2 / 16, (0,): 9 / 16})
    >>> [contradicts_draft_law(right, law, 0 * law) for law in (pair.q[0], pair.q[0][::-1])]
    [False, True]
    """
    p = observation.pair.p[0]
    q = observation.pair.q[0]
    is_known = np.isfinite(masses)
    law = np.where(is_known, masses, 1)
    errors = np.where(is_known, sigmas, 0)
    is_positive = is_known & (law > 0)
    ratio = np.where(
        is_positive, p / np.where(is_positive, law, 1), p > 0
    )  # else it passes if the target says it at all
    accepted = q * np.minimum(1, ratio)
    within = SIGMAS * (
        observation.sigma(accepted) + q * np.where(is_positive, ratio * errors / np.where(is_positive, law, 1), 0)
    )
    if (abs(observation.first(True) - accepted) > within).any():
        return True
    weights = np.maximum(p - law, 0)[is_known]
    error = SIGMAS * errors[is_known]
    if weights.sum() <= error.sum():
        return False
    refused = observation.first(False)[is_known]
    expected = refused.sum() * weights / weights.sum()
    within = SIGMAS * observation.sigma(expected) + refused.sum() * error / weights.sum()
    return bool((abs(refused - expected) > within).any())
