"""Faulty samplers rebuilt from the kinds of public reports, each with the part that is wrong; none is a member of the zoo.

`FIRST` was looked at while the diagnosis was written.  `SECOND` was held out then: of its 18 faults 17 were found and the cause
of 10 was right.  It was looked at afterwards.  `HELD_OUT` was written after the last change of the diagnosis.  All are
speculative decoding with one step exchanged (`step`), in arrays, n calls at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.adapters.form import drawn
from simspec.laws import Array, top_k, top_p

__all__ = ["FIRST", "HELD_OUT", "SECOND", "Fault", "step"]

Tokens = NDArray[np.int64]
Rows = Callable[[Array], Array]
"""Rows (length, V) -> rows, or weights, that stand in their place."""


class Fault(NamedTuple):
    """A faulty sampler, the part that is wrong, and what it does.

    Attributes
    ----------
    sampler : (p, q, n, rng) -> tokens, or a function of the form
    form : of `simspec audit --form`; "" for (p, q, n, rng)
    processor : what the sampler must do to target rows, as `simspec audit --processor` takes it; "" for nothing
    """

    name: str
    part: str
    words: str
    sampler: Callable[..., Any]
    form: str = ""
    processor: str = ""


def step(
    p: Array,
    q: Array,
    n: int,
    rng: np.random.Generator,
    *,
    drafted: Rows = lambda q: q,
    reported: Rows = lambda q: q,
    target: Rows = lambda p: p,
    ratio: Callable[..., Array] = lambda p, q: p / q,
    left: Callable[..., Array] = lambda p, q, x: np.maximum(p - q, 0),
    bonus: Callable[..., Array] = lambda p, q: p[-1],
    uniforms: Callable[..., Array] = lambda u, i: u,
) -> Tokens:
    """One step of speculative decoding, of which each part can be exchanged.

    Parameters
    ----------
    drafted, reported, target : rows that drafts are drawn from, that the verifier is told, and that it takes for the target's
    ratio : (p, q) at the drafts (n,) -> chances that they pass
    left : (p (n, V), q (n, V), drafts (n,)) -> weights of the token after a refusal; p where nothing is left
    bonus : (p, q) -> weights of the token after all drafts
    uniforms : (uniforms (n, 3 gamma + 1), i) -> the same, as position i takes them: column 3 i draws the draft, 3 i + 1 tests
        it, 3 i + 2 draws the token after its refusal, and the last one the bonus
    """
    gamma = len(q)
    draws_from, told, wanted = _normal(drafted(q)), _normal(reported(q)), _normal(target(p))
    given = rng.random((n, 3 * gamma + 1))
    tokens = np.full((n, gamma + 1), -1)
    is_open = np.ones(n, dtype=bool)
    calls = np.arange(n)
    for i in range(gamma):
        columns = uniforms(given, i)
        x = drawn(draws_from[i], columns[:, 3 * i])
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = np.nan_to_num(ratio(wanted[i][x], told[i][x]), posinf=1.0)
        passes = columns[:, 3 * i + 1] < chance
        rows_p, rows_q = (np.broadcast_to(rows[i], (n, rows.shape[1])) for rows in (wanted, told))
        weights = np.array(left(rows_p, rows_q, x))
        weights[weights.sum(axis=1) <= 1e-12] = wanted[i]
        refused = drawn(weights, columns[:, 3 * i + 2])
        tokens[is_open, i] = np.where(passes, x, refused)[is_open]
        is_open = is_open & passes
    tokens[calls[is_open], gamma] = drawn(bonus(wanted, told if gamma else wanted), given[:, -1])[is_open]
    return tokens


def _normal(rows: Array) -> Array:
    rows = np.asarray(rows, dtype=np.float64)
    return rows / rows.sum(axis=-1, keepdims=True) if len(rows) else rows


def _power(exponent: float) -> Rows:
    return lambda rows: rows**exponent


def _one_hot(rows: Array) -> Array:
    return np.eye(rows.shape[1])[rows.argmax(axis=1)]


def _column(take: int, of: int) -> Callable[[Array, int], Array]:
    """Position i takes column `take` of its three in the place of column `of`."""

    def uniforms(given: Array, i: int) -> Array:
        columns = given.copy()
        columns[:, 3 * i + of] = given[:, 3 * i + take]
        return columns

    return uniforms


def _first_test(given: Array, i: int) -> Array:
    columns = given.copy()
    columns[:, 3 * i + 1] = given[:, 1]
    return columns


def _without(p: Array, x: Tokens) -> Array:
    weights = p.copy()
    weights[np.arange(len(x)), x] = 0
    return weights


def _late(rows: Array) -> Array:
    """Each row is the one before it; the first stays."""
    return np.concatenate([rows[:1], rows[:-1]]) if len(rows) else rows


def _to_the_end(p: Array, q: Array, x: Tokens) -> Array:
    """(p - q)+ that is not divided by its sum: what is missing falls to the last token."""
    weights = np.maximum(p - q, 0)
    weights[:, -1] += 1 - weights.sum(axis=1)
    return weights


def _emits_refused(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """A refused draft is emitted in place of the token drawn after it."""
    return step(p, q, n, rng, left=lambda p, q, x: np.eye(p.shape[1])[x])


def _last_draft_untested(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """The test of the last draft is left out."""
    gamma = len(q)

    def uniforms(given: Array, i: int) -> Array:
        columns = given.copy()
        if i == gamma - 1:
            columns[:, 3 * i + 1] = -1
        return columns

    return step(p, q, n, rng, uniforms=uniforms)


def _fault(name: str, part: str, words: str, **parts: Any) -> Fault:
    return Fault(name, part, words, partial(step, **parts))


FIRST: tuple[Fault, ...] = (
    _fault("draft at another temperature", "reported/sampled", "reported at temperature 1/2", reported=_power(2)),
    _fault("drafts cut to the nucleus", "reported/sampled", "reported before top-p", drafted=lambda q: top_p(q, 0.7)),
    _fault("greedy drafts", "reported/sampled", "reported as the whole law", drafted=_one_hot),
    _fault("rows in another order", "reported/sampled", "reported with ids reversed", reported=lambda q: q[:, ::-1]),
    _fault(
        "smoothed report",
        "reported/sampled",
        "reported mixed with the uniform law",
        reported=lambda q: 0.6 * q + 0.4 / q.shape[-1],
    ),
    _fault("target without temperature", "reported/sampled", "target rows at temperature 1/2", target=_power(2)),
    _fault("target cut", "reported/sampled", "target rows after top-k 2", target=lambda p: top_k(p, 2)),
    _fault(
        "target not cut at all",
        "reported/sampled",
        "target rows mixed with the uniform law",
        target=lambda p: 0.7 * p + 0.3 / p.shape[-1],
    ),
    _fault(
        "coarse report",
        "reported/sampled",
        "reported masses in eighths",
        reported=lambda q: np.maximum(np.round(q * 4), 1e-9),
    ),
    _fault("one uniform for all tests", "uniforms", "every draft is tested with the first one's", uniforms=_first_test),
    _fault("test's uniform again", "uniforms", "the token after a refusal is drawn with it", uniforms=_column(1, 2)),
    _fault("draft's uniform again", "uniforms", "it tests the draft", uniforms=_column(0, 1)),
    _fault("draft's uniform for recovery", "uniforms", "it draws the token after a refusal", uniforms=_column(0, 2)),
    _fault("lenient test", "uniforms", "accepted with 3/2 p/q", ratio=lambda p, q: 1.5 * p / q),
    _fault("inverted test", "uniforms", "accepted with q/p", ratio=lambda p, q: q / p),
    _fault("test against the mass", "uniforms", "accepted with p, not p/q", ratio=lambda p, q: p),
    _fault("threshold", "uniforms", "accepted where p > 0.3", ratio=lambda p, q: (p > 0.3) * 1.0),
    _fault("recovery from the target", "residual", "p in place of (p - q)+", left=lambda p, q, x: p),
    _fault("recovery from differences", "residual", "|p - q| in place of (p - q)+", left=lambda p, q, x: abs(p - q)),
    _fault("recovery from the draft", "residual", "q in place of (p - q)+", left=lambda p, q, x: q),
    _fault(
        "recovery without the draft",
        "residual",
        "p without x in place of (p - q)+",
        left=lambda p, q, x: _without(p, x),
    ),
    _fault(
        "likeliest recovery",
        "residual",
        "the most likely token of (p - q)+",
        left=lambda p, q, x: _one_hot(np.maximum(p - q, 0)),
    ),
    _fault("recovery not divided", "residual", "what is missing falls to the last token", left=_to_the_end),
    _fault(
        "bonus from the row before",
        "bookkeeping",
        "p of the last draft",
        bonus=lambda p, q: p[-2] if len(p) > 1 else p[-1],
    ),
    _fault("bonus from the draft", "bookkeeping", "the draft's last row", bonus=lambda p, q: q[-1]),
    _fault("draft rows late by one", "bookkeeping", "each draft is tested with the row before its own", reported=_late),
    _fault(
        "target rows late by one",
        "bookkeeping",
        "each draft is tested by the row before its own",
        target=lambda p: np.concatenate([_late(p[:-1]), p[-1:]]),
    ),
    Fault("last draft untested", "bookkeeping", "the last draft is always emitted", _last_draft_untested),
    Fault("refused draft emitted", "bookkeeping", "in place of the token drawn after it", _emits_refused),
)
"""Looked at while the diagnosis was written."""

# --- held out at first ------------------------------------------------------------------------------------


def _penalised(rows: Array) -> Array:
    """Token 0 at a third of its mass."""
    weights = np.array(rows, dtype=np.float64)
    weights[:, 0] /= 3
    return weights


def _min_p(rows: Array) -> Array:
    return np.where(rows >= 0.4 * rows.max(axis=1, keepdims=True), rows, 0) if len(rows) else rows


def _antithetic(given: Array, i: int) -> Array:
    """Later drafts are tested with 1 - u of the first one's."""
    columns = given.copy()
    columns[:, 3 * i + 1] = given[:, 1] if i == 0 else 1 - given[:, 1]
    return columns


