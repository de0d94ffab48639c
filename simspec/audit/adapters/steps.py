"""Whole steps as samplers to audit: drafts drawn inside, and samplers that remember what they did in earlier steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.audit.adapters.form import Adapted, Tokens, drawn
from simspec.audit.calling import Broken, checked_tokens
from simspec.audit.drafting import drawn_inside
from simspec.laws import Array

__all__ = ["drafts_of_a_step", "state", "state_with_uniforms", "step"]

MOST_DRAFTS = 4
"""Drafts of a text whose uniforms are enough for the two steps that a diagnosis looks at."""


def step(function: Callable[..., Any]) -> Adapted:
    """``step(p (gamma + 1, V), q (gamma, V), uniforms (n, 3 gamma + 1)) -> tokens (n, gamma + 1)``, drafts drawn inside.

    The function draws its drafts from q itself, and takes all its random numbers from the uniforms of its row, in whatever
    order: enough for a draft, a test and a recovery at each position, and for the last token.  So exact mode sees also what
    the drafts share with the tests.

    >>> adapted = step(lambda p, q, uniforms: drawn(p[0], uniforms[:, 0])[:, None])
    >>> adapted.sampler(np.array([[0.0, 1.0]]), np.zeros((0, 2)), 2, np.random.default_rng(0)).tolist()
    [[1], [1]]
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Any:
        return function(p, q, rng.random((n, _uniforms_of_a_step(len(q)))))

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Any:
        return function(p, q, uniforms)

    return Adapted(sampler, with_uniforms, _uniforms_of_a_step, least=0, drawn=drawn_inside)


def _uniforms_of_a_step(gamma: int) -> int:
    return 3 * gamma + 1


def state(start: Callable[..., Any]) -> Adapted:
    """``start(n, rng) -> step``; ``step(p (n, g + 1, V), q (n, g, V), drafts (n, g)) -> tokens (n, g + 1)``, step after step.

    `start` begins n texts; the step that it returns is called until each text has gamma + 1 tokens, and may remember: what
    it emitted, its seeds, its processor's state.  Row i of a step belongs to text i, and goes on where that text ended.  The
    law of the whole text is judged, so that gamma + 1 tokens take at least two steps, of `drafts_of_a_step` drafts each.
    Beyond the end of a text the last rows are passed again, and what is emitted there is not looked at.

    >>> def start(n, rng):
    ...     return lambda p, q, drafts: drawn(p[:, 0], rng.random(n))[:, None]
    >>> certain = np.eye(2)[[1, 0, 1]]
    >>> def padded(n, rng):
    ...     return lambda p, q, drafts: np.pad(start(n, rng)(p, q, drafts), ((0, 0), (0, 1)), constant_values=-1)
    >>> state(padded).sampler(certain, certain[:2], 2, np.random.default_rng(0)).tolist()
    [[1, 0, 1], [1, 0, 1]]
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        return _texts(start(n, rng), p, q, n, lambda number, gamma: rng.random((n, gamma)))

    return Adapted(sampler, least=0, is_one_step=False, start=start)


def state_with_uniforms(start: Callable[..., Any]) -> Adapted:
    """``start(n, uniforms (n, C)) -> step``, as in `state`: the step takes its random numbers from the uniforms of its row.

    Each text has C = (gamma + 1)(2g + 1) uniforms for all its steps, of g drafts each, and drafts have uniforms of their
    own.  The sampler remembers which it has used.  For exact mode, which takes two tokens and two drafts at most here.
    """

    def sampler(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
        return with_uniforms(p, q, np.zeros((n, len(q)), dtype=np.int64), rng.random((n, _uniforms_of_a_text(len(q)))))

    def with_uniforms(p: Array, q: Array, drafts: Tokens, uniforms: Array) -> Tokens:
        n = len(uniforms)
        drafting = len(p) * drafts_of_a_step(len(q))
        verifying = uniforms[:, drafting:]

        def drawing(number: int, gamma: int) -> Array:
            return uniforms[:, number * gamma : (number + 1) * gamma]

        return _texts(start(n, verifying.copy()), p, q, n, drawing)

    return Adapted(
        sampler,
        with_uniforms,
        _uniforms_of_a_text,
        least=0,
        widest=2,
        most=2,
        drawn=drawn_inside,
        is_one_step=False,
        start=lambda n, rng: start(n, rng.random((n, _uniforms_of_a_text(MOST_DRAFTS)))),
    )


def _uniforms_of_a_text(gamma: int) -> int:
    """Uniforms of a text of gamma + 1 tokens: each step emits at least one token."""
    return (gamma + 1) * (3 * drafts_of_a_step(gamma) + 1)


def drafts_of_a_step(gamma: int) -> int:
    """Drafts of each step where a text of gamma + 1 tokens is made in several: half of gamma, at least one where there are any.

    >>> [drafts_of_a_step(gamma) for gamma in range(5)]
    [0, 1, 1, 1, 2]
    """
    return max(gamma // 2, min(gamma, 1))


def _texts(
    step_of_texts: Callable[..., Any], p: Array, q: Array, n: int, uniforms: Callable[[int, int], Array]
) -> NDArray[np.int64]:
    """Texts (n, len(p)) that a step makes when it is called until each is complete.

    `uniforms` gives those that draw the drafts of a step, (n, gamma), by the number of the step.
    """
    if isinstance(p, tuple):
        raise Broken("takes rows (n, gamma + 1, V); distributions that depend on the prefix come from a processor")
    length = len(p)
    gamma = drafts_of_a_step(len(q))
    texts = np.full((n, length), -1)
    ends = np.zeros(n, dtype=np.int64)  # tokens of each text so far
    for number in range(length):
        places = ends[:, None] + np.arange(gamma + 1)
        rows_p = p[np.minimum(places, length - 1)]
        rows_q = q[np.minimum(places[:, :gamma], max(len(q) - 1, 0))] if gamma else np.zeros((n, 0, p.shape[1]))
        columns = uniforms(number, gamma)
        drafts = np.array([drawn(rows_q[:, i], columns[:, i]) for i in range(gamma)], dtype=np.int64)
        emitted = step_of_texts(rows_p, rows_q, drafts.reshape(gamma, n).T.copy())
        try:
            tokens = checked_tokens(np.asarray(emitted), n, gamma + 1, p.shape[1])
        except Broken as fault:
            raise Broken(f"{fault}, in step {number + 1} of a text") from None
        for column in tokens.T:
            rows = np.flatnonzero((column >= 0) & (ends < length))
            texts[rows, ends[rows]] = column[rows]
            ends[rows] += 1
        if (ends == length).all():
            break
    return texts
