"""tasc.pcs: a union of events that do not depend on what is drawn has probability one or nought."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims.tasc.pcs import A_LIMIT, AT_MOST_ONE, DISTINCT, PRINTED, begins

f, own = (sp.IndexedBase(name, real=True) for name in ("f", "own"))
score, passes = sp.symbols("score passes", real=True)
ITSELF = "a string begins with itself"


def _union(d: Derivation, token_flag: sp.Expr) -> tuple[Fact, Fact]:
    """The score is 0 or 1, and no less than each token's flag."""
    d.domain("a string begins with that of t_n, or does not", eq(f[x] * (1 - f[x]), 0))
    bit, union_bound = d.domain("the union", eq(score * (1 - score), 0), ge(score, token_flag))
    return bit, union_bound


def _limit(d: Derivation, limit: sp.Symbol) -> tuple[Fact, Fact, Fact]:
    """An n-gram passes exactly below the limit."""
    pass_rule = d.domain(
        "an n-gram passes exactly where its score is below the limit",
        eq(passes * (1 - passes), 0),
        gt(1 - passes + passes * (limit - score), 0),
        ge((1 - passes) * (score - limit), 0),
    )
    return pass_rule[0], pass_rule[1], pass_rule[2]


def prove(d: Derivation, sign: int = 1, unit: int = 1) -> None:
    """Every vocabulary and n-gram, every limit up to one."""
    limit = d.number("limit", 0)
    bit, union_bound = _union(d, f[x])
    itself_facts = d.domain(ITSELF, eq(own[x] * (sign - f[x]), 0), ge(own[x], 0), eq(total(own[x], x), 1))
    small = d.assume(AT_MOST_ONE, le(limit, unit))
    per_token = d.smt(
        "so the union is no less than its own flag", ge(own[x] * score, own[x]), union_bound, *itself_facts[:2]
    )
    per_token = d.sum("over the vocabulary", per_token, x)
    certain = d.smt("the score is one", eq(score, 1), per_token, itself_facts[2], bit)
    d.qed(certain, d.smt("nothing passes", eq(passes, 0), certain, *_limit(d, limit), small))


def bind(strings: Sequence[str], last: int, limit: Fraction) -> dict[str, Any]:
    """Flags by token, and the printed score."""
    flags = begins(strings, last)
    symbols = {"f": [int(v) for v in flags], "own": [int(t == last) for t in range(len(flags))]}
    value = int(any(flags))
    return {**symbols, "V": len(flags), "limit": limit, "score": value, "passes": int(value < limit)}


def prove_distinct(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary and n-gram, every limit above zero and up to one."""
    limit = d.number("limit", 0)
    foreign_flag = (1 - own[x]) * f[x]
    bit, union_bound = _union(d, foreign_flag)
    itself_facts = d.domain(ITSELF, eq(own[x] * (1 - f[x]), 0), eq(own[x] * (1 - own[x]), 0), eq(total(own[x], x), 1))
    some = d.domain("the union holds only where some string begins so", le(score, total(foreign_flag, x)))
    several = sp.Symbol("several", real=True)
    count = total(f[x], x)
    several_facts = d.domain(
        "whether more strings than its own begin so",
        eq(several * (1 - several), 0),
        ge(several * (count - 2), 0),
        le((1 - several) * (count - 1), 0),
    )
    inside = d.assume(A_LIMIT, gt(limit, 0), le(limit, 1))
    rest = d.smt("what is not its own", eq(foreign_flag, f[x] - own[x]), *itself_facts[:2])
    rest = d.sum("over the vocabulary", rest, x)
    none = d.smt(
        "a union that holds has some other", ge(several, score), some, rest, itself_facts[2], *several_facts, bit
    )
    flag_bound = d.smt("a flag is no more than the union", le(foreign_flag, score), union_bound)
    flag_bound = d.sum("over the vocabulary", flag_bound, x)
    premises = [none, flag_bound, rest, itself_facts[2], *several_facts, bit]
    score_is_several = d.smt(
        "so the score says whether there are several",
        eq(score, several),
        *premises,
    )
    d.qed(
        d.smt(
            "below the limit exactly at nought",
            eq(passes, constant - sign * several),
            score_is_several,
            *_limit(d, limit),
            *inside,
            bit,
        )
    )


def bind_distinct(strings: Sequence[str], last: int, limit: Fraction) -> dict[str, Any]:
    """The same, the score of other tokens only."""
    symbols = bind(strings, last, limit)
    value = int(sum(symbols["f"]) > 1)
    return {**symbols, "score": value, "several": value, "passes": int(value < limit)}


PROOFS = (
    Proof(PRINTED, prove, drop=ITSELF, change={"unit": 2}, bind=bind),
    Proof(DISTINCT, prove_distinct, drop=ITSELF, bind=bind_distinct),
)
