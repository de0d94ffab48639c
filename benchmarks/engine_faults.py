"""A list of faulty samplers after the kinds of faults that users of inference engines report, written to be audited once.

It was written without the code of the diagnosis at hand, and the part that is wrong in each fault was committed before an
audit named the cause of any.  None is in an earlier list or in the zoo.  Faults that need more than one call of a sampler
are those of `benchmarks.formed_faults`; `ENGINES` holds both.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.fault_list import Fault
from benchmarks.formed_faults import FORMED
from benchmarks.reported_faults import fault_of_step, first_refusal, masses_of, verified
from simspec.audit.adapters.form import drafted, drawn, emitted
from simspec.laws import Array, softmax, top_p

__all__ = ["ENGINES", "whole_step"]

Tokens = NDArray[np.int64]
Passes = NDArray[np.bool_]
Generator = np.random.Generator


def _accepted(p: Array, q: Array, x: Tokens, rng: Generator) -> Tokens:
    """How many drafts pass before the first that does not."""
    return first_refusal(rng.random(x.shape) * masses_of(q, x) < masses_of(p[:-1], x))


def _residual(p: Array, q: Array) -> Array:
    """(p - q)+, and p where nothing is left."""
    weights = np.maximum(p - q, 0)
    return weights if weights.any() else p


def _ended(p: Array, q: Array, x: Tokens, accepted: Tokens, rng: Generator) -> Tokens:
    """Accepted drafts and the token after them: from the residual where there is a draft, else from the last target row."""
    last = np.zeros(len(x), dtype=np.int64)
    for i in range(len(p)):
        is_here = accepted == i
        weights = _residual(p[i], q[i]) if i < len(q) else p[i]
        last[is_here] = drawn(weights, rng.random(len(x)))[is_here]
    return emitted(x, accepted, last)


# --- what drafts come from, and which target is verified --------------------------------------------------------------


def _softmax_twice(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """The verifier takes probabilities of the draft for logits."""
    reported = softmax(q) if len(q) else q
    return verified(p, reported, n, rng, draft=lambda rows, n, rng: drafted(q, n, rng))


def _cut_without_division(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Drafts are drawn from the nucleus; the verifier gets its masses as they were."""
    nucleus = top_p(q, 0.7) if len(q) else q
    return verified(p, np.where(nucleus > 0, q, 0), n, rng, draft=lambda rows, n, rng: drafted(nucleus, n, rng))


def _padded(q: Array, n: int, rng: Generator) -> Tokens:
    """The last draft is missing, and 0 stands in its place."""
    x = drafted(q, n, rng)
    x[:, -1:] = 0
    return x


