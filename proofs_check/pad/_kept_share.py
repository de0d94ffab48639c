"""A rule that keeps part of min(p, q) and falls back to the residual of speculative decoding."""

from __future__ import annotations

import sympy as sp

from proofs_check.ears._gain_and_price import as_short
from proofs_check.language import Derivation, Fact, eq, total, x

__all__ = ["without"]


def without(
    d: Derivation,
    pair: tuple[sp.Expr, sp.Expr],
    lost: sp.Expr,
    laws: tuple[Fact, Fact],
    residue: tuple[sp.Expr, Fact, Fact],
    accepted: tuple[sp.Expr, Fact],
    constant: int = 1,
) -> tuple[sp.Expr, Fact]:
    """The emitted law, and that it is p − lost + (Σ lost) r where min(p, q) − lost is kept."""
    (p, q) = pair
    (r, _, residual_shape) = residue
    (k, keeps) = accepted
    overlap_mass, _ = as_short(d, p, q, *laws)
    smaller = d.derive("the smaller", eq(sp.Min(p, q), p - sp.Max(p - q, 0)))
    mass = d.sum("over the vocabulary", keeps, x)
    rejected = d.derive(
        "not accepted", eq(total(k, x), 1 - total(sp.Max(p - q, 0), x) - total(lost, x)), mass, overlap_mass
    )
    out = k + constant * (1 - total(k, x)) * r
    return out, d.derive(
        "what is emitted", eq(out, p - lost + total(lost, x) * r), rejected, keeps, smaller, residual_shape
    )
