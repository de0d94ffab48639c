"""Thirty faulty samplers of kinds that engineers write when they implement speculative decoding, to be audited once.

The list was written without the code of the diagnosis at hand.  The part that is wrong in each fault was committed before an
audit named the cause of any, and the comment above each says why it is that part.  None is in an earlier list or in the zoo.
`one_step`, `dropped`, `mirrored`, `remembered` and `counted` are lossless by default.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.fault_list import Fault
from benchmarks.formed_faults import HALVES, counted
from benchmarks.reported_faults import fault_of_step, first_refusal, masses_of, verified
from simspec.audit.adapters.form import drafted, drawn
from simspec.audit.zoo import forms
from simspec.laws import Array, top_k
from simspec.laws.unchecked import normalise

__all__ = ["FIFTH", "dropped", "mirrored", "one_step", "processed", "remembered"]

Tokens = NDArray[np.int64]
Passes = NDArray[np.bool_]
Generator = np.random.Generator
Step = Callable[[Array, Array, Tokens], Tokens]


# --- what drafts come from, and which target is verified --------------------------------------------------------------


def _later_greedy(q: Array, n: int, rng: Generator) -> Tokens:
    """The first draft is sampled, the others are the likeliest tokens of their rows."""
    x = drafted(q, n, rng)
    if len(q) > 1:
        x[:, 1:] = q[1:].argmax(axis=1)
    return x


def _reported_two(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Drafts are sampled from whole rows; the two largest masses of each row, divided by their sum, are reported."""
    reported = top_k(q, min(2, q.shape[1])) if len(q) else q
    return verified(p, reported, n, rng, draft=lambda rows, n, rng: drafted(q, n, rng))


