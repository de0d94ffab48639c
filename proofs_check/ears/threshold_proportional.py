"""ears.threshold-proportional: u − βU is affine in U; the part that depends on U is proportional to it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq
from simspec.claims.claim import Instance
from simspec.claims.ears.threshold_proportional import LITERAL, PROPORTIONAL

NAMES = ("coin", "beta", "uncertainty", "times")


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1, power: int = 1) -> None:
    """Every coin, β, uncertainty and factor."""
    coin, beta, uncertainty, times = (d.number(name, 0) for name in NAMES)
    low, high = (sp.Symbol(name, real=True) for name in ("low", "high"))
    once = d.define("the threshold", low, coin - sign * beta * uncertainty)
    uncertain_threshold = d.define("that of the more uncertain target", high, coin - beta * times**power * uncertainty)
    d.qed(d.derive("what is taken off", eq(coin - high, constant * times * (coin - low)), once, uncertain_threshold))


def by_size() -> Iterator[Instance]:
    """Halves from 0 to 2, the coin first."""
    for coin, beta, uncertainty, times in product((F(0), F(1, 2), F(1)), (F(1),), (F(0), F(1, 2)), (F(0), F(1), F(2))):
        yield {"coin": coin, "beta": beta, "uncertainty": uncertainty, "times": times}


PROOFS = (
    Proof(PROPORTIONAL, prove, drop={"power": 2}, bind=lambda **given: {n: given[n] for n in NAMES}),
    Refutation(
        LITERAL,
        by_size,
        scope="β = 1 and halves, by coin, uncertainty and factor",
        repaired={
            "a coin that is zero": lambda: (i for i in by_size() if i["coin"] == 0),
            "what is taken off": PROPORTIONAL,
        },
    ),
)
