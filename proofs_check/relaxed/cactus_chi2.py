"""relaxed.cactus-chi2: (h − m)²/m at the token, (h − m)²/(1 − m) on all others together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, laws
from proofs_check.relaxed._raised_law import LIFTED, bind, chi2, lifted_law
from simspec.claims.claim import Instance
from simspec.claims.relaxed.cactus_chi2 import CHI2, CHI2_CORRECTED, CHI2_POSITIVE, MASS

__all__ = ["by_size"]


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law, token and δ."""
    it = lifted_law(d, sign)
    chi2_total, size, chi2_sum, limit = chi2(d, it, constant)
    d.qed(d.smt("half of it", eq(chi2_sum / 2, (1 - it.f) * sp.Min(it.delta, limit)), chi2_total, size))


def prove_positive(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law, every token that has mass, and δ."""
    it = lifted_law(d, sign)
    chi2_total, size, chi2_sum, limit = chi2(d, it, constant)
    mass = d.assume(MASS, gt(it.m, 0))
    said = d.smt("the token is one that the target says", eq(it.f, 0), mass, *it.is_f)
    d.qed(d.smt("half of it", eq(chi2_sum / 2, sp.Min(it.delta, limit)), chi2_total, size, said))


def by_size(deltas: tuple[F, ...] = (F(1, 4), F(1, 2), F(1), F(2))) -> Iterator[Instance]:
    """Laws by vocabulary and denominator, each token, some δ."""
    for vocab in (1, 2, 3):
        for denominator in (1, 2, 3):
            for p in laws(vocab, denominator):
                for token in range(vocab):
                    for delta in deltas:
                        yield {"p": p, "token": token, "delta": delta}


PROOFS = (
    Proof(CHI2_POSITIVE, prove_positive, drop=MASS, bind=bind),
    Refutation(
        CHI2,
        by_size,
        scope="the first law by vocabulary and denominator: a token that the target never says",
        repaired={
            "p(x) > 0": lambda: (i for i in by_size() if i["p"][i["token"]] > 0),
            "the least of δ and (1 − p)/(2p)": CHI2_CORRECTED,
        },
    ),
    Proof(CHI2_CORRECTED, prove, drop=LIFTED, bind=bind),
)
