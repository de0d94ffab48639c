"""Capped hierarchical verification at every prefix: its ratios, cut at one, are the block's r, its tests the same."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._tree import Tree, c, nodes, values
from proofs_check.language import Derivation, eq, ge, total, x
from simspec.laws import Array

__all__ = ["CAP", "RATIO", "capped", "with_ratios"]

RATIO = "R is multiplied by p/q"
CAP = "R* is R over the largest ratio before, or 1"
BRANCH = "a prefix is accepted with D(p, q)/D(q, p) of its branch"


def capped(d: Derivation, constant: int = 1, tag: str = "") -> Tree:
    """Laws, R* cut at one as r, and tests at every prefix."""
    p, mass_p = d.law("p", c)
    q, mass_q = d.law("q", c)
    R, before, top, star, accept = (
        sp.IndexedBase(name, real=True) for name in ("R", "before", "top", "star", "accept")
    )
    child = d.map("child")
    after = child[c, x]
    ratio, some = d.domain(RATIO, eq(q[c, x] ** 2 * R[after], q[c, x] * R[c] * p[c, x]), ge(R[c], 0))
    prefix_at_most_one, starred, topped, next_ = d.domain(
        CAP,
        ge(before[c], 1),
        eq(star[c] * before[c], constant * R[c]),
        eq(top[c], sp.Max(before[c], R[c])),
        eq(top[after], sp.Max(top[c], R[after])),
    )
    r, Z = (sp.IndexedBase(name, real=True) for name in (f"r{tag}", f"Z{tag}"))
    cut = d.define("the whole draft is accepted with R*, cut at one", r[c], sp.Min(1, star[c]))
    over = sp.Max(r[c] * p[c, x] - q[c, x], 0)
    under = sp.Max(q[c, x] - r[c] * p[c, x], 0)
    branch = d.domain(BRANCH, eq(accept[c] * total(under, x), total(over, x)))
    nonnegative = d.smt("no less than nothing", ge(r[c], 0), cut, starred, prefix_at_most_one, some)
    at_most_one = d.smt("at most one", ge(1, r[c]), cut)
    at_most_one = d.derive("at most one, turned round", eq(sp.Max(r[c], 1), 1), at_most_one, by="smt")
    cut_ratio = d.smt(
        "R over the largest ratio so far", eq(r[c] * top[c], R[c]), cut, starred, topped, prefix_at_most_one, some
    )
    there = d.instantiate("after a token", cut_ratio, {c: after})
    high = d.smt("the largest is at least one", ge(top[c], 1), topped, prefix_at_most_one)
    reached = d.instantiate("R after a token", some, {c: after})
    masses = [d.derive("a mass", ge(law[c, x], 0)) for law in (p, q)]
    step = d.smt(
        "so r is multiplied by p/q and cut at one",
        eq(q[c, x] * r[after], sp.Min(q[c, x], r[c] * p[c, x])),
        *(cut_ratio, there, next_, ratio, high, reached, nonnegative, *masses),
    )
    balance = d.derive("above and below", eq(over - under, r[c] * p[c, x] - q[c, x]))
    balance = d.sum("over the tokens", balance, x)
    missing = d.define("what is missing from the drafts after c", Z[c], total(over, x))
    tested = d.derive(
        "so a prefix passes with Z/(Z + 1 − r)",
        eq(accept[c] * (Z[c] + 1 - r[c]), Z[c]),
        *(branch, balance, missing, mass_p, mass_q),
        by="smt",
    )
    return Tree(
        p=p,
        q=q,
        r=r,
        h=accept,
        Z=Z,
        over=over,
        child=child,
        mass_p=mass_p,
        mass_q=mass_q,
        step=step,
        least=nonnegative,
        most=at_most_one,
        missing=missing,
        tested=tested,
    )


def with_ratios(p: Array, q: Array, gamma: int, bindings: dict[str, Any] | None = None) -> dict[str, Any]:
    """What `capped` binds."""
    bindings = dict(bindings or values(p, q, gamma))
    prefixes = nodes(bindings["V"], gamma)
    R = [1 + 0 * bindings["r"][0]]
    before = [1 + 0 * bindings["r"][0]]
    top = [R[0]]
    place = {prefix: at for at, prefix in enumerate(prefixes)}
    for prefix in prefixes[1:]:
        at = place[prefix[:-1]]
        y = prefix[-1]
        drafted = bindings["q"][at][y]
        R.append(R[at] * bindings["p"][at][y] / drafted if drafted else top[at])
        before.append(top[at])
        top.append(max(top[at], R[-1]))
    star = [a / b for a, b in zip(R, before, strict=True)]
    bindings.pop("r", None)
    return {**bindings, "R": R, "before": before, "top": top, "star": star, "accept": bindings["h"]}
