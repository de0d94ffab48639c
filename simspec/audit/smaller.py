"""Steps from a pair of laws to smaller ones, by which what was found is made small before it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import chain, islice

import numpy as np

from simspec.audit.handing import Raw, Sparse, processed, spread
from simspec.audit.levels import is_tree, rest
from simspec.audit.pairs import Pair
from simspec.laws import Array

__all__ = ["rounded", "smaller"]

ROUND = (1, 2, 4, 8, 16)
"""Denominators that are tried in place of larger ones."""


def smaller(pair: Pair) -> Iterator[Pair]:
    """Pairs with a draft less, a token less, or rounder masses; of a tree also with one law for all prefixes of a length.

    Rows before a processor are made smaller, and processed again.  Of a large vocabulary ids with mass are left out.

    >>> [one.p.tolist() for one in smaller(Pair("", np.array([[0.25, 0.75]]), np.zeros((0, 2))))]
    [[[1.0]], [[1.0]], [[0.0, 1.0]], [[0.5, 0.5]]]
    """
    if isinstance(pair.handed, Raw):
        yield from _smaller_raw(pair.name, pair.handed)
        return
    if is_tree(pair.p):
        yield from _smaller_tree(pair)
        return
    if isinstance(pair.handed, Sparse):
        yield from _smaller_sparse(pair, pair.handed)
        return
    name, p, q, _ = pair
    for shorter in _shorter(pair):
        yield Pair(name, *shorter)
    for token in range(pair.vocab):
        if (fewer := _without_token(pair, token)) is not None:
            yield fewer
    for parts in ROUND:
        rounded_laws = rounded(p, parts), rounded(q, parts)
        if _denominator(p, q) > parts:
            yield Pair(name, *rounded_laws)


def _shorter(pair: Pair) -> Iterator[tuple[Array, Array]]:
    """Rows with a draft less, at the end or at the beginning."""
    if pair.gamma:
        yield pair.p[:-1], pair.q[:-1]
        yield pair.p[1:], pair.q[1:]


def _without_token(pair: Pair, token: int) -> Pair | None:
    """Rows without a token, each divided by its sum; None where a row has no other."""
    rest = [np.delete(laws, token, axis=1) for laws in (pair.p, pair.q)]
    if pair.vocab == 1 or not all((laws.sum(axis=1) > 0).all() for laws in rest):
        return None
    p, q = (laws / laws.sum(axis=1, keepdims=True) for laws in rest)
    return Pair(pair.name, p, q)


def _smaller_raw(name: str, raw: Raw) -> Iterator[Pair]:
    """Smaller rows, processed; those from which the processor makes no law are left out."""
    for pair in smaller(Pair(name, raw.p, raw.q)):
        with suppress(ValueError):
            yield processed(pair, raw.processor)


def _smaller_sparse(pair: Pair, sparse: Sparse) -> Iterator[Pair]:
    """Fewer drafts or fewer ids with mass, in a vocabulary of the same size: calls take milliseconds each there."""
    # the last token, which stands for all other ids, stays
    rows = Pair(pair.name, pair.p[:, :-1], pair.q[:, :-1])
    for token in range(rows.vocab):
        if (fewer := _without_token(rows, token)) is not None:
            yield spread(fewer, sparse.ids[:token] + sparse.ids[token + 1 :], sparse.size)
    for p, q in _shorter(rows):
        yield spread(Pair(pair.name, p, q), sparse.ids, sparse.size)


Levels = tuple[Array, ...]


def _smaller_tree(pair: Pair) -> Iterator[Pair]:
    """The same of levels; what no longer depends on the prefix is rows."""
    for p, q in chain(_fewer(pair.p, pair.q), _flatter(pair.p, pair.q), _rounder(pair.p, pair.q)):
        yield _as_rows(pair.name, p, q)


def _fewer(p: Levels, q: Levels) -> Iterator[tuple[Levels, Levels]]:
    """A draft less, at the end or at the beginning, or a token less."""
    vocab = p[0].shape[-1]
    if q:
        yield p[:-1], q[:-1]
        for token in range(vocab):
            yield tuple(rest(p, (token,))), tuple(rest(q, (token,)))
    for token in range(vocab):
        if vocab > 1 and all(_has_more(level, token) for level in (*p, *q)):
            yield _without(p, token), _without(q, token)


def _flatter(p: Levels, q: Levels) -> Iterator[tuple[Levels, Levels]]:
    """One law for all prefixes of a length."""
    for i in range(1, len(p)):
        if not _constant(p[i]):
            yield _flat(p, i), q
        if i < len(q) and not _constant(q[i]):
            yield p, _flat(q, i)


def _flat(laws: Levels, i: int) -> Levels:
    shared_law = np.broadcast_to(laws[i][(0,) * i], laws[i].shape).copy()
    return (*laws[:i], shared_law, *laws[i + 1 :])


def _rounder(p: Levels, q: Levels) -> Iterator[tuple[Levels, Levels]]:
    """Sure drafts, or rounder masses: of both laws, or of one."""
    if q and _denominator(*q) > 1:
        for token in np.eye(p[0].shape[-1]):
            yield p, tuple(np.broadcast_to(token, level.shape).copy() for level in q)
    for parts in ROUND:
        less_p, less_q = (tuple(_rounded_level(level, parts) for level in laws) for laws in (p, q))
        finer_p, finer_q = (bool(laws) and _denominator(*laws) > parts for laws in (p, q))
        if finer_p and (finer_q or not q):
            yield less_p, less_q
        if finer_p:
            yield less_p, q
        if finer_q:
            yield p, less_q


def _rounded_level(level: Array, parts: int) -> Array:
    return rounded(level.reshape(-1, level.shape[-1]), parts).reshape(level.shape)


def _has_more(level: Array, token: int) -> bool:
    """Whether every law has mass beside a token."""
    return bool((np.delete(level, token, axis=-1).sum(axis=-1) > 0).all())


def _without(laws: Levels, token: int) -> Levels:
    """Levels without a token, in prefixes too, each law divided by its sum."""
    smaller_levels = []
    for level in laws:
        for axis in range(level.ndim):
            level = np.delete(level, token, axis=axis)
        smaller_levels.append(level / level.sum(axis=-1, keepdims=True))
    return tuple(smaller_levels)


def _constant(level: Array) -> bool:
    """Whether a level has one law for all prefixes."""
    return bool((level == level[(0,) * (level.ndim - 1)]).all())


def _as_rows(name: str, p: Levels, q: Levels) -> Pair:
    """Levels as they are, or as rows where no law depends on the prefix."""
    if not all(map(_constant, (*p, *q))):
        return Pair(name, p, q)
    vocab = p[0].shape[-1]
    p_rows, q_rows = ([level[(0,) * (level.ndim - 1)] for level in laws] for laws in (p, q))
    return Pair(name, np.array(p_rows).reshape(-1, vocab), np.array(q_rows).reshape(-1, vocab))


def _denominator(*laws: Array) -> int:
    masses = [float(x) for level in laws for x in level.ravel()]
    return max(Fraction(x).limit_denominator(1000).denominator for x in masses)


def rounded(laws: Array, parts: int) -> Array:
    """Laws (rows, V) with masses that are multiples of 1/parts: rounded down, the rest to the largest remainders.

    >>> rounded(np.array([[0.7, 0.2, 0.1]]), 4).tolist()
    [[0.75, 0.25, 0.0]]
    """
    out = np.floor(laws * parts)
    for row, law in zip(out, laws, strict=True):
        for token in islice(np.argsort(row - law * parts, kind="stable"), int(parts - row.sum())):
            row[token] += 1
    return out / parts
