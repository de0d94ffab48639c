"""Rules that end a draft, as one-token rules: what is kept of each draft where some are thrown away before they are tested.

A drafted token x survives with probability s(x).  One that does not ends the draft, and its position is emitted without a test.
That is lossless exactly where the rule ignores the token that it drops, or the verifier knows what surviving says:
claims ``stop.dropped`` and ``stop.dropped-iff``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simspec.laws import Array, Scalar, is_exact, unchecked
from simspec.methods.calls import Call, Map
from simspec.methods.method import Method, leftover
from simspec.methods.parameters import check_number, number

__all__ = ["REPORTED", "at_least", "dropped", "dropping", "entropy_stop", "survivors", "top_stop"]

MASS = "a mass that is not negative"
Survival = Callable[[Array], Array]
"""q -> s; the probability that a drafted token is not dropped, for each token."""


def _accepted_by_q(p: Array, q: Array, s: Array) -> Array:
    return s * np.minimum(p, q)


def _accepted_by_survivors(p: Array, q: Array, s: Array) -> Array:
    return np.minimum(unchecked.total(q * s) * p, q * s)


def _one_hot(p: Array, q: Array, s: Array) -> Array:
    return p * q * s


REPORTED: dict[str, Callable[[Array, Array, Array], Array]] = {
    "q": _accepted_by_q,
    "kept": _accepted_by_survivors,
    "one-hot": _one_hot,
    "rejected": _accepted_by_q,
}
"""What the verifier is told, and what mass it then keeps: q; norm(q s), the law of a draft that survived; the token alone; q,
and that a draft was dropped, which it then treats as one that it rejected.  All but the first are lossless."""


def survivors(q: Array, s: Array) -> Array:
    """Law of a drafted token given that it was not dropped, norm(q s); q where none survives.

    >>> survivors(np.array([0.5, 0.25, 0.25]), np.array([1, 1, 0])).round(6).tolist()
    [0.666667, 0.333333, 0.0]
    """
    return unchecked.normalise(q * s, otherwise=q)


def dropping(survive: Survival, reported: str = "kept") -> Method:
    """Drop each drafted token x with probability 1 - s(x), and verify the others.

    Parameters
    ----------
    survive : q -> s, in [0, 1] for each token
    reported : a name of `REPORTED`
        A dropped token's position is emitted from p, and with `rejected` from the residual law norm(p - s min(p, q)).

    Raises ValueError for another name.

    >>> from simspec.methods import tv
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> [float(tv(dropping(at_least(0.5), reported), p, q)) for reported in REPORTED]
    [0.125, 0.0, 0.0, 0.0]
    """
    if reported not in REPORTED:
        raise ValueError(f"reported: {reported!r}; expected one of {', '.join(REPORTED)}")
    masses = REPORTED[reported]

    def accept(p: Array, d: Array) -> Array:
        return masses(p, d, survive(d))

    def residual(p: Array, d: Array) -> Array:
        s = survive(d)
        accepted = _accepted_by_q(p, d, s)
        alive = unchecked.total(d * s)
        redrawn = unchecked.normalise(np.maximum(p - d, 0), otherwise=p)
        remaining = (1 - alive) * p + (alive - unchecked.total(accepted)) * redrawn
        return unchecked.normalise(np.maximum(remaining, 0), otherwise=p)

    return Method(
        propose=lambda q: q, accept=accept, residual=residual if reported == "q" else leftover(accept)
    ).made_by(dropping, survive, reported)


def at_least(threshold: Scalar) -> Survival:
    """Survival of tokens with q(x) >= t: 1, of others 0.

    >>> at_least(0.5)(np.array([0.75, 0.25])).tolist()
    [1.0, 0.0]
    """
    check_number("threshold", threshold, lambda v: v >= 0, MASS)
    return Map(lambda q: _flags(q >= number(threshold, like=q), like=q), Call(at_least, threshold))


def dropped(threshold: Scalar, reported: str = "q") -> Method:
    """Drop a drafted token with q(x) < t, as llama.cpp's `p_min` does; `reported` as in `dropping`.

    >>> from simspec.methods import acceptance_rate
    >>> p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> [float(acceptance_rate(dropped(0.5, reported), p, q)) for reported in REPORTED]
    [0.5, 0.375, 0.375, 0.5]
    """
    return dropping(at_least(threshold), reported).made_by(dropped, threshold, reported)


def _flags(yes: Array, like: Array) -> Array:
    """1 and 0, in the arithmetic of a law."""
    return yes.astype(like.dtype) * 1


def _law_only(goes_on: Callable[[Array], Array]) -> Method:
    return dropping(lambda q: _flags(np.asarray(goes_on(q))[..., None] & (q >= 0), like=q), "rejected")


def top_stop(threshold: Scalar) -> Method:
    """Draft only where max q >= t, a rule that sees the law alone: lossless.

    >>> top_stop(0.5).accept(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    check_number("threshold", threshold, lambda v: v >= 0, MASS)
    return _law_only(lambda q: q.max(axis=-1) >= number(threshold, like=q)).made_by(top_stop, threshold)


def entropy_stop(threshold: Scalar, constant: Scalar = 0.2) -> Method:
    r"""Draft only where :math:`1 - \sqrt{c\,H(q)} \ge t`, H in nats, as AdaEDL does; sees the law alone: lossless.

    Agrawal et al. 2024.  The number is no bound on the acceptance: claim ``stop.entropy-bound``.  On fractions whether to
    draft is decided in rounded numbers; the kept mass is exact all the same.

    >>> entropy_stop(0.5).accept(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    check_number("threshold", threshold, lambda v: v <= 1, "a number of at most 1")
    check_number("constant", constant, lambda v: v >= 0, "a constant that is not negative")

    def goes_on(q: Array) -> Array:
        rounded = q.astype(np.float64) if is_exact(q) else q
        return np.asarray(1 - np.sqrt(float(constant) * unchecked.entropy(rounded)) >= float(threshold))

    return _law_only(goes_on).made_by(entropy_stop, threshold, constant)
