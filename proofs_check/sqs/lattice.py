"""sqs.lattice: of fractional parts of sum m the m largest are rounded up, so the distance is at most (m − m²/K)/ℓ ≤ K/(4ℓ)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.metrics._whole_numbers import none_between
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import sparse, values
from proofs_check.sqs._lattice_distance import EVEN, attained, distance, sharp_values, sharpest
from simspec.claims.sqs.lattice import LATTICE, LATTICE_ATTAINED, LATTICE_CEILING, LATTICE_SHARP, even_parts
from simspec.claims.sqs.parts import every_subset


def prove(d: Derivation, sign: int = 1, four: int = 4) -> None:
    """Every vocabulary size, law, set of tokens that has mass, resolution, and any choice among equal ζ.

    1/4 is the least constant: equal laws over K even tokens at ℓ = K/2 attain it. For each K and ℓ the least bound is
    sqs.lattice-sharp.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    distance_facts = distance(d, s, r)
    gap = sp.Abs(s.law - r.law)
    d.qed(
        d.smt(
            "m − m²/K is at most K/4",
            le(total(gap, x) / 2, s.size / (four * r.resolution)),
            distance_facts.all, distance_facts.average, r.one, *distance_facts.bounds
        )
    )  # fmt: skip


def prove_sharp(d: Derivation, sign: int = 1, step: sp.Expr | int = 1) -> None:
    """Every vocabulary size, law, set of tokens that has mass, resolution, and any choice among equal ζ.

    Attained for every K and ℓ: sqs.lattice-sharp.attained. Never above 1 − 1/K: sqs.lattice-sharp.ceiling.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    distance_facts = distance(d, s, r)
    h = sharpest(d, s, r, distance_facts, step)
    d.qed(h.bound)


def prove_attained(d: Derivation, sign: int = 1, step: sp.Expr | int = 1) -> None:
    """Every K and ℓ, every law of the family, any choice among equal ζ."""
    s = sparse(d)
    r = rounded(d, s, sign)
    distance_facts = distance(d, s, r)
    d.qed(attained(d, s, r, distance_facts, sharpest(d, s, r, distance_facts, step)))


def even_values(counts: tuple[int, ...], resolution: int) -> dict[str, Any]:
    return sharp_values(even_parts(counts, resolution), every_subset(len(counts)), resolution)


def prove_ceiling(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every K and ℓ.

    Attained for every K at ℓ = 1.
    """
    size, resolution = (d.number(name, low=0) for name in ("size", "resolution"))
    half = sp.Symbol("half", integer=True, nonnegative=True)
    token = d.domain("at least one token", ge(size, 1))
    units = d.domain("at least one unit", ge(resolution, 1))
    low, high = d.domain("half is K/2 rounded down", le(2 * half, size), le(size, 2 * half + 1))
    is_integer = none_between(d, half)
    m = sp.Min(resolution, half)
    none = d.smt("m is 0, or from 1 to ℓ", ge(m * (m - 1), 0), is_integer, units)
    times = d.smt("times K ℓ", le(m * (size - m), resolution * (size - 1)), none, units, token, low, high)
    worst = sp.Symbol("worst", real=True)
    meaning = d.define("rounding at its worst", worst, m * (size - m) / (size * resolution), token, units)
    value = d.derive("that is", eq(size * resolution * worst, m * (size - m)), meaning, token, units)
    once = d.smt("so, times ℓ", le(size * resolution * worst, resolution * (size - 1)), times, value)
    once = d.smt("times K", le(size * worst, size - 1), once, units)
    inverse = sp.Symbol("one_K", real=True)
    inverse_meaning = d.define("1/K", inverse, 1 / size, token)
    inverse_meaning = d.derive("that is", eq(size * inverse, 1), inverse_meaning, token)
    d.qed(d.smt("over K", le(sign * worst, 1 - constant * inverse), once, inverse_meaning, token))


PROOFS = (
    Proof(LATTICE, prove, drop="the largest ζ lose one", change={"four": 5}, bind=values),
    Proof(
        LATTICE_SHARP,
        prove_sharp,
        drop="half is K/2 rounded down",
        change={"step": sp.S.Half},
        bind=sharp_values,
    ),
    Proof(LATTICE_ATTAINED, prove_attained, drop=EVEN, change={"step": sp.S.Half}, bind=even_values),
    Proof(
        LATTICE_CEILING,
        prove_ceiling,
        drop="at least one unit",
        bind=lambda size, resolution: {"size": size, "resolution": resolution, "half": size // 2},
    ),
)
