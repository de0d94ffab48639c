"""Rounds of questions to the engine, whose answers the reference scores; a journal keeps them.

What is not here: which questions there are (`plan`), and what the answers show (`auditing`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial

from simspec.audit.endpoint.journal import Journal, Reply
from simspec.audit.endpoint.options import STATED
from simspec.audit.endpoint.parallel import in_parallel
from simspec.audit.endpoint.plan import DRAFT_TOP, Plan
from simspec.audit.endpoint.records import Answer, EndpointError, Engine, Question, TopRow

__all__ = ["Rounds"]

DRAFTED = ("sampled", "stop strings")
"""Stages whose texts a draft scores too, where one is given."""
PENALTIES = frozenset({"presence_penalty", "frequency_penalty"})
"""Options that count what was written before."""


class Rounds:
    """Asks questions and scores the answers, or takes both from the journal.

    Attributes
    ----------
    was_cut : bool; whether the time limit kept a round from being asked
    counters : of the engine's metrics page before the first round
    long_prompts : of an engine that does not take any ids; of others they are made of the short ones
    """

    def __init__(
        self, engine: Engine, reference: Engine, plan: Plan, journal: Journal, deadline: float, draft: Engine | None
    ) -> None:
        self.deadline = deadline
        self.was_cut = False
        self.engine = engine
        self.reference = reference
        self.draft = draft
        self.plan = plan
        self.journal = journal
        self.counters = engine.counters()
        self._counts_drafts = "drafted" in self.counters
        self.long_prompts: Sequence[tuple[int, ...]] = ()

    def may_begin(self, stage: str, number: int) -> bool:
        """Whether a round may begin: one in the journal, or any within the time limit; the first that may not cuts the audit."""
        if (stage, number) in self.journal:
            return True
        self.was_cut = self.was_cut or time.monotonic() >= self.deadline
        return not self.was_cut

    def ask(self, stage: str, number: int, questions: Sequence[Question]) -> tuple[Reply, ...]:
        """Replies to the questions of a round, all in flight together."""
        stored = self.journal.rounds.get((stage, number), ())
        # an audit that goes on with more answers may have asked for a round's first questions already
        if missing := questions[len(stored) :]:
            before = self._drafted_so_far()
            answers = in_parallel(self.engine.answers, missing, self.plan.in_flight)
            growth = self._drafted_so_far() - before
            replies = self._scored(stage, missing, answers)
            drafted = (self.journal.drafted.get((stage, number)) or 0.0) + growth
            self.journal.add(stage, number, (*stored, *replies), None if math.isnan(drafted) else drafted)
        return self.journal.rounds[stage, number]

    def _drafted_so_far(self) -> float:
        """The engine's counter of drafted tokens; not a number where it has none."""
        if not self._counts_drafts:
            return math.nan
        return self.engine.counters().get("drafted", math.nan)

    def _scored(self, stage: str, questions: Sequence[Question], answers: Sequence[Sequence[Answer]]) -> list[Reply]:
        """Replies of the answers: what the reference, and the draft, say of each."""
        for question, group in zip(questions, answers, strict=True):
            _check_end(self.engine, question, group)
        texts = [
            (question.prompt, answer.tokens)
            for question, group in zip(questions, answers, strict=True)
            for answer in group
        ]
        # where a truncation ends may lie beyond the tokens that are categories
        top = max(self.plan.top, STATED) if any(map(self._states_law, questions)) else self.plan.top
        rows = iter(in_parallel(partial(_scored, self.reference, top), texts, self.plan.in_flight))
        is_drafted = self.draft is not None and stage in DRAFTED
        score_draft = partial(_scored, self.draft, DRAFT_TOP)
        draft_rows = iter(in_parallel(score_draft, texts, self.plan.in_flight) if is_drafted else ())
        processed_rows = iter(self._processed(questions, answers))
        return [
            Reply(
                question,
                tuple(group),
                tuple(next(rows) for _ in group),
                tuple(next(draft_rows) for _ in group) if is_drafted else (),
                tuple(next(processed_rows) for _ in group) if self._states_law(question) else (),
            )
            for question, group in zip(questions, answers, strict=True)
        ]

    def _states_law(self, question: Question) -> bool:
        """Whether the reference states the law under a question's options, as the engine is asked to read them.

        A penalty that counts the prompt is another option than one that does not.
        """
        names = set(dict(question.options))
        is_alike = self.reference.penalises_prompt == self.engine.penalises_prompt or not names & PENALTIES
        return bool(names) and names <= self.reference.processes and is_alike

    def _processed(
        self, questions: Sequence[Question], answers: Sequence[Sequence[Answer]]
    ) -> list[tuple[TopRow, ...]]:
        """What the reference states under options at each answer's tokens, asked with the options of its question."""

        def stated(item: tuple[Question, Answer]) -> tuple[TopRow, ...]:
            question, answer = item
            if not answer.tokens:
                return ()
            return tuple(self.reference.processed(question.prompt, answer.tokens, STATED, dict(question.options)))

        asked = [
            (question, answer)
            for question, group in zip(questions, answers, strict=True)
            if self._states_law(question)
            for answer in group
        ]
        return in_parallel(stated, asked, self.plan.in_flight)


def _scored(model: Engine | None, top: int, text: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[TopRow, ...]:
    """A model's most likely tokens at each token of a text; nothing for a text without tokens, or without a model."""
    prompt, tokens = text
    return tuple(model.score(prompt, tokens, top)) if model is not None and tokens else ()


def _check_end(engine: Engine, question: Question, answers: Sequence[Answer]) -> None:
    """Refuse an engine that does not send the token which ends a text.

    Other tokens are then seen only where the text goes on, which is another law than the reference's.
    """
    emitted = sum(len(answer.tokens) for answer in answers)
    ends = sum(answer.finish != "length" for answer in answers)
    if ends and not question.stop and answers[0].usage.completion == emitted + ends:
        raise EndpointError(
            f"{engine.url}: the token that ends a text is counted and not sent; expected its id among those of the answer: "
            "without it the law of the others cannot be judged"
        )
