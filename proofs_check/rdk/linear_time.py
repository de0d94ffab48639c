"""rdk.linear-time: operations counted part by part and compared with multiples of V; and what must be read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, V, eq, ge, i, j, le, total
from simspec.claims.rdk.linear_time import LINEAR_TIME, LINEAR_TIME_SHARP
from simspec.claims.rdk.parts import proposed
from simspec.laws import Array, restrict

K, R = sp.symbols("K R", real=True)
"""Tokens with draft mass, and the rank."""


def counts(sign: int = 1) -> dict[str, Any]:
    """Operations of one application, part by part: one for an entry, one less for a sum."""
    add = V - sign
    tilt = V + add + 1
    parts = {
        "affine": (tilt, 6 * V),  # prior V − 1, its product with the tilt, / V, 1 +, / V
        "normalised": (tilt, 2 * V, 1, V),  # 1 + t prior, V + t, the quotient
        "exponential": (tilt, V, add, V, V, add, V),  # z, its maximum, z − max, exp, sum, quotient
        "first_order": ((V + add) * R, R, (R + R - 1) * V, 2 * V, add + 1, 4 * V),  # Ωᵀq', its mean, 1 + (u − ū)/τ, / V
        "dense": (V * V, add * V),
        "drafted_rows": (K * V, (K - 1) * V),
    }
    return {name: sum(p) for name, p in parts.items()}


def prove(d: Derivation, constant: int = 8, sign: int = 1) -> None:
    """Every vocabulary, number of drafted tokens and rank, from the formulas above for the operations of each part, which
    are those of the package's functions at each instance.  In Coq the operations of the same programs are counted one by one.

    8 is the least for the affine form, which takes 8V exactly; the normalised one takes 5V + 1, the exponential one 8V
    − 2, the first-order one (4R + 6)V, Algorithm 1 (2V − 1)V or, on the drafted rows, (2|I| − 1)V: all exact.
    """
    K_low = d.domain("some token is drafted", ge(K, 1))
    K_high = d.domain("no more than there are", le(K, V))
    R_low = d.domain("the rank is positive", ge(R, 1))
    operation_counts = counts(sign)
    upper = {
        **{"affine": constant * V, "normalised": 6 * V, "exponential": constant * V, "first_order": (4 * R + 7) * V},
        **{"dense": 2 * V * V, "drafted_rows": 2 * K * V},
    }
    vocab_nonempty = d.domain("there is a token", ge(V, 1))
    facts = [d.derive(name, le(n, upper[name]), vocab_nonempty, R_low, K_low) for name, n in operation_counts.items()]
    rows = d.derive(
        "at least every entry of the drafted rows", le(K * V, operation_counts["drafted_rows"]), K_low, vocab_nonempty
    )
    dense = d.derive("at least every entry of M", le(V * V, operation_counts["dense"]), vocab_nonempty, K_high)
    d.qed(*facts, rows, dense)


def prove_sharp(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary of two tokens or more, draft and matrix; conditions are numbers 0 and 1, given by what is
    positive and what is not.
    """
    draft = d.weights("draft")
    M = sp.IndexedBase("M", real=True)
    certain, has, visible_flag = (sp.IndexedBase(name, real=True) for name in ("certain", "has", "seen"))
    N = d.number("N", positive=True)
    is_one = d.domain(
        "certain[i, j] = 1 where M_ij = 1, and 0 elsewhere (N is large)",
        eq(certain[i, j] * (1 - certain[i, j]), 0),
        eq(certain[i, j] * (1 - M[i, j]), 0),
        ge(N * (1 - M[i, j]), 1 - certain[i, j]),
    )
    has_mass = d.domain(
        "has[i] = 1 where the draft has mass, and 0 elsewhere",
        eq(has[i] * (1 - has[i]), 0),
        le(draft[i], has[i]),
        le(has[i], N * draft[i]),
    )
    new = sp.IndexedBase("new", real=True)
    after = sp.IndexedBase("after", real=True)
    to = d.define(
        "row i halved, and half put on j, or on another token where M_ij = 1 already (V ≥ 2)",
        new[i, j],
        half * M[i, j] + half * (1 - certain[i, j]),
    )
    before = total(draft[i] * M[i, j], i)
    after_is = d.define("(Mᵀq')_j after that", after[i, j], before + sign * draft[i] * (new[i, j] - M[i, j]))
    differs = after[i, j] - before
    seen_is = d.domain(
        "seen[i, j] = 1 where that differs, and 0 elsewhere",
        eq(visible_flag[i, j] * (1 - visible_flag[i, j]), 0),
        le(sp.Abs(differs), visible_flag[i, j]),
        le(visible_flag[i, j], N * sp.Abs(differs)),
    )
    size = d.derive("the difference", eq(differs, draft[i] * (new[i, j] - M[i, j])), after_is)
    change = ge(N * sp.Abs(new[i, j] - M[i, j]), (1 - certain[i, j]) / 2)
    change = d.derive("an entry below one changes", change, to, *is_one)
    unit_entry_changes = ge(sp.Abs(new[i, j] - M[i, j]), certain[i, j] / 2)
    unit_entry_changes = d.derive("and so does an entry that is one", unit_entry_changes, to, *is_one)
    facts = *seen_is, size, change, unit_entry_changes, is_one[0], *has_mass
    same = d.derive("it is seen exactly where the draft has mass", eq(visible_flag[i, j], has[i]), *facts)
    d.qed(d.sum("over all entries", same, i, j))


def _flags(q: Array, shared: Array, M: Array) -> dict[str, Any]:
    """The flags of an instance, from the package's own drafts, and a number that is large enough."""
    draft = restrict(q, shared)
    vocab = len(M)
    before = proposed(q, shared, M)
    visible = np.zeros((vocab, vocab), dtype=int)
    small: list[Any] = [1]
    for row, column in np.ndindex(vocab, vocab):
        changed = M.copy()
        changed[row] = changed[row] / 2
        changed[row, column if M[row, column] != 1 else (column + 1) % vocab] += Fraction(1, 2)
        difference = abs(proposed(q, shared, changed)[column] - before[column])
        visible[row, column] = difference != 0
        small += [v for v in (difference, draft[row], 1 - M[row, column]) if v > 0]
    flags = {"certain": (M == 1).astype(int), "has": (draft > 0).astype(int), "seen": visible}
    return {**flags, "draft": draft, "M": M, "N": 1 / Fraction(min(small)), "V": vocab}


PROOFS = (
    Proof(
        LINEAR_TIME,
        prove,
        drop="some token is drafted",
        change={"constant": 7},
        bind=lambda vocab, drafted, rank: {"V": vocab, "K": drafted, "R": rank},
    ),
    Proof(
        LINEAR_TIME_SHARP,
        prove_sharp,
        drop="has[i] = 1 where the draft has mass, and 0 elsewhere",
        change={"half": sp.Rational(1, 3)},
        bind=_flags,
    ),
)
