"""Whether a verifier reads other rows than those it is given: a bias that the draft law, or its rounding, explains.

Three questions, asked of the sampler itself.  Is it lossless where drafts come from the draft rows that it is given?  Then a
bias with other drafts is theirs.  Is it lossless where drafts come from the draft rows in another order, or from those of
another position?  Then the draft law passed to the verifier is not the one that it reads.  Do its tokens stay the same where its
rows are rounded before it is called?  Then it rounds them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from simspec.audit.calling import Broken, CallMonitor, UniformSampler, called_with_uniforms
from simspec.audit.drafting import given_drafts
from simspec.audit.pairs import Pair
from simspec.audit.uniforms.emitted import emitted
from simspec.laws import Array

__all__ = ["ORDERS", "ROUNDINGS", "is_right_from_report", "reads_other_rows", "rounds_rows"]

CALLS = 2**15
"""Calls on each pair by which rounded rows are compared with rows as they are: where rows are 2^-10 off, dozens differ."""
GLANCE = 2000


def _bfloat16(rows: Array) -> Array:
    """Rows rounded to the nearest bfloat16, ties to even: the upper half of a single precision number.

    >>> _bfloat16(np.array([1 / 3])).tolist()
    [0.333984375]
    """
    bits = np.ascontiguousarray(rows, dtype=np.float32).view(np.uint32)
    even = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (even & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


ORDERS: dict[str, Callable[[Array], Array]] = {
    "in reverse order of tokens": lambda q: q[:, ::-1].copy(),
    "with tokens shifted by one": lambda q: np.roll(q, 1, axis=1),
    "with tokens shifted by one the other way": lambda q: np.roll(q, -1, axis=1),
    "of the position before": lambda q: q[np.maximum(np.arange(len(q)) - 1, 0)],
    "of the first position": lambda q: q[np.zeros(len(q), dtype=int)],
    "of the position after": lambda q: q[np.minimum(np.arange(len(q)) + 1, len(q) - 1)],
    "at half the temperature": lambda q: q**2 / (q**2).sum(axis=1, keepdims=True),
}
"""Draft rows that a verifier may read in place of those it is given."""
ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "bfloat16": _bfloat16,
    "8 bits": lambda rows: np.round(rows * 255) / 255,
}
"""Formats to which a verifier may round its rows; float16 is too near for so few calls to tell."""


def is_right_from_report(
    sampler: UniformSampler, pairs: Sequence[Pair], uniforms: Callable[[Pair], int], monitor: CallMonitor | None = None
) -> bool:
    """Whether a sampler is lossless on all pairs where drafts come from the draft rows passed to it; False without pairs.

    >>> def never(p, q, drafts, uniforms):  # no draft is accepted, and the token is drawn from p
    ...     first = (uniforms[:, :1] >= p[0].cumsum()).sum(axis=1)
    ...     return np.stack([first, np.full(len(first), -1)], axis=1)
    >>> half = Pair("halves", np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([[0.25, 0.75]]))
    >>> is_right_from_report(never, [half], lambda pair: 1), is_right_from_report(never, [], lambda pair: 1)
    (True, False)
    """
    return bool(pairs) and all(_is_lossless(sampler, pair, pair.q, uniforms(pair), monitor) for pair in pairs)


def reads_other_rows(
    sampler: UniformSampler, pairs: Sequence[Pair], uniforms: Callable[[Pair], int], monitor: CallMonitor | None = None
) -> str:
    """The draft rows that a sampler reads, in words, if it is lossless on all pairs where drafts come from them; or "".

    Pairs on which these rows are the draft law itself, or the target, say nothing; at least two others are needed.
    `uniforms` says how many uniforms a call has on a pair.
    """
    for words, rows_of in ORDERS.items():
        telling = [pair for pair in pairs if _tells(pair, rows_of(pair.q))]
        if len(telling) > 1 and all(
            _is_lossless(sampler, pair, rows_of(pair.q), uniforms(pair), monitor) for pair in telling
        ):
            return (
                f"lossless if drafts come from the draft rows {words}: the probabilities passed to the verifier "
                "are not those the drafts come from"
            )
    return ""


def _tells(pair: Pair, rows: Array) -> bool:
    """Whether drafts from these rows are others than drafts from the draft law, and than the target's own tokens."""
    return not np.allclose(rows, pair.q, atol=1e-3) and not np.allclose(rows, pair.p[: len(rows)], atol=1e-3)


def _is_lossless(sampler: UniformSampler, pair: Pair, rows: Array, uniforms: int, monitor: CallMonitor | None) -> bool:
    try:
        return emitted(sampler, pair, uniforms, rows, monitor, GLANCE).tv[0] == 0
    except Broken:
        return False


def rounds_rows(
    sampler: UniformSampler, pairs: Sequence[Pair], uniforms: Callable[[Pair], int], monitor: CallMonitor | None = None
) -> str:
    """The format to which a sampler rounds its draft rows or its target rows, in words; "" where none shows.

    On the same drafts and uniforms it emits the same tokens from rows and from rounded rows, on all pairs, and other
    tokens from rows of multiples of 1/32.  `uniforms` says how many uniforms a call has on a pair.
    """
    for rows_name in ("draft", "target"):
        for name, rounding in ROUNDINGS.items():
            if _is_same(sampler, pairs, uniforms, rows_name, rounding, monitor) and not _is_same(
                sampler, pairs, uniforms, rows_name, lambda rows: np.round(rows * 32) / 32, monitor
            ):
                return f"returns the same tokens for {rows_name} rows rounded to {name}: the sampler rounds them"
    return ""


def _is_same(
    sampler: UniformSampler,
    pairs: Sequence[Pair],
    uniforms: Callable[[Pair], int],
    rows_name: str,
    rounding: Callable[[Array], Array],
    monitor: CallMonitor | None,
) -> bool:
    """Whether rounding some rows before a call never changes its tokens."""
    for pair in pairs:
        rng = np.random.default_rng(4)
        drafts, _ = given_drafts(pair.q)
        rows = drafts[rng.integers(len(drafts), size=CALLS)]
        u = rng.random((CALLS, uniforms(pair)))
        p = rounding(pair.p) if rows_name == "target" else pair.p
        q = rounding(pair.q) if rows_name == "draft" else pair.q
        try:
            before = called_with_uniforms(sampler, pair.p, pair.q, rows, u, monitor)
            if not np.array_equal(before, called_with_uniforms(sampler, p, q, rows, u, monitor)):
                return False
        except Broken:
            return False
    return bool(pairs)
