"""Criteria without a uniform: greedy drafts kept by the target's mass or rank, and typical acceptance that answers with the mode.

Sources: Sharma 2026 (arXiv 2606.30265) for greedy drafts; vLLM #5131 for the answer of typical acceptance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simspec.laws import Array, Scalar
from simspec.methods.ears.relaxed import typical
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, number

__all__ = ["additive", "covered", "greedy", "multiplicative", "strict", "top", "typical_argmax"]


def greedy(p: Array) -> Array:
    """The law of the most likely token, the first of equals.

    >>> greedy(np.array([[0.25, 0.75], [0.5, 0.5]])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return (np.arange(p.shape[-1]) == p.argmax(axis=-1)[..., None]).astype(p.dtype)


def _mode(p: Array, d: Array) -> Array:
    return greedy(p)


def _criterion(good: Callable[[Array], Array]) -> Method:
    """The draft's most likely token is kept where it is good for the target; else the target's most likely is emitted."""
    return Method(propose=greedy, accept=lambda p, d: np.where(good(p), d, 0), residual=_mode)


def strict() -> Method:
    """Keep the draft's most likely token where it is the target's: greedy decoding is unchanged.

    >>> from simspec.methods import acceptance_rate
    >>> float(acceptance_rate(strict(), np.array([0.75, 0.25]), np.array([0.5, 0.5])))
    1.0
    """
    return _criterion(lambda p: greedy(p) > 0).made_by(strict)


def additive(margin: Scalar) -> Method:
    r"""Keep the draft's most likely token x where :math:`p(x) \ge \max p - m`.

    Parameters
    ----------
    margin : number >= 0

    Raises ValueError for a margin that is negative or NaN.

    >>> additive(0.25).accept(np.array([0.5, 0.25, 0.25]), np.array([0.0, 1.0, 0.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    check_number("margin", margin, lambda v: v >= 0, "a number that is not negative")
    return _criterion(lambda p: p >= p.max(axis=-1, keepdims=True) - number(margin, p)).made_by(additive, margin)


def multiplicative(factor: Scalar) -> Method:
    r"""Keep the draft's most likely token x where :math:`p(x) \ge \theta \max p`.

    Parameters
    ----------
    factor : number in [0, 1]; the θ

    Raises ValueError for a factor outside [0, 1].

    >>> multiplicative(0.75).accept(np.array([0.5, 0.25, 0.25]), np.array([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 0.0]
    """
    check_number("factor", factor, lambda v: 0 <= v <= 1, "a number between 0 and 1")
    return _criterion(lambda p: p >= number(factor, p) * p.max(axis=-1, keepdims=True)).made_by(multiplicative, factor)


def top(count: int) -> Method:
    """Keep the draft's most likely token where it is among the target's `count` most likely, the first of equals.

    Raises ValueError for a count below 1.

    >>> top(2).accept(np.array([0.5, 0.125, 0.375]), np.array([0.0, 0.0, 1.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    check_number("count", count, lambda v: v >= 1 and v == int(v), "a whole number from 1 on")
    return _criterion(lambda p: _largest(p, int(count))).made_by(top, count)


def _largest(p: Array, count: int) -> Array:
    """Whether each token is among the largest, the first of equals."""
    order = np.argsort(-p, axis=-1, kind="stable")
    flags = np.zeros(p.shape, dtype=bool)
    np.put_along_axis(flags, order[..., :count], True, axis=-1)
    return flags


def covered(p: Array, q: Array, count: int) -> Array:
    """Whether the target's most likely token is among the draft's `count` most likely: one level of a greedy tree.

    >>> p, q = np.array([0.25, 0.75, 0.0]), np.array([0.5, 0.25, 0.25])
    >>> bool(covered(p, q, 1)), bool(covered(p, q, 2))
    (False, True)
    """
    check_number("count", count, lambda v: v >= 1 and v == int(v), "a whole number from 1 on")
    return np.take_along_axis(_largest(q, int(count)), p.argmax(axis=-1)[..., None], axis=-1)[..., 0]


def typical_argmax(epsilon: Scalar = 0.09, delta: Scalar = 0.3) -> Method:
    """`typical`, with the target's most likely token after a refusal, as in vLLM's sampler: no draw at all.

    Parameters and errors as in `typical`.

    >>> from simspec.methods import output_law
    >>> output_law(typical_argmax(), np.array([0.96875, 0.03125]), np.array([0.5, 0.5])).tolist()
    [1.0, 0.0]
    """
    return replace(typical(epsilon, delta), residual=_mode).made_by(typical_argmax, epsilon, delta)
