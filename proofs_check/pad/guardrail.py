"""pad.guardrail: a guardrail on every token costs what SD gives the tokens below it; limited to overrides it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.ears._gain_and_price import emitted, residual, rows
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x
from proofs_check.pad._kept_share import without
from proofs_check.pad.all_pivots_is_sd import values
from simspec.claims.claim import Instance
from simspec.claims.pad.guardrail import (
    GUARDRAIL_EVERY,
    GUARDRAIL_EVERY_CORRECTED,
    GUARDRAIL_EVERY_SHARP,
    GUARDRAIL_OVERRIDE,
    _every,
)
from simspec.laws import Array
from simspec.methods import leftover


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and limits."""
    p, mass_p = d.law("p")
    q = d.weights("q")
    g = d.weights("g")
    accepted = (1 - g[x]) * sp.Min(p[x], q[x])
    base, _ = rows(d, "s")
    remainder = p[x] - sign * accepted
    rest = d.domain("the residual is what is left of p, scaled to a law", eq(total(remainder, x) * base[x], remainder))
    o, law = emitted(d, "the law of the emitted token", "o", accepted, constant * base[x])
    d.qed(d.derive("what was kept, and what was left", eq(o, p[x]), law, mass_p, rest))


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and limits.

    Both constants are 1: p = (1/4, 3/4), q = (1/2, 1/2) and limit 1/2 attain the first; the second is approached as p
    of every guarded token, with q ≥ p there, rises to the limit.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    g = d.weights("g")
    k = sp.IndexedBase("k", real=True)
    limit = d.number("limit", low=0)
    low = d.domain("g marks the tokens below the limit", ge(g[x] * (limit - p[x]), 0))
    residue = residual(d, p[x], q[x])
    r, mass_r, _ = residue
    lost = g[x] * sp.Min(p[x], q[x])
    accept_rule = d.define("kept: min(p, q), nothing below the limit", k[x], sp.Min(p[x], q[x]) - sign * lost)
    out, law = without(d, (p[x], q[x]), lost, (mass_p, mass_q), residue, (k[x], accept_rule))
    some = d.smt("what is lost is not negative", ge(lost, 0))
    all_lost = d.derive("nor in all", ge(total(lost, x), 0), d.sum("over the vocabulary", some, x))
    back = d.smt("what comes back", ge(total(lost, x) * r, 0), all_lost, d.derive("r is a law", ge(r, 0)))
    away = d.summed("one token's bias", le(sp.Abs(out - p[x]), total(lost, x) * r + lost), law, some, back, by="smt")
    tv = d.derive("r has mass one", le(total(sp.Abs(out - p[x]), x) / 2, constant * total(lost, x)), away, mass_r)
    per_token = d.smt("a token below the limit", le(lost, limit * g[x]), low)
    d.qed(tv, d.sum("over the vocabulary", per_token, x))


def prove_override(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and limits."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    g = d.weights("g")
    # every token is flagged: f = 1
    k = sp.IndexedBase("k", real=True)
    f = sp.Integer(constant)
    residue = residual(d, p[x], q[x])
    limited = f + g[x] - f * g[x]
    keeps = limited * sp.Min(p[x], q[x]) + sign * (1 - limited) * q[x]
    accept_rule = d.define("kept: min(p, q) of what is flagged or below the limit, else all", k[x], keeps)
    all_kept = d.derive("all is flagged", eq(k[x], sp.Min(p[x], sign * q[x])), accept_rule)
    out, law = without(d, (p[x], q[x]), sp.S.Zero, (mass_p, mass_q), residue, (k[x], all_kept))
    d.qed(d.derive("the target's law", eq(out, p[x]), law))


def _left(p: Array, q: Array, limit: Fraction) -> Any:
    return leftover(_every(p, limit).accept)(p, q)


def tokens_below_a_limit() -> Iterator[Instance]:
    """All pairs of laws of up to three tokens in multiples of 1/2 and 1/3, with limits 1/2 and 1, small ones first."""
    for vocab in (1, 2, 3):
        for denominator in (1, 2, 3):
            for p in laws(vocab, denominator):
                for q in laws(vocab, denominator):
                    yield from ({"p": p, "q": q, "limit": limit} for limit in (F(1, 2), F(1)))


PROOFS = (
    Refutation(
        GUARDRAIL_EVERY,
        tokens_below_a_limit,
        scope="the first by vocabulary, then denominator of the masses, then limit (1/2 or 1)",
        repaired={
            "the replacement drawn from norm(p − k)": GUARDRAIL_EVERY_CORRECTED,
            "the guardrail on overrides only": GUARDRAIL_OVERRIDE,
        },
    ),
    Proof(
        GUARDRAIL_EVERY_CORRECTED,
        prove_corrected,
        drop="the residual is what is left of p, scaled to a law",
        bind=lambda p, q, limit: {**values(p, q, limit), "s": _left(p, q, limit)},
    ),
    Proof(
        GUARDRAIL_EVERY_SHARP,
        prove_sharp,
        drop="g marks the tokens below the limit",
        change={"constant": F(1, 2)},
        bind=lambda p, q, limit: {**values(p, q, limit), "limit": limit},
    ),
    Proof(GUARDRAIL_OVERRIDE, prove_override, drop="p sums to one", change={"constant": 0}, bind=values),
)
