"""The exponential lies above its tangents: e^a ≥ e^b (1 + a − b)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, ge, le

__all__ = ["tangent"]


def tangent(d: Derivation) -> tuple[Fact, Any, Any]:
    """e^a ≥ e^b (1 + a − b) for all real a and b; the fact, a and b."""
    a = d.number("xi")
    b = d.number("eta")
    v = sp.Symbol("gap", nonnegative=True)
    statement = ge(sp.exp(a), sp.exp(b) * (1 + a - b))
    right = d.case("ξ is at least η", ge(a, b))
    slope = d.derive("the exponential is positive", ge(sp.exp(a), 0))
    rises = d.increasing("the exponential rises", sp.exp(a), a, b, slope, right)
    slope = d.derive("the slope above the tangent", ge(sp.exp(a) - sp.exp(b), 0), rises)
    above = d.increasing("to the right", sp.exp(a) - sp.exp(b) * (1 + a - b), a, b, slope, right)
    above = d.derive("above the tangent", statement, above)
    case_below = d.case("ξ is at most η", le(a, b))
    beyond = d.derive("a distance", ge(v, 0))
    slope = d.derive("the exponential is positive", ge(sp.exp(b - v), 0))
    falls = d.increasing("the exponential falls to the left", -sp.exp(b - v), v, 0, slope, beyond)
    slope = d.derive("the slope above the tangent", ge(sp.exp(b) - sp.exp(b - v), 0), falls)
    tangent_below = d.increasing("to the left", sp.exp(b - v) - sp.exp(b) * (1 - v), v, 0, slope, beyond)
    tangent_below = d.instantiate("at the distance between the two", tangent_below, {v: b - a}, case_below)
    tangent_below = d.derive("above the tangent", statement, tangent_below)
    return d.cases("everywhere", above, tangent_below), a, b
