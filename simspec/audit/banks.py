"""Rows of a bank of real logits as laws to audit on, with most of the vocabulary merged into one token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.audit.pairs import Pair
from simspec.audit.smaller import rounded
from simspec.checks import whole_number
from simspec.laws import normalise, softmax

if TYPE_CHECKING:
    from simspec.logits import Bank

__all__ = ["bank_pairs"]

PARTS = 2**20
"""Masses are rounded to multiples of 1/PARTS, which single precision holds exactly."""


def bank_pairs(bank: Bank, rows: Sequence[int] | int = 4, gamma: int = 2, vocab: int = 4) -> list[Pair]:
    """Pairs of laws from contexts of a bank.

    Each pair takes gamma + 1 contexts in turn as its positions.  The vocab - 1 tokens with the largest mass in them, of
    target and draft together, are told apart; the others are merged into the last token, in both laws alike.  A sampler
    that is lossless on merged laws need not be so on the whole vocabulary: the merged token shows no order within it.

    Parameters
    ----------
    bank : Bank with a draft
    rows : numbers of the contexts, or how many pairs to make of the first ones
    gamma, vocab : int >= 1, >= 2; drafts and tokens of the pairs

    Raises ValueError for a bank without draft logits, or too few rows for one pair.

    >>> from simspec.logits import open_bank
    >>> pairs = bank_pairs(open_bank("stories"), rows=1, gamma=1, vocab=3)
    >>> pairs[0].name, pairs[0].p.shape, pairs[0].q.sum(axis=1).tolist()
    ('stories, contexts 0 to 1', (2, 3), [1.0])
    """
    gamma = whole_number("gamma", gamma, 1, 8, "a number of drafts from 1 to 8")
    vocab = whole_number("vocab", vocab, 2, min(64, bank.vocab), f"a number of tokens from 2 to {min(64, bank.vocab)}")
    numbers = list(range(rows * (gamma + 1))) if isinstance(rows, int) else [int(row) for row in rows]
    groups = [numbers[at : at + gamma + 1] for at in range(0, len(numbers) - gamma, gamma + 1)]
    if not groups or max(numbers) >= bank.contexts or min(numbers) < 0:
        raise ValueError(f"rows: {rows}; expected {gamma + 1} or more contexts from 0 to {bank.contexts - 1}")
    return [_merged(bank, group, vocab) for group in groups]


def _merged(bank: Bank, group: list[int], vocab: int) -> Pair:
    drafted = bank.draft(group[:-1])
    if drafted is None:
        raise ValueError(f"bank: {bank.name} has no draft; expected one with draft logits")
    p = softmax(np.asarray(bank.target(group), dtype=np.float64))
    q = normalise(bank.draft_on_target(softmax(np.asarray(drafted, dtype=np.float64))))
    kept = np.argsort(-(p.sum(axis=0) + q.sum(axis=0)), kind="stable")[: vocab - 1]
    laws = (np.concatenate([x[:, kept], 1 - x[:, kept].sum(axis=1, keepdims=True)], axis=1) for x in (p, q))
    merged_p, merged_q = (rounded(np.maximum(x, 0), PARTS) for x in laws)
    return Pair(f"{bank.name}, contexts {group[0]} to {group[-1]}", merged_p, merged_q)
