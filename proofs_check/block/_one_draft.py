"""One draft, kept with min(1, p/q), and a token of (p − q)₊ in its place: token verification."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, total, x
from simspec.claims.folk.parts import rest_of_p
from simspec.laws import Array
from simspec.laws.unchecked import ratio

__all__ = ["first_values", "one_draft"]

ONE = "the draft is kept with probability min(1, p/q)"


def one_draft(d: Derivation, mass_p: Fact, sign: int = 1, constant: int = 1) -> tuple[Any, Fact, Any]:
    """Of laws p and q that are declared: the law of the token that is emitted, that it is p, and the residual."""
    p = sp.IndexedBase("p", nonnegative=True)
    q = sp.IndexedBase("q", nonnegative=True)
    keep = d.weights("keep")
    e = d.weights("e")
    over = sp.Max(p[x] - q[x], 0)
    accepted = d.domain(ONE, eq(q[x] * keep[x], sp.Min(p[x], q[x])))
    resampled = d.domain("in its place one of (p − q)₊ over its sum", eq(e[x] * total(over, x), constant * over))
    parts = d.derive("kept, and beyond the draft", eq(q[x] * keep[x], p[x] - over), accepted)
    all_ = d.sum("over the drafts", parts, x)
    refused = d.derive("refused", eq(1 - total(q[x] * keep[x], x), total(over, x)), all_, mass_p)
    again = d.derive("and drawn again", eq((1 - total(q[x] * keep[x], x)) * e[x], over), refused, resampled)
    out = q[x] * keep[x] + sign * (1 - total(q[x] * keep[x], x)) * e[x]
    return out, d.derive("together", eq(out, p[x]), parts, again), e


def first_values(p: Array, q: Array) -> dict[str, Any]:
    """The laws before any token."""
    p = p[0]
    q = q[0]
    keep = ratio(np.minimum(p, q), q)
    return {"p": p, "q": q, "keep": keep, "e": rest_of_p(p, q), "V": len(p)}
