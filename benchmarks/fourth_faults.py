"""A short list of faulty samplers written after the diagnosis was changed for the misses of `benchmarks.engine_faults`.

The part that is wrong in each was committed before an audit named the cause of any.  Whoever wrote it had read the code of the
diagnosis, though not run it on them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.fault_list import Fault
from benchmarks.reported_faults import fault_of_step, first_refusal, masses_of, verified
from simspec.audit.adapters.form import drafted
from simspec.laws import Array

__all__ = ["FOURTH"]

Tokens = NDArray[np.int64]
Passes = NDArray[np.bool_]
Generator = np.random.Generator


def _floored_report(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    reported = np.maximum(q, 0.1)
    reported = reported / reported.sum(axis=1, keepdims=True)
    return verified(p, reported, n, rng, draft=lambda rows, n, rng: drafted(q, n, rng))


def _mixed_target(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    return verified(np.concatenate([(p[:-1] + q) / 2, p[-1:]]), q, n, rng)


def _from_the_first_row(q: Array, n: int, rng: Generator) -> Tokens:
    return drafted(np.repeat(q[:1], len(q), axis=0), n, rng)


def _mean_of_two(p: Array, q: Array, x: Tokens) -> Array:
    """Chance that the mean of two uniforms is below p/q."""
    ratio = np.minimum(masses_of(p, x) / masses_of(q, x), 1)
    return np.where(ratio < 0.5, 2 * ratio**2, 1 - 2 * (1 - ratio) ** 2)


def _root_of_draft(p: Array, q: Array, x: Tokens) -> Array:
    chance: Array = masses_of(p, x) / np.sqrt(masses_of(q, x))
    return chance


def _squared_target(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.maximum(p[i] ** 2 / (p[i] ** 2).sum() - q[i], 0)


def _next_draft_row(p: Array, q: Array, i: int, x: Tokens) -> Array:
    return np.maximum(p[i] - q[min(i + 1, len(q) - 1)], 0)


def _first_draft_again(tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator) -> Tokens:
    """The first draft stands in the place of the second one, too."""
    rows = np.flatnonzero(accepted > 1)
    tokens[rows, 1:2] = x[rows, :1]
    return tokens


def _ends_after_sure_token(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """The draft after one that the target says with more than 0.6 counts as refused."""
    drafts: list[Tokens] = []

    def draft(rows: Array, n: int, rng: Generator) -> Tokens:
        drafts.append(drafted(rows, n, rng))
        return drafts[0]

    def count(passes: Passes) -> Tokens:
        is_sure = np.pad(masses_of(p[:-1], drafts[0]) > 0.6, ((0, 0), (0, 1)))
        first = np.where(is_sure.any(axis=1), is_sure.argmax(axis=1) + 1, passes.shape[1])
        return np.minimum(first_refusal(passes), first)

    return verified(p, q, n, rng, draft=draft, count=count)


def _unsure_target(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """The first draft at whose place no token has more than 0.6 of the target counts as refused."""
    is_unsure = np.append(p[:-1].max(axis=1) <= 0.6, True)
    most = int(is_unsure.argmax())
    return verified(p, q, n, rng, count=lambda passes: np.minimum(first_refusal(passes), most))


FOURTH: tuple[Fault, ...] = (
    Fault("floored report", "reported/sampled", "draft masses are at least 0.1", _floored_report),
    Fault("target mixed with draft", "reported/sampled", "verified rows are (p + q)/2", _mixed_target),
    fault_of_step(
        "all drafts from the first row", "reported/sampled", "reported by their own", draft=_from_the_first_row
    ),
    fault_of_step("mean of two uniforms", "uniforms", "(u + u')/2 < p/q", chance=_mean_of_two),
    fault_of_step("root of the draft mass", "uniforms", "passes with p / sqrt q", chance=_root_of_draft),
    fault_of_step("residual of the squared target", "residual", "(p^2 - q)+", recover=_squared_target),
    fault_of_step(
        "any possible token", "residual", "all with p > 0 alike", recover=lambda p, q, i, x: (p[i] > 0) * 1.0
    ),
    fault_of_step("next draft row in the residual", "bookkeeping", "(p_i - q_(i+1))+", recover=_next_draft_row),
    fault_of_step("first draft again", "bookkeeping", "in the place of the second", finish=_first_draft_again),
    fault_of_step(
        "greedy bonus", "bookkeeping", "the likeliest token", bonus=lambda p: np.eye(p.shape[1])[p[-1].argmax()]
    ),
    Fault("no draft after a sure token", "stopping", "the next one counts as refused", _ends_after_sure_token),
    Fault("no draft for an unsure target", "stopping", "it counts as refused", _unsure_target),
)
"""Written after the changes that the misses of `ENGINES` led to."""
