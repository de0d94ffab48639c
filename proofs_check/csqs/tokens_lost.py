"""csqs.tokens-lost: of flat laws a token is kept for each 1/V that is not dropped, and a certain law has none to win."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, V, eq, ge, gt, index, le, total, x
from simspec.claims.authoring import F
from simspec.claims.claim import Instance
from simspec.claims.csqs.parts import KEEPS
from simspec.claims.csqs.tokens_lost import CONSTANT, LATER, SO_FAR, TOKENS_LOST, flat_first
from simspec.laws import Array
from simspec.methods.csqs.threshold_rules import best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked

c = index("c")
ONE_EACH = "where a threshold above all of 1/V meets the target, the best keeps one token of each law"
PLACES = "the flat laws come first: m of T"
m = sp.Symbol("m", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every V, m, T, target and c, all sets.

    Equality where the sets lose αm + c of the flat laws and keep one token of each other.
    """
    keep = sp.IndexedBase("kept", real=True)
    first = sp.IndexedBase("first", nonnegative=True)
    best = sp.IndexedBase("best", real=True)
    meets = sp.Symbol("meets", real=True)
    alpha = d.number("alpha", 0, 1)
    excess = d.number("excess", 0)
    flag, count = d.domain(PLACES, eq(first[c] ** 2, first[c]), eq(total(first[c], c, upto=T), m))
    some = d.assume(KEEPS, ge(total(keep[c, x], x), 1))
    lost = total(first[c] * total((1 - keep[c, x]) / V, x), c, upto=T)
    dropped_so_far = d.assume(SO_FAR, le(lost, alpha * m + excess))
    enough = d.assume(LATER, le(m * (V - 1), alpha * V * T))
    bit, unmet, single_token = d.domain(
        ONE_EACH,
        eq(meets * (1 - meets), 0),
        gt((1 - meets) * (m * (V - 1) - alpha * V * T) + meets, 0),
        eq(meets * (total(best[c, x], x) - 1), 0),
    )
    meets_target = d.smt("so it meets the target", eq(meets, 1), bit, unmet, enough)
    single_token = d.derive("and keeps one of each", eq(total(best[c, x], x), 1), single_token, meets_target)
    dropped_share = eq(V * total((1 - keep[c, x]) / V, x), V - total(keep[c, x], x))
    dropped_share = d.derive("a token has 1/V", dropped_share)
    size = total(keep[c, x], x)
    per_position = ge(size, first[c] * (V - 1) - sign * V * first[c] * total((1 - keep[c, x]) / V, x) + 1)
    per_position = d.derive("a flat law, or another", per_position, dropped_share, some, flag)
    per_position = d.sum("over the text", per_position, c, upto=T)
    best_sum = d.sum("over the text", single_token, c, upto=T)
    goal = ge(
        total(size, c, upto=T) - total(total(best[c, x], x), c, upto=T), (V * (1 - alpha) - constant) * m - V * excess
    )
    d.qed(d.derive("together", goal, per_position, best_sum, count, dropped_so_far))


def _bind(first: int, kept: Array, dropped_target: Fraction, excess: Fraction) -> dict[str, Any]:
    tokens, vocab = kept.shape
    best = best_fixed_threshold(ranked(flat_first(vocab, first, tokens)), dropped_target, True).kept
    return {
        **{"kept": lambda c, x: int(kept[c - 1][x - 1]), "best": lambda c, x: int(x <= best[c - 1])},
        "meets": int(first * (vocab - 1) <= dropped_target * vocab * tokens),
        **{"first": lambda c: int(c <= first), "alpha": dropped_target, "excess": excess, "m": first, "T": tokens},
        **{"V": vocab, "ranges": {"c": range(1, tokens + 1)}},
    }


def texts(first: int = 0) -> Iterator[Instance]:
    """Flat laws over three tokens, then as many certain ones, α = 1/3, η = 8: by length."""
    for flat in range(1, 7):
        yield {
            **{"q": flat_first(3, first or flat, 2 * flat), "start": F(0), "step_size": F(8)},
            "dropped_target": F(1, 3),
        }


PROOFS = (
    Proof(TOKENS_LOST, prove, drop=SO_FAR, change={"constant": F(1, 2)}, bind=_bind),
    Refutation(
        CONSTANT,
        texts,
        scope="three tokens, as many flat laws as certain ones, a target of 1/3, a step size of 8: six tokens, and no fewer",
        repaired={"one flat law alone": lambda: texts(1)},
    ),
)
