"""K-SEQ: independent drafts are tested one after the other against one and the same threshold, ρ times as strict."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from simspec.laws import Array, Scalar, is_exact
from simspec.laws.unchecked import normalise
from simspec.methods.multi.recursive import Node
from simspec.methods.verifier.chance import Chance

__all__ = ["kept_once", "kseq", "kseq_acceptance", "kseq_rho"]

STEPS = 48
"""How often the interval of ρ* is halved."""


def kept_once(p: Array, q: Array, rho: Scalar | Array) -> Any:
    r"""b(ρ) = Σ min(p/ρ, q): the probability that one draft passes.

    >>> print(kept_once(np.array([0.5, 0.5]), np.array([1.0, 0.0]), 2))
    0.25
    """
    return np.minimum(p / np.asarray(rho)[..., None], q).sum(axis=-1)


def kseq(rho: Scalar) -> Node:
    r"""K-SEQ for drafts drawn independently from q: the first that passes with min(1, p/(ρ q)) is kept.

    If none passes, a token is drawn from :math:`p - \min(p/\rho, q)\,(1 - (1-b)^K)/b`, normalised, with :math:`b` of
    `kept_once`.  Lossless for ρ of at least `kseq_rho`: claim ``multi.kseq-lossless``.

    Parameters
    ----------
    rho : number >= 1

    SpecTr (Sun et al. 2023, arXiv 2310.15141), Theorem 2.

    >>> from simspec.laws import exact
    >>> from simspec.methods.multi import iid, step_law
    >>> found = step_law(kseq(Fraction(3, 2)), iid, 2, exact([0.5, 0.5]), exact([0.75, 0.25]))
    >>> print(*found.law, found.acceptance)
    1/2 1/2 119/144
    """

    def node(p: Array, q: Array, drafts: Sequence[int], chance: Chance) -> tuple[int, int | None]:
        target = np.asarray(p)
        draft_law = np.asarray(q)
        for place, token in enumerate(drafts):
            if chance.keep(target[token], rho * draft_law[token]):
                return token, place
        overlap = np.minimum(target / rho, draft_law)
        b = overlap.sum()
        times = (1 - (1 - b) ** len(drafts)) / b if b > 0 else 0
        residual = np.maximum(target - overlap * times, 0)
        return chance.draw(normalise(residual, otherwise=target)), None

    return node


def kseq_rho(p: Array, q: Array, k: int, steps: int = STEPS) -> tuple[Any, Any]:
    r"""Two numbers between which ρ* lies, the smallest ρ >= 1 with 1 − (1 − b(ρ))^K <= ρ b(ρ); the upper one is lossless.

    ρ b(ρ) does not fall with ρ and the left side does not rise, so halving finds it; between 1 and K, and a number of
    degree K in general, hence an interval.  Exact fractions on fractions.

    Parameters
    ----------
    p, q : laws (..., V)
    k : int >= 1; drafts
    steps : int; the interval has length (K − 1) / 2^steps, or 0 where ρ* = 1

    >>> low, high = kseq_rho(np.array([0.5, 0.5]), np.array([0.75, 0.25]), 2)
    >>> print(round(float(low), 6), round(float(high), 6))  # 1/4 + 1/(2 ρ) = b = 2 − ρ
    1.390388 1.390388
    """
    unit = np.ones(p.shape[:-1], dtype=object if is_exact(p) else p.dtype)
    unit = unit * Fraction(1) if is_exact(p) else unit

    def passes(rho: Scalar | Array) -> Any:
        b = kept_once(p, q, rho)
        return 1 - (1 - b) ** k <= rho * b

    low = unit
    high = np.where(passes(unit), unit, k * unit)
    for _ in range(steps):
        middle = (low + high) / 2
        enough = passes(middle)
        low = np.where(enough, low, middle)
        high = np.where(enough, middle, high)
    return np.where(high == 1, unit, low)[()], high[()]


def kseq_acceptance(p: Array, q: Array, k: int, rho: Scalar | Array | None = None) -> Any:
    r"""Acceptance of K-SEQ, :math:`1 - (1 - b(\rho))^K`; at ρ* from above unless a ρ is given.

    Parameters
    ----------
    p, q : laws (..., V)
    k : int >= 1; drafts
    rho : numbers (...) >= 1

    >>> print(kseq_acceptance(np.array([0.5, 0.5]), np.array([0.75, 0.25]), 2, 2))
    0.75
    """
    rho = kseq_rho(p, q, k)[1] if rho is None else rho
    return 1 - (1 - kept_once(p, q, rho)) ** k
