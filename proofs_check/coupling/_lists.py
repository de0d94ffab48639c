"""Lists of K drafts: how often the stream in which the target's token won drafts it, and another one where that one does not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.coupling._race import Quotient, Race, quotient, race, sums, values
from proofs_check.language import Derivation, Fact, eq, ge, total, x, y
from simspec.laws import exact
from simspec.methods.coupling import exact_masses

__all__ = ["LEMMA", "SAME", "K", "Lists", "above", "bind", "lists"]

K = sp.Symbol("K", integer=True, nonnegative=True)
SAME = "the stream in which y won at s ~ Exp(K) drafts it with probability exp(−s L)"
LEMMA = "K over the lemma's sums"


class Lists(NamedTuple):
    """The race, K ≥ 1, P(Y = y and its own stream drafts it), P(Y = y and only another one does)."""

    race: Race
    some: Fact
    same: Quotient
    other: Any


def above(d: Derivation, q: Quotient, r: Race, name: str, below: Any, *using: Fact) -> tuple[Fact, Fact, Fact, Fact]:
    """A quotient's facts with a shorter denominator, of a definition among `using`."""
    over = sp.IndexedBase(f"over_{name}", real=True)[y]
    at_p = d.derive("in short, where p has y", eq(r.p[y] * (over - below), 0), q.facts[2], *using, by="smt")
    at_q = d.derive("in short, where q has y", eq(r.q[y] * (over - below), 0), q.facts[3], *using, by="smt")
    return q.facts[0], q.facts[1], at_p, at_q


def lists(d: Derivation, constant: int = 1) -> Lists:
    """P(Y = y) exp(−s L) over s ~ Exp(K): p K/(K + L) with L = Σ (q_x p_y/q_y − p_x)₊."""
    r = race(d)
    some = d.domain("there is a draft", ge(K, 1))
    late = sp.Max(r.q[x] * r.p[y] - r.p[x] * r.q[y], 0)
    below = K * r.q[y] + total(late, x)
    same = quotient(d, "same", SAME, constant * K * r.p[y] * r.q[y], below, r.p, r.q)
    other = d.weights("other", y)
    each = d.smt("later than the target", eq(late, r.larger - r.p[x] * r.q[y]))
    each = d.sum("over the tokens", each, x)
    short = d.derive("the sums", eq(total(late, x), r.D[y] - r.q[y]), each, r.sums, r.mass_p)
    facts = above(d, same, r, "same", r.D[y] + (K - 1) * r.q[y], short)
    return Lists(r, some, Quotient(same.m, facts), other)


def bind(p: Any, q: Any, drafts: int) -> dict[str, Any]:
    """What the symbols stand for."""
    late = exact([np.maximum(q * a - p * b, 0).sum() for a, b in zip(p, q, strict=True)])
    wanted = drafts * p * q
    made = values(p, q, same=(wanted, drafts * q + late), lemma=(wanted, sums(p, q) + (drafts - 1) * q))
    return {**made, "other": exact_masses(p, q, drafts) - made["same"], "K": drafts}
