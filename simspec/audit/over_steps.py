"""Which part of a sampler that remembers is wrong: its steps are looked at one by one.

The law of a text says only that some step is wrong.  So the first step of a text is called as a sampler of its own, and so is a
step after one whose rows left no choice: it accepted all its drafts, or refused the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.adapters.form import Start, drafted
from simspec.audit.calling import Sampler, begun, checked_tokens
from simspec.audit.diagnosis.cause import Diagnosis, diagnose, plain_cause
from simspec.audit.diagnosis.features import differ
from simspec.audit.diagnosis.known_laws import small_enough
from simspec.audit.diagnosis.observations import Observation, probes
from simspec.audit.handing import Processor, processed
from simspec.audit.observing import DIAGNOSED, cause_on_unchanged_rows, observe
from simspec.audit.pairs import Pair
from simspec.audit.report import Report, Verdict
from simspec.audit.trial import FROZEN, Plan, Trial
from simspec.laws import Array

__all__ = ["Before", "cause_over_steps", "with_cause_over_steps"]

CALLED = 1e-6
"""False alarm of the calls that look for the cause of an exact bias."""


class Before(NamedTuple):
    """A step whose rows leave no choice: its draft is `draft`, each draft alike, and `last` the token that it ends with.

    >>> Before(0, 1, is_accepted=True).words
    'after a step that accepted all drafts'
    """

    draft: int
    last: int
    is_accepted: bool

    @property
    def words(self) -> str:
        """Which step it is."""
        return f"after a step that {'accepted all drafts' if self.is_accepted else 'refused its first draft'}"

    def rows(self, n: int, gamma: int, vocab: int) -> tuple[Array, Array, NDArray[np.int64]]:
        """Target rows, draft rows and drafts of n texts."""
        token = np.eye(vocab)
        target = np.tile(token[self.draft if self.is_accepted else self.last], (n, gamma + 1, 1))
        target[:, -1] = token[self.last]
        return target, np.tile(token[self.draft], (n, gamma, 1)), np.full((n, gamma), self.draft)

    def tokens(self, gamma: int) -> list[int]:
        """What it emits."""
        return [self.draft] * (gamma * self.is_accepted) + [self.last]


STEPS = (None, Before(0, 1, True), Before(0, 1, False), Before(1, 0, True), Before(1, 0, False))
"""The first step, and steps after others; the last two differ from those before only in what was emitted."""


def with_cause_over_steps(report: Report, start: Start, pairs: Sequence[Pair], processor: Processor | None) -> Report:
    """A report on texts with the likely cause of their bias; as it is where there is none.

    Parameters
    ----------
    pairs : laws of the audit, before a processor
    """
    if report.verdict is not Verdict.BIASED:
        return report
    if report.first.fault == FROZEN:
        return replace(report, diagnosis=plain_cause("uniforms", "texts are the same whatever generator is passed"))
    error = report.error or CALLED  # exact mode has none, and steps are called as black boxes all the same
    plan = Plan(_step_of(start, None), begun(report.settings), DIAGNOSED, error, 0.0, report.settings.seed)
    return replace(report, diagnosis=cause_over_steps(start, plan, pairs, processor))


def cause_over_steps(start: Start, plan: Plan, pairs: Sequence[Pair], processor: Processor | None = None) -> Diagnosis:
    """The likely cause of wrong texts.

    A step that is wrong for itself is diagnosed as a call of a sampler.  A step whose law depends on which tokens the step
    before emitted, though its rows do not, takes rows or tokens of another place: bookkeeping.  If each step is right after any
    other, and texts are not, then steps share random numbers.  Where rows must be processed, a step is wrong if its rows are.
    """
    if processor is not None:
        return _processed_steps(start, plan, pairs, processor)
    for number, before in enumerate(STEPS[:3]):
        observations = observe(plan._replace(sampler=_step_of(start, before)), pairs)
        if before is not None:
            after_another = observe(plan._replace(sampler=_step_of(start, STEPS[number + 2])), pairs)
            if _differ(observations, after_another):
                return plain_cause("bookkeeping", f"{before.words} the law depends on the tokens that it emitted")
        if any(observation.biased() for observation in observations):
            cause = diagnose(observations)
            if cause is not None:
                return cause._replace(lines=(_where(before), *cause.lines))
    return SHARED


SHARED = plain_cause("uniforms", "each step is right, and a text is not: steps share random numbers")
"""The cause where no step is wrong for itself."""


def _where(before: Before | None) -> str:
    return "in the first step of a text" if before is None else before.words


def _differ(observations: Sequence[Observation], others: Sequence[Observation]) -> bool:
    """Whether a step emits otherwise on some pair."""
    by_name = {observation.pair.name: observation for observation in others}
    return any(
        differ(observation, by_name[observation.pair.name])
        for observation in observations
        if observation.pair.name in by_name
    )


def _step_of(start: Start, before: Before | None) -> Sampler:
    """One step of texts as a sampler: the first one, or the one after another step."""

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Any:
        gamma = len(q)
        step = start(n, rng)
        if before is not None:
            first = np.asarray(step(*before.rows(n, gamma, p.shape[1])))
            checked_tokens(first, n, gamma + 1, p.shape[1])
        return step(np.tile(p, (n, 1, 1)), np.tile(q, (n, 1, 1)), drafted(q, n, rng).copy())

    return sampler


def _processed_steps(start: Start, plan: Plan, pairs: Sequence[Pair], processor: Processor) -> Diagnosis:
    """The same where target rows are processed: whether a step has the law of rows that are processed after all tokens before.

    The first step is called on rows that the processor leaves, too: what is wrong there is no processing.
    """
    if cause := cause_on_unchanged_rows(plan, processor):
        return cause._replace(lines=(_where(None), *cause.lines))
    for before in STEPS[:3]:
        for observation in _observed(plan._replace(sampler=_step_of(start, before)), pairs, processor, before):
            if observation.biased():
                return plain_cause(
                    "processor", f"{_where(before)} target rows are not those that the processor makes of the text"
                )
    return SHARED


def _observed(plan: Plan, pairs: Sequence[Pair], processor: Processor, before: Before | None) -> Iterator[Observation]:
    """What a step emits on pairs that are judged by rows processed after the tokens of the step before."""
    for number, pair in enumerate([*small_enough(pairs), *probes()], start=1):
        tokens = [] if before is None else before.tokens(pair.gamma)

        def after(rows: Array, prefix: NDArray[np.int64], tokens: list[int] = tokens) -> Any:
            earlier = np.tile(np.array(tokens, dtype=np.int64), (len(prefix), 1))
            return processor(rows, np.concatenate([earlier, prefix], axis=1))

        try:
            trial = Trial(plan, processed(pair, after), number)
        except ValueError:  # the processor leaves nothing of these rows
            continue
        trial.exhaust()
        if trial.evidence.calls:
            yield trial.observation()
