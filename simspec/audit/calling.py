"""Calls of somebody's sampler, and what is wrong with what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import short
from simspec.laws import Array

__all__ = ["Broken", "CoinSampler", "Sampler", "called", "called_with_coins", "continued", "counted"]

Sampler = Callable[[Array, Array, int, np.random.Generator], Any]
"""sampler(p, q, n, rng): n calls that draft and verify on target laws p (gamma + 1, V) and draft laws q (gamma, V), with
random numbers from rng.  Returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1."""

CoinSampler = Callable[[Array, Array, NDArray[np.int64], Array], Any]
"""sampler(p, q, drafts, coins): n calls that verify given drafts with given uniforms, all in one launch.

p (gamma + 1, V) and q (gamma, V) are target and draft laws, drafts (n, gamma) integers, coins (n, C) float64 in [0, 1).
Returns the emitted tokens, integers (n, gamma + 1), each row filled up with -1.  Row i may depend on drafts[i] and
coins[i] only.  Which coin serves what is up to the sampler; those it does not need it leaves alone."""


class Broken(Exception):
    """A sampler did not return tokens; the words say what it did."""


def called(sampler: Sampler, p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Tokens (n, gamma + 1) that n calls emit, padded with -1; raises Broken where they are none.

    >>> called(lambda p, q, n, rng: np.full((n, 1), 5), np.array([[0.5, 0.5]]), np.zeros((0, 2)), 2, np.random.default_rng())
    Traceback (most recent call last):
    ...
    simspec.audit.calling.Broken: emits token 5, where the vocabulary has 2
    """
    given = {"p": p, "q": q}
    return _tokens(lambda own: sampler(own["p"], own["q"], n, rng), given, (n, *p.shape))


def called_with_coins(
    sampler: CoinSampler, p: Array, q: Array, drafts: NDArray[np.int64], coins: Array
) -> NDArray[np.int64]:
    """Tokens (n, gamma + 1) that a sampler emits on given drafts and coins; raises Broken where they are none.

    >>> p = np.array([[0.25, 0.75]])
    >>> def plain(p, q, drafts, coins):
    ...     return (coins[:, :1] >= p[0, 0]).astype(int)
    >>> called_with_coins(plain, p, p[:0], np.zeros((2, 0), dtype=int), np.array([[0.2], [0.3]])).tolist()
    [[0], [1]]
    """
    given = {"p": p, "q": q, "drafts": drafts, "coins": coins}
    return _tokens(lambda own: sampler(own["p"], own["q"], own["drafts"], own["coins"]), given, (len(coins), *p.shape))


def _tokens(
    call: Callable[[dict[str, Any]], Any], given: dict[str, Any], expected: tuple[int, int, int]
) -> NDArray[np.int64]:
    """What a call on copies of its inputs returns, checked: n calls, gamma + 1 tokens, from a vocabulary."""
    own = {name: array.copy() for name, array in given.items()}
    try:
        tokens = np.asarray(call(own))
    except Exception as error:
        raise Broken(f"raises {type(error).__name__}: {short(str(error))}") from error
    for name, array in given.items():
        if not np.array_equal(own[name], array, equal_nan=array.dtype.kind == "f"):
            raise Broken(f"changes its input {name}")
    n, length, vocab = expected
    if tokens.shape != (n, length):
        raise Broken(f"returns shape {tokens.shape}; expected {(n, length)}: n calls, gamma + 1 tokens")
    if tokens.dtype.kind not in "iu":
        nan = tokens.dtype.kind == "f" and np.isnan(tokens).any()
        raise Broken(f"returns {'NaN, in ' if nan else ''}an array of {tokens.dtype}; expected integers")
    tokens = tokens.astype(np.int64, copy=False)
    if (wrong := (tokens < -1) | (tokens >= vocab)).any():
        raise Broken(f"emits token {tokens[wrong][0]}, where the vocabulary has {vocab}")
    emitted = tokens >= 0
    if not emitted[:, 0].all():
        raise Broken(f"emits no token in call {int(np.argmin(emitted[:, 0]))}; expected 1 to {length} tokens")
    if (emitted[:, 1:] & ~emitted[:, :-1]).any():
        raise Broken("emits a token after -1; expected -1 behind the last token only")
    return tokens


def continued(tokens: NDArray[np.int64], p: Array, rng: np.random.Generator) -> NDArray[np.int64]:
    """Texts of gamma + 1 tokens: what was emitted, continued with draws from the target's laws.

    >>> continued(np.array([[1, -1]]), np.array([[0.5, 0.5], [0.0, 1.0]]), np.random.default_rng(0)).tolist()
    [[1, 1]]
    """
    texts = tokens.copy()
    for i, row in enumerate(p):
        open_ = np.flatnonzero(texts[:, i] < 0)
        drawn = np.searchsorted(np.cumsum(row), rng.random(len(open_)), side="right")
        texts[open_, i] = np.minimum(drawn, np.flatnonzero(row)[-1])
    return texts


def counted(texts: NDArray[np.int64], vocab: int) -> NDArray[np.int64]:
    """How often each text occurs, as an array with an axis of `vocab` for each token.

    >>> counted(np.array([[0, 1], [0, 1], [1, 1]]), 2).tolist()
    [[0, 2], [0, 1]]
    """
    length = texts.shape[1]
    shape = (vocab,) * length
    return np.bincount(np.ravel_multi_index(tuple(texts.T), shape), minlength=vocab**length).reshape(shape)
