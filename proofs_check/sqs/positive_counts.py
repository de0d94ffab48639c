"""sqs.positive-counts: a kept token may be rounded to 0; ℓq̃ goes to its floor or ceiling; all survive above (1 − 1/K)/ℓ."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, laws, le, total, x, y
from proofs_check.sqs._algorithm_two import Rounded, rounded
from proofs_check.sqs._kept_tokens import sparse, values
from simspec.claims.claim import Instance
from simspec.claims.sqs.positive_counts import ENOUGH, POSITIVE, POSITIVE_CORRECTED, POSITIVE_SHARP
from simspec.laws import Array
from simspec.methods.sqs.quantised import quantise, sparsify


def positive(d: Derivation, r: Rounded) -> tuple[Any, tuple[Fact, ...]]:
    """A flag for tokens with a positive count: counts are whole, so such a one is at least 1."""
    flag = sp.IndexedBase("positive", nonnegative=True)
    facts = d.domain(
        "which counts are positive", eq(flag[x] ** 2, flag[x]), ge(r.counts, flag[x]), eq((1 - flag[x]) * r.counts, 0)
    )
    return flag, tuple(facts)


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Counts lie between floor and ceiling of ℓq̃, and at most min(K, ℓ) of them are positive."""
    s = sparse(d)
    r = rounded(d, s, sign)
    f = r.f
    up = r.up
    fractional = sp.IndexedBase("part", nonnegative=True)
    flags = d.domain(
        "which numbers are not whole",
        eq(fractional[x] ** 2, fractional[x]),
        gt(f[x], fractional[x] - 1),
        eq((1 - fractional[x]) * f[x], 0),
    )
    # a whole number is not rounded up
    there = [d.instantiate("of y", fact, {x: y}) for fact in (*flags, r.low, r.flag, r.inside, s.flag)]
    premises = [
        r.order,
        r.flag,
        r.low,
        *flags,
        *there,
        d.instantiate("of y", r.parts, {x: y}),
        d.instantiate("of y", r.outside, {x: y}),
    ]
    pair = d.summed(
        "a whole number is not rounded up before another that is not",
        le(up[x] * (1 - fractional[x]) * (1 - up[y]) * fractional[y], 0),
        *premises, over=(x, y), by="smt",
    )  # fmt: skip
    wrong = d.smt("rounded up, though whole", ge(up[x] * (1 - fractional[x]), 0), r.flag, flags[0])
    none = d.sum("over the vocabulary", wrong, x)
    enough = d.summed("parts are below one", ge(fractional[x], f[x]), r.high, *flags, by="smt")
    none = d.smt("there is none", eq(total(up[x] * (1 - fractional[x]), x), 0), pair, none, enough, r.number)
    per_pair = d.term("so each", wrong, x, y)
    integer_not_raised = d.smt("no whole number is rounded up", le(up[y] * (1 - fractional[y]), 0), per_pair, none)
    integer_not_raised = d.instantiate("of x", integer_not_raised, {y: x})
    # how many counts are positive
    flag, counted = positive(d, r)
    flagged_bound = d.summed(
        "only kept tokens", le(flag[x], s.u[x]), *counted, s.flag, r.outside, r.kept, r.flag, by="smt"
    )
    units = d.sum("over the vocabulary", counted[1], x)
    d.qed(
        d.smt("never below the floor", le(r.n[x], r.counts), r.flag),
        d.smt("never above the ceiling", le(r.counts, r.n[x] + fractional[x]), r.flag, flags[0], integer_not_raised),
        d.smt(
            "ℓ units reach at most ℓ tokens",
            le(total(flag[x], x), constant * sp.Min(s.size, r.resolution)),
            flagged_bound, units, r.whole, r.number
        ),
    )  # fmt: skip


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All kept tokens have a positive count where each mass exceeds (1 − 1/K)/ℓ."""
    s = sparse(d)
    K = s.size
    resolution = sp.Symbol("resolution", positive=True)
    ample = d.assume(ENOUGH, gt(s.u[x] * (resolution * K * s.law - (constant * K - 1)), -(1 - s.u[x])))
    r = rounded(d, s, sign)
    f = r.f
    up = r.up
    u = s.u
    flag, counted = positive(d, r)
    v = u[x] * (1 - up[x])  # kept, and rounded down
    pairs = d.smt(
        "those rounded up have no smaller part",
        ge(up[y] * v * (f[y] - f[x]), 0),
        *(d.instantiate("with the other first", r.order, {x: y, y: x}), s.flag, r.flag, r.kept),
    )
    pairs = d.sum("over all of them", pairs, y)
    rest = d.smt("parts rounded down", ge(f[x] * (1 - up[x]), 0), r.flag, r.low)
    rest_sum = d.instantiate("this one", d.term("this one among them", rest, x, y), {y: x})
    others = d.term("it is one of those kept and rounded down", d.smt("a flag", ge(u[x] - up[x], 0), r.kept), x, y)
    others = d.instantiate("this one", others, {y: x})
    inside = d.smt("only kept tokens", le(flag[x], u[x]), *counted, s.flag, r.outside, r.kept, r.flag)
    zero = u[x] * (1 - flag[x])
    empty = d.derive("a kept token of count zero", eq(zero * (r.n[x] + up[x]), 0), counted[2])
    down = d.smt(
        "its whole part is zero and it is rounded down", eq(zero * up[x], 0), *(empty, r.flag, counted[0], s.flag)
    )
    fraction_is_all = d.smt(
        "so its part is all it has", ge(zero * (f[x] - resolution * s.law), 0), empty, down, r.parts
    )
    m = total(f[x], x)
    premises = [pairs, rest_sum, down, r.number, s.flag, counted[0]]
    mean = d.smt(
        "the sum of the parts is that of m + 1 no smaller ones at least",
        ge(zero * (m - (m + 1) * f[x]), 0),
        *premises
    )  # fmt: skip
    raised_bound = d.smt(
        "and m is at most K − 1", ge(zero * (K - 1 - m), 0), others, down, r.number, s.flag, counted[0]
    )
    premises = [
        ample,
        fraction_is_all,
        mean,
        raised_bound,
        inside,
        counted[0],
        s.flag,
        d.sum("parts are not negative", r.low, x),
    ]
    lost = d.smt(
        "so there is none above (K − 1)/K",
        eq(flag[x], u[x]),
        *premises,
    )  # fmt: skip
    d.qed(d.sum("over the vocabulary", lost, x))


def _flags(b: Any) -> list[Fraction]:
    return [Fraction(int(v > 0)) for v in b]


def _bind(q: Array, kept: Array, resolution: int) -> dict[str, Any]:
    bound = values(q, kept, resolution)
    return {**bound, "part": _flags(bound["f"]), "positive": _flags(quantise(sparsify(q, kept), resolution, kept))}


def small() -> Iterator[Instance]:
    """All laws of positive masses with denominators up to 5 over up to four tokens, all kept, resolutions up to 5."""
    for vocab in range(1, 5):
        for denominator in range(1, 6):
            for q in laws(vocab, denominator):
                if all(q):
                    mask = np.ones(vocab, dtype=bool)
                    yield from ({"q": q, "kept": mask, "resolution": r} for r in range(1, 6))


EVERY = "every vocabulary size, law, set of tokens that has mass, resolution, and any choice among equal ζ"

PROOFS = (
    Refutation(
        POSITIVE,
        small,
        scope="the first of all laws of positive masses over up to four tokens with denominators up to 5, ℓ up to 5",
        repaired={
            "q̃ of every kept token exceeds (1 − 1/K)/ℓ": POSITIVE_SHARP,
            "counts may be zero, and lie between floor and ceiling": POSITIVE_CORRECTED,
        },
    ),
    Proof(
        POSITIVE_CORRECTED,
        prove_corrected,
        drop="which numbers are not whole",
        change={"constant": sp.Rational(9, 10)},
        bind=_bind,
        scope=EVERY,
        sharp="All three are attained: floor and ceiling where ℓq̃ is whole, min(K, ℓ) by K equal tokens.",
    ),
    Proof(
        POSITIVE_SHARP,
        prove_sharp,
        drop="which counts are positive",
        change={"constant": sp.Rational(9, 10)},
        bind=_bind,
        scope=EVERY,
        sharp="(1 − 1/K)/ℓ cannot be lowered: K equal tokens at ℓ = K − 1 stand at it, and one of them is lost.",
    ),
)
