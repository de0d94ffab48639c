"""What the proofs about the average dropped mass of C-SQS share: the sum of Eq. 8."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.csqs._recursion import T, Text, Threshold, n
from proofs_check.language import Derivation, Fact, eq, ge


class Sum(NamedTuple):
    """What was dropped of the first n tokens, and how it grows."""

    S: Any
    none: Fact
    more: Fact


def dropped_sum(d: Derivation, h: Threshold, summand: sp.IndexedBase | None = None) -> Sum:
    """S_n, the sum of drop[n], or of `summand` in its place."""
    S = sp.IndexedBase(f"S{str(h.beta).removeprefix('beta')}", real=True)
    summand = h.drop if summand is None else summand
    return Sum(S, *d.recursion("what has been dropped", eq(S[0], 0), eq(S[n + 1], S[n] + summand[n])))


def summed(d: Derivation, w: Text, h: Threshold, s: Sum, *same: Fact) -> Fact:
    """Eq. 8 summed, η S_T = ηαT + β_0 − β_T; `same` says that what is summed is drop[n]."""
    statement = eq(w.eta * s.S[n], w.eta * w.alpha * n + w.start - h.beta[n])
    return at_end(
        d, d.inductive("Eq. 8 summed, for every n", statement, n, [s.none, h.at_start], [s.more, h.update, *same])
    )


def never_negative(d: Derivation, s: Sum, nonnegative: Fact) -> Fact:
    """S_T ≥ 0."""
    statement = ge(s.S[n], 0)
    return at_end(d, d.inductive("the sum is not negative", statement, n, [s.none], [s.more, nonnegative]))


def at_end(d: Derivation, fact: Fact) -> Fact:
    """A statement about every threshold for the one after T tokens."""
    return d.instantiate("after T tokens", fact, {n: T})
