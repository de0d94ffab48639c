"""rdk.minimise-kernel: min(p, q) + (q − p)₊ = q, summed for both drafts; squares order drafts otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, laws, total, x
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.rdk.minimise_kernel import L1, L2, square


def split(d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, mass: Fact, sign: int = 1) -> Fact:
    """α + ‖k‖₁ = 1."""
    token = eq(sp.Min(p[x], q[x]) + sign * sp.Max(q[x] - p[x], 0), q[x])
    token_sum = d.sum("over the vocabulary", d.derive("what is kept, and the excess", token), x)
    accepted = total(sp.Min(p[x], q[x]), x)
    excess = total(sp.Max(q[x] - p[x], 0), x)
    return d.derive("they make one", eq(accepted, 1 - excess), token_sum, mass)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target and two drafts; an equality, so attained everywhere."""
    p = d.weights("p")
    (q, mass) = d.law("q")
    (q2, mass2) = d.law("r")
    first_split = split(d, p, q, mass, sign)
    two = split(d, p, q2, mass2)
    gain = total(sp.Min(p[x], q[x]), x) - total(sp.Min(p[x], q2[x]), x)
    excess_drop = total(sp.Max(q2[x] - p[x], 0), x) - total(sp.Max(q[x] - p[x], 0), x)
    d.qed(d.derive("so acceptance and kernel differ by the same", eq(gain, constant * excess_drop), first_split, two))


def by_size() -> Iterator[Instance]:
    """A target that is sure of the last of three tokens, drafts in fifths, the one with the shorter kernel first."""
    p = law(0, 0, 1)
    for q in laws(3, 5):
        for q2 in laws(3, 5):
            if square(p, q) <= square(p, q2):
                yield {"p": p, "q": q, "q2": q2}


PROOFS = (
    Proof(L1, prove, drop="q sums to one", bind=lambda p, q, q2: {"p": p, "q": q, "r": q2, "V": len(p)}),
    Refutation(
        L2,
        by_size,
        scope="a target that is sure of one of three tokens, drafts in fifths; with two tokens a kernel has one entry",
        repaired={
            "drafts that exceed the target on one token": lambda: (
                c for c in by_size() if all((c[q] > c["p"]).sum() <= 1 for q in ("q", "q2"))
            ),
            "the ℓ1 norm": L1,
        },
    ),
)
