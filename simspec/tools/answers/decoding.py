r"""Answers written in calls of γ drafts by rules of EARS that share their random numbers, token by token.

At each position a draft x ~ q is kept where :math:`u\,q(x) < p(x) + \beta\,(1 - \max p)\,q(x)`, with one uniform number u; a
refused draft is replaced from :math:`\mathrm{norm}((p - q)_+)` and ends the call.  After γ kept drafts the target adds a token
of its own, which ends the call too: it is drawn as a draft is, with :math:`\beta = 0`, and so has the law p.

All rules take the numbers of an answer from the same table, by position.  Their answers part only where a draft is pardoned,
so that differences between rules are known far better than from answers drawn apart; and speculative decoding (:math:`\beta =
0`) writes one answer for all γ.  What several answers have in common is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.tools.pivots.reading import Reader

__all__ = ["UNIFORMS", "Decoded", "Setting", "decode"]

UNIFORMS = 3
"""Uniform numbers of a position: for the draft, for its test, for what replaces it."""
Integers = NDArray[np.int64]


class Setting(NamedTuple):
    """A rule: the tolerance of EARS, 0 for speculative decoding; the drafts of a call; and its answers to each task."""

    beta: float
    gamma: int
    repeats: int


@dataclass(frozen=True)
class Decoded:
    """Answers by each rule; all arrays (settings, tasks, repeats), 0 where a rule has fewer repeats than others.

    Attributes
    ----------
    tokens : tokens of each answer, with the one that ends it; none where a rule has fewer repeats
    drafted, kept : drafts that were tested, and kept
    calls : calls of the target, the last one too if the answer ends within it
    """

    tokens: list[list[list[list[int]]]]
    drafted: Integers
    kept: Integers
    calls: Integers


class _Steps:
    """What each text that was read may go on with: laws (rows, V) of target and draft, and their running sums."""

    def __init__(self, p: Array, q: Array) -> None:
        rest = np.maximum(p - q, 0)
        has_rest = rest.sum(axis=1, keepdims=True) > 0
        self.p = p
        self.q = q
        self.uncertainty = 1 - p.max(axis=1)
        self._draft_sums = q.cumsum(axis=1)
        self._rest_sums = np.where(has_rest, rest, p).cumsum(axis=1)

    def drafts(self, row: Integers, uniform: Array) -> Integers:
        """Tokens drawn from the draft's laws."""
        return _drawn(self._draft_sums, row, uniform)

    def replacements(self, row: Integers, uniform: Array) -> Integers:
        """Tokens drawn from norm((p - q)+), or from p where that has no mass."""
        return _drawn(self._rest_sums, row, uniform)

    def is_kept(self, row: Integers, token: Integers, uniform: Array, beta: Array) -> NDArray[np.bool_]:
        """Whether each draft is kept under a tolerance."""
        q = self.q[row, token]
        kept: NDArray[np.bool_] = uniform * q < self.p[row, token] + beta * self.uncertainty[row] * q
        return kept


def _drawn(sums: Array, row: Integers, uniform: Array) -> Integers:
    """The token in whose share of a row's running sum each uniform number falls."""
    goals = uniform * sums[row, -1]
    tokens = [int(sums[at].searchsorted(goal, side="right")) for at, goal in zip(row.tolist(), goals, strict=True)]
    return np.minimum(np.array(tokens, dtype=np.int64), sums.shape[1] - 1)


def decode(
    readers: tuple[Reader, Reader],
    settings: Sequence[Setting],
    uniforms: Array,
    end: int,
    temperature: float,
) -> Decoded:
    """Answers by each rule to tasks whose prompts were read.

    Parameters
    ----------
    readers : the target and the draft; both have read each task's prompt, in the same order, and are written on with
    settings : rules
    uniforms : (tasks, repeats, length, `UNIFORMS`); an answer has at most `length` tokens; no rule has more repeats
    end : the token that ends an answer
    temperature : of target and draft
    """
    tasks, repeats, length, _ = uniforms.shape
    shape = (len(settings), tasks, repeats)
    rule, task, repeat = (axis.ravel() for axis in np.indices(shape))
    beta, gamma, answers = (np.array(column)[rule] for column in zip(*settings, strict=True))
    drafted, kept, calls, in_call = np.zeros((4, len(rule)), dtype=np.int64)
    texts: list[list[int]] = [[] for _ in rule]
    row = task.copy()
    running = np.flatnonzero(repeat < answers)
    for position in range(length):
        steps = _Steps(*(reader.laws(temperature) for reader in readers))
        numbers = uniforms[task[running], repeat[running], position].T
        is_own = in_call[running] == gamma[running]
        drafts = steps.drafts(row[running], numbers[0])
        is_kept = steps.is_kept(row[running], drafts, numbers[1], np.where(is_own, 0, beta[running]))
        tokens = np.where(is_kept, drafts, steps.replacements(row[running], numbers[2]))
        calls[running] += in_call[running] == 0
        drafted[running] += ~is_own
        kept[running] += ~is_own & is_kept
        in_call[running] = np.where(is_own | ~is_kept, 0, in_call[running] + 1)
        for i, token in zip(running.tolist(), tokens.tolist(), strict=True):
            texts[i].append(token)
        is_going_on = tokens != end
        running = running[is_going_on]
        if not len(running) or position == length - 1:
            break
        row[running] = _read_on(readers, row[running], tokens[is_going_on])
    nested = [[texts[i : i + repeats] for i in range(at, at + tasks * repeats, repeats)] for at in _starts(shape)]
    return Decoded(nested, drafted.reshape(shape), kept.reshape(shape), calls.reshape(shape))


def _starts(shape: tuple[int, int, int]) -> range:
    """Where each rule's answers begin among all of them."""
    per_rule = shape[1] * shape[2]
    return range(0, shape[0] * per_rule, per_rule)


def _read_on(readers: tuple[Reader, Reader], row: Integers, token: Integers) -> Integers:
    """Read each different text with its next token once; the new row of each answer."""
    import torch

    different, new_row = np.unique(np.stack([row, token]), axis=1, return_inverse=True)
    for reader in readers:
        reader.keep(different[0])
        reader.write(torch.as_tensor(different[1], device=reader.logits.device))
    return np.asarray(new_row, dtype=np.int64).ravel()
