"""Laws of a real bank as pairs to audit on: consecutive contexts of one document, the likely tokens apart, the rest as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.audit.pairs import Pair
from simspec.checks import whole_number
from simspec.laws import Array, softmax

__all__ = ["lumped", "pairs_of_bank"]


def pairs_of_bank(bank: Any, count: int = 8, gamma: int = 2, vocab: int = 3) -> list[Pair]:
    """Pairs from `count` places spread over a bank (`simspec.logits.bank.open_bank`).

    Row i of a pair is the i-th of gamma + 1 rows that follow each other in the bank.  Of the tokens of both models the
    vocab - 1 with the largest mass on these rows, target and draft together, stay apart, all others are one token.

    Raises
    ------
    ValueError
        where the bank has too few rows.
    """
    count = whole_number("rows", count, 1, None, "a positive number of places")
    gamma = whole_number("gamma", gamma, 0, 8)
    vocab = whole_number("vocab", vocab, 2, 64)
    rows = bank.contexts - gamma
    if rows < count:
        raise ValueError(
            f"rows: {count}; expected at most {max(rows, 0)}, the number of places with {gamma} draft tokens "
            f"in {bank.name}"
        )
    starts = np.unique(np.linspace(0, rows - 1, count).astype(int))
    return [_pair(bank, int(start), gamma, vocab) for start in starts]


def _pair(bank: Any, start: int, gamma: int, vocab: int) -> Pair:
    rows = slice(start, start + gamma + 1)
    p = softmax(bank.target(rows).astype(np.float64))
    q = bank.draft_on_target(softmax(bank.draft(rows).astype(np.float64)))
    p, q = lumped(p, q / q.sum(axis=-1, keepdims=True), vocab)
    return Pair(f"{bank.name}, row {start}", p, q[:gamma])


def lumped(p: Array, q: Array, vocab: int) -> tuple[Array, Array]:
    """Laws over `vocab` tokens: those with the largest mass in p and q together, then all others as one.

    >>> p = np.array([[0.5, 0.125, 0.25, 0.125]])
    >>> lumped(p, p, 3)[0].tolist()
    [[0.5, 0.25, 0.25]]
    >>> lumped(p, p, 4)[0].tolist()
    [[0.5, 0.25, 0.125, 0.125]]
    """
    order = np.argsort(-(p + q).sum(axis=0), kind="stable")[: vocab - 1]

    def one(laws: Array) -> Array:
        likely = laws[:, order]
        rest = np.maximum(1 - likely.sum(axis=1, keepdims=True), 0)
        return np.concatenate([likely, rest], axis=1)

    return one(p), one(q)
