"""Calls that serve the diagnosis: what a sampler emits on small pairs, and on laws that separate causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import STUCK, Sampler, checked_tokens
from simspec.audit.diagnosis.cause import Diagnosis, diagnose
from simspec.audit.diagnosis.known_laws import small_enough
from simspec.audit.diagnosis.observations import Observation, probes
from simspec.audit.diagnosis.processing import step_cause, unchanged_pairs
from simspec.audit.handing import Processor
from simspec.audit.pairs import Pair
from simspec.audit.trial import Plan, Trial
from simspec.laws import Array

__all__ = ["DIAGNOSED", "cause_on_unchanged_rows", "marginal_cause", "observe"]

DIAGNOSED = 4000
"""Most calls on each pair on which the cause is looked for among known faults."""
LAUNCHED = 1000
"""Most launches on each pair of which one row each is looked at."""
UNKNOWN = 20_000
"""Most calls on each of these pairs where no known fault explains the bias."""


def observe(plan: Plan, pairs: Sequence[Pair], first: Observation | None = None) -> list[Observation]:
    """What the sampler emits on small pairs, and on laws that separate causes, in new calls, after what is known on one pair.

    Where no known fault explains it the calls go on: features compare single masses, which few calls blur.
    """
    earlier = [first] if first is not None else []
    trials = []
    short = plan._replace(calls=min(plan.calls, DIAGNOSED), seed=plan.seed + 1)
    for number, pair in enumerate([*small_enough(pairs, limit=4), *probes()], start=1):
        short_trial = Trial(short, pair, number)
        short_trial.exhaust()
        if STUCK in short_trial.fault:
            break
        if short_trial.evidence.calls:
            trials.append(short_trial)
    observations = [*earlier, *(trial.observation() for trial in trials)]
    cause = diagnose(observations)
    if cause is None or cause.fits:
        return observations
    for trial in trials:
        trial.plan = short._replace(calls=min(plan.calls, UNKNOWN), enough=0.0)
        if not trial.fault:
            trial.exhaust()
    return [*earlier, *(trial.observation() for trial in trials)]


def cause_on_unchanged_rows(plan: Plan, processor: Processor) -> Diagnosis | None:
    """The cause of a wrong step under a processor, from calls on rows that the processor leaves; None where none shows."""
    short = plan._replace(calls=min(plan.calls, DIAGNOSED), seed=plan.seed + 1, enough=0.0)
    observations = []
    for number, pair in enumerate(unchanged_pairs(processor), start=1):
        trial = Trial(short, pair, number)
        trial.exhaust()
        if trial.fault or not trial.evidence.calls:
            break
        observations.append(trial.observation())
    return step_cause(observations)


def marginal_cause(plan: Plan, pairs: Sequence[Pair], rows: int, words: str) -> Diagnosis | None:
    """The cause of a wrong law of one row, where rows of a launch depend on each other; None where no feature shows it.

    One row of each launch of so many is looked at, so that what is seen is independent.

    Parameters
    ----------
    rows : int; rows of each launch
    words : what shows that rows depend on each other
    """
    alone = plan._replace(sampler=_one_of_each_launch(plan.sampler, rows), calls=min(plan.calls, LAUNCHED))
    cause = diagnose(observe(alone, pairs))
    if cause is None or cause.part == "numerics":
        return None
    return cause._replace(lines=(words, *cause.lines))


def _one_of_each_launch(sampler: Sampler, rows: int) -> Sampler:
    """A sampler each of whose n rows is a row, chosen by lot, of a launch of its own."""

    def chosen(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        places = rng.integers(rows, size=n)
        tokens = np.empty((n, len(p)), dtype=np.int64)
        for row, place in zip(tokens, places, strict=True):
            answer = sampler(p, q, rows, rng)
            launch = np.asarray(answer["tokens"] if isinstance(answer, Mapping) else answer)
            row[:] = checked_tokens(launch, rows, len(p), p.shape[1])[place]
        return tokens

    return chosen
