"""What a sampler does in place of what a processor asks for: its law beside that of verifiers that process otherwise.

Rows that the processor leaves as they are tell a wrong step from wrong processing: on them, a sampler that only processes wrongly
is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simspec.audit.diagnosis.cause import MISMATCH, TARGET_MISMATCH, Diagnosis, diagnose, plain_cause
from simspec.audit.diagnosis.observations import Observation
from simspec.audit.evidence import text_law
from simspec.audit.handing import Processor, Raw, weights_of
from simspec.audit.levels import as_levels, model_of
from simspec.audit.pairs import Pair
from simspec.laws import Array
from simspec.methods.block import Prefix, block_outcomes
from simspec.methods.sd import SD

__all__ = ["processing_cause", "step_cause", "unchanged_pairs"]

PROCESSOR = "processor"
"""The part that is wrong."""
Levels = tuple[Array, ...]


def processing_cause(observation: Observation) -> Diagnosis:
    """The likely cause of a bias where target rows must be processed.

    Speculative decoding is run, exactly, on target rows that are processed in ways that are wrong.  The way whose law of
    texts is nearest is named if its difference from what was seen is no larger than chance or rounding.

    >>> from simspec.audit.handing import processed
    >>> from simspec.audit.pairs import Pair
    >>> pair = processed(Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2))), lambda rows, prefix: rows * [1, 3])
    >>> processing_cause(Observation(pair, {(0,): 0.5, (1,): 0.5})).lines[0]
    'target rows are not processed'
    """
    pair = observation.pair
    seen = observation.law()
    fits: dict[str, float] = {}
    for words, levels in _ways(pair.handed):
        for law in (_step_law(observation, levels), text_law(levels)):
            if not observation.differs(seen, law):
                fits[words] = min(fits.get(words, 1.0), float(np.abs(seen - law).sum()) / 2)
    if not fits:
        return plain_cause(PROCESSOR, TARGET_MISMATCH)
    likely, *others = sorted(fits, key=lambda words: fits[words])
    return Diagnosis(PROCESSOR, "", False, fits[likely], (likely, *(f"or: {words}" for words in others)))


def _step_law(observation: Observation, levels: Levels) -> Array:
    """Law of the texts of speculative decoding on other target rows, continued with the right ones."""
    pair = observation.pair
    ends: dict[Prefix, float] = {}
    for outcome in block_outcomes(SD, model_of(levels), model_of(pair.q), (), pair.gamma):
        ends[outcome.tokens] = ends.get(outcome.tokens, 0.0) + float(outcome.probability)
    return Observation(pair, ends).law()


def _ways(raw: Raw) -> Iterator[tuple[str, Levels]]:
    """Ways to process target rows that are wrong, in words, and the levels that they lead to."""
    rows = as_levels(raw.p)
    right = tuple(map(_laws, raw.weights))
    last = len(rows) - 1
    yield "target rows are not processed", rows
    yield (
        "target rows are processed as if no token stood before them",
        _processed(rows, raw, lambda prefix: prefix[:, :0]),
    )
    yield "the processor does not know the token before each row", _processed(rows, raw, lambda prefix: prefix[:, :-1])
    yield "only the row after all drafts is processed", (*rows[:last], right[last])
    yield "the row after all drafts is not processed", (*right[:last], rows[last])
    yield "target rows are processed twice", _processed(right, raw, lambda prefix: prefix)


def _processed(rows: Levels, raw: Raw, known: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Levels:
    """Levels that the processor makes of rows where it knows a part of each prefix; as they are where it makes no law."""
    try:
        return tuple(_laws(weights_of(level, lambda x, prefix: raw.processor(x, known(prefix)))) for level in rows)
    except ValueError:
        return rows


def _laws(weights: Array) -> Array:
    laws: Array = weights / weights.sum(axis=-1, keepdims=True)
    return laws


def unchanged_pairs(processor: Processor) -> list[Pair]:
    """Pairs of one draft whose target rows a processor leaves as they are, whatever stands before them or is drafted.

    Flat rows are left by a temperature, rows of few tokens by a cut.  A penalty leaves none: a sampler that penalises a row by
    its own draft processes wrongly.

    >>> [pair.p[0].tolist() for pair in unchanged_pairs(lambda rows, prefix: rows**2)][1:]
    [[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]]
    """
    masses = [
        ([4, 4, 4, 4], [9, 4, 2, 1]),
        ([10, 6, 0, 0], [2, 8, 6, 0]),
        ([8, 8, 0, 0], [1, 9, 6, 0]),
        ([8, 8, 0, 0], [4, 1, 2, 9]),
        ([10, 6, 0, 0], [10, 6, 0, 0]),
    ]
    last = np.array([0, 0, 1, 1]) / 2
    pairs = [Pair("rows left as they are", np.array([np.array(p) / 16, last]), np.array([q]) / 16) for p, q in masses]
    return [pair for pair in pairs if all(_is_unchanged(row, processor) for row in pair.p)]


def _is_unchanged(row: Array, processor: Processor) -> bool:
    """Whether a processor leaves a row, with no token before it and after each."""
    rows = np.tile(row, (len(row), 1))
    try:
        weights = [weights_of(level, processor) for level in (row, rows)]
    except ValueError:
        return False
    return all(np.allclose(_laws(level), row) for level in weights)


def step_cause(observations: Sequence[Observation]) -> Diagnosis | None:
    """The cause of a bias on rows that the processor leaves as they are; None where there is none, or another law may be taken.

    Other laws on such rows may be those that a wrong processor makes of them.

    >>> pair = unchanged_pairs(lambda rows, prefix: rows)[1]
    >>> right = {(x,): pair.p[0][x] for x in range(3)}
    >>> refused = {(x,): pair.q[0][x] for x in range(3)}
    >>> step_cause([Observation(pair, right)]), step_cause([Observation(pair, refused)]).part
    (None, 'bookkeeping')
    """
    if not any(observation.biased() for observation in observations):
        return None
    cause = diagnose(observations)
    if cause is None or cause.part in (MISMATCH, "numerics"):
        return None
    return cause._replace(lines=("on rows that the processor leaves as they are:", *cause.lines))
