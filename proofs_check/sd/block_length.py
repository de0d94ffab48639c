"""sd.block-length: n drafts are kept with probability α to the power n; the mean length sums over all ways a block ends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, gt, total, x
from proofs_check.sd._one_block import block, c, lengths, n, over
from simspec.claims.sd.block_length import BLOCK_LENGTH, BLOCK_LENGTH_CORRECTED, SAME

BELOW_ONE = "α is below one"


def _mean(d: Derivation, alpha: sp.Symbol, sign: int, extra: int) -> tuple[Any, Any, Fact, Fact, Fact]:
    """Mean tokens of a block of at most n drafts, S[n] with S[n + 1] = S[n] + α^(n + 1), and the facts that say so."""
    b = block(d)
    same = d.assume(SAME, eq(total(b.k[c, x], x), alpha))
    R, none, recursion_step = lengths(d, b, "R", extra)
    step = d.derive("every step keeps α", eq(b.w[n, c] * total(b.k[c, x], x), alpha * b.w[n, c]), same)
    step = over(d, step)
    power_law = eq(b.alive, alpha**n)
    keeps = d.inductive("for every n", power_law, n, [b.start], [b.shrinks, step])

    S = sp.IndexedBase("S", real=True)
    sum_start, plus = d.recursion(
        "the sum of α to the powers 0 … n", eq(S[0], 1), eq(S[n + 1], S[n] + sign * alpha ** (n + 1))
    )
    mean = R[n] + (n + 1) * b.alive
    adds_up = eq(mean, S[n])
    before = d.suppose("the mean length for n", adds_up)
    ended_earlier = d.derive("what the blocks that end earlier count", eq(R[n], S[n] - (n + 1) * b.alive), before)
    return (
        mean,
        S,
        d.inductive(
            "for every n",
            adds_up,
            n,
            [none, sum_start, b.start],
            [recursion_step, plus, b.shrinks, step, ended_earlier, keeps],
        ),
        sum_start,
        plus,
    )


def printed(d: Derivation, sign: int = 1, extra: int = 1) -> None:
    alpha = d.number("alpha", 0)
    gamma = sp.Symbol("gamma", integer=True, nonnegative=True)
    mean, S, adds_up, sum_start, plus = _mean(d, alpha, sign, extra)
    below = d.assume(BELOW_ONE, gt(1, alpha))
    closed = eq((1 - alpha) * S[n], 1 - alpha ** (n + 1))
    closed_form = d.inductive("for every n", closed, n, [sum_start], [plus])
    quotient = d.derive("α is not one", eq(mean, (1 - alpha ** (n + 1)) / (1 - alpha)), adds_up, closed_form, below)
    d.qed(d.instantiate("a block of γ drafts", quotient, {n: gamma}))


def corrected(d: Derivation, sign: int = 1, extra: int = 1) -> None:
    alpha = d.number("alpha", 0, 1)
    gamma = sp.Symbol("gamma", integer=True, nonnegative=True)
    _, S, adds_up, sum_start, plus = _mean(d, alpha, sign, extra)
    certain = d.case("α is one", eq(alpha, 1))
    full_sum = eq(S[n], n + 1)
    d.inductive("at α = 1 the sum is γ + 1", full_sum, n, [sum_start], [plus, certain])
    d.qed(d.instantiate("a block of γ drafts", adds_up, {n: gamma}))


def _values(alpha: Fraction, later: Fraction, gamma: int) -> dict[str, Any]:
    """Two contexts, before the text and after some draft; of two tokens the first is drafted for certain."""
    return {
        **{"alpha": alpha, "k": [[alpha, 0], [later, 0]], "start": [1, 0], "go": [[[0, 1], [0, 1]]] * 2},
        **{"gamma": gamma, "V": 2, "C": 2, "ranges": {"c": range(1, 3), "n": range(gamma + 1)}},
    }


SCOPE = "every target and drafter whose steps keep α, every vocabulary size and every γ, blocks that draft γ tokens"

PROOFS = (
    Proof(
        BLOCK_LENGTH, printed, drop="a kept draft leads to one context", change={"extra": 2}, bind=_values, scope=SCOPE
    ),
    Proof(
        BLOCK_LENGTH_CORRECTED,
        corrected,
        drop="a kept draft leads to one context",
        change={"extra": 2},
        bind=_values,
        scope=SCOPE,
    ),
)
