"""TLI's law as the package makes it: norm(q 1_I), uniform on the shared vocabulary I where q has no mass there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x
from simspec.laws import Array

__all__ = ["Shared", "Tli", "inside", "nothing", "shared", "tli"]


class Shared(NamedTuple):
    """The mask of I, one on shared tokens and else zero; that it is; that some token is shared."""

    mask: Any
    flag: Fact
    some: Fact


class Tli(NamedTuple):
    """The law t; that t ≥ 0 and Σ t = 1; its formula, and what is known of the case q(I) = 0."""

    law: Any
    not_negative: Fact
    mass: Fact
    meaning: Fact
    empty: list[Fact]


def shared(d: Derivation) -> Shared:
    """A shared vocabulary of at least one token."""
    mask = d.weights("I")
    flag = d.domain("I is 1 on shared tokens, else 0", eq(mask[x] * (1 - mask[x]), 0))
    return Shared(mask, flag, d.domain("at least one token is shared", gt(total(mask[x], x), 0)))


def tli(d: Derivation, i: Shared, q: sp.IndexedBase, name: str = "t", share: sp.Expr | int = 1) -> Tli:
    """Eq. 1 and the package's convention for q(I) = 0."""
    t = sp.IndexedBase(name, real=True)
    none = sp.Symbol(f"none_{name}", real=True)
    shared_mass = total(i.mask[x] * q[x], x)
    size = total(i.mask[x], x)
    empty = d.domain(
        f"{none} is 1 where q(I) = 0, else 0",
        eq(none * shared_mass, 0),
        eq(none * (1 - none), 0),
        gt(shared_mass + none, 0),
    )
    positive = d.derive("q has mass on I, or the uniform law stands in", gt(shared_mass + none, 0), empty[2])
    meaning = d.define(
        "TLI, Eq. 1; uniform on I where q has no mass there",
        t[x],
        share * i.mask[x] * q[x] / (shared_mass + none) + none * i.mask[x] / size,
        positive,
        i.some,
    )
    not_negative = d.derive("none of it is negative", ge(t[x], 0), meaning, *empty, i.some)
    mass = d.derive("its mass is one", eq(total(t[x], x), 1), d.sum("over the vocabulary", meaning, x), *empty, i.some)
    return Tli(t, not_negative, mass, meaning, empty)


def inside(d: Derivation, i: Shared, q: sp.IndexedBase, mass_q: Fact) -> Fact:
    """A law's mass on I is at most one."""
    within_law = d.summed("a part of the law", le(i.mask[x] * q[x], q[x]), i.flag)
    return d.derive("its mass on I is at most one", le(total(i.mask[x] * q[x], x), 1), within_law, mass_q)


def nothing(q: Array, mask: Array) -> int:
    """Whether q has no mass on I."""
    return int(not np.where(mask, q, 0).sum())
