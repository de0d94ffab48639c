"""Block verification of one drafted path, and a form of it that stops at the first failed test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspec.methods.block.enumerated import Prefix
from simspec.methods.joint.chance import Chance
from simspec.methods.joint.verifier import Verifier, by_program

__all__ = ["block_verifier"]


def block_verifier(early: bool = False) -> Verifier:
    """Block verification (Sun et al. 2024, arXiv 2403.10444): the longest prefix that passes its own test is kept.

    Parameters
    ----------
    early : bool; wrong: stop at the first test that fails

    >>> from fractions import Fraction
    >>> from simspec.methods.joint import by_rows, outcomes
    >>> p, q = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]
    >>> found = outcomes(block_verifier(), by_rows([p] * 3), by_rows([q] * 2), 2)
    >>> print(sum(o.probability * o.accepted for o in found))
    11/9
    """

    def program(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        gamma, r, kept = len(x), _products(p, q, x), 0
        for i in range(1, gamma + 1):
            if chance.keep(_test(p, q, r, i), 1):
                kept = i
            elif early:
                break
        if kept == gamma:
            return (*x, chance.draw(p[-1])), gamma
        left = [max(r[kept] * a - b, 0) for a, b in zip(p[kept], q[kept], strict=True)]
        return (*x[:kept], chance.draw(left if any(left) else p[kept])), kept

    return by_program(program)


def _products(p: Sequence[Any], q: Sequence[Any], x: Prefix) -> list[Any]:
    """r_0 = 1 and r_i = min(1, r_(i-1) p/q at draft i)."""
    r: list[Any] = [1]
    for i, token in enumerate(x):
        r.append(min(1, r[-1] * p[i][token] / q[i][token]))
    return r


def _test(p: Sequence[Any], q: Sequence[Any], r: list[Any], i: int) -> Any:
    """The probability that prefix i passes: Z/(Z + 1 - r_i) with Z the mass of (r_i p - q)_+, and 1 where that is 0/0."""
    if i == len(q):
        return r[i]
    more = sum(max(r[i] * a - b, 0) for a, b in zip(p[i], q[i], strict=True))
    rest = more + 1 - r[i]
    return more / rest if rest > 0 else 1
