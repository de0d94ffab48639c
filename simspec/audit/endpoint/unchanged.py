"""Whether the models of an audit are those that it began with: how they score some prompts, each alone, is kept and asked again.

Alone means from nothing: what a server keeps of earlier texts, or has in flight, then moves the numbers least.

What is not here: how much rounding moves them otherwise (`rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from simspec.audit.endpoint.journal import Journal
from simspec.audit.endpoint.records import EndpointError, Engine, TopRow, UnansweredError
from simspec.audit.endpoint.rounding import explained_by_facts
from simspec.html.escaping import escaped

__all__ = ["Unchanged", "is_same_row"]

SCORED = 4
"""Prompts after which the most likely tokens are compared."""
ALWAYS = 0.1
"""Nats by which rounding may move the log-probability of a likely token, whatever was measured."""
MOST = 1.0
"""Nats that no rounding explains: where a model changes while rounding is measured, the change is measured as rounding."""
FACT = "how the models score prompts"
"""Name of the rows in a journal."""


class Unchanged:
    """The models of an audit, and how they scored prompts when it began.

    Parameters
    ----------
    engine, reference : an engine that does not score texts is not compared
    prompts : token ids
    top : int; most likely tokens to ask for
    journal : Journal; holds the rows of an audit that goes on

    Raises
    ------
    EndpointError
        where an audit goes on with another model.
    """

    def __init__(
        self, engine: Engine, reference: Engine, prompts: Sequence[tuple[int, ...]], top: int, journal: Journal
    ) -> None:
        """Score the prompts, or compare the models with those that an audit which goes on began with."""
        self._models = [reference] if engine is reference else [reference, engine]
        self._reference = reference
        self._prompts = prompts[:SCORED]
        self._top = top
        self._journal = journal
        if not journal.was_resumed:
            journal.add_fact(FACT, [self._rows(model) for model in self._models])
            return
        if FACT not in journal.facts:
            raise EndpointError(
                f"--resume: {str(journal.path)!r} does not say how its models scored texts; expected a whole journal: take "
                "another file"
            )
        self.check()

    def check(self) -> None:
        """Refuse models that score the prompts otherwise than at the beginning, by more than rounding explains."""
        allowed = min(max(ALWAYS, explained_by_facts(self._journal)), MOST)
        for model, rows in zip(self._models, self._journal.facts[FACT], strict=True):
            again = self._rows(model)
            is_same = [is_same_row(row, other, allowed) for row, other in zip(rows, again, strict=True)]
            if not all(is_same):
                side = "the reference" if model is self._reference else "the engine"
                begun = f" in {escaped(self._journal.path)}" if self._journal.was_resumed else ""
                raise EndpointError(
                    f"{model.url}: {side} scores a text otherwise than at the beginning{begun}, by more than rounding; expected "
                    "one model for the whole run: audit again while nothing is deployed"
                    + (", with another file for --resume" if begun else "")
                )

    def _rows(self, model: Engine) -> list[TopRow]:
        """The most likely tokens after each prompt; empty ones of an engine that does not score texts."""
        rows = []
        for prompt in self._prompts:
            try:
                rows += model.score(prompt, prompt[:1], self._top, is_alone=True)
            except UnansweredError:
                raise
            except EndpointError:
                if model is self._reference:
                    raise
                rows.append(())
        return rows


def is_same_row(before: Sequence[Sequence[float]], after: TopRow, allowed: float) -> bool:
    """Whether two scores of one text may be those of one model: its most likely token moves by so many nats at most.

    Of a token that is not in the row any more, only an upper bound is known.  An empty row is compared with nothing else.

    >>> before = ((3, -0.25), (5, -1.75))
    >>> [is_same_row(before, row, 0.1) for row in (((3, -0.249), (5, -1.7)), ((5, -0.25), (3, -1.75)), ((7, -0.5),), ())]
    [True, False, False, False]
    """
    if not before or not after:
        return not before and not after
    token, logprob = before[0]
    again = dict(after).get(int(token), after[-1][1])
    return math.isfinite(again) and abs(again - logprob) <= allowed
