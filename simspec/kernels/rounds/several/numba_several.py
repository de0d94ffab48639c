"""The compiled backend of `simspec.kernels.rounds.several.reference.run`: the same integers on every path.

The rows of a group walk together, as `simspec.kernels.rounds.groups` says: all draft a position, those refused draft it again,
and those that keep a draft go on to the next one; the last tokens of all are drawn at the end of a round.  Words are made
only where they are read.  The same float64 operations in the same order as the reference do the rest; those of drafts
without replacement stand in `distinct` beside this.

What a position costs: each draft that is tested costs its words, a token and p/q of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.random import core
from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.block.reference import block_laws
from simspec.kernels.rounds.groups import (
    TOGETHER,
    VECTOR,
    _emit,
    _enter,
    _gather,
    _leave,
    _listed,
    _shift,
    _tokens,
    _words,
    _words_of,
    group,
)
from simspec.kernels.rounds.numba_rounds import Guided, _spread, guided
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.rounds.several.distinct import _position as _position_without
from simspec.kernels.rounds.several.distinct import cells, surely, work
from simspec.kernels.rounds.several.last import _lasts_left
from simspec.kernels.rounds.several.reference import SeveralLaws

__all__ = ["Packed", "pack", "paths"]

_narrow = core.narrow
U = np.uint64


class Packed(NamedTuple):
    """What the compiled loop reads: `residual` with replacement, the last three without, otherwise those of one token.

    `cells` and `sure` are those of `distinct`.
    """

    draft: Guided
    target: Guided
    ratio: NDArray[np.float64]
    following: NDArray[np.int32]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    residual: Guided
    cells: NDArray[np.float64]
    sorted: block.Packed
    sure: NDArray[np.uint8]


def pack(laws: SeveralLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    unit_law = np.ones((1, 1))
    following = laws.following.astype(np.int32)
    tests = (laws.shift.copy(), laws.scale.copy())
    if laws.sorted is not None:
        sorted_pack = block.pack(laws.sorted)
        draft_cells = cells(laws.draft, laws.ratio)
        first = np.zeros_like(laws.shift), np.ones_like(laws.scale)  # of a first draft; others have tests of their own
        return Packed(
            sorted_pack.draft,
            sorted_pack.target,
            sorted_pack.ratio,
            following,
            *first,
            guided(unit_law),
            draft_cells,
            sorted_pack,
            surely(laws.ratio),
        )
    none = block.pack(block_laws(unit_law, unit_law, np.zeros(1, dtype=np.int64)))
    draft, target, residual = (guided(x) for x in (laws.draft, laws.target, laws.residual))
    return Packed(draft, target, laws.ratio, following, *tests, residual, np.ones((1, 1, 2)), none, surely(unit_law))


@_listed
def _passing(packed, has_one_state, j, group, m, values, is_accepted):
    """Whether the draft of each row of a list passes: independent ones, and the first of any rule."""
    ratio = packed[2]
    us = packed[4]
    ds = packed[5]
    s = group.one_state
    x = group.x
    uniforms = group.words[1]
    for c in range(m):
        values[c] = ratio[U(s[c]), U(x[c])]
    if has_one_state:
        u = us[0, j]
        d = ds[0, j]
        for c in range((m + (VECTOR - 1)) & ~(VECTOR - 1)):
            is_accepted[c] = (uniforms[c] + 0.5) * 2.0**-32 < max(values[c] - u, 0.0) / d
    else:
        for c in range(m):
            is_accepted[c] = (uniforms[c] + 0.5) * 2.0**-32 < max(values[c] - us[U(s[c]), j], 0.0) / ds[U(s[c]), j]


@_listed
def _position(packed, has_one_state, base, m, finished, group, work, who, shift):
    """Drafts of a position for the rows in `going`: how many keep one, with it in `going` again, and how many rows are done."""
    going = work.going
    trying = work.trying
    lost = work.lost
    ends = work.ends
    accepted_tokens = work.chosen
    is_accepted = work.kept
    x = group.x
    keep = 0
    active = m
    for c in range(m):
        trying[c] = going[c]
    for j in range(packed[4].shape[1]):
        _gather(group, has_one_state, trying, active)
        _words(group, active, _narrow(base + np.uint32(j)), *who)
        _tokens(packed[0], group, 0, active, group.words[0], shift)
        _passing(packed, has_one_state, j, group, active, work.values, is_accepted)
        remaining = 0
        for c in range(active):
            b = trying[c]
            passes = is_accepted[c]
            going[keep] = b
            accepted_tokens[keep] = x[c]
            trying[remaining] = b
            keep += passes
            remaining += not passes
        active = remaining
        if active == 0:
            break
    for c in range(active):
        lost[finished + c] = trying[c]
        ends[finished + c] = base
    return keep, finished + active


@_listed
def _lasts(packed, replace, has_one_state, finished, m, group, work, who, shift):
    """The last token of each row of a group: first of those that have lost all drafts of a position."""
    target = packed[1]
    residual = packed[6]
    words = group.words
    _gather(group, has_one_state, work.lost, m)
    _words_of(group, m, work.ends, *who)
    _tokens(target, group, finished, m, words[2], shift)
    if replace:
        _tokens(residual, group, 0, finished, words[2], shift)
    else:
        _lasts_left(packed[8], finished, group, work, who, packed[4].shape[1], shift)


@_listed
def _run(packed, replace, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, *rest):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; buffers to work in."""
    group, work, first, last = rest
    target = packed[1]
    following = packed[3]
    draft_count = packed[4].shape[1]
    has_one_state = len(target[0]) == 1
    shift = _shift(target[1])
    who = (purpose, k0, k1)
    width = gamma + 1
    for i in range(first, last, TOGETHER):
        size = min(TOGETHER, last - i)
        _enter(group, rows, i, size, start)
        for t in range(rounds):
            m = size
            finished = 0
            for b in range(size):
                work.going[b] = b
            for n in range(gamma):
                before = finished
                base = np.uint32((t * width + n) * draft_count)
                if replace:
                    m, finished = _position(packed, has_one_state, base, m, finished, group, work, who, shift)
                else:
                    m, finished = _position_without(packed, base, m, finished, group, work, who, shift)
                _emit(group, has_one_state, following, i, work.going, work.chosen, m, (tokens, counts))
                for c in range(before, finished):
                    accepted[i + work.lost[c], t] = n
                if m == 0:
                    break
            for c in range(m):
                work.lost[finished + c] = work.going[c]
                work.ends[finished + c] = np.uint32((t * width + gamma) * draft_count)
                accepted[i + work.going[c], t] = gamma
            _lasts(packed, replace, has_one_state, finished, size, group, work, who, shift)
            _emit(group, has_one_state, following, i, work.lost, group.x, size, (tokens, counts))
        _leave(group, i, size, state, tokens)


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Backend of `reference.paths`; see `simspec.kernels.rounds.several.run_several_rounds` for the arguments."""
    packed = rule.packed
    replace = rule.laws.sorted is None

    def run(*arguments: Any) -> None:
        _run(packed, replace, *arguments[:-2], group(), work(rule.drafts), *arguments[-2:])

    return _spread(run, rule, plan, tokens, counts, threads, rule.drafts)
