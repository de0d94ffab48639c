"""tasc.pcs: a union of events that do not depend on what is drawn has probability one or nought."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims.tasc.pcs import A_LIMIT, AT_MOST_ONE, DISTINCT, PRINTED, begins

f, own = (sp.IndexedBase(name, real=True) for name in ("f", "own"))
score, passes = sp.symbols("score passes", real=True)
ITSELF = "a string begins with itself"


def _union(d: Derivation, each: Any) -> tuple[Fact, Fact]:
    """The score is 0 or 1, and no less than each token's flag."""
    d.domain("a string begins with that of t_n, or does not", eq(f[x] * (1 - f[x]), 0))
    bit, most = d.domain("the union", eq(score * (1 - score), 0), ge(score, each))
    return bit, most


def _limit(d: Derivation, limit: Any) -> tuple[Fact, Fact, Fact]:
    """An n-gram passes exactly below the limit."""
    given = d.domain(
        "an n-gram passes exactly where its score is below the limit",
        eq(passes * (1 - passes), 0),
        gt(1 - passes + passes * (limit - score), 0),
        ge((1 - passes) * (score - limit), 0),
    )
    return given[0], given[1], given[2]


def prove(d: Derivation, sign: int = 1, one: int = 1) -> None:
    """Every vocabulary and n-gram, every limit up to one."""
    limit = d.number("limit", 0)
    bit, most = _union(d, f[x])
    mine = d.domain(ITSELF, eq(own[x] * (sign - f[x]), 0), ge(own[x], 0), eq(total(own[x], x), 1))
    small = d.assume(AT_MOST_ONE, le(limit, one))
    each = d.smt("so the union is no less than its own flag", ge(own[x] * score, own[x]), most, *mine[:2])
    each = d.sum("over the vocabulary", each, x)
    certain = d.smt("the score is one", eq(score, 1), each, mine[2], bit)
    d.qed(certain, d.smt("nothing passes", eq(passes, 0), certain, *_limit(d, limit), small))


def bind(strings: Any, last: int, limit: Any) -> dict[str, Any]:
    """Flags by token, and the printed score."""
    flags = begins(strings, last)
    found = {"f": [int(v) for v in flags], "own": [int(t == last) for t in range(len(flags))]}
    value = int(any(flags))
    return {**found, "V": len(flags), "limit": limit, "score": value, "passes": int(value < limit)}


def prove_distinct(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary and n-gram, every limit above zero and up to one."""
    limit = d.number("limit", 0)
    other = (1 - own[x]) * f[x]
    bit, most = _union(d, other)
    mine = d.domain(ITSELF, eq(own[x] * (1 - f[x]), 0), eq(own[x] * (1 - own[x]), 0), eq(total(own[x], x), 1))
    some = d.domain("the union holds only where some string begins so", le(score, total(other, x)))
    several, count = sp.Symbol("several", real=True), total(f[x], x)
    more = d.domain(
        "whether more strings than its own begin so",
        eq(several * (1 - several), 0),
        ge(several * (count - 2), 0),
        le((1 - several) * (count - 1), 0),
    )
    inside = d.assume(A_LIMIT, gt(limit, 0), le(limit, 1))
    rest = d.smt("what is not its own", eq(other, f[x] - own[x]), *mine[:2])
    rest = d.sum("over the vocabulary", rest, x)
    none = d.smt("a union that holds has some other", ge(several, score), some, rest, mine[2], *more, bit)
    least = d.smt("a flag is no more than the union", le(other, score), most)
    least = d.sum("over the vocabulary", least, x)
    both = d.smt(
        "so the score says whether there are several", eq(score, several), none, least, rest, mine[2], *more, bit
    )
    d.qed(
        d.smt(
            "below the limit exactly at nought",
            eq(passes, constant - sign * several),
            both,
            *_limit(d, limit),
            *inside,
            bit,
        )
    )


def bind_distinct(strings: Any, last: int, limit: Any) -> dict[str, Any]:
    """The same, the score of other tokens only."""
    found = bind(strings, last, limit)
    value = int(sum(found["f"]) > 1)
    return {**found, "score": value, "several": value, "passes": int(value < limit)}


PROOFS = (
    Proof(PRINTED, prove, drop=ITSELF, change={"one": 2}, bind=bind),
    Proof(DISTINCT, prove_distinct, drop=ITSELF, bind=bind_distinct),
)
