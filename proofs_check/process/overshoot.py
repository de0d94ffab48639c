"""process.overshoot: what is accepted beyond the target is at most the share 1 − 1/c of what is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from simspec.claims.process.overshoot import FRESH, OVERSHOOT
from simspec.laws import Array, Scalar
from simspec.laws.unchecked import normalise

CAPPED = "no more than c times the target is accepted"
DRAFTED = "at most every draft is accepted"
NORMED = "the residual is (p − k)₊ over its sum"


def _rule(d: Derivation) -> tuple[Any, Fact, Any, Any, Fact, Fact]:
    """Target, accepted masses and c, with what is given of them."""
    p, mass = d.law("p")
    accepted = d.weights("kept")
    c = d.number("c", 1)
    capped = d.domain(CAPPED, le(accepted[x], c * p[x]))
    drafted = d.domain(DRAFTED, le(total(accepted[x], x), 1))
    return p, mass, accepted, c, capped, drafted


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target, every rule that accepts at most c p of each token.

    Attained by every rule that accepts c p or nothing of each token.
    """
    p, mass, accepted, c, capped, drafted = _rule(d)
    r, mass_r = d.law("r")
    K = total(accepted[x], x)
    lack = sp.Max(p[x] - accepted[x], 0)
    over = sp.Max(accepted[x] - p[x], 0)
    normed = d.domain(NORMED, eq(r[x] * total(lack, x), lack))
    split = d.derive("beyond the target, and lacking", eq(accepted[x] - p[x], over - lack))
    split = d.sum("over the vocabulary", split, x)
    some = d.sum("over the vocabulary", d.derive("not negative", ge(over, 0)), x)
    rejected = d.derive("no more is rejected than is lacking", le(1 - K, total(lack, x)), split, some, mass)
    redrawn = d.derive(
        "no more is drawn again than is lacking", le((1 - K) * r[x], lack), rejected, normed, drafted, by="smt"
    )
    emitted = accepted[x] + (1 - K) * r[x]
    token = d.derive("a distance", le(sp.Abs(emitted - p[x]), 2 * over - (emitted - p[x])), redrawn, by="smt")
    texts = d.sum("over the vocabulary", token, x)
    share = d.derive("the share of what is accepted", le(over, (1 - 1 / c) * accepted[x]), capped, by="smt")
    shares = d.sum("over the vocabulary", share, x)
    bound = le(constant * total(sp.Abs(emitted - p[x]), x) / 2, sign * (1 - 1 / c) * K)
    d.qed(d.derive("half of it", bound, texts, shares, mass, mass_r))


def prove_fresh(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target, every rule that accepts at most c p of each token.

    Attained by every rule that accepts c p or nothing of each token.
    """
    p, mass, masses, c, capped, drafted = _rule(d)
    K = d.number("K", 0)
    accepted = d.domain("K is what is accepted", eq(total(masses[x], x), K))
    at_most_one = d.derive("at most all drafts", le(K, 1), drafted, accepted)
    emitted = masses[x] + (1 - K) * p[x]
    token = d.derive(
        "a distance", le(sp.Abs(emitted - p[x]), 2 * sp.Max(masses[x] - K * p[x], 0) - (masses[x] - K * p[x])), by="smt"
    )
    texts = d.sum("over the vocabulary", token, x)
    scaled = d.derive("a share of the target at least", ge(K * p[x] * c, K * masses[x]), capped, by="smt")
    share = d.derive(
        "the share of what is accepted",
        le(sp.Max(masses[x] - K * p[x], 0), masses[x] * (1 - K / c)),
        scaled,
        at_most_one,
        by="smt",
    )
    shares = d.sum("over the vocabulary", share, x)
    output = masses[x] + (1 - total(masses[x], x)) * p[x]
    same = d.derive("of the output", eq(output - p[x], emitted - p[x]), accepted)
    absolute = d.derive("its distance", eq(sp.Abs(output - p[x]), sp.Abs(emitted - p[x])), same, accepted)
    distances = d.sum("over the vocabulary", absolute, x)
    bound = le(constant * total(sp.Abs(output - p[x]), x) / 2, sign * K * (1 - K / c))
    d.qed(d.derive("half of it", bound, texts, shares, distances, mass, accepted))


def _values(p: Array, kept: Array, c: Scalar) -> dict[str, Any]:
    return {"p": p, "kept": kept, "c": c, "r": normalise(np.maximum(p - kept, 0), otherwise=p), "V": len(p)}


def _values_fresh(p: Array, kept: Array, c: Scalar) -> dict[str, Any]:
    return {"p": p, "kept": kept, "c": c, "K": kept.sum(), "V": len(p)}


PROOFS = (
    Proof(OVERSHOOT, prove, drop=CAPPED, bind=_values),
    Proof(FRESH, prove_fresh, drop=CAPPED, bind=_values_fresh),
)
