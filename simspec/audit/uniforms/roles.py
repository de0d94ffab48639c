"""What each uniform decides: whether one draft is kept, or which token is drawn.  One that decides more is shared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import CallMonitor, UniformSampler, called_with_uniforms
from simspec.audit.drafting import Drafts, given_drafts
from simspec.audit.levels import Laws
from simspec.audit.pairs import Pair
from simspec.laws import Array

__all__ = ["shared_uniforms"]

CALLS = 4096
LINES = 256
"""Calls of which one uniform is moved over `POINTS` values while all others stay as they are."""
POINTS = 16

BOTH = "uniform {} decides whether drafts are accepted, and also draws a token"
SEVERAL = "uniform {} decides on more than one draft"


def shared_uniforms(
    sampler: UniformSampler,
    pair: Pair,
    uniforms: int,
    monitor: CallMonitor | None = None,
    drawn: Laws | Drafts | None = None,
) -> tuple[str, ...]:
    """Uniforms that both decide how many drafts are kept and draw a token, or that decide on several drafts, in words.

    One uniform is moved at a time.  The test of one draft has two results: the draft is kept, or what follows without it is
    what the other uniforms say.  Three results of a uniform, not all of one length, are more than one test.

    An honest rule may share uniforms too (one that draws the target's token and looks whether it is the draft), so this is
    asked only where a bias is known.

    >>> def one_uniform(p, q, drafts, uniforms):
    ...     u = uniforms[:, 0]
    ...     kept = u < 0.5
    ...     return np.stack([np.where(kept, 0, (u >= 0.75) + 1), np.where(kept, 0, -1)], axis=1)
    >>> laws = np.full((2, 3), 1 / 3)
    >>> shared_uniforms(one_uniform, Pair("", laws, laws[:1]), 2)
    ('uniform 0 decides whether drafts are accepted, and also draws a token',)
    """
    rng = np.random.default_rng(3)
    drafts, _ = given_drafts(pair.q, drawn)
    rows = drafts[rng.integers(len(drafts), size=CALLS)]
    u = rng.random((CALLS, uniforms))
    before = called_with_uniforms(sampler, pair.p, pair.q, rows, u, monitor)
    sentences = []
    for uniform in range(uniforms):
        lines = _moved(u[:LINES], uniform, rng)
        on_lines = called_with_uniforms(sampler, pair.p, pair.q, rows[:LINES].repeat(POINTS, axis=0), lines, monitor)
        roles = {_role(line) for line in on_lines.reshape(LINES, POINTS, -1)}
        # of several siblings a kept one and the next one kept differ in a token that no uniform draws
        if rows.ndim == 2:
            changed = u.copy()
            changed[:, uniform] = rng.random(CALLS)
            after = called_with_uniforms(sampler, pair.p, pair.q, rows, changed, monitor)
            roles |= {BOTH} if _tests_and_draws(before, after) else set()
        words = BOTH if BOTH in roles else SEVERAL if SEVERAL in roles else ""
        sentences += [words.format(uniform)] if words else []
    return tuple(sentences)


def _moved(u: Array, uniform: int, rng: np.random.Generator) -> Array:
    """Calls (lines * points, C): each with one uniform at `POINTS` values, one in each part of [0, 1) of the same size."""
    lines = np.repeat(u[:, None], POINTS, axis=1)
    lines[:, :, uniform] = (np.arange(POINTS) + rng.random((len(u), POINTS))) / POINTS
    return lines.reshape(-1, u.shape[1])


def _role(tokens: NDArray[np.int64]) -> str:
    """What one uniform does besides one test or one draw, from what calls (n, length) emit that differ in this uniform alone.

    >>> _role(np.array([[0, 2], [1, 2], [1, -1]])) == SEVERAL, _role(np.array([[0, 2], [1, -1], [2, -1]])) == BOTH
    (True, True)
    >>> _role(np.array([[0, 2], [1, -1]])), _role(np.array([[0, 1], [0, 2], [0, 0]]))
    ('', '')
    """
    results = np.unique(tokens, axis=0)
    lengths = (results >= 0).sum(axis=1)
    if len(results) < 3 or len(set(lengths.tolist())) == 1:
        return ""
    beginnings = [
        tuple(result[: length - 1]) for result, length in zip(results.tolist(), lengths.tolist(), strict=True)
    ]
    return BOTH if len(set(beginnings)) < len(beginnings) else SEVERAL


def _tests_and_draws(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether some calls differ in their length, and others of one length in their last token, which is no draft."""
    length_a = (a >= 0).sum(axis=1)
    length_b = (b >= 0).sum(axis=1)
    same = length_a == length_b
    return bool((~same).any() and (a[same] != b[same]).any())