def _soft_capped(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Logits of the verified rows are capped at 2 in size, those of the target are not."""
    with np.errstate(divide="ignore"):
        rows = softmax(2 * np.tanh(np.log(p) / 2))
    return verified(np.concatenate([rows[:-1], p[-1:]]), q, n, rng)


# --- tests ------------------------------------------------------------------------------------------------------------


def _relaxed(p: Array, q: Array, x: Tokens) -> Array:
    """A draft among the two likeliest tokens passes where its mass is at most 1/2 below the largest."""
    masses = masses_of(p, x)
    rank = (p[None] > masses[:, :, None]).sum(axis=2)
    is_near = (rank < 2) & (masses >= p.max(axis=1) - 0.5)
    return np.where(is_near, 1.0, masses / masses_of(q, x))


def _of_logarithms(p: Array, q: Array, x: Tokens) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        chance: Array = np.log(masses_of(p, x)) / np.log(masses_of(q, x))
    return np.nan_to_num(chance, nan=1.0, posinf=1.0)


def _to_likeliest(p: Array, q: Array, x: Tokens) -> Array:
    chance: Array = masses_of(p, x) / p.max(axis=1)
    return chance


def _one_noise(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """The target's tokens of all places are drawn by one Gumbel noise; drafts that are the same token are accepted."""
    x = drafted(q, n, rng)
    races = rng.exponential(size=(n, 1, p.shape[1]))
    with np.errstate(divide="ignore"):
        target_tokens = (races / p[None]).argmin(axis=2)
    accepted = first_refusal(target_tokens[:, : len(q)] == x)
    return emitted(x, accepted, target_tokens[np.arange(n), accepted])


def whole_step(p: Array, q: Array, uniforms: Array, tests_by: int = 0) -> Tokens:
    """A step that draws its drafts from its uniforms: draft i by column i, tests by column gamma + i, and three for the last.

    `tests_by` = 1: the uniform that drew a draft tests the next draft.
    """
    gamma = len(q)
    n = len(uniforms)
    x = np.array([drawn(q[i], uniforms[:, i]) for i in range(gamma)], dtype=np.int64).reshape(gamma, n).T
    tests = uniforms[:, gamma : 2 * gamma].copy()
    if tests_by:
        tests[:, 1:] = uniforms[:, : max(gamma - 1, 0)]
    passes = tests * masses_of(q, x) < masses_of(p[:-1], x)
    accepted = first_refusal(passes)
    rows = np.array([_residual(p[i], q[i]) for i in range(gamma)] + [p[-1]])
    return emitted(x, accepted, drawn(rows[accepted], uniforms[:, -1]))


# --- tokens after a refusal -------------------------------------------------------------------------------------------


def _greedy_drafts(q: Array, n: int, rng: Generator) -> Tokens:
    return np.tile(q.argmax(axis=1), (n, 1)) if len(q) else drafted(q, n, rng)


def _mass_alone(p: Array, q: Array, x: Tokens) -> Array:
    return masses_of(p, x)


def _raced(p: Array, q: Array, n: int, rng: Generator, *, is_shared: bool) -> Tokens:
    """The token after a refusal is the first of a race, min E/(p - q)+.

    `is_shared`: all calls of a launch have one exponential E for each token, else E is uniform where it must be exponential.
    """
    x = drafted(q, n, rng)
    accepted = _accepted(p, q, x, rng)
    rows = np.array([_residual(p[i], q[i]) for i in range(len(q))] + [p[-1]])
    times = np.tile(rng.exponential(size=p.shape[1]), (n, 1)) if is_shared else rng.random((n, p.shape[1]))
    with np.errstate(divide="ignore"):
        first = (times / rows[accepted]).argmin(axis=1)
    is_whole = accepted == len(q)
    return emitted(x, accepted, np.where(is_whole, drawn(p[-1], rng.random(n)), first))


# --- places -----------------------------------------------------------------------------------------------------------


def _bonus_less_draft(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """The token after all drafts is drawn as if there were a draft row at its place: the last one."""
    return verified(p, q, n, rng, bonus=lambda p: _residual(p[-1], q[-1]) if len(q) else p[-1])


def _refused_before_recovered(
    tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator
) -> Tokens:
    rows = np.flatnonzero(accepted < x.shape[1])
    places = accepted[rows]
    tokens[rows, places + 1] = tokens[rows, places]
    tokens[rows, places] = x[rows, places]
    return tokens


def _next_ids(tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator) -> Tokens:
    """Accepted drafts are emitted with ids that are one too large, the last one as 0."""
    is_draft = np.arange(x.shape[1]) < accepted[:, None]
    tokens[:, :-1] = np.where(is_draft, (x + 1) % p.shape[1], tokens[:, :-1])
    return tokens


def _counts_of_neighbours(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Each request of a launch takes the number of accepted drafts of the next one."""
    x = drafted(q, n, rng)
    return _ended(p, q, x, np.roll(_accepted(p, q, x, rng), -1), rng)


# --- where it stops ---------------------------------------------------------------------------------------------------


def _unsure_drafts(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Drafting ends at a drawn token of draft mass below 0.3, which is dropped; the target's own token follows."""
    x = drafted(q, n, rng)
    is_unsure = np.pad(masses_of(q, x) < 0.3, ((0, 0), (0, 1)), constant_values=True)
    draft_length = is_unsure.argmax(axis=1)
    accepted = np.minimum(_accepted(p, q, x, rng), draft_length)
    tokens = _ended(p, q, x, accepted, rng)
    for i in range(len(q)):
        is_here = (accepted == i) & (draft_length == i)
        tokens[is_here, i] = drawn(p[i], rng.random(n))[is_here]
    return tokens


def _last_refusal(passes: Passes) -> Tokens:
    """All drafts before the last refused one."""
    gamma = passes.shape[1]
    from_the_end = np.pad(~passes[:, ::-1], ((0, 0), (0, 1)), constant_values=True).argmax(axis=1)
    return np.where(passes.all(axis=1), gamma, gamma - 1 - from_the_end)


def _pairs_stop_together(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Two requests of a launch accept as many drafts as the one that accepts fewer, and both go on from the residual."""
    x = drafted(q, n, rng)
    accepted = _accepted(p, q, x, rng)
    even = accepted[: n - n % 2].reshape(-1, 2)
    even[:] = even.min(axis=1, keepdims=True)
    return _ended(p, q, x, accepted, rng)


def _pairs_share_seeds(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Two answers to one request have one seed."""
    return np.repeat(verified(p, q, (n + 1) // 2, rng), 2, axis=0)[:n]


ENGINES: tuple[Fault, ...] = (
    Fault("softmax twice", "reported/sampled", "of the draft rows that are reported", _softmax_twice),
    Fault("cut draft not divided", "reported/sampled", "masses of the nucleus as they were", _cut_without_division),
    fault_of_step("padding as a draft", "reported/sampled", "the last draft is 0, reported as drawn", draft=_padded),
    Fault("soft cap", "reported/sampled", "on logits of the verified rows, not of the target", _soft_capped),
    fault_of_step("relaxed test", "uniforms", "passes where p is near the largest of the row", chance=_relaxed),
    fault_of_step("ratio of logarithms", "uniforms", "passes with log p / log q", chance=_of_logarithms),
    fault_of_step("mass over the largest", "uniforms", "passes with p / max p", chance=_to_likeliest),
    Fault("one noise for all places", "uniforms", "draws the target's tokens that drafts must match", _one_noise),
    Fault("draft's uniform tests the next", "uniforms", "it is used again", partial(whole_step, tests_by=1), "step"),
    Fault("noise of recovery shared", "uniforms", "by all calls of a launch", partial(_raced, is_shared=True)),
    Fault("pairs share seeds", "uniforms", "two calls of a launch are alike", _pairs_share_seeds),
    fault_of_step(
        "refused token not masked",
        "residual",
        "drafts are certain, and p stands in place of p without the draft",
        draft=_greedy_drafts,
        chance=_mass_alone,
        recover=lambda p, q, i, x: p[i],
    ),
    fault_of_step(
        "recovery among draft tokens",
        "residual",
        "(p - q)+ where q > 0",
        recover=lambda p, q, i, x: np.maximum(p[i] - q[i], 0) * (q[i] > 0),
    ),
    Fault("race of uniforms", "residual", "min u/(p - q)+ with u uniform", partial(_raced, is_shared=False)),
    fault_of_step(
        "one-hot test, other residual", "residual", "passes with p, recovers from (p - q)+", chance=_mass_alone
    ),
    fault_of_step(
        "difference of logits", "residual", "p / (q + 0.01)", recover=lambda p, q, i, x: p[i] / (q[i] + 0.01)
    ),
    Fault("bonus less the last draft row", "bookkeeping", "(p - q)+ with the row before", _bonus_less_draft),
    fault_of_step(
        "refused before recovered", "bookkeeping", "the refused draft is emitted, too", finish=_refused_before_recovered
    ),
    fault_of_step(
        "recovery at the first place",
        "bookkeeping",
        "the first residual at all places",
        recover=lambda p, q, i, x: np.maximum(p[0] - q[0], 0),
    ),
    fault_of_step("ids not mapped back", "bookkeeping", "accepted drafts have the next id", finish=_next_ids),
    Fault("counts of neighbours", "bookkeeping", "accepted drafts of another call", _counts_of_neighbours),
    Fault("unsure draft dropped", "stopping", "drafting ends at an unlikely token", _unsure_drafts),
    fault_of_step("last refusal", "stopping", "drafts before it are emitted, refused ones too", count=_last_refusal),
    Fault("pairs stop together", "stopping", "at the refusal of either", _pairs_stop_together),
    *FORMED,
)
"""Written without the code of the diagnosis at hand."""
