"""relaxed.cactus-example: three numbers, certified."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, le
from simspec.claims.relaxed.cactus_example import CACTUS_EXAMPLE

GIVEN = "q is the named number"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """The named q(x).

    Every q(x) from .8000 to .8045 does.
    """
    p = sp.Rational(35, 100)
    h = sp.Rational(66, 100)
    q = sp.Rational(804, 1000)
    kl = h * sp.log(h / p) + (1 - h) * sp.log((1 - h) / (1 - p))
    half = sp.Rational(1, 200) / constant
    misses = p / q - sp.Rational(44, 100), sign * h / q - sp.Rational(82, 100), kl - sp.Rational(1, 5)
    d.qed(*(d.numeric("by calculation", le(sp.Abs(miss), half)) for miss in misses))


PROOF = Proof(CACTUS_EXAMPLE, prove, drop={"sign": 3}, bind=lambda q: {})
