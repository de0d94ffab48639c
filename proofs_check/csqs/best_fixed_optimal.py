"""csqs.best-fixed-optimal: csqs.fixed-optimal at the best fixed threshold, for sets that drop no more than the target."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.csqs._fixed_sets import (
    REACHED,
    N,
    best_choice,
    bind,
    c,
    in_all,
    laws,
    literal_choice,
    over_text,
    sets,
)
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.csqs.best_fixed_optimal import BEST_OPTIMAL, MEETS
from simspec.claims.csqs.parts import KEEPS, READINGS
from simspec.laws import Array
from simspec.methods.csqs.threshold_rules import best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, target and sets that meet it; both readings of an empty set.

    Equality where the sets use up the target by dropping tokens of probability β*.
    """
    w = laws(d, c)
    other_sets = sp.IndexedBase("other", real=True)
    alpha = d.number("alpha", 0, 1)
    r = other_sets[c, x]
    q = w.q[c, x]
    some = d.assume(KEEPS, ge(total(r, x), 1))
    meets = d.assume(MEETS, le(in_all((1 - r) * q), alpha * N))
    bit = d.domain("a token is kept or not", eq(r * (1 - r), 0))
    conclusions = []
    for top in READINGS:
        tail = "_top" if top else ""
        beta = d.number(f"best{tail}", positive=True)
        s = sets(d, w, c, beta, f"fixed{tail}")
        if top:
            mask = s.mask
            fact = best_choice(d, w, s, c, beta, other_sets, (bit, some))
        else:
            mask = s.keep[c, x]
            fact = literal_choice(d, w, s, c, beta, other_sets, bit)
        set_sizes = in_all(mask)
        lost = in_all((1 - mask) * q)
        bound = le(constant * set_sizes - sign * (alpha * N - lost) / beta, in_all(r))
        conclusions.append(d.derive("divided by the price", bound, over_text(d, fact), meets))
    d.qed(*conclusions)


def values(q: Array, kept: Array, dropped_target: Fraction) -> dict[str, Any]:
    bindings: dict[str, Any] = {"alpha": dropped_target, "other": lambda c, x: kept[c - 1][x - 1]}
    for tail, top in zip(("", "_top"), READINGS, strict=True):
        beta = best_fixed_threshold(ranked(q), dropped_target, top).threshold
        bindings |= {**bind(q, beta, f"fixed{tail}"), f"best{tail}": beta}
    return bindings


PROOF = Proof(BEST_OPTIMAL, prove, drop=REACHED, bind=values)
