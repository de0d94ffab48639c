"""A list of faulty samplers written after the diagnosis was changed for the misses of `benchmarks.reported_faults.FRESH`.

The part that is wrong in each was written down and committed before an audit named the cause of any.  The kinds are those that
a step of `benchmarks.reported_faults.verified` can get wrong; none is in an earlier list.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.fault_list import Fault
from benchmarks.reported_faults import fault_of_step, first_refusal, masses_of, verified
from simspec.audit.adapters.form import drafted
from simspec.laws import Array

__all__ = ["LATER"]

Tokens = NDArray[np.int64]
Generator = np.random.Generator


def _ratio(p: Array, q: Array, x: Tokens) -> Array:
    masses = masses_of(q, x)
    return np.where(masses > 0, masses_of(p, x) / np.where(masses > 0, masses, 1), 1.0)


# --- what drafts come from, and which target is verified -------------------------------------------------------------------


def _without_likeliest(q: Array, n: int, rng: Generator) -> Tokens:
    laws = q.copy()
    for law in laws:
        if np.count_nonzero(law) > 1:
            law[law.argmax()] = 0
    return drafted(laws, n, rng)


def _now_and_then_any(q: Array, n: int, rng: Generator) -> Tokens:
    return drafted(0.7 * q + 0.3 / q.shape[1] if len(q) else q, n, rng)


def _with_target(change: Any) -> Any:
    def sampler(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
        rows = change(p)
        return verified(rows / rows.sum(axis=1, keepdims=True), q, n, rng)

    return sampler


def _rare_tokens_cut(p: Array) -> Array:
    return np.where(p >= np.minimum(0.2, p.max(axis=1, keepdims=True)), p, 0)


def _ids_turned(p: Array) -> Array:
    return np.concatenate([p[:-1, ::-1], p[-1:]])


# --- tests -----------------------------------------------------------------------------------------------------------------


def _normal(p: Array, q: Array, x: Tokens) -> Array:
    chance: Array = special.erf(_ratio(p, q, x) / np.sqrt(2))
    return chance


def _larger_of_two(p: Array, q: Array, x: Tokens) -> Array:
    chance: Array = np.minimum(_ratio(p, q, x), 1) ** 2
    return chance


def _exponential(p: Array, q: Array, x: Tokens) -> Array:
    chance: Array = np.exp(masses_of(p, x) - masses_of(q, x))
    return chance


def _in_quarters(p: Array, q: Array, x: Tokens) -> Array:
    return np.floor(4 * np.minimum(_ratio(p, q, x), 1)) / 4


# --- places and stops --------------------------------------------------------------------------------------------------------


def _early_rows(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Each draft is tested by the target's row after its own."""
    return verified(np.concatenate([p[1:], p[-1:]]) if len(p) > 1 else p, q, n, rng)


def _draft_rows_turned(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    return verified(p, q[::-1], n, rng, draft=lambda rows, n, rng: drafted(q, n, rng))


def _overwrites(
    tokens: Tokens, x: Tokens, passes: NDArray[np.bool_], accepted: Tokens, p: Array, rng: Generator
) -> Tokens:
    """The recovered token stands in the place of the last accepted draft."""
    rows = np.flatnonzero((accepted > 0) & (accepted < x.shape[1]))
    tokens[rows, accepted[rows] - 1] = tokens[rows, accepted[rows]]
    tokens[rows, accepted[rows]] = -1
    return tokens


def _one_too_few(passes: NDArray[np.bool_]) -> Tokens:
    accepted = first_refusal(passes)
    return np.where(accepted < passes.shape[1], np.maximum(accepted - 1, 0), accepted)


def _at_most_one(passes: NDArray[np.bool_]) -> Tokens:
    return np.minimum(first_refusal(passes), 1)


def _not_after_token_0(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """An accepted token 0 ends the drafts, and the next one counts as refused."""
    drafts: list[Tokens] = []

    def draft(rows: Array, n: int, rng: Generator) -> Tokens:
        drafts.append(drafted(rows, n, rng))
        return drafts[0]

    def count(passes: NDArray[np.bool_]) -> Tokens:
        is_end = np.pad(drafts[0] == 0, ((0, 0), (0, 1)))
        first = np.where(is_end.any(axis=1), is_end.argmax(axis=1) + 1, passes.shape[1])
        return np.minimum(first_refusal(passes), first)

    return verified(p, q, n, rng, draft=draft, count=count)


LATER: tuple[Fault, ...] = (
    fault_of_step("never the likeliest draft", "reported/sampled", "reported with it", draft=_without_likeliest),
    fault_of_step("any draft now and then", "reported/sampled", "3 in 10 drafts are uniform", draft=_now_and_then_any),
    Fault("rare target tokens cut", "reported/sampled", "masses below 0.2 are 0", _with_target(_rare_tokens_cut)),
    Fault("target ids turned", "reported/sampled", "verified rows in reverse order of ids", _with_target(_ids_turned)),
    fault_of_step("normal in the test", "uniforms", "|z| < p/q", chance=_normal),
    fault_of_step("larger of two uniforms", "uniforms", "max(u, u') < p/q", chance=_larger_of_two),
    fault_of_step("exponential of the difference", "uniforms", "u < exp(p - q)", chance=_exponential),
    fault_of_step("ratio in quarters", "uniforms", "p/q rounded down", chance=_in_quarters),
    fault_of_step(
        "residual in quarters",
        "residual",
        "rounded",
        recover=lambda p, q, i, x: np.round(4 * np.maximum(p[i] - q[i], 0)),
    ),
    fault_of_step("larger law", "residual", "max(p, q)", recover=lambda p, q, i, x: np.maximum(p[i], q[i])),
    fault_of_step("any token where p > q", "residual", "all alike", recover=lambda p, q, i, x: (p[i] > q[i]) * 1.0),
    fault_of_step(
        "likeliest target token", "residual", "argmax p", recover=lambda p, q, i, x: np.eye(len(p[i]))[p[i].argmax()]
    ),
    fault_of_step(
        "half the draft law", "residual", "(p - q/2)+", recover=lambda p, q, i, x: np.maximum(p[i] - q[i] / 2, 0)
    ),
    fault_of_step("target times rest", "residual", "p (1 - q)", recover=lambda p, q, i, x: p[i] * (1 - q[i])),
    Fault("target rows early by one", "bookkeeping", "each draft is tested by the row after its own", _early_rows),
    Fault("draft rows turned", "bookkeeping", "reported in the opposite order of places", _draft_rows_turned),
    fault_of_step("bonus from all rows", "bookkeeping", "their mean", bonus=lambda p: p.mean(axis=0)),
    fault_of_step("recovered token overwrites", "bookkeeping", "the accepted draft before it", finish=_overwrites),
    fault_of_step(
        "one draft too few", "stopping", "the last draft before a refused one counts as refused", count=_one_too_few
    ),
    fault_of_step("at most one draft", "stopping", "the second draft counts as refused", count=_at_most_one),
    Fault("no draft after token 0", "stopping", "the next one counts as refused", _not_after_token_0),
)
"""Written after the changes that the misses of `FRESH` led to."""
