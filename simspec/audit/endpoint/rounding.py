"""How much rounding moves the numbers of one model: the same prefixes are scored within a text, and each alone from nothing.

A reference on this machine has other kernels than the engine, and may read quantised weights in another way: the engine's scores
of these prefixes, in both shapes, beside the reference's say how much that is.

What is not here: what is explained by it, in greedy texts (`greedy`) and at the end of a truncation (`cuts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.greedy import SAFETY, explained_margin, gap_differences
from simspec.audit.endpoint.journal import Journal
from simspec.audit.endpoint.records import Answer, EndpointError, Engine, Question, TopRow

__all__ = ["Rounding", "explained_by_facts", "largest_change", "measured_rounding", "rounding_of"]

MEASURED = 24
"""Prefixes that are scored in two shapes."""
FACT = "rounding on {} {} texts"
"""Name of what was measured in a journal: how many texts of which kind."""


class Rounding(NamedTuple):
    """What two shapes of one model were measured to differ by, and the engine from a reference on this machine.

    Attributes
    ----------
    differences : of the gap between the two most likely tokens, in nats
    largest : float; the largest difference of the gap between any two listed tokens, in nats
    between, largest_between : the same of the engine's rows beside those of a reference on this machine; none of another
        reference, and of an engine that does not score texts
    """

    differences: tuple[float, ...] = ()
    largest: float = 0.0
    between: tuple[float, ...] = ()
    largest_between: float = 0.0

    @property
    def of_emitted(self) -> tuple[float, ...]:
        """Differences that the engine's tokens may have from the reference's argmax: `between` both, where that was measured.

        >>> Rounding((0.0, -0.125), 0.25).of_emitted, Rounding((0.0,), 0.0, (0.5,), 0.75).of_emitted
        ((0.0, -0.125), (0.5,))
        """
        return self.between or self.differences

    @property
    def of_likely(self) -> float:
        """The largest difference of the gap between the two most likely tokens; 0 where none was measured."""
        return max(map(abs, (*self.differences, *self.between)), default=0.0)

    @property
    def at_cuts(self) -> float:
        """Nats by which the difference of two logits may move: as much above what was seen as for greedy texts.

        >>> Rounding((0.0, -0.125), 0.25).at_cuts
        0.5
        """
        return SAFETY * max(self.largest, self.largest_between)


def largest_change(first: Sequence[TopRow], second: Sequence[TopRow]) -> float:
    """The largest change of the gap between any two tokens that a row has in both shapes, in nats.

    >>> largest_change([((3, -0.5), (5, -1.0), (7, -2.0))], [((3, -0.5), (7, -1.75), (5, -1.125))])
    0.375
    """
    largest = 0.0
    for row, again in zip(first, second, strict=True):
        values = dict(again)
        changes = [values[token] - logprob for token, logprob in row if token in values]
        if changes:
            largest = max(largest, max(changes) - min(changes))
    return largest


def rounding_of(
    journal: Journal,
    engine: Engine,
    reference: Engine,
    top: int,
    texts: Sequence[tuple[Question, Answer, Sequence[TopRow]]],
    kind: str,
    progress: Callable[[str, int, int], None] = lambda stage, number, total: None,
) -> Rounding:
    """What two shapes differ by, from the journal if it was measured on these texts already.

    It is measured once: rows of the journal beside those of a model that was deployed later would be no rounding.
    """
    name = FACT.format(len(texts), kind)
    if texts and name not in journal.facts:
        journal.add_fact(name, measured_rounding(engine, reference, top, texts, progress))
    measured = Rounding(*journal.facts.get(name, ()))
    return measured._replace(differences=tuple(measured.differences), between=tuple(measured.between))


def explained_by_facts(journal: Journal) -> float:
    """Nats by which the rounding that a journal holds may move the gap between two likely tokens; 0 where it holds none.

    >>> journal = Journal(None, {})
    >>> journal.add_fact(FACT.format(4, "greedy"), Rounding((0.0, -0.125), 0.25))
    >>> explained_by_facts(journal)
    0.25
    """
    start = FACT.partition("{")[0]
    margins = [explained_margin(value[0]) for name, value in journal.facts.items() if name.startswith(start)]
    return max(margins, default=0.0)


def measured_rounding(
    engine: Engine,
    reference: Engine,
    top: int,
    texts: Sequence[tuple[Question, Answer, Sequence[TopRow]]],
    progress: Callable[[str, int, int], None] = lambda stage, number, total: None,
) -> Rounding:
    """What two shapes differ by on the first tokens of some texts, and the engine from a reference on this machine.

    Parameters
    ----------
    engine, reference : both are measured; an engine that does not score texts is not
    top : int; most likely tokens to compare
    texts : question, answer, and the reference's rows within the text
    progress : called with the stage, how many texts have been scored anew, and how many there are
    """
    of_shapes = _Differences()
    of_sides = _Differences()
    for number, (question, answer, text_rows) in enumerate(texts):
        progress("texts scored anew for rounding", number, len(texts))
        tokens = answer.tokens[: MEASURED // len(texts) + 1]
        alone = reference.score(question.prompt, tokens, top, is_alone=True)
        in_text = text_rows[: len(tokens)]
        of_shapes.add(in_text, alone)
        engine_shapes = [] if engine is reference else _own_shapes(engine, question.prompt, tokens, top)
        for engine_in_text, engine_alone in engine_shapes:
            of_shapes.add(engine_in_text, engine_alone)
            if reference.is_local:
                of_sides.add(in_text, engine_in_text)
                of_sides.add(in_text, engine_alone)
        progress("texts scored anew for rounding", number + 1, len(texts))
    return Rounding(tuple(of_shapes.gaps), of_shapes.largest, tuple(of_sides.gaps), of_sides.largest)


class _Differences:
    """Differences of pairs of rows: of the gap between the two most likely tokens, and the largest one of any gap."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.largest = 0.0

    def add(self, first: Sequence[TopRow], second: Sequence[TopRow]) -> None:
        """Compare the rows of the same places."""
        self.gaps += gap_differences(first, second)
        self.largest = max(self.largest, largest_change(first, second))


def _own_shapes(
    engine: Engine, prompt: Sequence[int], tokens: Sequence[int], top: int
) -> list[tuple[Sequence[TopRow], Sequence[TopRow]]]:
    """Rows of the engine in two shapes; none where it does not score texts."""
    try:
        in_text, alone = (engine.score(prompt, tokens, top, is_alone) for is_alone in (False, True))
    except EndpointError:
        return []
    return [(in_text, alone)]
