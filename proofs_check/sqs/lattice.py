"""sqs.lattice: of fractional parts of sum m the m largest are rounded up, so the distance is at most (m − m²/K)/ℓ ≤ K/(4ℓ)."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, le, total, x
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import sparse, values
from proofs_check.sqs._lattice_distance import attained, distance, never_all, sharp_values, sharpest
from simspec.claims.sqs.lattice import LATTICE, LATTICE_SHARP


def prove(d: Derivation, sign: int = 1, four: int = 4) -> None:
    """Every vocabulary size, law, set of tokens that has mass, resolution, and any choice among equal ζ.

    1/4 is the least constant: equal laws over K even tokens at ℓ = K/2 attain it. For each K and ℓ the least bound is
    sqs.lattice-sharp.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    moved = distance(d, s, r)
    gap = sp.Abs(s.law - r.law)
    d.qed(
        d.smt(
            "m − m²/K is at most K/4",
            le(total(gap, x) / 2, s.size / (four * r.resolution)),
            moved.all, moved.average, r.one, *moved.bounds
        )
    )  # fmt: skip


def prove_sharp(d: Derivation, sign: int = 1, step: int = 1) -> None:
    """Every vocabulary size, law, set of tokens that has mass, resolution, and any choice among equal ζ; in steps, that
    it is attained where all fractional parts are m/K, and never above 1 − 1/K.

    Attained for every K and ℓ, where all fractional parts of ℓq̃ are m/K: with ℓ − m whole units on any of the K
    tokens, ℓq̃ has mass ℓ.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    moved = distance(d, s, r)
    h = sharpest(d, s, r, moved, step)
    attained(d, s, r, moved, h)
    never_all(d, s, r, h)
    d.qed(h.bound)


PROOFS = (
    Proof(LATTICE, prove, drop="the largest ζ lose one", change={"four": 5}, bind=values),
    Proof(
        LATTICE_SHARP,
        prove_sharp,
        drop="no whole number lies between two neighbours",
        change={"step": sp.S.Half},
        bind=sharp_values,
    ),
)
