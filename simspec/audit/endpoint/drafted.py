"""Whether the judged answers were drafted: an engine may switch speculation off for some requests, which then do not show it.

vLLM up to about 0.13 drafts none for a request with `logprobs`, penalties or `min_p`.  Drafted tokens are counted in the answers
of some engines, else on the metrics page, which others may move meanwhile: only a count of none is certain.

What is not here: whether the counts are right (`books`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.journal import Journal, Reply

__all__ = ["Drafting", "SampledDrafts", "drafted_in", "drafting_of"]

ENOUGH = 4
"""Rounds of requests with log-probabilities after which it is said that these are not drafted."""
FEW = 0.1
"""Drafted tokens for each judged one below which a note says how few they are."""
COUNTS_ALWAYS = ("llama.cpp",)
"""Engines whose metrics page counts drafts where speculation is off too; that of others has the counter only where it is on."""


class Drafting(NamedTuple):
    """Drafted tokens behind the answers, as far as the engine lets them be seen.

    Attributes
    ----------
    sampled : drafted tokens behind the sampled answers; None where they cannot be seen
    judged : int; the tokens of these answers
    is_on : bool; whether the engine has drafted at all, or counts drafts as only engines do that speculate
    unlogged_only : bool; whether the sampled requests with log-probabilities were not drafted, and others were
    undrafted_stages : what else was judged and not drafted, in words
    """

    sampled: int | None = None
    judged: int = 0
    is_on: bool = False
    unlogged_only: bool = False
    undrafted_stages: tuple[str, ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether the sampled answers say nothing of speculation, though the engine speculates.

        >>> Drafting(0, 400, is_on=True).is_missing, Drafting(None, 400, is_on=True).is_missing, Drafting(9, 400).is_missing
        (True, False, False)
        """
        return self.sampled == 0 and self.is_on

    def notes(self) -> list[str]:
        """What a verdict on drafted answers cannot say."""
        if self.sampled is None:
            unknown = (
                "whether the judged requests were drafted is not known: neither the answers nor the metrics page count drafts; "
                "some engines draft none for requests with log-probabilities or penalties"
            )
            return [unknown]
        notes = []
        if not self.sampled and not self.is_on:
            notes.append("nothing was drafted during the audit: speculation is off, or found nothing to draft")
        if 0 < self.sampled < FEW * self.judged:
            notes.append(
                f"only {self.sampled:,} tokens were drafted for the {self.judged:,} sampled ones: the verdict is mostly on "
                "tokens without drafts; expected prompts on which the engine drafts (--prompts)"
            )
        if self.unlogged_only:
            notes.append(
                "requests with log-probabilities are not drafted on this engine: most of the sampled ones asked for none"
            )
        if self.undrafted_stages and self.sampled:
            notes.append(f"not drafted on this engine, and judged so: answers with {'; '.join(self.undrafted_stages)}")
        return notes

    def words(self) -> str:
        """Why a verdict on speculation is missing."""
        return (
            f"the judged requests were not drafted: none of the {self.judged:,} sampled tokens, which say nothing of speculation "
            "then; expected drafts for sampled requests: is speculation off for them, or do the prompts leave nothing to draft "
            "(--prompts)?"
        )

    @property
    def state(self) -> str:
        """In a word, for records."""
        if self.sampled is None:
            return "not known"
        return "drafted" if self.sampled else "not drafted"


def drafted_in(replies: Sequence[Reply], growth: float | None) -> int | None:
    """Drafted tokens of a round: what its answers state, else by how much the counter grew; None where neither is there.

    >>> from simspec.audit.endpoint.records import Answer, Question, Usage
    >>> reply = Reply(Question((1,), 0, 4), (Answer((5,), usage=Usage(drafted=3)),), ())
    >>> drafted_in([reply, reply], 9.0), drafted_in([], 9.0), drafted_in([], None)
    (6, 9, None)
    """
    stated = [reply.answers[0].usage.drafted for reply in replies]
    counts = [count for count in stated if count is not None]
    if counts:
        return sum(counts)
    return None if growth is None else int(growth)


class SampledDrafts(NamedTuple):
    """Drafted tokens of the sampled rounds so far.

    Attributes
    ----------
    judged : int; tokens of their answers
    is_counted : bool; whether drafts were counted in any round
    logged_rounds : int; rounds of requests with log-probabilities
    logged, unlogged : int; tokens drafted for requests with log-probabilities, and for others
    """

    judged: int = 0
    is_counted: bool = False
    logged_rounds: int = 0
    logged: int = 0
    unlogged: int = 0

    def add(self, replies: Sequence[Reply], growth: float | None) -> SampledDrafts:
        """After one more round, in which the counter of the metrics page grew by `growth`."""
        drafted = drafted_in(replies, growth)
        number = drafted or 0
        is_logged = replies[0].question.top > 0
        return SampledDrafts(
            self.judged + sum(len(answer.tokens) for reply in replies for answer in reply.answers),
            self.is_counted or drafted is not None,
            self.logged_rounds + is_logged,
            self.logged + number * is_logged,
            self.unlogged + number * (not is_logged),
        )

    @property
    def unlogged_only(self) -> bool:
        """Whether requests with log-probabilities were not drafted, and others were.

        >>> SampledDrafts(400, True, 4, 0, 90).unlogged_only, SampledDrafts(400, True, 4, 80, 90).unlogged_only
        (True, False)
        """
        return self.logged_rounds >= ENOUGH and not self.logged and self.unlogged > 0


def drafting_of(
    sampled: SampledDrafts, journal: Journal, name: str, counters: Mapping[str, float], stages: Mapping[str, str]
) -> Drafting:
    """What an audit shows of drafts.

    Parameters
    ----------
    sampled : SampledDrafts
    journal : Journal; of all rounds
    name : str; of the engine
    counters : of its metrics page before the first round
    stages : further stages that are judged, and what is asked for in each, in words
    """
    counts = {key: drafted_in(replies, journal.drafted[key]) for key, replies in journal.rounds.items()}
    # an engine that states drafts in some answers states none where there were none
    is_counted = sampled.is_counted or any(count is not None for count in counts.values())
    is_on = (
        any(counts.values())
        or counters.get("drafted", 0) > 0
        or ("drafted" in counters and not name.startswith(COUNTS_ALWAYS))
    )
    undrafted_stages = [
        words
        for stage, words in stages.items()
        if (stage, 0) in counts and not any(count for key, count in counts.items() if key[0] == stage)
    ]
    return Drafting(
        sampled=sampled.logged + sampled.unlogged if is_counted else None,
        judged=sampled.judged,
        is_on=is_on,
        unlogged_only=sampled.unlogged_only,
        undrafted_stages=tuple(undrafted_stages) if is_counted else (),
    )
