"""Block verification of one drafted path, and three rules that were written in its place and are not it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from simspec.laws import Array, Scalar
from simspec.methods.block.enumerated import Prefix
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Verifier, by_program

__all__ = ["block_verifier", "cumulative_verifier", "reached"]

Rows = Sequence[Any]


def block_verifier(early: bool = False, token_residual: bool = False) -> Verifier:
    r"""Block verification (Sun et al. 2024, arXiv 2403.10444): the longest prefix that passes its own test is kept.

    With :math:`r_0 = 1` and :math:`r_i = \min(1, r_{i-1} P/Q)` at draft i, prefix i passes with probability
    :math:`Z/(Z + 1 - r_i)`, where Z is the mass of :math:`(r_i P - Q)_+` after it; the whole block with :math:`r_\gamma`.
    After the kept prefix a token is drawn from :math:`(r_\tau P - Q)_+`, renormalised, or from P if all was kept.

    Parameters
    ----------
    early : bool; wrong: stop at the first test that fails
    token_residual : bool; wrong: draw the last token from :math:`(P - Q)_+`, as if every kept prefix had :math:`r = 1`

    >>> from fractions import Fraction
    >>> from simspec.methods.verifier import by_rows, outcomes
    >>> p, q = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]
    >>> found = outcomes(block_verifier(), by_rows([p] * 3), by_rows([q] * 2), 2)
    >>> print(sum(o.probability * o.accepted for o in found))
    11/9
    """

    def program(p: Rows, q: Rows, x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        gamma = len(x)
        r = reached(p, q, x)
        accepted = 0
        for i in range(1, gamma + 1):
            if chance.keep(_test(p, q, r, i), 1):
                accepted = i
            elif early:
                break
        if accepted == gamma:
            return (*x, chance.draw(p[-1])), gamma
        return (
            *x[:accepted],
            chance.draw(_left(p[accepted], q[accepted], 1 if token_residual else r[accepted])),
        ), accepted

    return by_program(program)


def cumulative_verifier(log: Callable[[Any], Any] = math.log, number: Callable[[Any], Any] = float) -> Verifier:
    r"""Wrong: products of ratios against products of uniforms, :math:`\prod_{j \le i} \min(1, P/Q) \ge \prod_{j \le i} u_j`.

    The longest prefix for which it holds is kept, and a token drawn from :math:`(P - Q)_+` after it.  Probabilities hold
    logarithms: two drafts of ratios a and 1 are both kept with probability :math:`a (1 - \ln a)`, not a.

    Parameters
    ----------
    log, number : the logarithm of numbers in (0, 1), and what brings numbers to its arithmetic, that of the outcomes

    >>> found = cumulative_verifier()(lambda x: [0.5, 0.5], lambda x: [[1.0, 0.0], [0.5, 0.5]][len(x)], (0, 0))
    >>> print(round(sum(o.probability for o in found if o.accepted == 2), 4), round(0.5 * (1 - math.log(0.5)), 4))
    0.8466 0.8466
    """

    def program(p: Rows, q: Rows, x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        products: list[Any] = [1]
        for i, token in enumerate(x):
            products.append(products[-1] * min(1, p[i][token] / q[i][token]))
        accepted = chance.draw(_last_above(products[1:], log, number))
        weights = p[-1] if accepted == len(x) else _left(p[accepted], q[accepted], 1)
        return (*x[:accepted], chance.draw([number(mass) for mass in weights])), accepted

    return by_program(program)


def reached(p: Rows, q: Rows, x: Prefix) -> list[Any]:
    """Probability that at least the first 0, 1, … drafts are kept, given them: r_0 = 1 and r_i = min(1, r_(i-1) p/q).

    >>> reached([[0.25, 0.75]] * 2, [[0.5, 0.5]] * 2, (0, 1))
    [1, 0.5, 0.75]
    """
    r: list[Any] = [1]
    for i, token in enumerate(x):
        r.append(min(1, r[-1] * p[i][token] / q[i][token]))
    return r


def _left(p: Array, q: Array, r: Scalar) -> Any:
    """(r p - q)_+, or p where that is zero: weights of the token after the kept prefix."""
    weights = [max(r * a - b, 0) for a, b in zip(p, q, strict=True)]
    return weights if any(weights) else p


def _test(p: Rows, q: Rows, r: list[Any], i: int) -> Any:
    """The probability that prefix i passes: Z/(Z + 1 - r_i) with Z the mass of (r_i p - q)_+, and 1 where that is 0/0."""
    if i == len(q):
        return r[i]
    excess = sum(max(r[i] * a - b, 0) for a, b in zip(p[i], q[i], strict=True))
    rest = excess + 1 - r[i]
    return excess / rest if rest > 0 else 1


def _last_above(products: Sequence[Any], log: Callable[[Any], Any], number: Callable[[Any], Any]) -> list[Any]:
    """Probability that the last i with a_i ≥ u_1 … u_i is 0, 1, …: the a_i fall, and sums of −log u are Gamma-distributed.

    With b = −log a and S_i the sum, P(S_k < b_k for every k ≥ j given S_(j-1) = s) is 1 − e^s R_j(s) for s < b_j, where R
    is 0 after the last and R_j(s) = a_j + the integral of R_(j+1) from s to b_j: a polynomial.
    """
    some = [number(a) for a in products if a > 0]
    bounds = [number(0) if a == 1 else -log(a) for a in products if a > 0]
    upto = [number(1)] * (len(products) + 1)  # P(the last is at most i), i = 0, 1, …
    rest: list[Any] = []
    for i in range(len(some) - 1, -1, -1):
        b = bounds[i]
        # S_(i+1) < b: the integral of s^i/i! (e^-s - R(s)) from 0 to b
        gamma_law = 1 - some[i] * sum(b**k / math.factorial(k) for k in range(i + 1))
        upto[i] = gamma_law - sum(c * b ** (i + k + 1) / (math.factorial(i) * (i + k + 1)) for k, c in enumerate(rest))
        integral = [number(0), *(c / (k + 1) for k, c in enumerate(rest))]
        rest = [-c for c in integral]
        rest[0] = some[i] + sum(c * b**k for k, c in enumerate(integral))
    return [upto[0], *(b - a for a, b in pairwise(upto))]
