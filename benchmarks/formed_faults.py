"""Faulty samplers of other forms than one call: they remember over steps, or process the target's rows.

They are a part of the list `benchmarks.engine_faults.ENGINES`.  `kept` and `processed` are their lossless twins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fault_list import Fault
from benchmarks.reported_faults import first_refusal
from simspec.audit.adapters.form import emitted
from simspec.audit.processors import processor_of
from simspec.audit.zoo.forms import verified
from simspec.laws import Array

__all__ = ["FORMED", "HALVES", "counted", "kept", "matched", "processed"]

Tokens = NDArray[np.int64]
Generator = np.random.Generator
Step = Callable[[Array, Array, Tokens], Tokens]
HALVES = "frequency:0.6931471805599453"
"""The mass of a token is halved as often as it stands in the text."""


def _lengths(tokens: Tokens) -> Tokens:
    count: Tokens = (tokens >= 0).sum(axis=1)
    return count


# --- state over steps -------------------------------------------------------------------------------------------------


def kept(n: int, rng: Generator, fault: str = "") -> Step:
    """Speculative decoding that remembers the step before.

    `fault`: "rows": the first target row is the one that gave the last token; "draft": draft rows are those of the step
    before; "bonus": after a step that accepted all drafts its bonus is emitted again; "greedy": a step after a refused first
    draft takes no drafts, and emits the likeliest token.
    """
    before: dict[str, Any] = {}

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        """Verify drafts with rows changed by the fault, and replace what it replaces in the tokens."""
        gamma = drafts.shape[1]
        uniforms = rng.random((n, gamma + 1))
        rows = p.copy()
        reported = q
        if before and fault == "rows":
            rows[:, 0] = before["p"][np.arange(n), _lengths(before["tokens"]) - 1]
        if before and fault == "draft":
            reported = before["q"]
        tokens = verified(rows, reported, drafts, uniforms[:, :-1], uniforms[:, -1])
        if before and fault in ("bonus", "greedy"):
            length = _lengths(before["tokens"])
            is_changed = length == gamma + 1 if fault == "bonus" else length == 1
            last = before["tokens"][:, -1] if fault == "bonus" else p[:, 0].argmax(axis=1)
            single = np.full_like(tokens, -1)
            single[:, 0] = last
            tokens = np.where(is_changed[:, None] & (gamma > 0), single, tokens)
        before.update(p=p, q=q, tokens=tokens)
        return tokens

    return step


def matched(n: int, rng: Generator, is_by_step: bool = False) -> Step:
    """Drafts are accepted that are the target's own tokens, which are drawn by a noise for each place of the text.

    `is_by_step`: the place is the number of the step plus the row, as if each step had emitted one token.
    """
    seed = int(rng.integers(2**63))
    steps = 0
    lengths = np.zeros(n, dtype=np.int64)

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        nonlocal steps, lengths
        gamma = drafts.shape[1]
        # as many places as a text can ever reach
        races = np.random.default_rng(seed).exponential(size=(n, 64, p.shape[2]))
        first = np.full(n, steps) if is_by_step else lengths
        times = races[np.arange(n)[:, None], np.minimum(first[:, None] + np.arange(gamma + 1), 63)]
        with np.errstate(divide="ignore"):
            target_tokens = (times / p).argmin(axis=2)
        accepted = first_refusal(target_tokens[:, :gamma] == drafts)
        steps += 1
        lengths = lengths + accepted + 1
        return emitted(drafts, accepted, target_tokens[np.arange(n), accepted])

    return step


def counted(n: int, rng: Generator, times: int = 1, forgets_last: bool = False) -> Step:
    """Target rows with the penalty `HALVES` for the text.

    `times`: accepted drafts are remembered so many times; `forgets_last`: the last token of each step is not remembered.
    """
    penalty = processor_of(HALVES)
    text = np.zeros((n, 0), dtype=np.int64)

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        nonlocal text
        gamma = drafts.shape[1]
        rows = np.empty_like(p)
        for i in range(gamma + 1):
            weights = penalty(p[:, i], np.concatenate([text, drafts[:, :i]], axis=1))
            rows[:, i] = weights / weights.sum(axis=1, keepdims=True)
        uniforms = rng.random((n, gamma + 1))
        tokens = verified(rows, q, drafts, uniforms[:, :-1], uniforms[:, -1])
        is_draft = np.arange(gamma) < _lengths(tokens)[:, None] - 1
        repeated = np.where(is_draft, drafts, -1)
        is_kept = np.arange(gamma + 1) < (_lengths(tokens) - forgets_last)[:, None]
        text = np.concatenate([text, np.where(is_kept, tokens, -1)] + [repeated] * (times - 1), axis=1)
        return tokens

    return step


# --- processors -------------------------------------------------------------------------------------------------------


def processed(
    p: Array,
    q: Array,
    drafts: Tokens,
    rng: Generator,
    *,
    processor: str,
    late: int = 0,
    is_whole: bool = False,
    leaves_bonus: bool = False,
    is_divided: bool = True,
) -> Tokens:
    """Speculative decoding on processed target rows.

    Parameters
    ----------
    late : how many of the last drafts before a row the processor does not know
    is_whole : the processor of each row knows all drafts of the step
    leaves_bonus : the last row is not processed
    is_divided : else masses that a cut leaves are taken as they are
    """
    change = processor_of(processor)
    n, gamma = drafts.shape
    rows = p.copy()
    for i in range(gamma + 1 - leaves_bonus):
        prefix_length = gamma if is_whole else max(i - late, 0)
        weights = np.asarray(change(p[:, i], drafts[:, :prefix_length]))
        divided = weights / weights.sum(axis=1, keepdims=True)
        rows[:, i] = divided if is_divided else np.where(weights > 0, p[:, i], 0)
    uniforms = rng.random((n, gamma + 1))
    return verified(rows, q, drafts, uniforms[:, :-1], uniforms[:, -1])


def _processor(name: str, words: str, required: str, actual: str = "", **parts: Any) -> Fault:
    return Fault(name, "processor", words, partial(processed, processor=actual or required, **parts), "numpy", required)


def _state(name: str, part: str, words: str, start: Callable[..., Step], processor: str = "") -> Fault:
    return Fault(name, part, words, start, "state", processor)


FORMED: tuple[Fault, ...] = (
    _state("first row stale", "bookkeeping", "the row that gave the last token", partial(kept, fault="rows")),
    _state("draft rows stale", "bookkeeping", "those of the step before", partial(kept, fault="draft")),
    _state("bonus twice", "bookkeeping", "emitted again by the next step", partial(kept, fault="bonus")),
    _state("fallback is greedy", "reported/sampled", "steps without drafts", partial(kept, fault="greedy")),
    _state("noise by step", "uniforms", "a place's noise serves twice", partial(matched, is_by_step=True)),
    _state("accepted drafts count twice", "processor", "in the penalty", partial(counted, times=2), HALVES),
    _processor("temperature twice", "on the same rows", "temperature:0.5", "temperature:0.5+temperature:0.5"),
    _processor("cut before temperature", "top-p first", "temperature:0.5+top-p:0.7", "top-p:0.7+temperature:0.5"),
    _processor("penalty for later drafts", "each row knows all drafts", HALVES, is_whole=True),
    _processor("penalty late by one draft", "the draft before the row is missing", HALVES, late=1),
    _processor("bonus row not processed", "top-k on the other rows", "top-k:2", leaves_bonus=True),
    _processor("cut rows not divided", "masses of top-k as they were", "top-k:2", is_divided=False),
)
"""Faults of samplers that remember, or that process rows."""
