"""Faults that only a form beyond one call shows, each beside its lossless twin: whole steps, state, processors, large ids.

They are samplers to call, not members of the zoo: their laws depend on what they remember, on how they draft, or on ids.

`simspec audit simspec.audit.zoo.forms:late_penalty --form state --processor presence:0.693` finds one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.adapters.form import drawn, emitted
from simspec.audit.handing import Processor
from simspec.audit.processors import presence
from simspec.audit.reference import speculative
from simspec.laws import Array

__all__ = [
    "HALF",
    "PLANTED",
    "Planted",
    "counted_penalty",
    "drafts_own_uniforms",
    "drafts_tested_by_themselves",
    "every_tile",
    "fresh_uniforms",
    "ids_of_16_bits",
    "last_tile_ignored",
    "late_penalty",
    "penalised",
    "processed_rows",
    "reseeded",
    "same_uniforms_each_step",
    "seeded_once",
    "unpenalised_drafts",
    "verified",
]

Tokens = NDArray[np.int64]

HALF: Processor = partial(presence, number=np.log(2))
"""A penalty that halves the mass of each token that stands in the text: by hand, 1/2 : 1/2 becomes 1/3 and 2/3."""


def verified(p: Array, q: Array, drafts: Tokens, tests: Array, last: Array) -> Tokens:
    """Speculative decoding of given drafts: a uniform for each test, and one that draws the last token.

    p (n, gamma + 1, V) and q (n, gamma, V) are rows of their own for each call.

    >>> p, q = np.array([[[0.25, 0.75], [1.0, 0.0]]]), np.array([[[0.0, 1.0]]])
    >>> verified(p, q, np.array([[1]]), np.array([[0.5]]), np.array([0.5])).tolist()
    [[1, 0]]
    """
    n, gamma = drafts.shape
    calls = np.arange(n)
    accepted = np.zeros(n, dtype=np.int64)
    for i in range(gamma):
        x = drafts[:, i]
        accepted += (accepted == i) & (tests[:, i] * q[calls, i, x] < p[calls, i, x])
    weights = p.copy()
    residual = np.maximum(p[:, :-1] - q, 0)
    weights[:, :-1] = np.where(residual.any(axis=2, keepdims=True), residual, p[:, :-1])
    return emitted(drafts, accepted, drawn(weights[calls, accepted], last))


def _rows(laws: Array, n: int) -> Array:
    return np.broadcast_to(laws, (n, *laws.shape))


# --- whole steps: drafts drawn inside -------------------------------------------------------------------------------


def _step(p: Array, q: Array, uniforms: Array, tests: int) -> Tokens:
    """A whole step whose tests take the uniforms from number `tests` on."""
    n = len(uniforms)
    gamma = len(q)
    drafts = np.array([drawn(q[i], uniforms[:, i]) for i in range(gamma)], dtype=np.int64).reshape(gamma, n).T
    return verified(_rows(p, n), _rows(q, n), drafts, uniforms[:, tests : tests + gamma], uniforms[:, 2 * gamma])


def drafts_own_uniforms(p: Array, q: Array, uniforms: Array) -> Tokens:
    """Speculative decoding as a whole step."""
    return _step(p, q, uniforms, len(q))


def drafts_tested_by_themselves(p: Array, q: Array, uniforms: Array) -> Tokens:
    """The uniform that draws a draft tests it too.

    By hand, p = (1/4, 3/4) and q = (3/4, 1/4): token 0 is drafted where u < 3/4 and kept where u < 1/3, so that it comes
    with probability 1/3 in place of 1/4.
    """
    return _step(p, q, uniforms, 0)


# --- state over steps -----------------------------------------------------------------------------------------------


def _reading(n: int, uniforms: Array, moves: bool) -> Callable[[Array, Array, Tokens], Tokens]:
    """A step that takes its uniforms from one array, and goes on in it or does not."""
    used = 0

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        nonlocal used
        gamma = drafts.shape[1]
        columns = uniforms[:, used : used + gamma + 1]
        used += (gamma + 1) * moves
        return verified(p, q, drafts, columns[:, :gamma], columns[:, gamma])

    return step


def fresh_uniforms(n: int, uniforms: Array) -> Callable[..., Tokens]:
    """Each step goes on in the uniforms where the last one ended."""
    return _reading(n, uniforms, moves=True)


def same_uniforms_each_step(n: int, uniforms: Array) -> Callable[..., Tokens]:
    """Each step begins with the first uniforms again."""
    return _reading(n, uniforms, moves=False)


def _seeded(n: int, rng: np.random.Generator, again: bool) -> Callable[[Array, Array, Tokens], Tokens]:
    seed = int(rng.integers(2**63))
    generator = np.random.default_rng(seed)

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        nonlocal generator
        if again:
            generator = np.random.default_rng(seed)
        uniforms = generator.random((n, drafts.shape[1] + 1))
        return verified(p, q, drafts, uniforms[:, :-1], uniforms[:, -1])

    return step


def seeded_once(n: int, rng: np.random.Generator) -> Callable[..., Tokens]:
    """The generator of a batch is seeded when its texts begin."""
    return _seeded(n, rng, again=False)


def reseeded(n: int, rng: np.random.Generator) -> Callable[..., Tokens]:
    """The generator of a batch is seeded at each step, always with the same seed."""
    return _seeded(n, rng, again=True)


def _penalising(
    n: int, rng: np.random.Generator, remembers: Callable[[Tokens, Tokens], Tokens], in_step: bool = True
) -> Callable[[Array, Array, Tokens], Tokens]:
    """A step whose target rows get the penalty `HALF` for what `remembers` keeps of tokens and drafts; and of its drafts."""
    # texts of unequal length are filled up with -1, which is no token
    texts = np.zeros((n, 0), dtype=np.int64)

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        nonlocal texts
        gamma = drafts.shape[1]
        rows = np.empty_like(p)
        for i in range(gamma + 1):
            prefix = np.concatenate([texts, drafts[:, :i]], axis=1) if in_step else texts
            weights = HALF(p[:, i], prefix)
            rows[:, i] = weights / weights.sum(axis=1, keepdims=True)
        uniforms = rng.random((n, gamma + 1))
        tokens = verified(rows, q, drafts, uniforms[:, :-1], uniforms[:, -1])
        texts = np.concatenate([texts, remembers(tokens, drafts)], axis=1)
        return tokens

    return step


def penalised(n: int, rng: np.random.Generator) -> Callable[..., Tokens]:
    """Each target row is penalised for the text before it, drafts of the step included."""
    return _penalising(n, rng, lambda tokens, drafts: tokens)


def late_penalty(n: int, rng: np.random.Generator) -> Callable[..., Tokens]:
    """The penalty knows the text up to the last step, and not the drafts of this one."""
    return _penalising(n, rng, lambda tokens, drafts: tokens, in_step=False)


def counted_penalty(n: int, rng: np.random.Generator) -> Callable[..., Tokens]:
    """Drafts that were refused are remembered as if they had been emitted."""
    return _penalising(n, rng, lambda tokens, drafts: np.concatenate([tokens, drafts], axis=1))


# --- processors -----------------------------------------------------------------------------------------------------


def unpenalised_drafts(
    p: Array, q: Array, drafts: Tokens, rng: np.random.Generator, *, processor: Processor = HALF
) -> Tokens:
    """All target rows are processed as if no draft stood before them."""
    return _processed(p, q, drafts, rng, processor, in_step=False)


def processed_rows(
    p: Array, q: Array, drafts: Tokens, rng: np.random.Generator, *, processor: Processor = HALF
) -> Tokens:
    """Each target row is processed with the drafts before it."""
    return _processed(p, q, drafts, rng, processor, in_step=True)


def _processed(
    p: Array, q: Array, drafts: Tokens, rng: np.random.Generator, processor: Processor, in_step: bool
) -> Tokens:
    n, gamma = drafts.shape
    rows = np.empty_like(p)
    for i in range(gamma + 1):
        weights = np.asarray(processor(p[:, i], drafts[:, : i * in_step]))
        rows[:, i] = weights / weights.sum(axis=1, keepdims=True)
    uniforms = rng.random((n, gamma + 1))
    return verified(rows, q, drafts, uniforms[:, :-1], uniforms[:, -1])


# --- large vocabularies ---------------------------------------------------------------------------------------------

LAST_TILE = 32_768


def every_tile(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """Speculative decoding on whole rows."""
    return speculative(p, q, n, rng)


def last_tile_ignored(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """The cumulative sums stop at the first 32,768 ids; where these have no mass, the last of them is drawn."""
    rows = [laws[:, :LAST_TILE].copy() for laws in (p, q)]
    for laws in rows:
        laws[laws.sum(axis=1) == 0, -1] = 1
    return speculative(rows[0], rows[1], n, rng)


def ids_of_16_bits(p: Array, q: Array, n: int, rng: np.random.Generator) -> Any:
    """Ids are returned in 16 bits without a sign: 65,536 is 0."""
    tokens = speculative(p, q, n, rng)
    return np.where(tokens < 0, -1, tokens.astype(np.uint16).astype(np.int64))


class Planted(NamedTuple):
    """A fault and its lossless twin.

    Attributes
    ----------
    fault, twin : functions of the form
    form : of `simspec audit --form`; "" for a black box (p, q, n, rng)
    words : what the fault does
    processor : what the sampler must do to target rows, or None
    gamma, vocab : the smallest laws that show it
    """

    fault: Callable[..., Any]
    twin: Callable[..., Any]
    form: str
    words: str
    processor: Processor | None = None
    gamma: int = 2
    vocab: int = 2


PLANTED = (
    Planted(
        drafts_tested_by_themselves, drafts_own_uniforms, "step", "one uniform draws a draft and tests it", gamma=1
    ),
    Planted(same_uniforms_each_step, fresh_uniforms, "state-uniforms", "each step begins with the same uniforms"),
    Planted(reseeded, seeded_once, "state", "each step seeds its generator anew"),
    Planted(late_penalty, penalised, "state", "the penalty does not know the drafts of the step", HALF),
    Planted(counted_penalty, penalised, "state", "the penalty counts drafts that were refused", HALF),
    Planted(unpenalised_drafts, processed_rows, "numpy", "the processor does not know the drafts", HALF),
    Planted(last_tile_ignored, every_tile, "", "sums stop at id 32,768", gamma=1, vocab=40_000),
    Planted(ids_of_16_bits, every_tile, "", "ids are held in 16 bits", gamma=1, vocab=70_000),
)
"""One fault of each form at least."""
