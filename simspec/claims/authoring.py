"""Words that claims are written with: kinds of claims and their relations, draws, exact laws, matrices and masks by hand."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import (
    Broken,
    Claim,
    Instance,
    at_least,
    at_most,
    bound,
    call,
    equal,
    identity,
    probability,
    procedure,
    rate,
)
from simspec.claims.draw import Draw
from simspec.laws import Array, Scalar, exact, is_exact

__all__ = [
    "OWN_FIGURES",
    "Array",
    "Broken",
    "Claim",
    "Draw",
    "F",
    "Instance",
    "at_least",
    "at_most",
    "bound",
    "broken",
    "chosen_here",
    "circulation",
    "close",
    "equal",
    "exact",
    "eye",
    "identity",
    "is_exact",
    "law",
    "mask",
    "matrix",
    "norm1",
    "other_claim",
    "positive",
    "probability",
    "procedure",
    "rate",
    "shifted",
    "swapped",
]

OWN_FIGURES = "the counterexample is made of the paper's own figures"
"""Why a refuted claim about printed figures needs no second counterexample."""


def chosen_here(constants: str) -> str:
    """How a criterion begins whose outcome hangs on a constant, a family or times that no paper gives.

    >>> chosen_here("link times")
    'Chosen here, so that others may decide otherwise: link times. '
    """
    return f"Chosen here, so that others may decide otherwise: {constants}. "


def broken(wrong: str, **changes: Any) -> Broken:
    """A slip in a claim: what is wrong, and the parts of the claim that it changes.

    >>> slip = broken("max in place of min", lhs=lambda p, q: max(p, q))
    >>> slip.wrong, list(slip.changes(None))
    ('max in place of min', ['lhs'])
    """
    return Broken(wrong, lambda claim: changes)


def swapped(wrong: str = "the two sides are exchanged", **changes: Any) -> Broken:
    """A slip that exchanges both sides of a claim, and may change more."""
    return Broken(wrong, lambda claim: {"lhs": claim.rhs, "rhs": claim.lhs, **changes})


def shifted(by: int | F) -> Broken:
    """A slip by a number in the left side of a claim.

    >>> shifted(F(-1, 8)).wrong
    'the left side is off by -1/8'
    """

    def changes(claim: Any) -> dict[str, Any]:
        return {"lhs": lambda **instance: call(claim.lhs, instance) + by}

    return Broken(f"the left side is off by {by}", changes)


def other_claim(name: str) -> Any:
    """A claim by its id, for slips that take a part of another claim; to be called only when the slip is tried."""
    from simspec.claims import registry

    return registry()[name]


def law(*masses: int | str | F) -> Array:
    """Exact law written by hand: ``law("1/2", "1/2")``.

    >>> law("1/2", "1/2").tolist()
    [Fraction(1, 2), Fraction(1, 2)]
    """
    return exact(np.array([F(m) for m in masses], dtype=object))


def matrix(*rows: str) -> Array:
    """Exact matrix written by hand, a string per row.

    >>> matrix("0 1", "1/2 1/2").tolist()
    [[Fraction(0, 1), Fraction(1, 1)], [Fraction(1, 2), Fraction(1, 2)]]
    """
    return np.stack([law(*row.split()) for row in rows])


def mask(flags: str) -> Array:
    """Shared vocabulary written by hand: ``mask("110")``.

    >>> mask("10").tolist()
    [True, False]
    """
    return np.array([f == "1" for f in flags])


def eye(vocab: int, like_exact: bool) -> Array:
    """Identity matrix of fractions or of floats.

    >>> eye(1, True).tolist()
    [[Fraction(1, 1)]]
    """
    return exact(np.eye(vocab, dtype=int)) if like_exact else np.eye(vocab)


def close(a: Array, b: Scalar | Array) -> bool:
    """Equality: exact on fractions, to 1e-9 on floats.

    >>> close(np.array([1.0]), 1 + 1e-12), close(exact([1]), F(1, 3))
    (True, False)
    """
    return bool(np.all(a == b if is_exact(np.asarray(a)) else abs(a - b) <= 1e-9))


def norm1(x: Array) -> Any:
    """ℓ1 norm over the vocabulary.

    >>> norm1(exact([1, -2]))
    Fraction(3, 1)
    """
    return abs(x).sum(axis=-1)


def positive(draw: Draw) -> Any:
    """A positive number, between 1/4 and 4: temperatures and scales."""
    return draw.number(F(1, 4), 4)


def circulation(draw: Draw, vocab: int) -> tuple[Array, Array]:
    """A row-stochastic matrix with its stationary law, reversible or not: flows whose row and column sums agree."""
    flow = draw.matrix(vocab)
    flow = flow + flow.T + draw.number(0, 1) * np.roll(eye(vocab, draw.exact), 1, axis=1)
    out = flow.sum(axis=-1)
    return flow / out[:, None], out / out.sum()
