"""Problems on which pivots are studied: decision processes with synthetic or real laws, and hidden states to see them by.

`answer` writes texts of varying length, in which critical steps, detours and errors are known; the other families are
those of `simspec.methods.pad.families`.  Real laws are a bank's, cut to the likeliest tokens of each
context; what the tokens are worth is always synthetic, because no bank holds the utility of its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.study import Cell
from simspec.kernels import random as philox
from simspec.laws import Array, normalise, softmax
from simspec.logits.bank import Bank
from simspec.methods.pad.families import FAMILIES
from simspec.methods.pad.process import Process
from simspec.studies.pairs import draft_laws

__all__ = ["NAMES", "Pairs", "Problem", "Sources", "answer", "bank_pairs", "ended", "hidden", "make_problem", "once"]

NAMES = ("answer", *FAMILIES)
"""Families by name."""

_WRONG, _DETOUR, _PLACE, _CHOICE, _PROJECTION, _NOISE, _LOGITS, _DRAFT = range(16, 24)
UTILITY = (1.0, 0.3, 0.0)
"""Probability that an answer with 0, 1 or 2 errors is correct."""
SOUND = (1.0, 0.5, 0.0)
"""Probability that a correct answer with 0, 1 or 2 errors is soundly argued."""


class Problem(NamedTuple):
    """A process, and the probability (S,) that a correct text which ends in a state is soundly argued."""

    process: Process
    sound: Array


class Pairs(NamedTuple):
    """Target and draft laws (n, V) of real contexts, and the half (n,) of the documents that each comes from."""

    p: Array
    q: Array
    half: Array


Sources = Mapping[str, Callable[[int], Pairs]]
"""For each kind of laws, a function of the vocabulary size that makes the pairs; called when a cell first needs it."""


def ended(process: Process) -> Array:
    """States (S,) in which the text is over: both models write one token, which leads back to the state.

    >>> one, step = np.array([[1.0, 0.0]]), np.array([[0, 0]])
    >>> ended(Process(one, one, step, np.ones(1), 0, 3)).tolist()
    [True]
    """
    here = np.arange(len(process.utility))[:, None]
    only = (process.target == 1) & (process.draft == 1)
    return (process.step == here).all(axis=-1) & only.any(axis=-1)


def answer(
    p: Array,
    q: Array,
    key: int,
    number: int = 0,
    horizon: int = 28,
    critical: float = 0.25,
    detours: float = 0.1,
    ceiling: float = 0.05,
) -> Problem:
    r"""An answer in C steps: the text ends after its last step; at critical steps unlikely tokens are errors.

    Token x at step c leads to step c + 1 or, for a share `detours` of all (c, x), to one within 3 of c.  At a critical
    step x is an error when :math:`p_c(x) < \mathrm{ceiling}\; w \max p_c`, w uniform for each (c, x): tokens that the
    target finds likely never are.  States: errors · C + c, then one ended state for each number of errors.

    Parameters
    ----------
    p, q : laws (C, V), of target and draft at each step, C >= 2
    key, number : int
        which steps are critical depends on the key alone (the kind of problem), errors and detours on both.
    horizon : int; a text not ended by then is used as it is
    critical : number in [0, 1]; share of the steps
    detours : number in [0, 1]
    ceiling : number in [0, 1]; the higher, the more of the target's own tokens are errors

    Returns
    -------
    Problem with 3 (C + 1) states

    Raises ValueError for laws of different shapes, fewer than two steps, or a share outside [0, 1].

    >>> p = np.array([[0.5, 0.5], [0.75, 0.25]])
    >>> problem = answer(p, p, key=1, detours=0)
    >>> problem.process.step[0].max() % 2, ended(problem.process).sum()
    (np.int64(1), np.int64(3))
    """
    if p.ndim != 2 or p.shape != q.shape or len(p) < 2:
        raise ValueError(f"p, q: shapes {p.shape} and {q.shape}; expected one shape (C, V) with C >= 2 steps")
    for name, share in (("critical", critical), ("detours", detours), ("ceiling", ceiling)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name}: {share}; expected a share between 0 and 1")
    steps, vocab = p.shape
    levels = len(UTILITY)
    rank = np.argsort(philox.uniform(key, [0], range(steps), _PLACE)[0], kind="stable").argsort(kind="stable")
    rows = range(number * steps, (number + 1) * steps)
    w = philox.uniform(key, rows, range(vocab), _WRONG)
    wrong = (p < ceiling * w * p.max(axis=-1, keepdims=True)) & (rank[:, None] < round(critical * steps))
    here = np.arange(steps)[:, None]
    jump = np.floor(philox.uniform(key, rows, range(vocab), _DETOUR, word=1) * 7).astype(np.int64) - 3
    off = philox.uniform(key, rows, range(vocab), _DETOUR) < detours
    there = np.clip(np.where(off, here + jump, here + 1), 0, steps)
    errors = np.arange(levels)[:, None, None]
    after = np.minimum(errors + wrong, levels - 1)
    over = levels * steps + after
    step = np.where(there == steps, over, after * steps + there).reshape(levels * steps, vocab)
    closed = np.repeat(levels * steps + np.arange(levels)[:, None], vocab, axis=1)
    only = np.zeros((levels, vocab), dtype=p.dtype)
    only[:, 0] = 1
    target, draft = (np.concatenate([np.tile(law, (levels, 1)), only]) for law in (p, q))
    worth, sound = (np.concatenate([np.repeat(x, steps), x]) for x in (np.array(UTILITY), np.array(SOUND)))
    return Problem(Process(target, draft, np.concatenate([step, closed]), worth, 0, horizon), sound)


def bank_pairs(bank: Bank, vocab: int) -> Pairs:
    """Laws of a bank's contexts on the `vocab` tokens with the highest p + q of each, in that order, normalised.

    Halves alternate over documents, so that training and test can be kept apart.  Where a bank has cut rows, of which there are
    more, these are taken: they hold the likeliest tokens of either law.

    Raises MissingPart for a bank without a draft.
    """
    if bank.cut is None:
        p = softmax(bank.target())
        q = draft_laws(bank, bank.draft())
        documents = bank.documents
    else:
        p, q = (law[:, :-1] for law in bank.cut.laws())
        documents = bank.cut.documents
    mass_sum = p + q
    some = np.argpartition(-mass_sum, vocab - 1, axis=-1)[:, :vocab]
    order = np.argsort(-np.take_along_axis(mass_sum, some, axis=-1), axis=-1, kind="stable")
    top_tokens = np.take_along_axis(some, order, axis=-1)
    p, q = (np.take_along_axis(x, top_tokens, axis=-1).astype(np.float64) for x in (p, q))
    place = np.unique(np.asarray(documents), return_inverse=True)[1]
    return Pairs(normalise(p), normalise(q, otherwise=p / p.sum(axis=-1, keepdims=True)), place % 2)


def make_problem(cell: Cell, key: int, number: int, pairs: Pairs | None = None, half: int | None = None) -> Problem:
    """Problem `number` of a cell: ``family``, ``laws`` ("synthetic" or a bank's), ``vocab``, ``horizon``, ``states``.

    ``states`` is the number of steps of an answer (which may have a ``ceiling``), of states of "random", and of contexts
    of the other families.
    Synthetic laws are softmaxes of normal logits of deviation 2, correlated 0.9; real ones are drawn from `pairs`
    (from one `half` of the documents, if given), without replacement as long as they last.  Under real laws the marked
    tokens hold what mass they have: one of a needle's is wrong, and a quarter of the positions must count, so that
    values are neither 0 nor 1.

    >>> cell = {"family": "counting", "laws": "synthetic", "vocab": 8, "horizon": 4, "states": 4}
    >>> make_problem(cell, key=1, number=0).process.target.shape
    (12, 8)
    """
    vocab = int(cell["vocab"])
    horizon = int(cell["horizon"])
    size = int(cell["states"])
    if cell["family"] == "answer":
        laws = _laws(size, vocab, key, number, pairs, half)
        return answer(*laws, key, number, horizon, ceiling=cell.get("ceiling", 0.05))
    if cell["family"] not in FAMILIES:
        raise ValueError(f"family: {cell['family']!r}; expected one of {', '.join(NAMES)}")
    sizes: dict[str, Any] = {"states": size} if cell["family"] == "random" else {"contexts": size}
    if pairs is not None and cell["family"] in ("needle", "counting"):
        sizes |= {"marked": 1 / vocab} if cell["family"] == "needle" else {"needed": max(1, horizon // 4)}
    process = FAMILIES[cell["family"]](philox.make_key(key, "problem", number), vocab, horizon, **sizes)
    if pairs is not None:
        p, q = _laws(len(process.utility), vocab, key, number, pairs, half)
        process = process._replace(target=p, draft=q)
    return Problem(process, np.ones(len(process.utility)))


def _laws(count: int, vocab: int, key: int, number: int, pairs: Pairs | None, half: int | None) -> tuple[Array, Array]:
    if pairs is None:
        rows = range(number * count, (number + 1) * count)
        a, noise = (philox.normal(key, rows, range(vocab), purpose) for purpose in (_LOGITS, _DRAFT))
        return softmax(2 * a), softmax(2 * (0.9 * a + 0.19**0.5 * noise))
    there = np.flatnonzero(pairs.half == half) if half is not None else np.arange(len(pairs.p))
    order = np.argsort(philox.uniform(key, [number], range(len(there)), _CHOICE)[0], kind="stable")
    rows_of = there[order[np.arange(count) % len(there)]]
    return pairs.p[rows_of], pairs.q[rows_of]


def hidden(states: int, key: int, number: int, width: int = 16, noise: float = 1) -> Array:
    r"""Hidden state (S, width) of each state: its row of a random projection, the same in every problem, plus noise.

    :math:`h_s = (g_s + \mathrm{noise}\; z_s)/\sqrt{\mathrm{width}}`, g of the state and z of state and problem
    standard normal: `noise` is the ratio of noise to signal.

    >>> np.array_equal(hidden(3, 1, 5, noise=0), hidden(3, 1, 6, noise=0))
    True
    """
    signal = philox.normal(key, range(states), range(width), _PROJECTION)
    blur = philox.normal(key, range(number * states, (number + 1) * states), range(width), _NOISE)
    hidden_states: Any = (signal + noise * blur) / width**0.5
    return hidden_states


def once(pairs: Sources | None) -> Callable[[str, int], Pairs | None]:
    """Function of the name of a cell's laws and the vocabulary size that makes each pairs once; None for synthetic laws.

    >>> once(None)("synthetic", 8) is None
    True
    """
    sources = dict(pairs or {})

    @lru_cache(maxsize=16)
    def laws_of(name: str, vocab: int) -> Pairs | None:
        if name not in sources and name != "synthetic":
            raise ValueError(
                f"laws: {name!r}; expected 'synthetic'" + "".join(f" or {source_name!r}" for source_name in sources)
            )
        return sources[name](vocab) if name in sources else None

    return laws_of
