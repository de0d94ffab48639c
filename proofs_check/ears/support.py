"""ears.support: a token with p = 0 has the ratio 0 and is pardoned by every coin up to t."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.ears._one_coin import coins, paths
from proofs_check.ears._relaxed_step import tolerance, two_laws
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.ears.fidelity import steps
from proofs_check.language import Derivation, Proof, Refutation, eq, laws, x
from simspec.claims.claim import Instance
from simspec.claims.ears.support import SUPPORT, SUPPORT_CORRECTED
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    s = two_laws(d)
    t, _, not_negative = tolerance(d)
    way = paths(d, s, t, not_negative, sign)
    z, is_zero = zeros(d, "z", s.p)
    only = z[x] * (1 - way.none[x])
    d.qed(
        d.smt(
            "where p = 0 the ratio is 0: coins up to t pass, and no other",
            eq(only * way.pardon[x], only * sp.Min(1, constant * t)),
            *(way.second, way.ratio, not_negative, *is_zero, *way.is_none),
        )
    )


def bind(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    return {"p": p, "q": q, "beta": beta, "m": max(p), "z": flags(p == 0), "V": len(p), **coins(p, q, beta)}


def _three() -> Iterator[Instance]:
    """Pairs of laws over at most three tokens."""
    yield from steps()
    for p in laws(3, 2):
        yield from ({"p": p, "q": q, "beta": F(beta)} for q in laws(3, 2) for beta in (0, 1))


PROOFS = (
    Refutation(
        SUPPORT,
        _three,
        scope="the first of all pairs of laws, vocabulary by vocabulary (two tokens have no uncertain target with a zero)",
        repaired={
            "nothing is tolerated: β(1 − max p) = 0": lambda: (
                i for i in _three() if i["beta"] == 0 or max(i["p"]) == 1
            )
        },
    ),
    Proof(SUPPORT_CORRECTED, prove, drop="z is 1 where p is 0, else 0", bind=bind),
)