def _on_a_grid(given: Array, i: int) -> Array:
    columns = given.copy()
    columns[:, 3 * i + 1] = np.floor(8 * columns[:, 3 * i + 1]) / 8
    return columns


def _bonus_by_first_test(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """The uniform that tested the first draft draws the bonus."""
    seeded = np.random.default_rng(int(rng.integers(2**32)))
    state = seeded.bit_generator.state
    tokens = step(p, q, n, seeded)
    seeded.bit_generator.state = state
    given = seeded.random((n, 3 * len(q) + 1))
    if len(q):
        is_whole = tokens[:, -1] >= 0
        tokens[is_whole, -1] = drawn(p[-1], given[:, 1])[is_whole]
    return tokens


def _next_row(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """After a refusal the token is drawn from the target's row after the refused one."""
    tokens = step(p, q, n, rng)
    lengths = (tokens >= 0).sum(axis=1)
    for i in range(len(q)):
        is_refused = lengths == i + 1
        tokens[is_refused, i] = drawn(p[i + 1], rng.random(n))[is_refused]
    return tokens


def _last_accepted_dropped(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """Where all drafts are accepted, the bonus is emitted in the place of the last of them."""
    tokens = step(p, q, n, rng)
    is_whole = tokens[:, -1] >= 0
    if len(q):
        tokens[is_whole, -2] = tokens[is_whole, -1]
        tokens[is_whole, -1] = -1
    return tokens


def _given_up(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """In half of the calls drafts after the first are not tested, and the token is drawn as if the second were refused."""
    tokens = step(p, q, n, rng)
    if len(q) > 1:
        is_cut = ((tokens >= 0).sum(axis=1) > 1) & (rng.random(n) < 0.5)
        weights = np.maximum(p[1] - q[1], 0)
        tokens[is_cut, 1] = drawn(weights if weights.any() else p[1], rng.random(n))[is_cut]
        tokens[is_cut, 2:] = -1
    return tokens


def _all_or_none(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """All drafts are accepted together by the product of their ratios, else the first is refused."""
    gamma = len(q)
    x = np.array([drawn(law, rng.random(n)) for law in q], dtype=np.int64).reshape(gamma, n).T
    places = np.arange(gamma)
    passes = rng.random(n) * np.prod(q[places, x], axis=1) < np.prod(p[:-1][places, x], axis=1)
    tokens = np.full((n, gamma + 1), -1)
    tokens[passes] = np.concatenate([x, drawn(p[-1], rng.random(n))[:, None]], axis=1)[passes]
    if gamma:
        weights = np.maximum(p[0] - q[0], 0)
        tokens[~passes, 0] = drawn(weights if weights.any() else p[0], rng.random(n))[~passes]
    return tokens


def _tested_twice(p: Array, q: Array) -> Array:
    chance: Array = 1 - (1 - np.minimum(p / q, 1)) ** 2
    return chance


SECOND: tuple[Fault, ...] = (
    _fault("no report", "reported/sampled", "the uniform law in its place", reported=np.ones_like),
    _fault("penalised drafts", "reported/sampled", "reported before the penalty", drafted=_penalised),
    _fault("biased target", "reported/sampled", "a bias on token 0 of the target rows", target=_penalised),
    _fault("drafts cut by min-p", "reported/sampled", "reported before the cut", drafted=_min_p),
    _fault("tested twice", "uniforms", "a refused draft is tested again", ratio=_tested_twice),
    _fault(
        "uniform that is never small", "uniforms", "uniforms are from 0.3 on", ratio=lambda p, q: (p / q - 0.3) / 0.7
    ),
    _fault("likely drafts pass", "uniforms", "where p > 1/2", ratio=lambda p, q: np.where(p > 0.5, 1, p / q)),
    _fault("uniforms on a grid", "uniforms", "multiples of 1/8", uniforms=_on_a_grid),
    _fault("antithetic tests", "uniforms", "1 - u of the first draft", uniforms=_antithetic),
    Fault("first test draws the bonus", "uniforms", "its uniform again", _bonus_by_first_test),
    _fault("recovery with the sign turned", "residual", "(q - p)+", left=lambda p, q, x: np.maximum(q - p, 0)),
    _fault("recovery at a temperature", "residual", "((p - q)+)^2", left=lambda p, q, x: np.maximum(p - q, 0) ** 2),
    _fault("smoothed recovery", "residual", "(p - q)+ + 0.1", left=lambda p, q, x: np.maximum(p - q, 0) + 0.1),
    _fault("bonus at a temperature", "bookkeeping", "only the bonus is processed", bonus=lambda p, q: p[-1] ** 2),
    Fault("recovery from the next row", "bookkeeping", "the target's row after the refused one", _next_row),
    Fault("last accepted draft dropped", "bookkeeping", "the bonus stands in its place", _last_accepted_dropped),
    Fault("given up by chance", "stopping", "drafts after the first are dropped and count as refused", _given_up),
    Fault("all or none", "stopping", "the product of the ratios decides on all drafts", _all_or_none),
)
"""Held out at first, then looked at."""


# --- held out -------------------------------------------------------------------------------------------------------


def _drafted_and_tested(p: Array, q: Array, n: int, rng: np.random.Generator) -> tuple[Tokens, NDArray[np.bool_]]:
    """Drafts (n, gamma), and which of them pass their own test."""
    gamma = len(q)
    x = np.array([drawn(law, rng.random(n)) for law in q], dtype=np.int64).reshape(gamma, n).T
    places = np.arange(gamma)
    return x, rng.random((n, gamma)) * q[places, x] < p[:-1][places, x]


def _counts_all_passes(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """As many drafts are emitted as pass, those after a refusal counted too."""
    x, passes = _drafted_and_tested(p, q, n, rng)
    tokens = np.full((n, len(p)), -1)
    accepted = passes.sum(axis=1)
    for i, row in enumerate(p):
        tokens[accepted > i, i] = x[accepted > i, i] if i < len(q) else -1
        weights = np.maximum(row - q[i], 0) if i < len(q) else row
        here = accepted == i
        tokens[here, i] = drawn(weights if weights.any() else row, rng.random(n))[here]
    return tokens


def _repeated_penalty(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """After a draft its own mass in the next target row is halved, though nobody asked for it."""
    x, _ = _drafted_and_tested(p, q, n, rng)
    tokens = np.full((n, len(p)), -1)
    is_open = np.ones(n, dtype=bool)
    for i, row in enumerate(p):
        rows = np.tile(row, (n, 1))
        if i:
            rows[np.arange(n), x[:, i - 1]] /= 2
        rows /= rows.sum(axis=1, keepdims=True)
        passes = np.zeros(n, dtype=bool)
        weights = rows
        if i < len(q):
            passes = rng.random(n) * q[i][x[:, i]] < rows[np.arange(n), x[:, i]]
            weights = np.maximum(rows - q[i], 0)
            weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, rows)
        last = drawn(weights, rng.random(n))
        tokens[is_open, i] = np.where(passes, x[:, i] if i < len(q) else last, last)[is_open]
        is_open = is_open & passes
    return tokens


def _last_draft_again(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """Where all drafts are accepted, the last of them is emitted once more in place of the bonus."""
    tokens = step(p, q, n, rng)
    is_whole = tokens[:, -1] >= 0
    if len(q):
        tokens[is_whole, -1] = tokens[is_whole, -2]
    return tokens


def _swapped(p: Array, q: Array, n: int, rng: np.random.Generator) -> Tokens:
    """Where all drafts are accepted, the bonus stands before the last of them."""
    tokens = step(p, q, n, rng)
    is_whole = tokens[:, -1] >= 0
    if len(q):
        tokens[is_whole, -2:] = tokens[is_whole, -2:][:, ::-1]
    return tokens


def _test_draws_next_draft(given: Array, i: int) -> Array:
    """The uniform that tested a draft draws the next one."""
    columns = given.copy()
    if i:
        columns[:, 3 * i] = given[:, 3 * i - 2]
    return columns


def _rows_turned(p: Array) -> Array:
    """The target's rows for the drafts in the opposite order."""
    return np.concatenate([p[:-1][::-1], p[-1:]])


def _log_ratio(p: Array, q: Array) -> Array:
    return 1 + np.log(np.maximum(p / q, 1e-9))


def _shifted(p: Array, q: Array, x: Tokens) -> Array:
    weights: Array = p - q - (p - q).min(axis=1, keepdims=True)
    return weights


def _not_the_likeliest(p: Array, q: Array, x: Tokens) -> Array:
    return _without(p, q.argmax(axis=1))


HELD_OUT: tuple[Fault, ...] = (
    Fault(
        "penalty that nobody asked for", "reported/sampled", "on the draft before each target row", _repeated_penalty
    ),
    _fault("hotter drafts", "reported/sampled", "drawn at temperature 2, reported at 1", drafted=_power(0.5)),
    _fault(
        "target cut to the nucleus", "reported/sampled", "target rows after top-p 0.6", target=lambda p: top_p(p, 0.6)
    ),
    _fault("report of one token", "reported/sampled", "drafts drawn, reported as certain", reported=_one_hot),
    _fault("colder target", "reported/sampled", "target rows at temperature 3/2", target=_power(2 / 3)),
    _fault("root of the ratio", "uniforms", "accepted with sqrt(p/q)", ratio=lambda p, q: np.sqrt(p / q)),
    _fault(
        "a tenth passes untested", "uniforms", "1/10 + 9/10 p/q", ratio=lambda p, q: 0.1 + 0.9 * np.minimum(p / q, 1)
    ),
    _fault("logarithm of the ratio", "uniforms", "accepted with 1 + ln(p/q)", ratio=_log_ratio),
    _fault("slack in the test", "uniforms", "accepted with p/q + 1/10", ratio=lambda p, q: p / q + 0.1),
    _fault("only sure drafts pass", "uniforms", "accepted where p >= q", ratio=lambda p, q: (p >= q) * 1.0),
    _fault("test draws the next draft", "uniforms", "its uniform again", uniforms=_test_draws_next_draft),
    _fault("floor of the residual", "residual", "max(p - q, 0.05)", left=lambda p, q, x: np.maximum(p - q, 0.05)),
    _fault("shifted residual", "residual", "p - q less its smallest", left=_shifted),
    _fault("target where it is larger", "residual", "p where p > q", left=lambda p, q, x: p * (p > q)),
    _fault("never the draft's likeliest", "residual", "p without the most likely token of q", left=_not_the_likeliest),
    _fault("bonus from the first row", "bookkeeping", "p of the first draft", bonus=lambda p, q: p[0]),
    Fault("last draft again", "bookkeeping", "in place of the bonus", _last_draft_again),
    Fault("last two swapped", "bookkeeping", "the bonus stands before the last draft", _swapped),
    _fault("target rows turned", "bookkeeping", "rows for the drafts in the opposite order", target=_rows_turned),
    Fault("passes counted after a refusal", "stopping", "as many drafts are emitted as pass", _counts_all_passes),
)
"""Written after the last change of the diagnosis."""
