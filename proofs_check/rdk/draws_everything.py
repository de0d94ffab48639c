"""rdk.draws-everything: a token that gets nothing of a positive row was drafted by nobody; and how much it gets at least."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, V, eq, ge, gt, i, j, le, total, x
from proofs_check.rdk._shared_vocabulary import nothing, shared, tli
from simspec.claims.rdk.draws_everything import DRAWS_EVERYTHING, DRAWS_EVERYTHING_SHARP
from simspec.claims.rdk.parts import normal_rows, proposed

POSITIVE = "every entry of M is positive, as Eq. 2 makes it"


def prove(d: Derivation, sign: int = 1, size: int = 1) -> None:
    """Every vocabulary size, draft, shared vocabulary and matrix of positive entries.

    The count is V, always; how small an entry can be is rdk.draws-everything-sharp.
    """
    q = d.weights("q")
    t = tli(d, shared(d), q, share=size)
    M = sp.IndexedBase("M", real=True)
    drawn_flag = sp.IndexedBase("drawn", real=True)
    positive = d.assume(POSITIVE, gt(M[i, j], 0))
    got = total(M[i, j] * t.law[i], i)
    flag = d.domain(
        "drawn is 1 where a token gets mass, else 0",
        eq(drawn_flag[j] * (1 - drawn_flag[j]), 0),
        le((1 - drawn_flag[j]) * got, 0),
    )
    some = d.instantiate("of the token that mass leaves", t.not_negative, {x: i})
    part_bound = d.derive("no part is negative", ge(M[i, j] * t.law[i], 0), positive, some)
    part_bound = d.term("a part is at most the whole", part_bound, i, x)
    gets_mass = d.case("a token gets something", gt(got, 0))
    none = d.case("a token gets nothing", le(got, 0))
    row_positive = d.instantiate("row x", positive, {i: x})
    undrafted = d.summed("then no token was drafted", le(sign * t.law[x], 0), none, part_bound, row_positive)
    otherwise = d.derive("but the draft has mass one", gt(got, 0), undrafted, t.mass)
    tokens_reached = d.cases("so every token gets something", gets_mass, otherwise)
    counts = d.derive("every token counts", ge(drawn_flag[j], 1), tokens_reached, *flag)
    d.qed(d.sum("over the vocabulary", counts, j))


def least(d: Derivation, sign: int = 1, others: int = 1) -> None:
    """Every vocabulary size, draft, shared vocabulary and positive W, of a covariance or not.

    The constant is the best for every V and R: with Ω = R on the tokens other than x and 0 in row and column x (a
    covariance of rank one), x gets exactly that from a draft certain of any other token.
    """
    q = d.weights("q")
    t = tli(d, shared(d), q)
    W = sp.IndexedBase("W", real=True)
    M = sp.IndexedBase("M", real=True)
    ratio = d.number("ratio", 1)
    positive = d.domain("W = exp(Ω/τ) is positive", gt(W[i, j], 0))
    ranges = d.domain(
        "ratio = exp(R/τ): no entry of a row exceeds another by a larger factor", le(W[i, j], ratio * W[i, x])
    )
    tokens = d.domain("there is a token", ge(V, 1))
    row = total(W[i, j], j)
    sums = d.sum("a row has a positive sum", positive, j)
    normal = d.define("Eq. 2", M[i, j], W[i, j] / row, sums)
    gap = d.derive("how much less than the most it could be", ge(ratio * W[i, x] - sign * W[i, j], 0), ranges)
    gap = d.term("the entry x itself", gap, j, x)
    entry_positive = d.instantiate("of entry x", positive, {j: x})
    share = d.instantiate("of entry x", normal, {j: x})
    bound = 1 / (1 + (V - others) * ratio)
    enough = d.derive("its share of the row", ge(M[i, x], bound), share, gap, entry_positive, sums, tokens)
    some = d.instantiate("of the token that mass leaves", t.not_negative, {x: i})
    got = d.summed("of what token i has", ge(M[i, x] * t.law[i], bound * t.law[i]), enough, some, tokens, over=i)
    got = d.derive("the draft has mass one", ge(total(M[i, x] * t.law[i], i), bound), got, t.mass, tokens)
    low, _, attained = d.extremum("the least entry", "least", total(M[i, x] * t.law[i], i), x, is_minimum=True)
    there = d.instantiate("there", got, {x: sp.Symbol("least_at", integer=True)})
    d.qed(d.derive("it is an entry", ge(low, bound), attained, there, tokens))


PROOFS = (
    Proof(
        DRAWS_EVERYTHING,
        prove,
        drop="at least one token is shared",
        change={"size": 0},
        bind=lambda q, shared, M: {
            **{"q": q, "I": shared, "M": M, "none_t": nothing(q, shared), "V": len(q)},
            **{"drawn": proposed(q, shared, M) > 0},
        },
    ),
    Proof(
        DRAWS_EVERYTHING_SHARP,
        least,
        drop="ratio = exp(R/τ): no entry of a row exceeds another by a larger factor",
        change={"others": 2},
        bind=lambda q, shared, W: {
            **{"q": q, "I": shared, "W": W, "none_t": nothing(q, shared), "V": len(q)},
            **{"ratio": (W.max(axis=-1) / W.min(axis=-1)).max(), "least": proposed(q, shared, normal_rows(W)).min()},
        },
    ),
)