def _drafts_of_target(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Drafts are sampled from the target's rows."""
    return verified(p, q, n, rng, draft=lambda rows, n, rng: drafted(p[:-1], n, rng))


def _logits_added(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """The draft's logits are added to those of the verified rows: p q in place of p."""
    rows = normalise(p[:-1] * q, otherwise=p[:-1])
    return verified(np.concatenate([rows, p[-1:]]), q, n, rng)


def _sigmoid_target(p: Array, q: Array, n: int, rng: Generator) -> Tokens:
    """Masses of the target are sigmoids of its logits log p, divided by their sum."""
    return verified(normalise(p / (1 + p), otherwise=p), q, n, rng)


# --- tests, and where a step stops --------------------------------------------------------------------------------------


def one_step(
    p: Array,
    q: Array,
    n: int,
    rng: Generator,
    *,
    uniforms: Callable[[Array], Array] = lambda uniforms: uniforms,
    most: Callable[[Array, Tokens, Array], Tokens] = lambda p, x, margins: np.full(len(x), x.shape[1]),
) -> Tokens:
    """Speculative decoding of which the tests' uniforms, or where the step stops, can be exchanged.

    Parameters
    ----------
    uniforms : uniforms (n, gamma) of the tests -> those that are used
    most : (p, drafts (n, gamma), p/q - u (n, gamma)) -> how many drafts are accepted at most (n,); the next counts as refused
    """
    x = drafted(q, n, rng)
    margins = masses_of(p[:-1], x) / masses_of(q, x) - uniforms(rng.random(x.shape))
    accepted = np.minimum(first_refusal(margins > 0), most(p, x, margins))
    return verified(p, q, n, rng, draft=lambda rows, n, rng: x, count=lambda passes: accepted)


def _one_for_all(uniforms: Array) -> Array:
    return np.tile(uniforms[:1], (len(uniforms), 1))


def _up_to_first(is_last: Passes) -> Tokens:
    """How many drafts there are up to the first that is the last one (n, gamma); all where none is."""
    return np.where(is_last.any(axis=1), np.pad(is_last, ((0, 0), (0, 1))).argmax(axis=1) + 1, is_last.shape[1])


def _until_surprise(p: Array, x: Tokens, margins: Array) -> Tokens:
    """The first draft that is not the target's likeliest token is the last."""
    return _up_to_first(x != p[:-1].argmax(axis=1))


def _until_narrow(p: Array, x: Tokens, margins: Array) -> Tokens:
    """The first draft that passes with p/q - u below 0.3 is the last."""
    return _up_to_first((margins > 0) & (margins < 0.3))


def _before_end(x: Tokens) -> Tokens:
    """How many drafts stand before the first token 0."""
    return np.pad(x == 0, ((0, 0), (0, 1)), constant_values=True).argmax(axis=1)


def dropped(
    p: Array,
    q: Array,
    n: int,
    rng: Generator,
    *,
    length: Callable[[Tokens], Tokens] = lambda x: np.full(len(x), min(1, x.shape[1])),
) -> Tokens:
    """Speculative decoding of so many of the drafts: the others are not tested, and the token after them is the target's own.

    Lossless where the length does not depend on the drafts that are left out.
    """
    x = drafted(q, n, rng)
    lengths = length(x)

    def finish(tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator) -> Tokens:
        rows = np.flatnonzero(accepted == lengths)
        tokens[rows, accepted[rows]] = drawn(p[accepted[rows]], rng.random(len(rows)))
        return tokens

    def count(passes: Passes) -> Tokens:
        return np.minimum(first_refusal(passes), lengths)

    return verified(p, q, n, rng, draft=lambda rows, n, rng: x, count=count, finish=finish)


def _geometric_mean(p: Array, q: Array, x: Tokens) -> Array:
    """Chance (p/q of all drafts so far)^(1/their number)."""
    products = np.cumprod(masses_of(p, x) / masses_of(q, x), axis=1)
    chance: Array = products ** (1 / np.arange(1, x.shape[1] + 1))
    return chance


def _one_less_excess(p: Array, q: Array, x: Tokens) -> Array:
    return 1 - np.maximum(masses_of(q, x) - masses_of(p, x), 0)


def mirrored(p: Array, q: Array, uniforms: Array, *, is_mirrored: bool = False) -> Tokens:
    """A whole step: draft i is drawn by uniform i and tested by uniform gamma + i, or by 1 - u of its own where mirrored."""
    n = len(uniforms)
    gamma = len(q)
    x = np.array([drawn(q[i], uniforms[:, i]) for i in range(gamma)], dtype=np.int64).reshape(gamma, n).T
    tests = 1 - uniforms[:, :gamma] if is_mirrored else uniforms[:, gamma : 2 * gamma]
    rows_p = np.broadcast_to(p, (n, *p.shape))
    rows_q = np.broadcast_to(q, (n, *q.shape))
    return forms.verified(rows_p, rows_q, x, tests, uniforms[:, -1])


# --- tokens after a refusal ---------------------------------------------------------------------------------------------


def _log_ratio(p: Array, q: Array, i: int, x: Tokens) -> Array:
    """(log p - log q)+, of masses that are at least 0.001."""
    logs = np.log(np.maximum(p[i], 1e-3)) - np.log(np.maximum(q[i], 1e-3))
    return np.maximum(logs, 0)


def _less_accepted_law(p: Array, q: Array, i: int, x: Tokens) -> Array:
    """p less the law of an accepted draft, min(p, q) divided by its sum, in place of min(p, q)."""
    accepted = np.minimum(p[i], q[i])
    return np.maximum(p[i] - accepted / max(accepted.sum(), 1e-12), 0)


def _first_excess(p: Array, q: Array, i: int, x: Tokens) -> Array:
    """The lowest id with p > q is certain."""
    has_excess = p[i] > q[i]
    return np.eye(p.shape[1])[has_excess.argmax()] * has_excess.any()


def _unclipped(p: Array, q: Array, i: int, x: Tokens) -> Array:
    """The first id at which the sum of p - q exceeds a uniform times the sum of (p - q)+; the last id where none does."""
    # sums of differences fall where q > p, and a token is reached only where they rise above all sums before
    reached = np.maximum.accumulate(np.maximum(np.cumsum(p[i] - q[i]), 0))
    weights = np.diff(reached, prepend=0)
    weights[-1] += np.maximum(p[i] - q[i], 0).sum() - reached[-1]
    return np.maximum(weights, 0)


def _second_try_emitted(p: Array, q: Array, i: int, x: Tokens) -> Array:
    """A token drawn from p is kept with chance (1 - q/p)+; a second one is always kept."""
    excess = np.maximum(p[i] - q[i], 0)
    return excess + (1 - excess.sum()) * p[i]


# --- places ---------------------------------------------------------------------------------------------------------------


def _turned(tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator) -> Tokens:
    """Accepted drafts are emitted in the opposite order."""
    gamma = x.shape[1]
    for count in range(2, gamma + 1):
        rows = np.flatnonzero(accepted == count)
        tokens[rows, :count] = x[rows, :count][:, ::-1]
    return tokens


def _last_first(tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator) -> Tokens:
    """The token after the accepted drafts is emitted before them."""
    for count in range(1, x.shape[1] + 1):
        rows = np.flatnonzero(accepted == count)
        tokens[rows, : count + 1] = np.roll(tokens[rows, : count + 1], 1, axis=1)
    return tokens


def _without_zeros(tokens: Tokens, x: Tokens, passes: Passes, accepted: Tokens, p: Array, rng: Generator) -> Tokens:
    """Accepted drafts of id 0 are left out, and later tokens move up."""
    is_draft = np.arange(tokens.shape[1]) < accepted[:, None]
    is_left_out = (is_draft & (tokens == 0)) | (tokens < 0)
    order = np.argsort(is_left_out, axis=1, kind="stable")
    return np.take_along_axis(np.where(is_left_out, -1, tokens), order, axis=1)


def _count_of_reshaped(passes: Passes) -> Tokens:
    """Flags lie place after place in memory, and are read call after call."""
    return first_refusal(passes.T.reshape(passes.shape))


# --- state over steps -------------------------------------------------------------------------------------------------------


def remembered(n: int, rng: Generator, fault: str = "") -> Step:
    """Speculative decoding over steps, lossless without a fault.

    `fault`: "cools": target rows of step t are p^t; "carried": the uniform that drew the last token of a step is the first test
    of the next; "not rolled back": after a refusal the target's rows are those of one place later; "pauses": the drafts of the
    step after a refusal count as refused.
    """
    number_of_steps = 0
    was_refused = np.zeros(n, dtype=np.bool_)
    last_uniforms = np.zeros((n, 1))

    def step(p: Array, q: Array, drafts: Tokens) -> Tokens:
        """Verify drafts with the rows or the tests that the fault changes."""
        nonlocal number_of_steps, was_refused, last_uniforms
        gamma = drafts.shape[1]
        uniforms = rng.random((n, gamma + 1))
        rows = p
        tests = uniforms[:, :gamma].copy()
        number_of_steps += 1
        if fault == "cools":
            rows = normalise(p**number_of_steps, otherwise=p)
        if fault == "not rolled back":
            later = np.concatenate([p[:, 1:], p[:, -1:]], axis=1)
            rows = np.where(was_refused[:, None, None], later, p)
        if fault == "carried" and number_of_steps > 1:
            tests[:, :1] = last_uniforms[:, :gamma]
        if fault == "pauses":
            tests[was_refused] = np.inf
        tokens = forms.verified(rows, q, drafts, tests, uniforms[:, gamma])
        was_refused = (tokens >= 0).sum(axis=1) <= gamma
        last_uniforms = uniforms[:, gamma:]
        return tokens

    return step


# --- processors ---------------------------------------------------------------------------------------------------------------


def processed(
    p: Array, q: Array, drafts: Tokens, rng: Generator, *, change: Callable[[Array, Tokens], Array]
) -> Tokens:
    """Speculative decoding on target rows that are changed by (rows (n, V), drafts before (n, t)) -> weights (n, V)."""
    n, gamma = drafts.shape
    rows = [normalise(np.asarray(change(p[:, i], drafts[:, :i])), otherwise=p[:, i]) for i in range(gamma + 1)]
    uniforms = rng.random((n, gamma + 1))
    return forms.verified(np.stack(rows, axis=1), q, drafts, uniforms[:, :gamma], uniforms[:, gamma])


def _small_nucleus(rows: Array, prefix: Tokens) -> Array:
    """Likely tokens while their sum is at most 0.7, the likeliest always."""
    order = np.argsort(-rows, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(rows, order, axis=1), axis=1)
    is_kept = sums <= 0.7
    is_kept[:, 0] = True
    weights = np.zeros_like(rows)
    np.put_along_axis(weights, order, np.take_along_axis(rows, order, axis=1) * is_kept, axis=1)
    return weights


def _doubled(rows: Array, prefix: Tokens) -> Array:
    counts = (prefix[:, :, None] == np.arange(rows.shape[1])).sum(axis=1)
    weights: Array = rows * 2.0**counts
    return weights


# --- the list -------------------------------------------------------------------------------------------------------------------


def _state(name: str, part: str, words: str, fault: str) -> Fault:
    return Fault(name, part, words, partial(remembered, fault=fault), "state")


def _processor(name: str, words: str, change: Callable[[Array, Tokens], Array], required: str) -> Fault:
    return Fault(name, "processor", words, partial(processed, change=change), "numpy", required)


FIFTH: tuple[Fault, ...] = (
    # The rows that are reported are not those that the later drafts come from; all else is right for drafts from these rows.
    fault_of_step("only the first draft sampled", "reported/sampled", "others are greedy", draft=_later_greedy),
    # Drafts come from whole rows; the report is another law, and tests and residuals are right for what is reported.
    Fault("two masses reported", "reported/sampled", "the two largest of each row", _reported_two),
    # Tests and residuals are right for drafts from q, which is reported; the drafts come from another law.
    Fault("drafts from the target", "reported/sampled", "drawn from p, reported as q", _drafts_of_target),
    # Each verified place has exactly the law p q: speculative decoding for another target.
    Fault("draft logits added", "reported/sampled", "to those of the verified rows", _logits_added),
    # Every place has exactly the law of the sigmoids: speculative decoding for another target.
    Fault("sigmoid in place of softmax", "reported/sampled", "of the target's logits", _sigmoid_target),
    # Each step is speculative decoding for p^t: another target than the one that was asked for.
    _state("target cools by step", "reported/sampled", "rows of step t are p^t", "cools"),
    # Drafts, residuals and places are right; only what the uniform is compared with is wrong.
    fault_of_step("geometric mean of ratios", "uniforms", "of all drafts so far", chance=_geometric_mean),
    # The ratios are right; the uniforms that they are compared with are neither independent nor uniform.
    Fault("uniforms sorted", "uniforms", "over the places", partial(one_step, uniforms=partial(np.sort, axis=1))),
    # Drafts, residuals and places are right; only what the uniform is compared with is wrong.
    fault_of_step("one less the excess", "uniforms", "passes with 1 - (q - p)+", chance=_one_less_excess),
    # A call alone is right; what calls of a launch share is the random number of their tests.
    Fault("tests shared by a launch", "uniforms", "one uniform a place", partial(one_step, uniforms=_one_for_all)),
    # The test has no uniform of its own: which draft came says what it will be.
    Fault("draft's uniform mirrored", "uniforms", "1 - u tests it", partial(mirrored, is_mirrored=True), "step"),
    # A random number is used twice; each of its uses alone is right.
    _state("last uniform tests the next draft", "uniforms", "that drew the last token of a step", "carried"),
    # Of the step only the weights of the token after a refusal are changed; this holds for all five.
    fault_of_step("difference of log masses", "residual", "(log p - log q)+", recover=_log_ratio),
    fault_of_step("accepted law subtracted", "residual", "min(p, q) divided by its sum", recover=_less_accepted_law),
    fault_of_step("first token with an excess", "residual", "the lowest id with p > q", recover=_first_excess),
    fault_of_step("differences not clipped", "residual", "p - q in the cumulated sum", recover=_unclipped),
    fault_of_step("thinning given up", "residual", "the second try is always emitted", recover=_second_try_emitted),
    # The right tokens in the wrong places.
    fault_of_step("accepted drafts turned", "bookkeeping", "emitted in the opposite order", finish=_turned),
    fault_of_step("last token first", "bookkeeping", "emitted before the accepted drafts", finish=_last_first),
    # Tokens that were accepted are lost, as if their id said that the place was empty.
    fault_of_step("drafts of id 0 left out", "bookkeeping", "taken for padding", finish=_without_zeros),
    # Each flag is right, and is read at another place of another call.
    fault_of_step("flags not transposed", "bookkeeping", "read in the wrong order", count=_count_of_reshaped),
    # All is right but for the row that is looked up: the refused draft still counts as a place.
    _state("rows not rolled back", "bookkeeping", "after a refusal, one place later", "not rolled back"),
    # The tests are right; the step ends after a draft that passed, and goes on as if a test had refused the next one.
    Fault("surprise is the last draft", "stopping", "the next is refused", partial(one_step, most=_until_surprise)),
    Fault("narrow pass is the last", "stopping", "the next counts as refused", partial(one_step, most=_until_narrow)),
    # The drafts end before one that is looked at and left out: the target's own token comes too often in its place.
    Fault("end token dropped", "stopping", "drafts end before a 0, p follows", partial(dropped, length=_before_end)),
    # A step without drafts is right, but this one ends as if its draft had been refused by a test.
    _state("pause after a refusal", "stopping", "the next drafts count as refused", "pauses"),
    # Verification is right; the rows are not what the processor that was asked for makes of the target's.
    _processor("nucleus one token short", "sums of at most P", _small_nucleus, "top-p:0.7"),
    _processor(
        "masses divided by temperature", "not the logits", lambda rows, prefix: np.exp(2 * rows), "temperature:0.5"
    ),
    _processor("penalty with its sign turned", "masses are doubled", _doubled, HALVES),
    # Verification is right; the penalty that was asked for is computed from a text in which tokens are missing.
    Fault("last token forgotten", "processor", "by the penalty", partial(counted, forgets_last=True), "state", HALVES),
)
"""Written without the code of the diagnosis at hand."""
